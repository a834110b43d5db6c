import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { EngineError } from "./engine-error.ts";

/**
 * The command with its program's full path, or a `neverStarted` that says why there is none:
 * a plain process has no image to take a default command from.
 */
export function findCommand(
  command: readonly string[] | undefined,
  where: { readonly path: string; readonly work: string },
): readonly string[] {
  const [program, ...rest] = command ?? [];
  if (program === undefined || program === "") {
    throw new EngineError(
      "neverStarted",
      "no command is given, and raw-exec uses no image that could name one",
    );
  }
  for (const candidate of candidates(program, where)) {
    if (isProgram(candidate)) return [candidate, ...rest];
  }
  throw new EngineError("neverStarted", `the command ${program} is not found or not executable`);
}

function candidates(
  program: string,
  where: { readonly path: string; readonly work: string },
): readonly string[] {
  if (isAbsolute(program)) return [program];
  if (program.includes("/")) return [join(where.work, program)];
  return where.path
    .split(":")
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, program));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
