import { describe, type Fault, type Findings, type Path, quote, quotedHelp } from "./finding.ts";

/** Names and values of an environment; its values are strings once the shape is right. */
export function checkEnvironment(
  findings: Findings,
  path: Path,
  environment: Readonly<Record<string, string>> | undefined,
): void {
  for (const name of Object.keys(environment ?? {})) {
    findings.add([...path, name], checkVariable(name, environment?.[name]));
  }
}

/** A value that is no string: YAML makes numbers and booleans of what is not quoted. */
export function variableTypeFault(name: string, value: unknown): Fault {
  return {
    code: "env.value-type",
    message: `the value of ${name} must be a string`,
    found: describe(value),
    help: quotedHelp(value) ?? 'write it as a string in quotes; an empty one is ""',
  };
}

function checkVariable(name: string, value: unknown): Fault | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name === "__proto__") {
    const message = "a variable's name has letters, digits and underscores, no digit first";
    const help = "rename the variable";
    return { code: "env.name", anchor: "key", message, found: quote(name), help };
  }
  if (name.startsWith("MESH_")) {
    const message = "names that begin with MESH_ are set by the host";
    const help = "read them, or use another name";
    return { code: "env.reserved", anchor: "key", message, found: quote(name), help };
  }
  // The schema passes over members with names of every object, such as `constructor`.
  if (typeof value !== "string") return variableTypeFault(name, value);
  if (!hasForbiddenCharacter(value)) return undefined;
  const message = "a value has no control character but tab and line break";
  return { code: "env.control-char", message, found: quote(value), help: "remove it" };
}

/** What no process can be given: NUL and other controls, and halves of a surrogate pair. */
export function hasForbiddenCharacter(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
  return /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\p{Surrogate}/u.test(text);
}
