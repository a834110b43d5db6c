import { admit, checkPathName, requireNamespace } from "../operations/admission.ts";
import {
  applyCronJob,
  createCronJob,
  deleteCronJob,
  resumeCronJob,
  suspendCronJob,
} from "../operations/cronjobs.ts";
import { triggerCronJob } from "../operations/trigger-cronjob.ts";
import { readCronJob, readCronJobs } from "../views/cronjobs.ts";
import { readDecisions } from "../views/runs.ts";
import type { HttpDeps, Routes } from "./deps.ts";
import {
  decisionsQuery,
  listQuery,
  noBody,
  noQuery,
  parseInput,
  resumeBody,
  triggerBody,
} from "./input.ts";

interface InNamespace {
  Params: { ns: string };
}
interface OneCronJob {
  Params: { ns: string; name: string };
}

const many = "/v1/namespaces/:ns/cronjobs";
const one = `${many}/:name`;

/** Reads one schedule as it is now. */
function viewer({ store, clock, zones }: HttpDeps) {
  return (ns: string, name: string) =>
    store.read((db) => readCronJob(db, ns, name, { now: clock.now(), zones }));
}

export const cronJobRoutes: Routes = (app, deps) => {
  const { store, clock, newId, zones } = deps;
  const view = viewer(deps);

  app.post<InNamespace>(many, async (request, reply) => {
    parseInput(noQuery, request.query);
    const { ns } = request.params;
    const admitted = admit("CronJob", request.body);
    await createCronJob(store, ns, admitted, { now: clock.now(), newId, zones });
    return reply.code(201).send(await view(ns, admitted.manifest.name));
  });

  app.put<OneCronJob>(one, async (request) => {
    parseInput(noQuery, request.query);
    const { ns, name } = request.params;
    const admitted = admit("CronJob", request.body);
    checkPathName(name, admitted.manifest.name, "/name");
    return applyCronJob(store, ns, admitted, { now: clock.now(), newId, zones });
  });

  app.get<InNamespace>(many, async (request) => {
    const { limit } = parseInput(listQuery, request.query);
    return store.read(async (db) => {
      await requireNamespace(db, request.params.ns);
      return {
        items: await readCronJobs(db, request.params.ns, { limit, now: clock.now(), zones }),
      };
    });
  });

  app.get<OneCronJob>(one, async (request) => {
    parseInput(noQuery, request.query);
    return view(request.params.ns, request.params.name);
  });

  app.delete<OneCronJob>(one, async (request, reply) => {
    parseInput(noQuery, request.query);
    const { ns, name } = request.params;
    await deleteCronJob(store, ns, name, clock.now());
    return reply.code(202).send();
  });
};

export const cronJobActions: Routes = (app, deps) => {
  const { store, clock, newId, zones } = deps;
  const view = viewer(deps);

  app.post<OneCronJob>(`${one}/suspend`, async (request) => {
    parseInput(noQuery, request.query);
    parseInput(noBody, request.body);
    const { ns, name } = request.params;
    await suspendCronJob(store, ns, name, clock.now());
    return view(ns, name);
  });

  app.post<OneCronJob>(`${one}/resume`, async (request) => {
    parseInput(noQuery, request.query);
    const { catchUp = false } = parseInput(resumeBody, request.body ?? undefined);
    const { ns, name } = request.params;
    await resumeCronJob(store, ns, name, { now: clock.now(), zones, catchUp });
    return view(ns, name);
  });

  app.post<OneCronJob>(`${one}/trigger`, async (request) => {
    parseInput(noQuery, request.query);
    const { id = shortId(newId()) } = parseInput(triggerBody, request.body ?? undefined);
    const { ns, name } = request.params;
    await triggerCronJob(store, ns, name, { now: clock.now(), newId, id });
    return view(ns, name);
  });

  app.get<OneCronJob>(`${one}/decisions`, async (request) => {
    const { limit } = parseInput(decisionsQuery, request.query);
    const { ns, name } = request.params;
    return store.read(async (db) => {
      await requireNamespace(db, ns);
      return { items: await readDecisions(db, { namespace: ns, scheduleName: name, limit }) };
    });
  });
};

/** Eight label characters of an id, for a trigger that was given none (D10). */
function shortId(id: string): string {
  return id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .slice(-8);
}
