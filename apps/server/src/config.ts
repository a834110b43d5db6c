import { readFileSync } from "node:fs";
import * as v from "valibot";
import type { Ceilings } from "./ceilings.ts";
import type { Clock } from "./clock.ts";
import { LABEL } from "./label.ts";
import { StartError } from "./start-error.ts";
import { texts } from "./texts.ts";

const LEVELS = ["silent", "fatal", "error", "warn", "info", "debug", "trace"] as const;

export interface ServerConfig {
  /** Where the state is kept; made where it is missing. */
  readonly dataDir: string;
  /** `127.0.0.1` if absent. */
  readonly host?: string | undefined;
  /** 7373 if absent; 0 takes any that is free. */
  readonly port?: number | undefined;
  /** Serves without a token, on loopback only (S5). */
  readonly dev?: boolean | undefined;
  readonly operatorToken?: string | undefined;
  /** By node: the token of its agent. */
  readonly nodeTokens?: Readonly<Record<string, string>> | undefined;
  /** How long a node may be silent before it is lost (S4); 30 if absent. */
  readonly leaseSeconds?: number | undefined;
  /** None if absent (S7). */
  readonly ceilings?: Ceilings | undefined;
  readonly log?: (typeof LEVELS)[number] | undefined;
  /** For tests; the machine's own if absent. */
  readonly clock?: Clock | undefined;
}

const token = v.pipe(
  v.string(),
  v.minLength(16, "must have at least 16 characters"),
  v.regex(/^[!-~]+$/, "must be printable ASCII without spaces"),
);

/** No agent could register under another one. */
const nodeName = v.pipe(
  v.string(),
  v.regex(LABEL, "must be lower-case letters, digits and inner hyphens, at most 63"),
);

const schema = v.strictObject({
  dataDir: v.pipe(v.string(), v.minLength(1, "must not be empty")),
  host: v.optional(v.pipe(v.string(), v.minLength(1)), "127.0.0.1"),
  port: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(65_535)), 7373),
  dev: v.optional(v.boolean(), false),
  operatorToken: v.optional(token),
  nodeTokens: v.optional(texts(nodeName, token), {}),
  leaseSeconds: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(86_400)), 30),
  ceilings: v.optional(
    v.strictObject({
      startsPerSecond: v.optional(v.pipe(v.number(), v.minValue(0.001), v.maxValue(1e6))),
      runningTasksPerNamespace: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
    }),
    {},
  ),
  log: v.optional(v.picklist(LEVELS), "info"),
});

/** The settings with their defaults; throws a `StartError` for what cannot be (S5). */
export function checkConfig({ clock: _, ...config }: ServerConfig) {
  const result = v.safeParse(schema, config);
  if (!result.success) throw invalidConfig(result.issues);
  const checked = result.output;
  const { dev, host, operatorToken, nodeTokens } = checked;
  if (dev && !isLoopback(host)) {
    throw new StartError(
      "auth.dev-not-loopback",
      `dev mode serves without a token, and ${host} is no loopback address`,
      "use 127.0.0.1, or leave dev mode and set an operator's token",
    );
  }
  if (!dev && operatorToken === undefined) {
    throw new StartError(
      "auth.missing",
      "no operator's token is set, and nothing is served without one",
      "set MESH_OPERATOR_TOKEN (16 characters or more), or use MESH_DEV=1 on loopback",
    );
  }
  const tokens = [operatorToken, ...Object.values(nodeTokens)].filter((one) => one !== undefined);
  if (new Set(tokens).size !== tokens.length) {
    const text = "two of the tokens are the same";
    throw new StartError("config.invalid", text, "give each node and the operator one of its own");
  }
  return checked;
}

/** Settings from a JSON file, if one is named, and from the environment, which goes first. */
export function readConfig(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): ServerConfig {
  const fromFile = file === undefined ? {} : readJson(file);
  const set = {
    dataDir: environment.MESH_DATA_DIR,
    host: environment.MESH_HOST,
    port: numberOf("MESH_PORT", environment.MESH_PORT),
    operatorToken: environment.MESH_OPERATOR_TOKEN,
    dev: flagOf(environment.MESH_DEV),
    leaseSeconds: numberOf("MESH_LEASE_SECONDS", environment.MESH_LEASE_SECONDS),
    log: environment.MESH_LOG,
  };
  const given = Object.entries(set).filter(([, value]) => value !== undefined);
  const config = { ...fromFile, ...Object.fromEntries(given) };
  if (!("dataDir" in config)) {
    const help = "set MESH_DATA_DIR, or dataDir in the file given with --config";
    throw new StartError("config.invalid", "no data folder is set", help);
  }
  return config as unknown as ServerConfig;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.[0-9]{1,3}){3}$/.test(host);
}

function readJson(file: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
    throw new TypeError("it must hold a JSON object");
  } catch (error) {
    const text = `cannot read the settings in ${file}: ${(error as Error).message}`;
    throw new StartError("config.invalid", text, "give a JSON file of settings", error);
  }
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new StartError("config.invalid", `${name} must be a number, found "${text}"`, "correct it");
}

function flagOf(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === "1" || text === "true") return true;
  if (text === "0" || text === "false" || text === "") return false;
  throw new StartError("config.invalid", `MESH_DEV must be 1 or 0, found "${text}"`, "correct it");
}

function invalidConfig(issues: readonly v.BaseIssue<unknown>[]): StartError {
  const lines = issues.map((issue) => `${v.getDotPath(issue) ?? "settings"}: ${issue.message}`);
  const help = "see the table of settings in apps/server/README.md";
  return new StartError("config.invalid", lines.join("; "), help);
}
