import type { ErrorAnswer } from "@mesh/protocol";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isRefusal } from "../refusal.ts";

type Words = Readonly<Record<string, { code: string; message: string; help?: string }>>;

/** What the framework refuses by itself, in our words. */
const framework: Words = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "body.content-type",
    message: "the body must be JSON",
    help: "send it with content-type: application/json",
  },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: "body.too-large", message: "the body is too large" },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: "body.empty", message: "the body is empty" },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: "body.syntax", message: "the body is not valid JSON" },
  FST_ERR_BAD_URL: { code: "path.syntax", message: "the path is not valid" },
};

/** Every refusal has one shape; what is our own fault is logged and tells nothing else. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0];
    const message = `there is no route ${request.method} ${path}`;
    return reply.code(404).send(answer({ code: "route.unknown", message }));
  });
}

function answer(error: ErrorAnswer["error"]): ErrorAnswer {
  return { error };
}

/** Also for what fails before any route is found, such as a path that cannot be read. */
export function answerError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (isRefusal(error)) return reply.code(error.status).send(answer(error.error));
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) {
    const known = framework[error.code] ?? { code: "request.invalid", message: error.message };
    return reply.code(status).send(answer(known));
  }
  request.log.error({ err: error }, "a request failed");
  const message = "the server failed; its log says why";
  return reply.code(500).send(answer({ code: "internal", message }));
}
