import { type ParseResult, unwrap } from "./diagnostic.ts";
import { type Fault, quote, toDiagnostic } from "./finding.ts";
import type { Reading } from "./quantity.ts";

/** A container image's name, taken apart. */
export interface ImageReference {
  /** The registry's host in lower case, with its port; absent for a short name. */
  readonly registry?: string;
  readonly repository: string;
  readonly tag?: string;
  /** `sha256:` and 64 lower-case hexadecimal digits. */
  readonly digest?: string;
  /** Fully qualified; with a digest the tag is left out, without one `latest` is written. */
  readonly canonical: string;
}

const MAX_TEXT = 1024;
const MAX_NAME = 255;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const HOST_PART = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const REGISTRY = new RegExp(`^${HOST_PART}(?:\\.${HOST_PART})*(?::[0-9]{1,5})?$`);
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const TRANSPORTS = "dir|oci|oci-archive|docker-archive|docker-daemon|containers-storage|sif|ostree";
const SCHEME = new RegExp(`^(?:[A-Za-z][A-Za-z0-9+.-]*://|(?:${TRANSPORTS}):)`);
const EXAMPLE = "registry.example.com/team/app@sha256:<64 hexadecimal digits>";

/**
 * Reads `[registry[:port]/]path[:tag][@sha256:<64 hex>]` and answers its parts (R1, R5).
 * A reference without a digest is legal here; a module's image needs one.
 * Throws a `DeclarationError` with one of the `image.*` codes.
 */
export function parseImageReference(text: string): ImageReference {
  return unwrap(safeParseImageReference(text));
}

/** As `parseImageReference`, but answers the problem instead of throwing it. */
export function safeParseImageReference(text: string): ParseResult<ImageReference> {
  const { value, fault } = readImageReference(text);
  if (fault === undefined) return { ok: true, value, warnings: [] };
  return { ok: false, diagnostics: [toDiagnostic({ ...fault, path: [] })] };
}

export function readImageReference(text: string): Reading<ImageReference> {
  const early = refuseEarly(text);
  if (early !== undefined) return { fault: early };
  const at = text.indexOf("@");
  const name = at < 0 ? text : text.slice(0, at);
  if (at >= 0) {
    const rest = text.slice(at + 1);
    if (rest.includes("/")) {
      const help = "remove the user name and password; the host's own file holds credentials";
      return { fault: bad("image.credentials", "the image carries credentials", name, help) };
    }
    const fault = digestFault(rest);
    if (fault !== undefined) return { fault };
  }
  return readName(text, name, at < 0 ? undefined : text.slice(at + 1));
}

function bad(code: string, message: string, found: string, help: string): Fault {
  return { code, message, found: quote(found), help };
}

function refuseEarly(text: string): Fault | undefined {
  if (text === "") {
    return bad("shape.empty", "the image is empty", text, `write it as ${EXAMPLE}`);
  }
  if (/\s/.test(text)) {
    return bad("image.whitespace", "the image has white space in it", text, "remove it");
  }
  if (text.length > MAX_TEXT) {
    return bad(
      "image.too-long",
      "the image's name is too long",
      text,
      "use at most 255 characters",
    );
  }
  if (text.includes("$")) {
    const help = "write the name out: nothing is replaced in a manifest";
    return bad("image.variable", "the image contains a variable", text, help);
  }
  if (SCHEME.test(text)) {
    return bad("image.scheme", "the image names a transport", text, `write it as ${EXAMPLE}`);
  }
  return undefined;
}

function digestFault(digest: string): Fault | undefined {
  const colon = digest.indexOf(":");
  const algorithm = digest.slice(0, Math.max(colon, 0));
  const encoded = digest.slice(colon + 1);
  if (!/^[A-Za-z0-9]+(?:[+._-][A-Za-z0-9]+)*$/.test(algorithm) || /[:@]/.test(encoded)) {
    const help = "write the digest as @sha256: and 64 hexadecimal digits";
    return bad("image.digest-syntax", "what follows @ is not a digest", digest, help);
  }
  if (algorithm !== "sha256") {
    const help = "pin the image by its sha256 digest";
    return {
      ...bad("image.digest-algorithm", "the digest's algorithm is not taken", algorithm, help),
      allowed: ["sha256"],
    };
  }
  if (!/^[0-9a-f]{64}$/.test(encoded)) {
    const message = "a sha256 digest is 64 lower-case hexadecimal digits";
    const found = `${encoded.length} characters`;
    return { code: "image.digest-encoding", message, found, help: "copy the digest anew" };
  }
  return undefined;
}

function readName(text: string, name: string, digest: string | undefined): Reading<ImageReference> {
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  const hasRegistry = slash > 0 && (/[.:]/.test(first) || first === "localhost");
  const registry = hasRegistry ? first.toLowerCase() : undefined;
  const remainder = hasRegistry ? name.slice(slash + 1) : name;
  const colon = remainder.lastIndexOf(":");
  const tagged = colon >= 0 && !remainder.includes("/", colon);
  const repository = tagged ? remainder.slice(0, colon) : remainder;
  const tag = tagged ? remainder.slice(colon + 1) : undefined;
  const fault = nameFault(text, hasRegistry ? first : undefined, repository, tag);
  if (fault !== undefined) return { fault };
  const qualified = qualify(registry, repository);
  if (qualified.length > MAX_NAME) {
    const found = `${qualified.length} characters`;
    const help = "use at most 255 characters, registry included";
    const message = "the image's name is too long";
    return { fault: { code: "image.too-long", message, found, help } };
  }
  return {
    value: {
      ...(registry === undefined ? {} : { registry }),
      repository,
      ...(tag === undefined ? {} : { tag }),
      ...(digest === undefined ? {} : { digest }),
      canonical:
        digest === undefined ? `${qualified}:${tag ?? "latest"}` : `${qualified}@${digest}`,
    },
  };
}

function nameFault(
  text: string,
  registry: string | undefined,
  repository: string,
  tag: string | undefined,
): Fault | undefined {
  if (registry !== undefined && !REGISTRY.test(registry)) {
    const help = "a registry is a host name, an IPv4 address or localhost, with an optional port";
    return bad("image.name", "the registry is not a host name", registry, help);
  }
  if (/[A-Z]/.test(repository)) {
    const help = `write ${repository.toLowerCase()}`;
    return bad("image.uppercase", "an image's name is in lower case", repository, help);
  }
  if (registry === undefined && /^[0-9a-f]{64}$/.test(repository)) {
    const help = "name the image and pin it: name@sha256:<digest>";
    return bad("image.id-not-name", "this is an image's id, not a name", repository, help);
  }
  if (!repository.split("/").every((component) => COMPONENT.test(component))) {
    const rule = "lower-case letters and digits, with single . _ __ or dashes between them";
    const help = `between slashes: ${rule}`;
    return bad("image.name", "this is not an image's name", text, help);
  }
  if (tag !== undefined && !TAG.test(tag)) {
    const help = "a tag is 1 to 128 letters, digits, _ . and -, not starting with . or -";
    return bad("image.tag", "the tag is not valid", tag, help);
  }
  return undefined;
}

function qualify(registry: string | undefined, repository: string): string {
  if (registry !== undefined && registry !== "docker.io" && registry !== "index.docker.io") {
    return `${registry}/${repository}`;
  }
  return `docker.io/${repository.includes("/") ? repository : `library/${repository}`}`;
}
