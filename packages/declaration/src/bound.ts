import {
  checkContent,
  checkDeclared,
  checkDuplicates,
  checkPinned,
  checkRun,
  checkSources,
  declaredDirectories,
} from "./check-module.ts";
import { checkCommand, checkResources, checkTargets } from "./container-rules.ts";
import { contentHash } from "./content-hash.ts";
import type { HostContainer, HostDeclaration, HostModule, HostResource } from "./declaration.ts";
import { buildDeclarationSchema } from "./declaration-schema.ts";
import type { Diagnostic, ParseResult } from "./diagnostic.ts";
import { checkEnvironment } from "./environment.ts";
import {
  capped,
  collectFindings,
  type Fault,
  type Finding,
  type Findings,
  type Path,
  quote,
  toDiagnostic,
} from "./finding.ts";
import { type HostBound, overMaximum } from "./host-bound.ts";
import { readImageReference } from "./image-reference.ts";

import { accountOf, checkLabel, checkReserved, checkScoped } from "./names.ts";
import { checkMode, checkModulePath, checkPath, isWithin, utf8Length } from "./paths.ts";
import { copyPlain } from "./plain.ts";
import { type QuantityKind, readQuantity } from "./quantity.ts";
import { checkShape } from "./shape.ts";

/** Words by which a declaration would change the bound that it is judged by. */
const BOUND_WORDS: ReadonlySet<string> = new Set([
  "roots",
  "accountRange",
  "registries",
  "rawExec",
  "raw-exec",
  "raw_exec",
  "maximum",
  "limits",
  "bound",
]);

/**
 * Whether a host may apply what it was sent (R7); empty means yes, and then the value is a
 * `HostDeclaration`. The value is untrusted: everything is checked again, schedules and hashes
 * included, and one unknown key anywhere refuses the whole. The cost is linear in its size.
 */
export function checkBound(declaration: unknown, bound: HostBound): readonly Diagnostic[] {
  return judge(declaration, bound).diagnostics;
}

/** As `checkBound`, with a copy as the answer when it is allowed: what was checked and no more. */
export function safeParseDeclaration(
  value: unknown,
  bound: HostBound,
): ParseResult<HostDeclaration> {
  const { copy, diagnostics } = judge(value, bound);
  if (diagnostics.length > 0) return { ok: false, diagnostics };
  return { ok: true, value: copy as HostDeclaration, warnings: [] };
}

interface Judged {
  readonly copy?: unknown;
  readonly diagnostics: readonly Diagnostic[];
}

function judge(value: unknown, bound: HostBound): Judged {
  const plain = copyPlain(value);
  if (plain.fault !== undefined) return { diagnostics: [toDiagnostic(plain.fault)] };
  const findings = checkFindings(plain.value, bound, plain);
  const errors = findings.filter(({ severity }) => severity !== "warning");
  return { copy: plain.value, diagnostics: capped(errors).map(toDiagnostic) };
}

function checkFindings(
  value: unknown,
  bound: HostBound,
  { isLarge }: { readonly isLarge: boolean },
): readonly Finding[] {
  const changes = boundChanges(value);
  if (changes.length > 0) return changes;
  const shape = checkShape(declarationSchema(), value, { isLarge });
  if (shape.length > 0) return shape;
  const declaration = value as HostDeclaration;
  const findings = collectFindings();
  checkWhole(findings, declaration, bound);
  declaration.modules.forEach((module, index) => {
    checkHostModule(findings, ["modules", index], module, bound);
  });
  return findings.all;
}

let built: ReturnType<typeof buildDeclarationSchema> | undefined;

/** Built once, at the first use; it holds no state of its own. */
function declarationSchema(): ReturnType<typeof buildDeclarationSchema> {
  built ??= buildDeclarationSchema();
  return built;
}

function boundChanges(value: unknown): readonly Finding[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value)
    .filter((key) => BOUND_WORDS.has(key))
    .map((key) => ({
      code: "bound.change",
      path: [key],
      anchor: "key",
      message: "a declaration cannot change the bound: only the host's own file can",
      found: quote(key),
      help: "remove it, or ask the host's owner",
    }));
}

function checkWhole(findings: Findings, declaration: HostDeclaration, bound: HostBound): void {
  const { node, modules } = declaration;
  if (bound.node !== undefined && node !== bound.node) {
    findings.add(["node"], {
      code: "declaration.wrong-host",
      message: "this declaration is for another node",
      found: quote(node),
      allowed: [bound.node],
      help: "send it to the node that it names",
    });
  }
  const resources = modules.flatMap((module) => module.resources);
  const scheduled = resources.filter((one) => one.type === "container" && one.schedule);
  const { maximum } = bound;
  findings.add(["modules"], overMaximum("resources", resources.length, bound));
  if (scheduled.length > maximum.schedules) {
    findings.add(["modules"], {
      code: "schedule.flood",
      message: `this host runs at most ${maximum.schedules} scheduled containers`,
      found: `${scheduled.length} scheduled containers`,
      help: "remove some, or ask the host's owner to raise maximum.schedules",
    });
  }
  const names = new Set<string>();
  modules.forEach(({ module }, index) => {
    if (names.has(module)) {
      findings.add(["modules", index, "module"], {
        code: "name.duplicate",
        message: "two modules have one name",
        found: quote(module),
        help: "send each module once",
      });
    }
    names.add(module);
  });
}

function checkHostModule(
  findings: Findings,
  path: Path,
  { module, account, resources }: HostModule,
  bound: HostBound,
): void {
  const name = [...path, "module"];
  const invalid = checkReserved(module, "a module") ?? checkLabel(module, "a module's name");
  if (findings.add(name, invalid)) return;
  const own = accountOf(module);
  findings.add([...path, "account"], checkScoped(account, own, "account"));
  const directories = declaredDirectories(resources);
  resources.forEach((resource, index) => {
    const place = [...path, "resources", index];
    const before = findings.all.length;
    if (resource.type === "container") {
      findings.add([...place, "account"], checkScoped(resource.account, own, "account"));
      checkHostContainer(findings, place, resource, bound);
      checkSources(findings, [...place, "volumes"], resource.volumes, (source) =>
        checkSource(source, module, directories, bound),
      );
    } else {
      checkHostPlace(findings, place, resource, module, bound);
    }
    if (findings.all.length === before) findings.add([...place, "hash"], checkHash(resource));
  });
  checkDuplicates(findings, [...path, "resources"], resources);
}

function checkHostPlace(
  findings: Findings,
  path: Path,
  resource: Exclude<HostResource, HostContainer>,
  module: string,
  bound: HostBound,
): void {
  findings.add(
    [...path, "path"],
    checkPath(resource.path) ?? checkModulePath(resource.path, module, bound.roots),
  );
  findings.add([...path, "mode"], checkMode(resource.mode));
  findings.add([...path, "owner"], checkScoped(resource.owner, accountOf(module), "owner"));
  if (resource.type !== "file") return;
  const { content } = resource;
  findings.add(
    [...path, "content"],
    checkContent(content) ?? overMaximum("fileBytes", utf8Length(content), bound),
  );
}

function checkHostContainer(
  findings: Findings,
  path: Path,
  container: HostContainer,
  bound: HostBound,
): void {
  findings.add([...path, "name"], checkLabel(container.name, "a container's name"));
  findings.add([...path, "image"], checkHostImage(container.image, bound));
  checkRun(findings, path, container);
  checkCommand(findings, [...path, "command"], container.command);
  checkEnvironment(findings, [...path, "environment"], container.environment);
  checkResources(findings, [...path, "resources"], container.resources);
  checkTargets(findings, [...path, "volumes"], container.volumes);
  for (const kind of ["cpu", "memory"] as const) {
    findings.add([...path, "resources", kind], overCeiling(container, kind, bound));
  }
}

function overCeiling(
  { resources }: HostContainer,
  kind: QuantityKind,
  bound: HostBound,
): Fault | undefined {
  const { value } = readQuantity(resources[kind], kind);
  return value === undefined ? undefined : overMaximum(kind, value.units, bound);
}

/** Pinned, named in full as the renderer writes it, and from a registry that the host takes. */
function checkHostImage(image: string, { registries }: HostBound): Fault | undefined {
  const invalid = checkPinned(image);
  if (invalid !== undefined) return invalid;
  const { value } = readImageReference(image);
  if (value === undefined) return undefined;
  const { registry, canonical } = value;
  if (registry === undefined || canonical !== image) {
    return {
      code: "image.unqualified",
      message: "an image in a declaration is named in full, with its registry",
      found: quote(image),
      help: `write ${canonical}`,
    };
  }
  if (registries === undefined || registries.includes(registry)) return undefined;
  return {
    code: "image.registry-not-allowed",
    message: "this host does not take images from this registry",
    found: registry,
    allowed: registries,
    help: "use another registry, or ask the host's owner",
  };
}

/** A volume's source is under the module's roots, and in a directory that the module declares. */
function checkSource(
  source: string,
  module: string,
  directories: readonly string[],
  { roots }: HostBound,
): Fault | undefined {
  const own = roots.map((root) => `${root}/${module}`);
  if (own.some((root) => isWithin(source, root))) return checkDeclared(source, directories);
  return {
    code: "volume.outside-root",
    message: "a volume's source lies outside the module's roots",
    found: quote(source),
    allowed: own,
    help: "use a directory of the module",
  };
}

/** A hash that does not stand for its content would hide a change, or repeat a run-once. */
function checkHash(resource: HostResource): Fault | undefined {
  const { hash, ...content } = resource;
  if (contentHash(content) === hash) return undefined;
  return {
    code: "declaration.hash",
    message: "the hash does not stand for the content",
    found: hash,
    help: "render the declaration anew",
  };
}
