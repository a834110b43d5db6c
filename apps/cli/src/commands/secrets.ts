import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { badInput } from "../command-error.ts";
import { contextOf, show } from "../context.ts";
import type { Surroundings } from "../surroundings.ts";
import { tableLines } from "../table.ts";
import { fromNow } from "../times.ts";

interface SetOptions {
  readonly fromLiteral?: readonly string[];
  readonly fromFile?: readonly string[];
}

const several = (pair: string, before: readonly string[] | undefined) => [...(before ?? []), pair];

/** `mesh secret …`: values go in and never come out again; only names and keys are listed. */
export function addSecretCommands(program: Command, s: Surroundings): void {
  const secret = program.command("secret").description("Set, list and delete secrets of Jobs");
  secret
    .command("set")
    .description("Set all keys of a secret at once")
    .argument("<name>", "its name, as Jobs refer to it")
    .option(
      "--from-file <key=file>",
      "a key's value is a file's text; - is standard input",
      several,
    )
    .option("--from-literal <key=value>", "a key's value; others may see it typed", several)
    .addHelpText("after", '\nA Job that names no key of a secret gets the key "value".')
    .action(async (name: string, options: SetOptions, command: Command) => {
      const context = contextOf(command, s);
      const values = await readValues(options, s);
      await context.client.setSecret(context.namespace, name, values);
      const keys = Object.keys(values).sort();
      show(context, { name, keys }, () => [`secret/${name} set: ${keys.join(", ")}`]);
    });
  secret
    .command("list")
    .description("List secrets and their keys")
    .action(async (_: unknown, command: Command) => {
      const context = contextOf(command, s);
      const secrets = await context.client.secrets(context.namespace);
      const now = s.now();
      show(context, secrets, () =>
        secrets.length === 0
          ? [`no secrets in namespace ${context.namespace}`]
          : tableLines(
              secrets,
              [
                { title: "NAME", text: ({ name }) => name },
                { title: "KEY", text: ({ key }) => key },
                { title: "UPDATED", text: ({ updatedAt }) => fromNow(updatedAt, now) },
              ],
              context.paint,
            ),
      );
    });
  secret
    .command("delete")
    .description("Delete a secret; work that runs keeps what it was given")
    .argument("<name>", "its name")
    .action(async (name: string, _: unknown, command: Command) => {
      const context = contextOf(command, s);
      await context.client.deleteSecret(context.namespace, name);
      show(context, { name }, () => [`secret/${name} deleted`]);
    });
}

async function readValues(
  options: SetOptions,
  s: Surroundings,
): Promise<Readonly<Record<string, string>>> {
  const values = new Map<string, string>();
  const add = (key: string, value: string): void => {
    if (values.has(key)) throw badInput("usage.secret", `the key ${key} is given twice`);
    values.set(key, value);
  };
  for (const pair of options.fromLiteral ?? []) add(...split(pair, "--from-literal"));
  for (const pair of options.fromFile ?? []) {
    const [key, file] = split(pair, "--from-file");
    add(key, file === "-" ? await s.readStdin() : await textOf(file, s));
  }
  if (values.size > 0) return Object.fromEntries(values);
  throw badInput("usage.secret", "the secret has no value", "give --from-file value=FILE");
}

function split(pair: string, option: string): readonly [string, string] {
  const at = pair.indexOf("=");
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  // The text may be a value that must not be shown.
  throw badInput("usage.secret", `${option} needs KEY=…`, `for example ${option} value=…`);
}

async function textOf(file: string, s: Surroundings): Promise<string> {
  try {
    return await readFile(resolve(s.workingDirectory, file), "utf8");
  } catch (error) {
    throw badInput("usage.file", `${file} cannot be read: ${(error as Error).message}`);
  }
}
