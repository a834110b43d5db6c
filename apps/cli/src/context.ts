import type { MeshClient } from "@mesh/protocol";
import { createClient } from "@mesh/protocol";
import type { Command } from "commander";
import { badInput } from "./command-error.ts";
import type { Paint } from "./paint.ts";
import { paintFor } from "./paint.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Clockface } from "./times.ts";

export const defaultServer = "http://127.0.0.1:7373";

/** What every command shares: where it runs, and what the options for all commands say. */
export interface Context {
  readonly s: Surroundings;
  readonly json: boolean;
  readonly namespace: string;
  /** Whether the namespace was asked for, by option or environment, or is only the default. */
  readonly namespaceGiven: boolean;
  readonly serverUrl: string;
  readonly client: MeshClient;
  readonly paint: Paint;
  /** The clock face of the person who reads. */
  readonly reader: Clockface;
}

interface SharedOptions {
  readonly server?: string;
  readonly token?: string;
  readonly namespace?: string;
  readonly output?: string;
}

/** Reads the options that every command takes; the environment fills in what was not typed. */
export function contextOf(command: Command, s: Surroundings): Context {
  const options = command.optsWithGlobals<SharedOptions>();
  const serverUrl = checkedUrl(options.server ?? nonEmpty(s.env.MESH_SERVER) ?? defaultServer);
  const token = checkedToken(options.token ?? nonEmpty(s.env.MESH_TOKEN));
  const namespace = checkedNamespace(options.namespace ?? nonEmpty(s.env.MESH_NAMESPACE));
  return {
    s,
    json: options.output === "json",
    namespace: namespace ?? "default",
    namespaceGiven: namespace !== undefined,
    serverUrl,
    client: createClient({
      baseUrl: serverUrl,
      fetch: s.fetch,
      ...(token === undefined ? {} : { token }),
    }),
    paint: paintFor(s.terminal),
    reader: { timeZone: s.localZone, zones: s.zones },
  };
}

/** Prints an answer: the data itself with `-o json`, otherwise the lines written for a person. */
export function show(context: Context, data: unknown, lines: () => readonly string[]): void {
  const { out } = context.s.terminal;
  if (context.json) out(JSON.stringify(data, undefined, 2));
  else for (const line of lines()) out(line);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}

function checkedUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw badInput(
    "usage.server",
    `"${text}" is no address of a server`,
    `write it with its scheme, for example --server ${defaultServer}`,
  );
}

/** Refused here, and never repeated: the platform's own message would print the token. */
function checkedToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[!-~]+$/.test(token)) return token;
  const help = "give it as the server has it, for example in MESH_TOKEN, without a line break";
  throw badInput("usage.token", "the token must be printable ASCII without spaces", help);
}

function checkedNamespace(namespace: string | undefined): string | undefined {
  if (namespace === undefined || /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)) {
    return namespace;
  }
  const help = "use lower-case letters, digits and inner hyphens, at most 63";
  throw badInput("usage.namespace", `"${namespace}" is no name of a namespace`, help);
}
