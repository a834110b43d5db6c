import type { CronJobManifest, JobManifest, ModuleManifest } from "@mesh/declaration";
import type {
  HeartbeatRequest,
  Lease,
  PollAnswer,
  PollRequest,
  RegisterRequest,
  ReportsAnswer,
  ReportsRequest,
} from "./agent-link.ts";
import { leaseSchema, pollAnswerSchema, reportsAnswerSchema } from "./agent-link.ts";
import { apiError, linkError } from "./errors.ts";
import { parse } from "./parse.ts";
import type {
  ApplyAnswer,
  CronJobView,
  DecisionView,
  EventView,
  HealthView,
  JobView,
  ModuleView,
  NodeView,
  RunView,
  SecretView,
  TaskView,
} from "./views.ts";

/** The part of the platform's `fetch` that the client needs. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    // biome-ignore lint/suspicious/noExplicitAny: AbortSignal is the platform's, not ES2023's
    signal?: any;
  },
) => Promise<{ status: number; text(): Promise<string> }>;

/** An operator's calls, one for each route of docs/reference/http-api.md, and the agent's four. */
export interface MeshClient {
  health(): Promise<HealthView>;
  namespaces(): Promise<readonly string[]>;
  createNamespace(namespace: string): Promise<void>;
  secrets(namespace: string): Promise<readonly SecretView[]>;
  /** Sets all keys of a secret at once; a reference without a key means the key `value`. */
  setSecret(
    namespace: string,
    name: string,
    values: Readonly<Record<string, string>>,
  ): Promise<void>;
  deleteSecret(namespace: string, name: string): Promise<void>;
  createJob(namespace: string, manifest: JobManifest): Promise<JobView>;
  applyJob(
    namespace: string,
    manifest: JobManifest,
    options?: { replace?: boolean | undefined },
  ): Promise<ApplyAnswer>;
  jobs(namespace: string): Promise<readonly JobView[]>;
  job(namespace: string, nameOrId: string): Promise<JobView>;
  deleteJob(namespace: string, nameOrId: string): Promise<void>;
  cancelJob(namespace: string, nameOrId: string): Promise<JobView>;
  createCronJob(namespace: string, manifest: CronJobManifest): Promise<CronJobView>;
  applyCronJob(namespace: string, manifest: CronJobManifest): Promise<ApplyAnswer>;
  cronJobs(namespace: string): Promise<readonly CronJobView[]>;
  cronJob(namespace: string, name: string): Promise<CronJobView>;
  deleteCronJob(namespace: string, name: string): Promise<void>;
  suspendCronJob(namespace: string, name: string): Promise<CronJobView>;
  resumeCronJob(
    namespace: string,
    name: string,
    options?: { catchUp?: boolean | undefined },
  ): Promise<CronJobView>;
  triggerCronJob(
    namespace: string,
    name: string,
    options?: { id?: string | undefined },
  ): Promise<CronJobView>;
  decisions(
    namespace: string,
    name: string,
    options?: { limit?: number | undefined },
  ): Promise<readonly DecisionView[]>;
  /** Newest first, at most 500; with `job`, a Job's id, only that Job's. */
  tasks(
    namespace: string,
    filter?: { job?: string | undefined; limit?: number | undefined },
  ): Promise<readonly TaskView[]>;
  runs(filter?: {
    namespace?: string | undefined;
    schedule?: string | undefined;
    module?: string | undefined;
    limit?: number | undefined;
  }): Promise<readonly RunView[]>;
  applyModule(manifest: ModuleManifest): Promise<ApplyAnswer>;
  modules(): Promise<readonly ModuleView[]>;
  module(name: string): Promise<ModuleView>;
  deleteModule(name: string): Promise<void>;
  assignModule(name: string, node: string): Promise<ModuleView>;
  unassignModule(name: string, node: string): Promise<ModuleView>;
  nodes(): Promise<readonly NodeView[]>;
  node(name: string): Promise<NodeView>;
  events(options: {
    after: number;
    limit?: number | undefined;
    waitSeconds?: number | undefined;
    signal?: unknown;
  }): Promise<readonly EventView[]>;
  register(request: RegisterRequest): Promise<Lease>;
  heartbeat(request: HeartbeatRequest): Promise<Lease>;
  poll(request: PollRequest, options?: { signal?: unknown }): Promise<PollAnswer>;
  report(request: ReportsRequest): Promise<ReportsAnswer>;
}

/**
 * A client of one server. `fetch` is an argument, so the package does no I/O of its own.
 * Every call rejects with an `ApiError` for a refusal (4xx, 5xx) and a `LinkError` where no
 * answer came or the answer is none of this protocol; `isApiError` and `isLinkError` tell.
 */
export function createClient(options: {
  baseUrl: string;
  fetch: Fetch;
  token?: string | undefined;
}): MeshClient {
  const { call, list } = caller(options);
  const job = (ns: string, name?: string) => at("namespaces", ns, "jobs", name);
  const cron = (ns: string, name?: string, verb?: string) =>
    at("namespaces", ns, "cronjobs", name, verb);
  return {
    health: () => call("GET", at("health")),
    namespaces: () => list(at("namespaces")),
    createNamespace: (ns) => call("PUT", at("namespaces", ns)),
    secrets: (ns) => list(at("namespaces", ns, "secrets")),
    setSecret: (ns, name, values) => call("PUT", at("namespaces", ns, "secrets", name), { values }),
    deleteSecret: (ns, name) => call("DELETE", at("namespaces", ns, "secrets", name)),
    createJob: (ns, manifest) => call("POST", job(ns), manifest),
    applyJob: (ns, manifest, o) =>
      call("PUT", withQuery(job(ns, manifest.name), { replace: o?.replace }), manifest),
    jobs: (ns) => list(job(ns)),
    job: (ns, name) => call("GET", job(ns, name)),
    deleteJob: (ns, name) => call("DELETE", job(ns, name)),
    cancelJob: (ns, name) => call("POST", at("namespaces", ns, "jobs", name, "cancel")),
    createCronJob: (ns, manifest) => call("POST", cron(ns), manifest),
    applyCronJob: (ns, manifest) => call("PUT", cron(ns, manifest.name), manifest),
    cronJobs: (ns) => list(cron(ns)),
    cronJob: (ns, name) => call("GET", cron(ns, name)),
    deleteCronJob: (ns, name) => call("DELETE", cron(ns, name)),
    suspendCronJob: (ns, name) => call("POST", cron(ns, name, "suspend")),
    resumeCronJob: (ns, name, o) => call("POST", cron(ns, name, "resume"), { ...o }),
    triggerCronJob: (ns, name, o) => call("POST", cron(ns, name, "trigger"), { ...o }),
    decisions: (ns, name, o) => list(withQuery(cron(ns, name, "decisions"), { ...o })),
    tasks: (ns, filter) => list(withQuery(at("namespaces", ns, "tasks"), { ...filter })),
    runs: (filter) => list(withQuery(at("runs"), { ...filter })),
    applyModule: (manifest) => call("PUT", at("modules", manifest.module), manifest),
    modules: () => list(at("modules")),
    module: (name) => call("GET", at("modules", name)),
    deleteModule: (name) => call("DELETE", at("modules", name)),
    assignModule: (name, node) => call("PUT", at("modules", name, "nodes", node)),
    unassignModule: (name, node) => call("DELETE", at("modules", name, "nodes", node)),
    nodes: () => list(at("nodes")),
    node: (name) => call("GET", at("nodes", name)),
    events: ({ signal, ...o }) => list(withQuery(at("events"), o), signal),
    register: async (r) => parse(leaseSchema, await call("POST", at("agent", "register"), r)),
    heartbeat: async (r) => parse(leaseSchema, await call("POST", at("agent", "heartbeat"), r)),
    poll: async (r, o) =>
      parse(pollAnswerSchema, await call("POST", at("agent", "poll"), r, o?.signal)) as PollAnswer,
    report: async (r) => parse(reportsAnswerSchema, await call("POST", at("agent", "reports"), r)),
  };
}

function caller(options: { baseUrl: string; fetch: Fetch; token?: string | undefined }) {
  const base = options.baseUrl.replace(/\/+$/, "");
  const call = async <T>(
    method: string,
    path: string | undefined,
    body?: unknown,
    signal?: unknown,
  ): Promise<T> => {
    if (path === undefined) throw apiError(404, nameless);
    const { status, text } = await options
      .fetch(base + path, {
        method,
        headers: {
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      })
      .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
      .catch((cause: unknown) => Promise.reject(linkError(base, cause)));
    const value = readJson(base, status, text);
    if (status < 200 || status >= 300) throw apiError(status, value);
    return value as T;
  };
  const list = async <T>(path: string | undefined, signal?: unknown): Promise<readonly T[]> => {
    const answer = await call<{ items?: readonly T[] } | undefined>("GET", path, undefined, signal);
    if (Array.isArray(answer?.items)) return answer.items;
    throw linkError(base, new TypeError("the answer has no list of items"));
  };
  return { call, list };
}

/** A path of the API; none where a part would be read as a step in it, which no name may be. */
function at(...parts: (string | undefined)[]): string | undefined {
  const names = parts.filter((part) => part !== undefined);
  if (names.some((name) => name === "" || name === "." || name === "..")) return undefined;
  return `/v1${names.map((name) => `/${encodeURIComponent(name)}`).join("")}`;
}

function withQuery(
  path: string | undefined,
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): string | undefined {
  return path === undefined ? undefined : path + query(values);
}

const nameless = { error: { code: "not-found", message: "nothing has such a name" } };

function readJson(base: string, status: number, text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw linkError(base, new SyntaxError(`the answer (status ${status}) is not JSON`));
  }
}

function query(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
