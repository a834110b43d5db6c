import { admit, checkPathName } from "../operations/admission.ts";
import { applyModule, assignModule, removeModule, unassignModule } from "../operations/modules.ts";
import { readModule, readModules, readNode, readNodes } from "../views/hosts.ts";
import type { Routes } from "./deps.ts";
import { listQuery, noBody, noQuery, parseInput } from "./input.ts";

interface OneName {
  Params: { name: string };
}
interface OnNode {
  Params: { name: string; node: string };
}

export const hostRoutes: Routes = (app, { store, clock }) => {
  app.put<OneName>("/v1/modules/:name", async (request) => {
    parseInput(noQuery, request.query);
    const admitted = admit("Module", request.body);
    checkPathName(request.params.name, admitted.manifest.module, "/module");
    return applyModule(store, admitted, clock.now());
  });

  app.get("/v1/modules", async (request) => {
    const { limit } = parseInput(listQuery, request.query);
    return { items: await store.read((db) => readModules(db, limit)) };
  });

  app.get<OneName>("/v1/modules/:name", async (request) => {
    parseInput(noQuery, request.query);
    return store.read((db) => readModule(db, request.params.name));
  });

  app.delete<OneName>("/v1/modules/:name", async (request, reply) => {
    parseInput(noQuery, request.query);
    await removeModule(store, request.params.name, clock.now());
    return reply.code(202).send();
  });

  app.put<OnNode>("/v1/modules/:name/nodes/:node", async (request) => {
    parseInput(noQuery, request.query);
    parseInput(noBody, request.body);
    const { name, node } = request.params;
    await assignModule(store, { name, node, now: clock.now() });
    return store.read((db) => readModule(db, name));
  });

  app.delete<OnNode>("/v1/modules/:name/nodes/:node", async (request) => {
    parseInput(noQuery, request.query);
    const { name, node } = request.params;
    await unassignModule(store, { name, node, now: clock.now() });
    return store.read((db) => readModule(db, name));
  });

  app.get("/v1/nodes", async (request) => {
    const { limit } = parseInput(listQuery, request.query);
    return { items: await store.read((db) => readNodes(db, limit)) };
  });

  app.get<OneName>("/v1/nodes/:name", async (request) => {
    parseInput(noQuery, request.query);
    return store.read((db) => readNode(db, request.params.name));
  });
};
