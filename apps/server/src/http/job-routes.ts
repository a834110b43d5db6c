import { admit, checkPathName, requireNamespace } from "../operations/admission.ts";
import {
  applyJob,
  cancelJob,
  createNewJob,
  deleteJob,
  jobView,
  listedJob,
} from "../operations/jobs.ts";
import { notFound } from "../refusal.ts";
import { findJob, listJobs } from "../store/jobs.ts";
import { readTasks } from "../views/runs.ts";
import type { Routes } from "./deps.ts";
import { applyJobQuery, listQuery, noBody, noQuery, parseInput, tasksQuery } from "./input.ts";

interface InNamespace {
  Params: { ns: string };
}
interface OneJob {
  Params: { ns: string; name: string };
}

export const jobRoutes: Routes = (app, { store, clock, newId }) => {
  app.post<InNamespace>("/v1/namespaces/:ns/jobs", async (request, reply) => {
    parseInput(noQuery, request.query);
    const { ns } = request.params;
    const options = { now: clock.now(), newId };
    const view = await createNewJob(store, ns, admit("Job", request.body), options);
    return reply.code(201).send(view);
  });

  app.put<OneJob>("/v1/namespaces/:ns/jobs/:name", async (request) => {
    const { replace } = parseInput(applyJobQuery, request.query);
    const { ns, name } = request.params;
    const admitted = admit("Job", request.body);
    checkPathName(name, admitted.manifest.name, "/name");
    const options = { now: clock.now(), newId, replace: replace === "true" };
    return applyJob(store, ns, admitted, options);
  });

  app.get<InNamespace>("/v1/namespaces/:ns/jobs", async (request) => {
    const { limit } = parseInput(listQuery, request.query);
    return store.read(async (db) => {
      await requireNamespace(db, request.params.ns);
      return { items: (await listJobs(db, request.params.ns, limit)).map(listedJob) };
    });
  });

  app.get<OneJob>("/v1/namespaces/:ns/jobs/:name", async (request) => {
    parseInput(noQuery, request.query);
    const { ns, name } = request.params;
    return store.read(async (db) => {
      await requireNamespace(db, ns);
      const job = await findJob(db, ns, name);
      if (job === undefined) throw notFound("Job", `${ns}/${name}`);
      return jobView(job);
    });
  });

  app.delete<OneJob>("/v1/namespaces/:ns/jobs/:name", async (request, reply) => {
    parseInput(noQuery, request.query);
    const { ns, name } = request.params;
    await deleteJob(store, ns, name, clock.now());
    return reply.code(202).send();
  });

  app.post<OneJob>("/v1/namespaces/:ns/jobs/:name/cancel", async (request) => {
    parseInput(noQuery, request.query);
    parseInput(noBody, request.body);
    const { ns, name } = request.params;
    return cancelJob(store, ns, name, clock.now());
  });

  app.get<InNamespace>("/v1/namespaces/:ns/tasks", async (request) => {
    const filter = parseInput(tasksQuery, request.query);
    return store.read(async (db) => {
      await requireNamespace(db, request.params.ns);
      return { items: await readTasks(db, request.params.ns, filter) };
    });
  });
};
