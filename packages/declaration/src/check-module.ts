import { checkCommand, checkResources, checkSchedule, checkTargets } from "./container-rules.ts";
import { checkEnvironment } from "./environment.ts";
import {
  collectFindings,
  type Fault,
  type Finding,
  type Findings,
  type Path,
  quote,
} from "./finding.ts";
import { readImageReference } from "./image-reference.ts";
import type { ContainerResource, ModuleManifest, ModuleResource, Volume } from "./manifest.ts";
import { checkLabel, checkReserved, checkScoped } from "./names.ts";
import { checkMode, checkModulePath, checkPath, isWithin } from "./paths.ts";

/** What a module of the right shape means that it must not, with its warnings (R1 to R4, R8). */
export function checkModule(manifest: ModuleManifest): readonly Finding[] {
  const findings = collectFindings();
  const { module, account, resources } = manifest;
  const invalid = checkReserved(module, "a module") ?? checkLabel(module, "a module's name");
  // What is judged by the module's name cannot be judged by a wrong one.
  const owner = findings.add(["module"], invalid) ? undefined : module;
  if (account !== undefined) findings.add(["account"], checkOwnName(account, owner, "account"));
  const directories = declaredDirectories(resources);
  resources.forEach((resource, index) => {
    const path = ["resources", index];
    if (resource.type === "container") checkContainer(findings, path, resource, directories);
    else checkPlace(findings, path, resource, owner);
  });
  checkDuplicates(findings, ["resources"], resources);
  return findings.all;
}

function checkOwnName(name: string, module: string | undefined, what: string): Fault | undefined {
  const reserved = checkReserved(name, what);
  if (reserved !== undefined || module === undefined) return reserved;
  return checkScoped(name, module, what);
}

function checkPlace(
  findings: Findings,
  path: Path,
  resource: Exclude<ModuleResource, ContainerResource>,
  module: string | undefined,
): void {
  const { path: place, mode, owner } = resource;
  const invalid = checkPath(place);
  if (invalid !== undefined) findings.add([...path, "path"], invalid);
  else if (module !== undefined) findings.add([...path, "path"], checkModulePath(place, module));
  if (mode !== undefined) findings.add([...path, "mode"], checkMode(mode));
  if (owner !== undefined) findings.add([...path, "owner"], checkOwnName(owner, module, "owner"));
  if (resource.type === "file") findings.add([...path, "content"], checkContent(resource.content));
}

/** A file's content is written as UTF-8, which half a surrogate pair has no form in. */
export function checkContent(content: string): Fault | undefined {
  if (!/\p{Surrogate}/u.test(content)) return undefined;
  const message = "the content has half a surrogate pair in it";
  return { code: "file.content", message, found: quote(content), help: "remove it" };
}

function checkContainer(
  findings: Findings,
  path: Path,
  container: ContainerResource,
  directories: readonly string[],
): void {
  findings.add([...path, "name"], checkLabel(container.name, "a container's name"));
  findings.add([...path, "image"], checkPinned(container.image));
  checkRun(findings, path, container);
  checkCommand(findings, [...path, "command"], container.command);
  checkEnvironment(findings, [...path, "environment"], container.environment);
  checkResources(findings, [...path, "resources"], container.resources);
  checkTargets(findings, [...path, "volumes"], container.volumes);
  checkSources(findings, [...path, "volumes"], container.volumes, (source) =>
    checkDeclared(source, directories),
  );
}

/** A module's image is pinned by its digest (R1). */
export function checkPinned(image: string): Fault | undefined {
  const { value, fault } = readImageReference(image);
  if (fault !== undefined) return fault;
  return value.digest === undefined ? notPinned(image) : undefined;
}

export function notPinned(image: string): Fault {
  return {
    code: "image.not-pinned",
    message: "the image is not pinned by its digest, so what runs can change unseen",
    found: quote(image),
    help: "add @sha256: and the digest of the image",
  };
}

/** A step runs once or on a schedule, not both; a schedule is a cron expression (R1, R2). */
export function checkRun(
  findings: Findings,
  path: Path,
  container: Pick<ContainerResource, "run-once" | "schedule">,
): void {
  const { schedule } = container;
  if (schedule === undefined) return;
  if (container["run-once"] === true) {
    findings.all.push({
      code: "run.exclusive",
      path: [...path, "schedule"],
      anchor: "key",
      message: "a step runs once or on a schedule, not both",
      found: quote(schedule),
      help: "remove one of the two: run-once gates the apply, schedule never does",
      related: [{ message: "it already runs once", path: [...path, "run-once"], anchor: "key" }],
    });
  }
  checkSchedule(findings, [...path, "schedule"], schedule);
}

/** Sources of volumes: valid paths that `rule` takes. */
export function checkSources(
  findings: Findings,
  path: Path,
  volumes: readonly Volume[] | undefined,
  rule: (source: string) => Fault | undefined,
): void {
  volumes?.forEach(({ source }, index) => {
    findings.add([...path, index, "source"], checkPath(source) ?? rule(source));
  });
}

/** A volume's source is a directory that the same module declares, or below it (R8). */
export function checkDeclared(source: string, directories: readonly string[]): Fault | undefined {
  if (directories.some((directory) => isWithin(source, directory))) return undefined;
  return {
    code: "volume.undeclared",
    message: "a volume's source is a directory that this module declares, or below it",
    found: quote(source),
    allowed: directories,
    help: "add a directory resource for it",
  };
}

export function declaredDirectories(
  resources: readonly { readonly type: string; readonly path?: string }[],
): readonly string[] {
  return resources.flatMap(({ type, path }) =>
    type === "directory" && path !== undefined ? [path] : [],
  );
}

/** A file holds no other file or directory. */
function checkBelowFiles(
  findings: Findings,
  path: Path,
  resources: readonly ModuleResource[],
): void {
  const files = new Map<string, number>();
  resources.forEach((one, index) => {
    if (one.type === "file") files.set(one.path, index);
  });
  const lengths = new Set([...files.keys()].map(({ length }) => length));
  resources.forEach((resource, index) => {
    if (resource.type === "container") return;
    const holder = parentsOf(resource.path, lengths).find((parent) => files.has(parent));
    if (holder === undefined) return;
    findings.all.push({
      code: "path.below-file",
      path: [...path, index, "path"],
      message: `the path leads through ${quote(holder)}, which is a file`,
      found: quote(resource.path),
      help: "make it a directory, or move one of the two",
      related: [{ message: "a file", path: [...path, files.get(holder) ?? 0, "path"] }],
    });
  });
}

/** The paths that hold `path`, nearest first, of those lengths: a deep path costs little. */
function parentsOf(path: string, lengths: ReadonlySet<number>): readonly string[] {
  const parents: string[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    if (lengths.has(at)) parents.push(path.slice(0, at));
  }
  return parents;
}

/** No path and no container's name twice in one module, and no path below a file. */
export function checkDuplicates(
  findings: Findings,
  path: Path,
  resources: readonly ModuleResource[],
): void {
  checkBelowFiles(findings, path, resources);
  const seen = new Map<string, number>();
  resources.forEach((resource, index) => {
    const field = resource.type === "container" ? "name" : "path";
    const value = resource.type === "container" ? resource.name : resource.path;
    const first = seen.get(`${field} ${value}`);
    if (first === undefined) {
      seen.set(`${field} ${value}`, index);
      return;
    }
    findings.all.push({
      code: `${field}.duplicate`,
      path: [...path, index, field],
      message: `two resources have the ${field} ${quote(value)}`,
      found: quote(value),
      help: "remove one of the two, or rename it",
      related: [{ message: "first used here", path: [...path, first, field] }],
    });
  });
}
