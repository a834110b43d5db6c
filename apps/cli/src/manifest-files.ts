import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Diagnostic, Manifest } from "@mesh/declaration";
import { formatDiagnostic, parseManifestsYaml } from "@mesh/declaration/yaml";
import { badInput, badText, cannot } from "./command-error.ts";
import { frameLines } from "./failure.ts";
import { paintFor } from "./paint.ts";
import type { Surroundings } from "./surroundings.ts";

/** `-f FILE`, several times or with several files after it; each command of manifests takes it. */
export const fileOption = [
  "-f, --file <file>",
  "a manifest file, may be given several times; - reads standard input",
  (file: string, before: readonly string[] | undefined) => [...(before ?? []), file],
] as const;

export interface GivenFiles {
  readonly file?: readonly string[];
}

/** The files of `-f a b c`: the first is the option's, the others are what a shell put after it. */
export function filesOf(
  command: string,
  { file = [] }: GivenFiles,
  more: readonly string[],
): readonly string[] {
  if (file.length > 0) return [...file, ...more];
  throw badInput(
    "usage.file",
    "which file is to be sent?",
    `mesh ${command} -f ${more.length === 0 ? "FILE" : more.join(" ")}`,
  );
}

/** One file with the manifests it holds; `source` is the text that diagnostics point into. */
export interface ManifestFile {
  readonly file: string;
  readonly source: string;
  readonly manifests: readonly Manifest[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads files in the order given; `-` is standard input. Faults are among the diagnostics. */
export async function readManifestFiles(
  files: readonly string[],
  s: Surroundings,
): Promise<readonly ManifestFile[]> {
  const read: ManifestFile[] = [];
  for (const file of files) {
    const source = file === "-" ? await s.readStdin() : await sourceOf(file, s);
    const name = file === "-" ? "<stdin>" : file;
    read.push({ file: name, source, ...parseManifestsYaml(source) });
  }
  return read;
}

/**
 * All manifests of all files, or a refusal that shows every fault of every file: a command that
 * stores them does so only when each of them is right, so that nothing is half applied.
 */
export async function readGoodManifests(
  files: readonly string[],
  s: Surroundings,
): Promise<readonly Manifest[]> {
  const read = await readManifestFiles(files, s);
  const errors = read.flatMap((one) => framesOf(one, "error"));
  if (errors.length > 0) {
    const diagnostics = read.flatMap((one) => one.diagnostics);
    throw badText(diagnostics, errors, { message: `${faults(errors.length)}; nothing was sent` });
  }
  const warnings = read.flatMap((one) => framesOf(one, "warning"));
  for (const line of frameLines(warnings, paintFor(s.terminal))) s.terminal.err(line);
  return read.flatMap(({ manifests }) => manifests);
}

/** `1 fault`, `3 faults`. */
export function faults(count: number): string {
  return `${count} ${count === 1 ? "fault" : "faults"} to mend`;
}

/** The diagnostics of one severity as code frames. */
export function framesOf(file: ManifestFile, severity: Diagnostic["severity"]): readonly string[] {
  return file.diagnostics
    .filter((diagnostic) => diagnostic.severity === severity)
    .map((diagnostic) => formatDiagnostic(diagnostic, { text: file.source, file: file.file }));
}

/** `module/kometa`: how a manifest is called in one word. */
export function manifestName(manifest: Manifest): string {
  switch (manifest.kind) {
    case "Module":
      return `module/${manifest.module}`;
    case "Job":
      return `job/${manifest.name}`;
    case "CronJob":
      return `cronjob/${manifest.name}`;
  }
}

async function sourceOf(file: string, s: Surroundings): Promise<string> {
  try {
    return await readFile(resolve(s.workingDirectory, file), "utf8");
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT") throw badInput("usage.file", `${file}: there is no such file`);
    if (code === "EISDIR") {
      const inside = `${file.replace(/\/+$/, "")}/*.yaml`;
      throw badInput("usage.file", `${file} is a folder`, `name its files: ${inside}`);
    }
    throw cannot("file", `${file} cannot be read: ${(error as Error).message}`);
  }
}
