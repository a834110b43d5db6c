import { type Fault, quote } from "./finding.ts";

/** Where the files and directories of modules live on a host (R8). */
export const MODULE_ROOTS: readonly string[] = ["/var/lib/mesh", "/etc/mesh"];

const MAX_COMPONENT_BYTES = 255;
const MAX_PATH_BYTES = 4095;
const FORBIDDEN_TARGETS = ["/proc", "/sys", "/dev"];

/** An absolute path in its shortest form, free of signs that a shell or an engine would replace. */
export function checkPath(path: string): Fault | undefined {
  if (/\p{Cc}|\p{Surrogate}|[\u2028\u2029]/u.test(path)) {
    return bad(path, "path.control-char", "a path has no control character", "remove it");
  }
  if (!path.startsWith("/")) {
    return bad(path, "path.relative", "a path must be absolute", "write the whole path, from /");
  }
  const parts = path.split("/").slice(1);
  if (parts.includes("..")) {
    const message = "a path cannot step up with ..";
    return bad(path, "path.traversal", message, "write the path it leads to");
  }
  if (/[*?[\]{}~$%\\"'`<>|;&!]/.test(path)) {
    const message = "a path is taken as it is: no wildcard, home or variable";
    const help = "leave out * ? [ ] { } ~ $ % \\ and shell signs";
    return bad(path, "path.meta-char", message, help);
  }
  if (path !== "/" && parts.some((part) => part === "" || part === ".")) {
    const shortest = `/${parts.filter((part) => part !== "" && part !== ".").join("/")}`;
    const message = "a path is written in its shortest form";
    return bad(path, "path.not-normal", message, `write ${shortest}`);
  }
  const longest = Math.max(...parts.map(utf8Length));
  if (longest > MAX_COMPONENT_BYTES || utf8Length(path) > MAX_PATH_BYTES) {
    const message = "a part of a path has at most 255 bytes, the whole at most 4095";
    return bad(path, "path.too-long", message, "shorten the name");
  }
  return undefined;
}

function bad(value: string, code: string, message: string, help: string): Fault {
  return { code, message, found: quote(value), help };
}

/** The place of a file or directory: inside the module's own roots, or one of them (R8). */
export function checkModulePath(
  path: string,
  module: string,
  roots: readonly string[] = MODULE_ROOTS,
): Fault | undefined {
  const own = roots.map((root) => `${root}/${module}`);
  if (own.some((root) => isWithin(path, root))) return undefined;
  return {
    code: "path.outside-root",
    message: `a module's files and directories live under its own roots`,
    found: quote(path),
    allowed: own,
    help: `move it under ${own.join(" or ")}`,
  };
}

/** Where a volume appears in a container: anywhere but on the kernel's own trees. */
export function checkTarget(target: string): Fault | undefined {
  const invalid = checkPath(target);
  if (invalid !== undefined) return invalid;
  if (target !== "/" && !FORBIDDEN_TARGETS.some((tree) => isWithin(target, tree))) return undefined;
  return {
    code: "volume.target",
    message: "a volume cannot cover the root or the kernel's own trees",
    found: quote(target),
    help: "use a path such as /data, outside /proc, /sys and /dev",
  };
}

/** Whether `path` is `root` or below it; `/a/b-evil` is not within `/a/b`. */
export function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root === "/" ? "/" : `${root}/`);
}

/** A file mode: four octal digits that begin with 0, without write permission for all. */
export function checkMode(mode: string): Fault | undefined {
  if (/^0?[1-7][0-7]{3}$/.test(mode)) {
    const message = "setuid, setgid and sticky bits are not allowed";
    return bad(mode, "mode.special-bits", message, `write "0${mode.slice(-3)}"`);
  }
  if (!/^0[0-7]{3}$/.test(mode)) {
    const message = "mode is four octal digits that begin with 0";
    const help = /^[0-7]{3}$/.test(mode) ? `write "0${mode}"` : 'write it as "0640"';
    return bad(mode, "mode.syntax", message, help);
  }
  if ((Number(mode.at(-1)) & 2) !== 0) {
    const message = "a file or directory that everyone may write is not allowed";
    const help = "remove the write permission of others: the last digit";
    return bad(mode, "mode.world-writable", message, help);
  }
  return undefined;
}

/** Bytes of `text` in UTF-8; a lone surrogate counts 3, as its replacement does. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) bytes += unit >= 0x800 ? 2 : 1;
    // A pair is two units and four bytes: the first adds two, the second is passed over.
    if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) index++;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
