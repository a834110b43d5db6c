import { admitCron } from "@mesh/cron";
import type { Diagnostic } from "./diagnostic.ts";
import { hasForbiddenCharacter } from "./environment.ts";
import { type Fault, type Findings, type Path, quote } from "./finding.ts";
import { checkTarget } from "./paths.ts";
import { memoryWarning, type QuantityKind, readQuantity } from "./quantity.ts";

/** A cron expression that can match some date; one that restricts both days warns (C3, C12). */
export function checkSchedule(findings: Findings, path: Path, text: string): void {
  const admitted = admitCron(text);
  for (const diagnostic of admitted.ok ? admitted.warnings : admitted.diagnostics) {
    findings.add(path, { ...faultOf(diagnostic), ...innerOf(text, diagnostic) });
  }
}

/** What `@mesh/cron` said, without its place: the manifest has a place of its own. */
export function faultOf(diagnostic: Diagnostic): Fault {
  const { pointer: _, range: __, related: ___, severity, ...fault } = diagnostic;
  return severity === "warning" ? { ...fault, severity } : fault;
}

/** The place inside the expression, where that is not the whole of it. */
function innerOf(text: string, { range }: Diagnostic): Pick<Fault, "inner"> {
  if (range === undefined || range.end.offset > text.length) return {};
  const start = range.start.offset;
  const end = range.end.offset;
  return end - start >= text.length ? {} : { inner: { start, end, message: "here" } };
}

export function checkCommand(
  findings: Findings,
  path: Path,
  command: readonly string[] | undefined,
): void {
  command?.forEach((word, index) => {
    if (!hasForbiddenCharacter(word)) return;
    const message = "an argument has no control character but tab and line break";
    const found = quote(word);
    const fault: Fault = { code: "command.control-char", message, found, help: "remove it" };
    findings.add([...path, index], fault);
  });
}

/** Quantities, with the warning for too little memory. */
export function checkResources(
  findings: Findings,
  path: Path,
  resources: Readonly<Partial<Record<QuantityKind, string | undefined>>> | undefined,
): void {
  for (const kind of ["cpu", "memory"] as const) {
    const text = resources?.[kind];
    if (text === undefined) continue;
    const { value, fault } = readQuantity(text, kind);
    findings.add([...path, kind], fault);
    if (kind === "memory" && value !== undefined) {
      findings.add([...path, kind], memoryWarning(value.units));
    }
  }
}

/** Targets inside the container: valid, and each used once. */
export function checkTargets(
  findings: Findings,
  path: Path,
  mounts: readonly { readonly target: string }[] | undefined,
): void {
  const seen = new Map<string, number>();
  mounts?.forEach(({ target }, index) => {
    const place = [...path, index, "target"];
    if (findings.add(place, checkTarget(target))) return;
    const first = seen.get(target);
    if (first === undefined) {
      seen.set(target, index);
      return;
    }
    findings.all.push({
      code: "volume.duplicate-target",
      path: place,
      message: "two volumes have one target",
      found: quote(target),
      help: "give each its own target",
      related: [{ message: "first used here", path: [...path, first, "target"] }],
    });
  });
}
