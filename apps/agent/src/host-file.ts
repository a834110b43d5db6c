import { readFileSync } from "node:fs";
import { parseQuantity } from "@mesh/declaration";
import * as v from "valibot";
import { parseDocument } from "yaml";
import type { AgentConfig } from "./config.ts";
import { StartError } from "./start-error.ts";

const text = v.pipe(v.string(), v.nonEmpty());
const path = v.pipe(v.string(), v.startsWith("/"));
const seconds = v.pipe(v.number(), v.minValue(0));
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const cpu = v.pipe(
  v.string(),
  v.check((value) => amount(value, "cpu") !== undefined, "is no amount of cpu, such as 500m or 2"),
  v.transform((value) => amount(value, "cpu") ?? 0),
);
const memory = v.pipe(
  v.string(),
  v.check((value) => amount(value, "memory") !== undefined, "is no amount of memory, such as 1Gi"),
  v.transform((value) => amount(value, "memory") ?? 0),
);

/** The host's own file: the only place that says what this host allows (R7). */
const hostFileSchema = v.strictObject({
  node: text,
  server: v.pipe(v.string(), v.url()),
  token: v.optional(text),
  tokenFile: v.optional(path),
  dataDir: v.optional(text),
  hostPrefix: v.optional(text),
  labels: v.optional(v.record(text, v.string())),
  engine: v.optional(
    v.variant("kind", [
      v.strictObject({ kind: v.picklist(["docker", "podman"]), socket: path }),
      v.strictObject({ kind: v.literal("raw-exec") }),
    ]),
  ),
  capacity: v.optional(v.strictObject({ cpu, memory })),
  bound: v.optional(
    v.strictObject({
      roots: v.optional(v.pipe(v.array(path), v.nonEmpty())),
      accountRange: v.optional(v.strictObject({ first: whole, last: whole })),
      registries: v.optional(v.array(text)),
      maximum: v.optional(
        v.strictObject({
          declarationBytes: v.optional(whole),
          resources: v.optional(whole),
          schedules: v.optional(whole),
          memory: v.optional(memory),
          cpu: v.optional(cpu),
          pids: v.optional(whole),
          fileBytes: v.optional(whole),
        }),
      ),
    }),
  ),
  registryCredentials: v.optional(
    v.record(text, v.strictObject({ username: v.string(), password: v.string() })),
  ),
  maxRunSeconds: v.optional(seconds),
  stopGraceSeconds: v.optional(seconds),
  log: v.optional(v.picklist(["silent", "error", "warn", "info", "debug"])),
});

/** A config as far as the file and the environment say it; the engine may still be to be found. */
export type HostFile = Omit<AgentConfig, "engine"> & Partial<Pick<AgentConfig, "engine">>;

/** Module names never begin with a dot, so nothing that is sent can lie here. */
const DEFAULT_DATA_DIR = "/var/lib/mesh/.state";

/**
 * Reads the host's file (YAML or JSON) and the environment, which goes first where both say
 * something. Throws a `StartError` that names every wrong place at once.
 */
export function readHostConfig(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): HostFile {
  const written = file === undefined ? {} : readYaml(file);
  const parsed = v.safeParse(hostFileSchema, withEnvironment(written, environment));
  if (!parsed.success) {
    const faults = parsed.issues.map(
      (issue) => `${v.getDotPath(issue) ?? "the file"}: ${issue.message}`,
    );
    throw new StartError(
      "config.invalid",
      `the host's settings are wrong: ${faults.join("; ")}`,
      "see the agent's README for every setting; MESH_NODE and MESH_SERVER are the least",
    );
  }
  const { server, engine, tokenFile, capacity, dataDir, token, ...same } = parsed.output;
  return {
    ...same,
    serverUrl: server,
    token: token ?? (tokenFile === undefined ? undefined : readToken(tokenFile)),
    dataDir: dataDir ?? DEFAULT_DATA_DIR,
    ...(engine === undefined ? {} : { engine: engineOf(engine) }),
    ...(capacity === undefined
      ? {}
      : { capacity: { cpuMillicores: capacity.cpu, memoryBytes: capacity.memory } }),
  };
}

function engineOf(
  engine: NonNullable<v.InferOutput<typeof hostFileSchema>["engine"]>,
): AgentConfig["engine"] {
  if (engine.kind === "raw-exec") return engine;
  return { kind: engine.kind, socketPath: engine.socket };
}

function withEnvironment(
  written: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, unknown>> {
  const set = {
    node: environment.MESH_NODE,
    server: environment.MESH_SERVER,
    token: environment.MESH_TOKEN,
    dataDir: environment.MESH_AGENT_DATA_DIR,
    hostPrefix: environment.MESH_HOST_PREFIX,
  };
  const socket = environment.MESH_ENGINE_SOCKET;
  const said = Object.entries(set).filter(([, value]) => value !== undefined && value !== "");
  const engine = socket === undefined ? {} : { engine: { kind: "docker", socket } };
  return { ...written, ...Object.fromEntries(said), ...engine };
}

function readYaml(file: string): Readonly<Record<string, unknown>> {
  const document = parseDocument(readFile(file), { uniqueKeys: true });
  const [fault] = document.errors;
  const value: unknown = fault === undefined ? document.toJS() : undefined;
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  throw new StartError(
    "config.invalid",
    `the host's file ${file} is no map: ${fault?.message ?? "it holds something else"}`,
    "write it as YAML or JSON, as in host.example.yaml",
  );
}

function readToken(file: string): string {
  return readFile(file).trim();
}

function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new StartError(
      "config.invalid",
      `${file} cannot be read`,
      "name a file that the agent may read",
      error,
    );
  }
}

function amount(value: string, kind: "cpu" | "memory"): number | undefined {
  try {
    return kind === "cpu"
      ? parseQuantity(value, "cpu").millicores
      : parseQuantity(value, "memory").bytes;
  } catch {
    return undefined;
  }
}
