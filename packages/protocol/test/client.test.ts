import type { CronJobManifest, JobManifest, ModuleManifest } from "@mesh/declaration";
import { describe, expect, it } from "vitest";
import {
  createClient,
  type Fetch,
  isApiError,
  isLinkError,
  type MeshClient,
} from "../src/index.ts";

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/** A client whose every request is answered alike, and what it sent. */
function clientAnswering(
  answer: { status?: number; body?: unknown; text?: string } = {},
  token?: string,
): { client: MeshClient; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, { method, headers, body }) => {
    sent.push({ method, url, headers, body: body === undefined ? undefined : JSON.parse(body) });
    const text = answer.text ?? JSON.stringify(answer.body ?? { items: [] });
    return { status: answer.status ?? 200, text: async () => text };
  };
  return { client: createClient({ baseUrl: "http://mesh/", fetch, token }), sent };
}

const job: JobManifest = { kind: "Job", name: "report", image: "busybox:1" };
const cronJob: CronJobManifest = {
  kind: "CronJob",
  name: "nightly",
  schedule: "0 3 * * *",
  jobTemplate: { image: "busybox:1" },
};
const module: ModuleManifest = { kind: "Module", module: "kometa", version: 1, resources: [] };

const calls: readonly [string, (client: MeshClient) => Promise<unknown>, string, unknown?][] = [
  ["health", (c) => c.health(), "GET /v1/health"],
  ["namespaces", (c) => c.namespaces(), "GET /v1/namespaces"],
  ["createNamespace", (c) => c.createNamespace("team"), "PUT /v1/namespaces/team"],
  ["secrets", (c) => c.secrets("team"), "GET /v1/namespaces/team/secrets"],
  [
    "setSecret",
    (c) => c.setSecret("team", "token", { value: "x" }),
    "PUT /v1/namespaces/team/secrets/token",
    { values: { value: "x" } },
  ],
  ["deleteSecret", (c) => c.deleteSecret("t", "s"), "DELETE /v1/namespaces/t/secrets/s"],
  ["createJob", (c) => c.createJob("team", job), "POST /v1/namespaces/team/jobs", job],
  ["applyJob", (c) => c.applyJob("t", job), "PUT /v1/namespaces/t/jobs/report", job],
  [
    "applyJob with replace",
    (c) => c.applyJob("t", job, { replace: true }),
    "PUT /v1/namespaces/t/jobs/report?replace=true",
    job,
  ],
  ["jobs", (c) => c.jobs("team"), "GET /v1/namespaces/team/jobs"],
  ["job", (c) => c.job("team", "report"), "GET /v1/namespaces/team/jobs/report"],
  ["deleteJob", (c) => c.deleteJob("team", "report"), "DELETE /v1/namespaces/team/jobs/report"],
  ["cancelJob", (c) => c.cancelJob("t", "report"), "POST /v1/namespaces/t/jobs/report/cancel"],
  [
    "createCronJob",
    (c) => c.createCronJob("t", cronJob),
    "POST /v1/namespaces/t/cronjobs",
    cronJob,
  ],
  [
    "applyCronJob",
    (c) => c.applyCronJob("t", cronJob),
    "PUT /v1/namespaces/t/cronjobs/nightly",
    cronJob,
  ],
  ["cronJobs", (c) => c.cronJobs("t"), "GET /v1/namespaces/t/cronjobs"],
  ["cronJob", (c) => c.cronJob("t", "n"), "GET /v1/namespaces/t/cronjobs/n"],
  ["deleteCronJob", (c) => c.deleteCronJob("t", "n"), "DELETE /v1/namespaces/t/cronjobs/n"],
  ["suspendCronJob", (c) => c.suspendCronJob("t", "n"), "POST /v1/namespaces/t/cronjobs/n/suspend"],
  [
    "resumeCronJob",
    (c) => c.resumeCronJob("t", "n", { catchUp: true }),
    "POST /v1/namespaces/t/cronjobs/n/resume",
    { catchUp: true },
  ],
  [
    "triggerCronJob",
    (c) => c.triggerCronJob("t", "n", { id: "a1" }),
    "POST /v1/namespaces/t/cronjobs/n/trigger",
    { id: "a1" },
  ],
  [
    "decisions",
    (c) => c.decisions("t", "n", { limit: 3 }),
    "GET /v1/namespaces/t/cronjobs/n/decisions?limit=3",
  ],
  ["tasks", (c) => c.tasks("t"), "GET /v1/namespaces/t/tasks"],
  ["tasks of a Job", (c) => c.tasks("t", { job: "j1" }), "GET /v1/namespaces/t/tasks?job=j1"],
  ["runs", (c) => c.runs(), "GET /v1/runs"],
  [
    "runs with a filter",
    (c) => c.runs({ module: "kometa", schedule: undefined, limit: 5 }),
    "GET /v1/runs?module=kometa&limit=5",
  ],
  ["applyModule", (c) => c.applyModule(module), "PUT /v1/modules/kometa", module],
  ["modules", (c) => c.modules(), "GET /v1/modules"],
  ["module", (c) => c.module("kometa"), "GET /v1/modules/kometa"],
  ["deleteModule", (c) => c.deleteModule("kometa"), "DELETE /v1/modules/kometa"],
  ["assignModule", (c) => c.assignModule("kometa", "a"), "PUT /v1/modules/kometa/nodes/a"],
  ["unassignModule", (c) => c.unassignModule("kometa", "a"), "DELETE /v1/modules/kometa/nodes/a"],
  ["nodes", (c) => c.nodes(), "GET /v1/nodes"],
  ["node", (c) => c.node("a"), "GET /v1/nodes/a"],
  [
    "events",
    (c) => c.events({ after: 7, waitSeconds: 20 }),
    "GET /v1/events?after=7&waitSeconds=20",
  ],
];

describe("every call of an operator is one request", () => {
  for (const [name, call, line, body] of calls) {
    it(`${name}: ${line}`, async () => {
      const { client, sent } = clientAnswering();
      await call(client);
      expect(sent).toHaveLength(1);
      expect(`${sent[0]?.method} ${sent[0]?.url}`).toBe(line.replace(" ", " http://mesh"));
      expect(sent[0]?.body).toEqual(body);
      expect(sent[0]?.headers["content-type"]).toBe(
        body === undefined ? undefined : "application/json",
      );
    });
  }

  it("the table covers every call but the agent's four", () => {
    const { client } = clientAnswering();
    const agents = ["register", "heartbeat", "poll", "report"];
    const tested = new Set(calls.map(([name]) => name.split(" ")[0]));
    expect(Object.keys(client).filter((name) => !tested.has(name))).toEqual(agents);
  });

  it("the token goes with each request, and none where there is none", async () => {
    const withToken = clientAnswering({}, "secret");
    await withToken.client.health();
    expect(withToken.sent[0]?.headers.authorization).toBe("Bearer secret");
    const without = clientAnswering();
    await without.client.health();
    expect(without.sent[0]?.headers).not.toHaveProperty("authorization");
  });

  it("a name is one part of the path whatever it holds", async () => {
    const { client, sent } = clientAnswering();
    await client.job("a/b", "c?d#e%");
    expect(sent[0]?.url).toBe("http://mesh/v1/namespaces/a%2Fb/jobs/c%3Fd%23e%25");
  });

  it.each(["", ".", ".."])(
    "a name %j would be a step in the path: nothing is sent",
    async (name) => {
      const { client, sent } = clientAnswering();
      const error = await client.deleteModule(name).catch((e: unknown) => e);
      expect(isApiError(error) && error.status).toBe(404);
      expect(sent).toEqual([]);
    },
  );
});

describe("the agent's calls check what comes back", () => {
  const status = { generation: 1, applied: true, current: true, problems: [] };

  it("register and heartbeat answer the lease", async () => {
    const lease = { leaseSeconds: 30, serverVersion: "1.0.0" };
    const { client, sent } = clientAnswering({ body: lease });
    const engine = { kind: "docker", version: "29" } as const;
    const capacity = { cpuMillicores: 4000, memoryBytes: 8e9 };
    const about = { labels: {}, capacity, engine, agentVersion: "1", zoneData: "2026f" };
    expect(await client.register({ node: "a", ...about })).toEqual(lease);
    expect(await client.heartbeat({ node: "a", status })).toEqual(lease);
    expect(sent.map(({ url }) => url)).toEqual([
      "http://mesh/v1/agent/register",
      "http://mesh/v1/agent/heartbeat",
    ]);
  });

  it("poll answers what the node should hold", async () => {
    const body = { revision: "7", tasks: [] };
    const { client } = clientAnswering({ body });
    expect(await client.poll({ node: "a", revision: "6" })).toEqual(body);
  });

  it("report answers what need not be sent again", async () => {
    const { client } = clientAnswering({ body: { acknowledged: ["r1"] } });
    expect(await client.report({ node: "a", reports: [] })).toEqual({ acknowledged: ["r1"] });
  });

  it("an answer of another shape is a LinkError that names the place", async () => {
    const { client } = clientAnswering({ body: { revision: "7", tasks: [{ taskId: 3 }] } });
    const error = await client.poll({ node: "a" }).catch((e: unknown) => e);
    expect(isLinkError(error)).toBe(true);
    expect((error as Error).message).toContain("tasks.0.taskId");
  });
});

describe("what goes wrong", () => {
  it("a refusal is an ApiError with the server's words", async () => {
    const error = { code: "cron.range", message: "hour 24 is out of range", help: "use 0 to 23" };
    const { client } = clientAnswering({ status: 400, body: { error } });
    const caught = await client.createCronJob("t", cronJob).catch((e: unknown) => e);
    expect(isApiError(caught)).toBe(true);
    expect(JSON.parse(JSON.stringify(caught))).toEqual({ name: "ApiError", status: 400, error });
  });

  it("a refusal without the agreed shape still tells its status", async () => {
    const { client } = clientAnswering({ status: 502, body: { oops: true } });
    const caught = await client.health().catch((e: unknown) => e);
    expect(isApiError(caught) && [caught.status, caught.error.code]).toEqual([502, "http.status"]);
  });

  it("a redirect is no answer", async () => {
    const { client } = clientAnswering({ status: 302, text: "" });
    expect(isApiError(await client.jobs("t").catch((e: unknown) => e))).toBe(true);
  });

  it.each([
    ["no connection", { text: undefined }],
    ["a page of HTML", { text: "<html>" }],
    ["a list without items", { text: "{}" }],
    ["an empty answer where a list belongs", { text: "" }],
  ])("%s is a LinkError that names the server", async (_, { text }) => {
    const refused = Object.assign(new Error("fetch failed"), {
      cause: new Error("connect ECONNREFUSED 127.0.0.1:7373"),
    });
    const fetch: Fetch = async () => {
      if (text === undefined) throw refused;
      return { status: 200, text: async () => text };
    };
    const client = createClient({ baseUrl: "http://127.0.0.1:7373", fetch });
    const error = await client.jobs("default").catch((e: unknown) => e);
    expect(isLinkError(error) && error.baseUrl).toBe("http://127.0.0.1:7373");
    if (text === undefined) expect((error as Error).message).toContain("ECONNREFUSED");
  });

  it("a connection that breaks within the answer is a LinkError", async () => {
    const text = async () => Promise.reject(new Error("terminated"));
    const client = createClient({
      baseUrl: "http://a",
      fetch: async () => ({ status: 200, text }),
    });
    const error = await client.health().catch((e: unknown) => e);
    expect(isLinkError(error) && error.message).toContain("terminated");
  });

  it("the guards know errors of another copy of the package, and nothing else", () => {
    const copy = { [Symbol.for("@mesh/protocol/ApiError")]: true };
    expect([isApiError(copy), isLinkError(copy), isApiError(null), isApiError("x")]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
