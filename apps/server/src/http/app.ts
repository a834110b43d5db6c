import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { Logger } from "pino";
import { agentRoutes } from "./agent-routes.ts";
import { type AuthOptions, authenticate, requireOperator } from "./auth.ts";
import { cronJobActions, cronJobRoutes } from "./cronjob-routes.ts";
import type { HttpDeps } from "./deps.ts";
import { answerError, answerErrors } from "./errors.ts";
import { hostRoutes } from "./host-routes.ts";
import { duplicateKeyRefusal, noBody, parseInput } from "./input.ts";
import { jobRoutes } from "./job-routes.ts";
import { recordRoutes, secretRoutes } from "./record-routes.ts";

/** The largest manifest or request, but for reports. */
const BODY_BYTES = 1024 * 1024;

const operatorRoutes = [
  jobRoutes,
  cronJobRoutes,
  cronJobActions,
  hostRoutes,
  recordRoutes,
  secretRoutes,
];

/** The whole HTTP API (docs/reference/http-api.md), not yet listening. */
export function buildApp(deps: HttpDeps, auth: AuthOptions, log: Logger): FastifyInstance {
  const app = Fastify({
    loggerInstance: quieter(log) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES,
    requestTimeout: 60_000,
    frameworkErrors: answerError as never,
    // A client's open connection that never sent a request would hold up a stop for a minute.
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 253 },
  }) as unknown as FastifyInstance;
  // Only JSON: what a form or a plain text of a foreign page could send is refused (S5).
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser<string>(
    "application/json",
    { parseAs: "string" },
    (request, body, done) => {
      parse(request, body, (error, value) => {
        const refused = error ?? duplicateKeyRefusal(body);
        done(refused, refused === null ? value : undefined);
      });
    },
  );
  answerErrors(app);
  authenticate(app, auth);
  app.addHook("onSend", async (_, reply) => {
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
  });
  app.addHook("preHandler", async ({ method, body }) => {
    if (method === "DELETE") parseInput(noBody, body);
  });
  app.register(async (operators) => {
    operators.addHook("onRequest", requireOperator);
    for (const routes of operatorRoutes) routes(operators, deps);
  });
  app.register(async (agents) => agentRoutes(agents, deps));
  return app;
}

/** Requests are not logged one by one, and the address is told by whoever listens. */
function quieter(log: Logger): Logger {
  return log.isLevelEnabled("warn") ? log.child({}, { level: "warn" }) : log;
}
