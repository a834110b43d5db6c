import type { HealthView } from "@mesh/protocol";
import { checkLabelName, requireNamespace } from "../operations/admission.ts";
import { notFound } from "../refusal.ts";
import {
  deleteSecret,
  ensureNamespace,
  listNamespaces,
  listSecrets,
  writeSecret,
} from "../store/namespaces.ts";
import { listEvents } from "../store/records.ts";
import { serverVersion } from "../version.ts";
import { readRuns } from "../views/runs.ts";
import type { Routes } from "./deps.ts";
import {
  eventsQuery,
  listQuery,
  noBody,
  noQuery,
  parseInput,
  runsQuery,
  secretBody,
  secretName,
} from "./input.ts";

interface InNamespace {
  Params: { ns: string };
}
interface OneSecret {
  Params: { ns: string; name: string };
}

/** Health, namespaces, secrets, runs and events. */
export const recordRoutes: Routes = (app, { store, clock, waiters, zones, devMode }) => {
  app.get("/v1/health", async (request): Promise<HealthView> => {
    parseInput(noQuery, request.query);
    await store.read((db) => listNamespaces(db, 1));
    return { status: "ok", version: serverVersion, zoneData: zones.version, devMode };
  });

  app.get("/v1/namespaces", async (request) => {
    const { limit } = parseInput(listQuery, request.query);
    return { items: await store.read((db) => listNamespaces(db, limit)) };
  });

  app.put<InNamespace>("/v1/namespaces/:ns", async (request) => {
    parseInput(noQuery, request.query);
    parseInput(noBody, request.body);
    const name = request.params.ns;
    checkLabelName(name, "a namespace");
    await store.write((tx) => ensureNamespace(tx, name, clock.now()));
    return { name };
  });

  app.get("/v1/runs", async (request) => {
    const filter = parseInput(runsQuery, request.query);
    return { items: await store.read((db) => readRuns(db, filter)) };
  });

  app.get("/v1/events", async (request, reply) => {
    const { after, limit, waitSeconds } = parseInput(eventsQuery, request.query);
    const events = await waiters.wait({
      topic: "events",
      waitSeconds,
      read: async () => {
        const found = await store.read((db) => listEvents(db, { after, limit }));
        return found.length === 0 ? undefined : found;
      },
      onGone: (gone) => reply.raw.once("close", gone),
    });
    return { items: events ?? [] };
  });
};

export const secretRoutes: Routes = (app, { store, clock }) => {
  app.get<InNamespace>("/v1/namespaces/:ns/secrets", async (request) => {
    const { limit } = parseInput(listQuery, request.query);
    const rows = await store.read(async (db) => {
      await requireNamespace(db, request.params.ns);
      return listSecrets(db, request.params.ns, limit);
    });
    return {
      items: rows.map(({ name, key, updated_at }) => ({ name, key, updatedAt: updated_at })),
    };
  });

  app.put<OneSecret>("/v1/namespaces/:ns/secrets/:name", async (request) => {
    parseInput(noQuery, request.query);
    const { ns } = request.params;
    const name = parseInput(secretName, request.params.name);
    const { values } = parseInput(secretBody, request.body);
    await store.write(async (tx) => {
      await requireNamespace(tx.db, ns);
      await writeSecret(tx, { namespace: ns, name, values, now: clock.now() });
    });
    return { name, keys: Object.keys(values).sort() };
  });

  app.delete<OneSecret>("/v1/namespaces/:ns/secrets/:name", async (request, reply) => {
    parseInput(noQuery, request.query);
    const { ns, name } = request.params;
    await store.write(async (tx) => {
      await requireNamespace(tx.db, ns);
      if (!(await deleteSecret(tx, ns, name))) throw notFound("secret", `${ns}/${name}`);
    });
    return reply.code(202).send();
  });
};
