import { describe, expect, it } from "vitest";
import { insertEvents, prune, RETENTION } from "../src/store/records.ts";
import {
  type Bench,
  HOUR,
  IMAGE,
  NOON,
  nodeRequest,
  refusalOf,
  SECOND,
  startBench,
} from "./harness.ts";

const job = { kind: "Job", name: "x", image: IMAGE } as const;

async function post(
  { app }: Bench,
  payload: string,
  type = "application/json",
): Promise<{ status: number; code: string; text: string }> {
  const answer = await app.inject({
    method: "POST",
    url: "/v1/namespaces/default/jobs",
    headers: { host: "127.0.0.1", "content-type": type },
    payload,
  });
  return { status: answer.statusCode, code: answer.json().error?.code, text: answer.body };
}

describe("bad input gets a 4xx in one shape, and nothing is stored (S5)", () => {
  const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

  it.each([
    ["text that is no JSON", "{name: x}", 400, "body.syntax"],
    ["an empty body", "", 400, "body.empty"],
    ["a list", "[]", 400, "shape.type"],
    ["null", "null", 400, "shape.type"],
    ["a text", '"x"', 400, "shape.type"],
    [
      "a body over 1 MiB",
      JSON.stringify({ ...job, x: "y".repeat(1024 * 1024) }),
      413,
      "body.too-large",
    ],
    ["deep nesting", deep(100_000), 400, "shape.too-deep"],
    [
      "deep nesting inside",
      `{"kind":"Job","name":"x","image":${deep(100_000)}}`,
      400,
      "shape.too-deep",
    ],
    ["a name that reaches for prototypes", '{"__proto__":{"a":1},"name":"x"}', 400, "body.syntax"],
    ["a key that hides another", '{"name":"a","name":"b"}', 400, "body.duplicate-key"],
    ["one inside", '{"name":"a","x":[{},{"b":[],"\\u0062":1}]}', 400, "body.duplicate-key"],
    ["a NUL in a name", '{"name":"a\\u0000b","image":"x"}', 400, "name.invalid"],
  ])("%s", async (_, payload, status, code) => {
    const bench = await startBench();
    const answer = await post(bench, payload);
    expect([answer.status, answer.code]).toEqual([status, code]);
    expect(await bench.mesh.jobs("default")).toEqual([]);
  });

  it.each([
    ["/v1/events?after=-1", "/after"],
    ["/v1/events?after=1e3", "/after"],
    ["/v1/events?waitSeconds=26", "/waitSeconds"],
    ["/v1/events?before=3", "/before"],
    ["/v1/runs?limit=0", "/limit"],
    ["/v1/runs?limit=1001", "/limit"],
    ["/v1/runs?limit=1&limit=2", "/limit"],
    ["/v1/namespaces/default/jobs?name=x", "/name"],
    ["/v1/namespaces/default/cronjobs/x/decisions?limit=all", "/limit"],
  ])("the query of %s is refused at %s", async (url, pointer) => {
    const { app } = await startBench();
    const answer = await app.inject({ url, headers: { host: "127.0.0.1" } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.diagnostics).toMatchObject([{ pointer }]);
  });

  it.each([
    ["GET", "/v1/nope", 404],
    ["PATCH", "/v1/health", 404],
    ["GET", "/v1/namespaces/default/jobs/nope", 404],
    ["GET", "/v1/namespaces/default/cronjobs/nope", 404],
    ["DELETE", "/v1/namespaces/default/jobs/nope", 404],
    ["POST", "/v1/namespaces/default/cronjobs/nope/trigger", 404],
    ["GET", "/v1/namespaces/nope/jobs", 404],
    ["GET", "/v1/namespaces/No_Pe/jobs", 400],
    ["GET", "/v1/namespaces/%zz/jobs", 400],
    ["PUT", "/v1/namespaces/-a", 400],
    ["PUT", `/v1/namespaces/${"a".repeat(64)}`, 400],
  ])("%s %s answers %i with a code and words", async (method, url, status) => {
    const { app } = await startBench();
    const answer = await app.inject({
      method: method as "GET",
      url,
      headers: { host: "127.0.0.1" },
    });
    expect(answer.statusCode).toBe(status);
    expect(answer.json().error).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
    });
  });

  it("a node's name is a DNS label, since it stands in paths and on hosts", async () => {
    const { mesh } = await startBench();
    for (const node of ["No_Pe", "a.b", "a".repeat(64)]) {
      const { status, error } = await refusalOf(mesh.register(nodeRequest(node)));
      expect([status, error.code]).toEqual([400, "name.invalid"]);
    }
    expect(await mesh.nodes()).toEqual([]);
  });

  it("an unknown field in any request's body is refused", async () => {
    const { app, mesh } = await startBench();
    await mesh.createCronJob("default", {
      kind: "CronJob",
      name: "c",
      schedule: "* * * * *",
      jobTemplate: { image: IMAGE },
    });
    for (const [method, url, payload] of [
      ["POST", "/v1/namespaces/default/cronjobs/c/resume", { catchup: true }],
      ["POST", "/v1/namespaces/default/cronjobs/c/trigger", { id: "a", force: true }],
      ["POST", "/v1/namespaces/default/cronjobs/c/suspend", { for: "1h" }],
      ["PUT", "/v1/namespaces/default/secrets/s", { value: "x" }],
      ["POST", "/v1/agent/poll", { node: "a", all: true }],
    ] as const) {
      const headers = { host: "127.0.0.1" };
      const answer = await app.inject({ method, url, headers, payload });
      expect(answer.statusCode, url).toBe(400);
    }
  });

  it("what is our own fault says no more than that", async () => {
    const { app, store } = await startBench();
    await store.close();
    const answer = await app.inject({ url: "/v1/health", headers: { host: "127.0.0.1" } });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toEqual({
      error: { code: "internal", message: "the server failed; its log says why" },
    });
  });
});

describe("secrets (S6)", () => {
  it("a value is written and never read back", async () => {
    const { app, mesh } = await startBench();
    await mesh.setSecret("default", "token", { value: "s3cret", other: "more" });
    expect(await mesh.secrets("default")).toEqual([
      { name: "token", key: "other", updatedAt: NOON },
      { name: "token", key: "value", updatedAt: NOON },
    ]);
    const all = await app.inject({
      url: "/v1/namespaces/default/secrets",
      headers: { host: "127.0.0.1" },
    });
    expect(all.body).not.toContain("s3cret");
    await mesh.setSecret("default", "token", { value: "new" });
    expect((await mesh.secrets("default")).map(({ key }) => key)).toEqual(["value"]);
    await mesh.deleteSecret("default", "token");
    expect(await mesh.secrets("default")).toEqual([]);
    expect((await refusalOf(mesh.deleteSecret("default", "token"))).status).toBe(404);
  });

  it.each(["..", "a/b", ".hidden", "a b"])("%j is no name of a secret", async (name) => {
    const { app } = await startBench();
    const answer = await app.inject({
      method: "PUT",
      url: `/v1/namespaces/default/secrets/${encodeURIComponent(name)}`,
      headers: { host: "127.0.0.1" },
      payload: { values: { value: "x" } },
    });
    expect([400, 404]).toContain(answer.statusCode);
  });
});

describe("events", () => {
  it("come in order, from any number on, and a wait ends with the first", async () => {
    const { mesh, clock, settle } = await startBench();
    const held = mesh.events({ after: 0, waitSeconds: 20 });
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(10 * SECOND, settle);
    await mesh.createJob("default", job);
    const [first] = await held;
    expect(first).toMatchObject({
      at: NOON + 10 * SECOND,
      type: "job.created",
      subject: { kind: "job", namespace: "default", name: "x" },
      message: `Job default/x is created: ${IMAGE}`,
    });
    await mesh.cancelJob("default", "x");
    const later = await mesh.events({ after: first?.id ?? 0 });
    expect(later.map(({ type }) => type)).toContain("job.cancelled");
    const all = await mesh.events({ after: 0, limit: 1 });
    expect(all).toEqual([first]);
  });

  it("a wait without news ends empty after its time", async () => {
    const { mesh, clock } = await startBench();
    const held = mesh.events({ after: 0, waitSeconds: 5 });
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(5 * SECOND, () => new Promise((resolve) => setImmediate(resolve)));
    expect(await held).toEqual([]);
  });

  it("only the newest are kept, and so many rows at most are removed at a time", async () => {
    const { store, mesh, advance } = await startBench();
    const event = {
      type: "x",
      subject: { kind: "node", name: "a" },
      message: "x",
    } as const;
    const more = RETENTION.rowsAtATime + 1_000;
    for (let left = RETENTION.events + more; left > 0; left -= 20_000) {
      const many = Array.from({ length: Math.min(left, 20_000) }, () => event);
      await store.write((tx) => insertEvents(tx, NOON, many));
    }
    const count = () =>
      store.read(async (db) => {
        const { n } = await db
          .selectFrom("events")
          .select((of) => of.fn.countAll<number>().as("n"))
          .executeTakeFirstOrThrow();
        return n;
      });
    expect(await store.write((tx) => prune(tx, NOON))).toBe(true);
    expect(await count()).toBe(RETENTION.events + 1_000);
    await advance(HOUR);
    expect(await count()).toBe(RETENTION.events);
    // Numbers are never given twice.
    const [oldest] = await mesh.events({ after: 0, limit: 1 });
    expect(oldest?.id).toBe(more + 1);
  });
});
