import {
  heartbeatRequestSchema,
  pollRequestSchema,
  registerRequestSchema,
  reportsRequestSchema,
} from "@mesh/protocol";
import { checkLabelName } from "../operations/admission.ts";
import { acceptHeartbeat, readDesired, registerNode } from "../operations/agent-link.ts";
import { acceptReports } from "../operations/reports.ts";
import { requireNode } from "./auth.ts";
import type { Routes } from "./deps.ts";
import { noQuery, parseInput } from "./input.ts";

/** A poll is held at most this long. */
const POLL_SECONDS = 25;

/** 500 reports with 4096 characters of output and as many of message, escaped at worst. */
const REPORTS_BYTES = 32 * 1024 * 1024;

export const agentRoutes: Routes = (app, { store, clock, waiters, leaseSeconds, followSteps }) => {
  app.post("/v1/agent/register", async (request) => {
    parseInput(noQuery, request.query);
    const body = parseInput(registerRequestSchema, request.body);
    requireNode(request, body.node);
    checkLabelName(body.node, "a node's name");
    await followSteps();
    return registerNode(store, body, { now: clock.now(), leaseSeconds });
  });

  app.post("/v1/agent/heartbeat", async (request) => {
    parseInput(noQuery, request.query);
    const body = parseInput(heartbeatRequestSchema, request.body);
    requireNode(request, body.node);
    await followSteps();
    return acceptHeartbeat(store, body, { now: clock.now(), leaseSeconds });
  });

  app.post("/v1/agent/poll", async (request, reply) => {
    parseInput(noQuery, request.query);
    const body = parseInput(pollRequestSchema, request.body);
    requireNode(request, body.node);
    const changed = await waiters.wait({
      topic: `node:${body.node}`,
      waitSeconds: POLL_SECONDS,
      read: () => readDesired(store, body),
      onGone: (gone) => reply.raw.once("close", gone),
    });
    return changed ?? readDesired(store, { ...body, revision: undefined });
  });

  app.post("/v1/agent/reports", { bodyLimit: REPORTS_BYTES }, async (request) => {
    parseInput(noQuery, request.query);
    const body = parseInput(reportsRequestSchema, request.body);
    requireNode(request, body.node);
    return acceptReports(store, body, clock.now());
  });
};
