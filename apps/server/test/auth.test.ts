import { createClient } from "@mesh/protocol";
import { describe, expect, it } from "vitest";
import { type Bench, IMAGE, injecting, nodeRequest, refusalOf, startBench } from "./harness.ts";

const OPERATOR = "operator-token-0123456789";
const NODE_A = "node-a-token-0123456789ab";
const NODE_B = "node-b-token-0123456789ab";
const auth = { devMode: false, operatorToken: OPERATOR, nodeTokens: { a: NODE_A, b: NODE_B } };

const status = { generation: 1, applied: true, current: true, problems: [] };
const job = { kind: "Job", name: "x", image: IMAGE };
const cronJob = {
  kind: "CronJob",
  name: "x",
  schedule: "* * * * *",
  jobTemplate: { image: IMAGE },
};
const module = { kind: "Module", module: "m", version: 1, resources: [] };

/** Every route of docs/reference/http-api.md: who may use it, and a body that it takes. */
const routes: readonly [string, string, "operator" | "node", object?][] = [
  ["GET", "/v1/health", "operator"],
  ["GET", "/v1/namespaces", "operator"],
  ["PUT", "/v1/namespaces/team", "operator"],
  ["GET", "/v1/namespaces/default/secrets", "operator"],
  ["PUT", "/v1/namespaces/default/secrets/s", "operator", { values: { value: "x" } }],
  ["DELETE", "/v1/namespaces/default/secrets/s", "operator"],
  ["POST", "/v1/namespaces/default/jobs", "operator", job],
  ["PUT", "/v1/namespaces/default/jobs/x", "operator", job],
  ["GET", "/v1/namespaces/default/jobs", "operator"],
  ["GET", "/v1/namespaces/default/jobs/x", "operator"],
  ["POST", "/v1/namespaces/default/jobs/x/cancel", "operator"],
  ["DELETE", "/v1/namespaces/default/jobs/x", "operator"],
  ["POST", "/v1/namespaces/default/cronjobs", "operator", cronJob],
  ["PUT", "/v1/namespaces/default/cronjobs/x", "operator", cronJob],
  ["GET", "/v1/namespaces/default/cronjobs", "operator"],
  ["GET", "/v1/namespaces/default/cronjobs/x", "operator"],
  ["POST", "/v1/namespaces/default/cronjobs/x/suspend", "operator"],
  ["POST", "/v1/namespaces/default/cronjobs/x/resume", "operator", { catchUp: true }],
  ["POST", "/v1/namespaces/default/cronjobs/x/trigger", "operator", { id: "1" }],
  ["GET", "/v1/namespaces/default/cronjobs/x/decisions", "operator"],
  ["DELETE", "/v1/namespaces/default/cronjobs/x", "operator"],
  ["GET", "/v1/namespaces/default/tasks", "operator"],
  ["GET", "/v1/runs", "operator"],
  ["GET", "/v1/events", "operator"],
  ["PUT", "/v1/modules/m", "operator", module],
  ["GET", "/v1/modules", "operator"],
  ["GET", "/v1/modules/m", "operator"],
  ["PUT", "/v1/modules/m/nodes/a", "operator"],
  ["DELETE", "/v1/modules/m/nodes/a", "operator"],
  ["DELETE", "/v1/modules/m", "operator"],
  ["GET", "/v1/nodes", "operator"],
  ["GET", "/v1/nodes/a", "operator"],
  ["POST", "/v1/agent/register", "node", nodeRequest("a")],
  ["POST", "/v1/agent/heartbeat", "node", { node: "a", status }],
  ["POST", "/v1/agent/poll", "node", { node: "a" }],
  ["POST", "/v1/agent/reports", "node", { node: "a", reports: [] }],
];

async function send(
  { app }: Bench,
  [method, url, , body]: readonly [string, string, string, object?],
  headers: Record<string, string>,
): Promise<number> {
  const answer = await app.inject({
    method: method as "GET",
    url,
    headers: { host: "127.0.0.1", ...headers },
    ...(body === undefined ? {} : { payload: body }),
  });
  return answer.statusCode;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function withNode(): Promise<Bench> {
  const bench = await startBench({ auth });
  const agent = createClient({
    baseUrl: "http://127.0.0.1",
    fetch: injecting(bench.app),
    token: NODE_A,
  });
  await agent.register(nodeRequest("a"));
  return bench;
}

describe("every route and every kind of caller (S5)", () => {
  it("the table has every route that the server serves", async () => {
    const { app } = await startBench({ auth });
    await app.ready();
    const known = new Set(
      routes.map(([method, url]) => {
        const path = url
          .replace(/namespaces\/(default|team)/, "namespaces/:ns")
          .replace(/(jobs|cronjobs|secrets)\/[xs]/, "$1/:name")
          .replace(/modules\/m/, "modules/:name")
          .replace(/^\/v1\/nodes\/a/, "/v1/nodes/:name")
          .replace(/nodes\/a$/, "nodes/:node");
        return `${method} ${path}`;
      }),
    );
    const printed = app.printRoutes({ commonPrefix: false });
    const served = printed.match(/\((GET|PUT|POST|DELETE)[^)]*\)/g) ?? [];
    expect(served.join().match(/GET|PUT|POST|DELETE/g)).toHaveLength(known.size);
    for (const line of known) {
      const [method, path] = line.split(" ") as [string, string];
      expect(app.hasRoute({ method: method as "GET", url: path }), line).toBe(true);
    }
  });

  it.each(routes)("%s %s: nobody without a known token", async (...route) => {
    const bench = await withNode();
    const wrong: Record<string, string>[] = [
      {},
      bearer("wrong-token-0123456789"),
      { authorization: OPERATOR },
      { authorization: `Basic ${OPERATOR}` },
      { authorization: "Bearer " },
      bearer(OPERATOR.slice(0, -1)),
    ];
    for (const headers of wrong) expect(await send(bench, route, headers)).toBe(401);
  });

  it.each(routes)("%s %s: only for a caller of kind %s", async (...route) => {
    const bench = await withNode();
    const [, , kind] = route;
    const operator = await send(bench, route, bearer(OPERATOR));
    const own = await send(bench, route, bearer(NODE_A));
    const foreign = await send(bench, route, bearer(NODE_B));
    if (kind === "operator") {
      expect(operator).not.toBe(401);
      expect(operator).not.toBe(403);
      expect([own, foreign]).toEqual([403, 403]);
    } else {
      expect([operator, own, foreign]).toEqual([403, 200, 403]);
    }
  });

  it("what is refused changes nothing", async () => {
    const bench = await withNode();
    for (const route of routes) await send(bench, route, bearer("wrong-token-0123456789"));
    const mesh = createClient({
      baseUrl: "http://127.0.0.1",
      fetch: injecting(bench.app),
      token: OPERATOR,
    });
    expect(await mesh.jobs("default")).toEqual([]);
    expect(await mesh.modules()).toEqual([]);
    expect((await mesh.nodes()).map(({ node }) => node)).toEqual(["a"]);
  });

  it("without a token even an unknown route tells nothing", async () => {
    const { app } = await startBench({ auth });
    const answer = await app.inject({ url: "/v1/nope", headers: { host: "127.0.0.1" } });
    expect(answer.statusCode).toBe(401);
  });
});

describe("dev mode (S5)", () => {
  it("serves on loopback without a token, agents included", async () => {
    const bench = await startBench();
    await bench.mesh.register(nodeRequest("a"));
    for (const route of routes) {
      const answer = await send(bench, route, {});
      expect([401, 403]).not.toContain(answer);
    }
  });

  it("a token that is not known is refused even there", async () => {
    const bench = await startBench();
    expect(await send(bench, ["GET", "/v1/health", "operator"], bearer("x"))).toBe(401);
  });

  it("with an operator's token set, it is asked for even there", async () => {
    const bench = await startBench({ auth: { ...auth, devMode: true } });
    expect((await refusalOf(bench.mesh.health())).status).toBe(401);
  });

  it.each([
    ["a name that someone else's server resolves to loopback", { host: "evil.example:7373" }, 403],
    ["a page of another site", { origin: "https://evil.example" }, 403],
    ["a page of another port", { origin: "http://127.0.0.1:8080" }, 403],
    ["a page without an origin", { origin: "null" }, 403],
    ["a browser that says so", { "sec-fetch-site": "cross-site" }, 403],
    ["its own page", { origin: "http://127.0.0.1", "sec-fetch-site": "same-origin" }, 200],
    ["localhost", { host: "localhost:7373" }, 200],
    ["loopback of IPv6", { host: "[::1]:7373" }, 200],
    ["a name that begins like loopback", { host: "127.0.0.1.evil.example" }, 403],
  ])("%s", async (_, headers, wanted) => {
    const bench = await startBench();
    await bench.mesh.createJob("default", job as never);
    const cancel = ["POST", "/v1/namespaces/default/jobs/x/cancel", "operator"] as const;
    expect(await send(bench, cancel, headers as Record<string, string>)).toBe(wanted);
    const { state } = await bench.mesh.job("default", "x");
    expect(state.job.status).toBe(wanted === 200 ? "cancelled" : "pending");
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])(
    "a body of type %s, as a form of a foreign page could send it, is refused",
    async (type) => {
      const { app, mesh } = await startBench();
      const answer = await app.inject({
        method: "POST",
        url: "/v1/namespaces/default/jobs",
        headers: { host: "127.0.0.1", "content-type": type },
        payload: JSON.stringify(job),
      });
      expect([answer.statusCode, answer.json().error.code]).toEqual([415, "body.content-type"]);
      expect(await mesh.jobs("default")).toEqual([]);
    },
  );
});
