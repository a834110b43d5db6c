import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { PathError } from "./path-error.ts";

export interface Ownership {
  readonly uid: number;
  readonly gid: number;
}

/** Writes what modules may have on the host's disk, and nothing else (R7, R8). */
export interface ModuleFiles {
  /** The path as the host has it: under the prefix, if there is one. */
  hostPath(path: string): string;
  ensureDirectory(path: string, mode: string, owner: Ownership): void;
  /** Makes sure that a volume's source is a directory of the module, reached through no link. */
  ensureVolume(path: string, owner: Ownership): void;
  /** Replaces the file whole, never in place; a link at its name is replaced, not followed. */
  writeFile(path: string, file: { mode: string; content: string; owner: Ownership }): void;
  /** Whether something of the right kind is at the path. */
  exists(path: string, type: "file" | "directory"): boolean;
  /** Removes a file or a link at its name. Anything else, and every directory, stays. */
  removeFile(path: string): void;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW } = constants;
/** What is made on the way to a path that was not declared itself. */
const BETWEEN_MODE = 0o750;
const ROOT_MODE = 0o755;

/**
 * Every path is walked from its root by descriptors that follow no link, so that a container that
 * plants links in its own volume leads the agent nowhere. A root itself (`/var/lib/mesh`) is the
 * host's, and may be reached through links of the host's own.
 *
 * `chown` is false where the agent may not give files away; then all is its own.
 */
export function moduleFiles(options: FilesOptions): ModuleFiles {
  const { hostPath, own, withFolder } = createWalker(options);
  return {
    hostPath,
    ensureDirectory: (path, mode, owner) => {
      withFolder(path, owner, (fd) => {
        own(fd, owner);
        fchmodSync(fd, Number.parseInt(mode, 8));
      });
    },
    ensureVolume: (path, owner) => {
      withFolder(path, owner, () => undefined);
    },
    writeFile: (path, { mode, content, owner }) => {
      withFolder(dirname(path), owner, (fd) => {
        const name = basename(path);
        const found = statIn(fd, name);
        if (found !== undefined && !found.isFile() && !found.isSymbolicLink()) {
          throw new PathError("path.not-regular", path, "is there, and is no regular file");
        }
        replaceIn(fd, name, content, (file) => {
          own(file, owner);
          fchmodSync(file, Number.parseInt(mode, 8));
        });
      });
    },
    exists: (path, type) => {
      if (type === "directory") return withFolder(path, undefined, () => true) ?? false;
      const found = withFolder(dirname(path), undefined, (fd) => statIn(fd, basename(path)));
      return found?.isFile() ?? false;
    },
    removeFile: (path) => {
      withFolder(dirname(path), undefined, (fd) => {
        const found = statIn(fd, basename(path));
        if (found?.isFile() || found?.isSymbolicLink()) unlinkSync(within(fd, basename(path)));
      });
    },
  };
}

interface FilesOptions {
  readonly roots: readonly string[];
  readonly prefix?: string | undefined;
  readonly chown: boolean;
}

function createWalker({ roots, prefix = "", chown }: FilesOptions) {
  const hostPath = (path: string): string => prefix + path;
  const own = (fd: number, owner: Ownership): void => {
    if (chown) fchownSync(fd, owner.uid, owner.gid);
  };
  /**
   * Opens the folder at `path`, calls `use` with it, and closes all on the way. Without `make`
   * nothing is made, and a folder that is not there gives `undefined`.
   */
  const withFolder = <T>(
    path: string,
    make: Ownership | undefined,
    use: (fd: number) => T,
  ): T | undefined => {
    const root = roots.find((one) => path === one || path.startsWith(`${one}/`));
    if (root === undefined) throw new PathError("path.outside-root", path, "is in no root");
    if (make !== undefined) mkdirSync(hostPath(root), { recursive: true, mode: ROOT_MODE });
    let fd = openFolder(hostPath(root), 0);
    if (fd === undefined) return undefined;
    try {
      const device = fstatSync(fd).dev;
      const parts = path.slice(root.length + 1).split("/");
      for (const part of parts.filter((one) => one !== "")) {
        const next = enter(fd, part, { path, device, make, own });
        if (next === undefined) return undefined;
        closeFolder(fd);
        fd = next;
      }
      return use(fd);
    } finally {
      closeFolder(fd);
    }
  };
  return { hostPath, own, withFolder };
}

/** Writes beside the name and renames over it, so that the name never has half a content. */
function replaceIn(
  fd: number,
  name: string,
  content: string,
  finish: (file: number) => void,
): void {
  const fresh = `.${name.slice(0, 200)}.mesh-new`;
  if (statIn(fd, fresh) !== undefined) unlinkSync(within(fd, fresh));
  const file = openSync(within(fd, fresh), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeWhole(file, content);
    finish(file);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(within(fd, fresh), within(fd, name));
  fsyncSync(fd);
}

interface Walk {
  readonly path: string;
  readonly device: number;
  readonly make: Ownership | undefined;
  readonly own: (fd: number, owner: Ownership) => void;
}

/** One step down, into a folder that is there or is made; never through a link or onto a mount. */
function enter(parent: number, part: string, walk: Walk): number | undefined {
  let made = false;
  const found = statIn(parent, part);
  if (found === undefined) {
    if (walk.make === undefined) return undefined;
    mkdirSync(within(parent, part), { mode: 0o700 });
    made = true;
  } else if (found.isSymbolicLink()) {
    throw new PathError("path.symlink", walk.path, `leads through the symbolic link ${part}`);
  } else if (!found.isDirectory()) {
    throw new PathError("path.not-regular", walk.path, `leads through ${part}, no directory`);
  }
  const fd = openFolder(within(parent, part), O_NOFOLLOW);
  if (fd === undefined) throw new PathError("path.symlink", walk.path, `changed at ${part}`);
  if (fstatSync(fd).dev !== walk.device) {
    closeFolder(fd);
    throw new PathError("path.mount", walk.path, `crosses onto another file system at ${part}`);
  }
  if (made && walk.make !== undefined) {
    walk.own(fd, walk.make);
    fchmodSync(fd, BETWEEN_MODE);
  }
  return fd;
}

function openFolder(path: string, more: number): number | undefined {
  try {
    const fd = openSync(path, O_RDONLY | O_DIRECTORY | more);
    openedAs.set(fd, path);
    return fd;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ELOOP" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function closeFolder(fd: number): void {
  openedAs.delete(fd);
  closeSync(fd);
}

function statIn(fd: number, name: string): Stats | undefined {
  return lstatSync(within(fd, name), { throwIfNoEntry: false });
}

/** Where the kernel shows a process its own descriptors; Linux has it, some others do not. */
const DESCRIPTORS = existsSync("/proc/self/fd") ? "/proc/self/fd" : undefined;
const openedAs = new Map<number, string>();

/**
 * A name in an open folder. The kernel resolves the descriptor itself, so nobody can put another
 * folder in its place between two calls. Where it cannot, the path is what is left.
 */
function within(fd: number, name: string): string {
  if (DESCRIPTORS !== undefined) return join(DESCRIPTORS, String(fd), name);
  return join(openedAs.get(fd) ?? "", name);
}

function writeWhole(file: number, content: string): void {
  const bytes = Buffer.from(content, "utf8");
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
