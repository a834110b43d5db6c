import { describe, expect, it } from "vitest";
import { IMAGE, nodeRequest, onlyTask, refusalOf, startBench, withHost } from "./harness.ts";

describe("nothing is accepted with a part left out (R4, S5)", () => {
  it.each(["constructor", "prototype", "toString"])(
    "a secret's key may be called %s, and reaches the process",
    async (key) => {
      const { mesh, host, settle } = await withHost();
      await mesh.setSecret("default", "s", { [key]: "x", other: "y" });
      const listed = await mesh.secrets("default");
      expect(listed.map((row) => row.key).sort()).toEqual([key, "other"].sort());
      await mesh.createJob("default", {
        kind: "Job",
        name: "x",
        image: IMAGE,
        secrets: [{ name: "s", key }],
      });
      await settle();
      await onlyTask(host);
      const [task] = await host.tasks();
      expect(task?.work.secrets).toEqual([{ name: "s", value: "x" }]);
    },
  );

  it("a secret that holds half a character is refused: it would be stored as another", async () => {
    const { mesh } = await startBench();
    const refused = await refusalOf(mesh.setSecret("default", "s", { a: "x\ud800" }));
    expect([refused.status, refused.error.message]).toEqual([
      400,
      "/values/a: must hold whole characters",
    ]);
    await mesh.setSecret("default", "s", { a: "\u{1f600}\u0000\n" });
    expect(await mesh.secrets("default")).toHaveLength(1);
  });

  it("a wrong value and a wrong key of a secret are named", async () => {
    const { mesh } = await startBench();
    const refused = await refusalOf(
      mesh.setSecret("default", "s", { "a/b": "x", ok: 1 as never, long: "x".repeat(65_537) }),
    );
    const pointers = refused.error.diagnostics?.map(({ pointer }) => pointer);
    expect(pointers).toEqual(["/values/a~1b", "/values/ok", "/values/long"]);
  });

  it("a query or a body that a route does not take is refused by each", async () => {
    const { app, mesh } = await withHost();
    await mesh.applyModule({ kind: "Module", module: "m", version: 1, resources: [] });
    const job = "/v1/namespaces/default/cronjobs/x";
    const node = { node: "a" };
    for (const [method, path, body] of [
      ["POST", `${job}/suspend`],
      ["POST", `${job}/resume`],
      ["POST", `${job}/trigger`],
      ["PUT", "/v1/modules/m/nodes/a"],
      ["DELETE", "/v1/modules/m/nodes/a"],
      ["PUT", "/v1/namespaces/team"],
      ["PUT", "/v1/namespaces/default/secrets/s", { values: { a: "b" } }],
      ["DELETE", "/v1/namespaces/default/secrets/s"],
      ["POST", "/v1/agent/register", nodeRequest("a")],
      ["POST", "/v1/agent/poll", node],
      ["POST", "/v1/agent/reports", { ...node, reports: [] }],
    ] as const) {
      const headers = { host: "127.0.0.1" };
      const sent = { method, headers, ...(body === undefined ? {} : { payload: body }) };
      const answer = await app.inject({ ...sent, url: `${path}?dryRun=true` });
      expect(answer.json().error?.code, `${method} ${path}`).toBe("shape.unknown-key");
      if (method !== "DELETE") continue;
      const withBody = await app.inject({ ...sent, url: path, payload: { dryRun: true } });
      expect(withBody.json().error?.code, `${method} ${path}`).toBe("shape.unknown-key");
    }
    expect(await mesh.namespaces()).toEqual(["default"]);
  });
});

describe("an agent that says what cannot be harms nobody else (S5)", () => {
  const record = { outcome: "started", runId: "r", startedAt: 0 } as const;

  it("an instant after the last date is refused, and the last date is taken", async () => {
    const { app, mesh } = await withHost();
    const send = (occurrenceAt: number) =>
      app.inject({
        method: "POST",
        url: "/v1/agent/reports",
        headers: { host: "127.0.0.1" },
        payload: {
          node: "a",
          reports: [
            {
              ...{ kind: "run", id: `r${occurrenceAt}`, at: 0, module: "m", container: "c" },
              record: { ...record, occurrenceAt },
            },
          ],
        },
      });
    expect((await send(8.64e15 + 1)).statusCode).toBe(400);
    expect((await send(8.64e15)).statusCode).toBe(200);
    expect(await mesh.runs()).toHaveLength(1);
  });

  it("a generation that was never given is refused, so that later edits have numbers", async () => {
    const { mesh } = await withHost();
    for (const generation of [2 ** 52 + 1, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER]) {
      const refused = await refusalOf(mesh.poll({ node: "a", generation }));
      expect([refused.status, refused.error.code]).toEqual([400, "poll.generation"]);
    }
    const highest = await mesh.poll({ node: "a", generation: 2 ** 52 });
    expect(highest.declaration?.generation).toBe(2 ** 52 + 1);
    await mesh.applyModule({ kind: "Module", module: "m", version: 1, resources: [] });
    await mesh.assignModule("m", "a");
    const next = await mesh.poll({ node: "a", generation: 2 ** 52 + 1 });
    expect(next.declaration?.generation).toBe(2 ** 52 + 2);
  });
});
