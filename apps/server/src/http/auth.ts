import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { refusal } from "../refusal.ts";

/** Who calls: anybody in dev mode, an operator, or one node's agent (S5). */
export type Caller =
  | { readonly kind: "dev" }
  | { readonly kind: "operator" }
  | { readonly kind: "node"; readonly node: string };

export interface AuthOptions {
  readonly devMode: boolean;
  readonly operatorToken?: string | undefined;
  readonly nodeTokens: Readonly<Record<string, string>>;
}

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller;
  }
}

/**
 * Tells every request's caller before anything else is looked at. Without a token nothing is
 * served, unless in dev mode without an operator's token; there the address and the page that a
 * browser may have been sent from are checked, so that no web site can reach the server.
 */
export function authenticate(app: FastifyInstance, options: AuthOptions): void {
  const known = [
    ...Object.entries(options.nodeTokens).map(([node, token]) => ({
      caller: { kind: "node", node } as const,
      digest: digestOf(token),
    })),
    ...(options.operatorToken === undefined
      ? []
      : [{ caller: { kind: "operator" } as const, digest: digestOf(options.operatorToken) }]),
  ];
  const isOpen = options.devMode && options.operatorToken === undefined;
  app.decorateRequest("caller");
  app.addHook("onRequest", async (request) => {
    refuseForeignPages(request, options.devMode);
    const { authorization } = request.headers;
    if (authorization === undefined) {
      if (!isOpen) throw unauthorized("a token is needed");
      request.caller = { kind: "dev" };
      return;
    }
    const token = /^Bearer ([^\s]+)$/i.exec(authorization)?.[1];
    const caller = token === undefined ? undefined : callerOf(token, known);
    if (caller === undefined) throw unauthorized("the token is not known");
    request.caller = caller;
  });
}

/** Compares with every token, each in constant time, so that timing tells nothing. */
function callerOf(
  token: string,
  known: readonly { caller: Caller; digest: Buffer }[],
): Caller | undefined {
  const digest = digestOf(token);
  let found: Caller | undefined;
  for (const one of known) {
    if (timingSafeEqual(one.digest, digest)) found = one.caller;
  }
  return found;
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function unauthorized(message: string) {
  return refusal(401, "auth.token", message, "send it as authorization: Bearer TOKEN");
}

const LOOPBACK = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?$/i;

/** A name that resolves to loopback, or a page of another site, is how a browser is abused. */
function refuseForeignPages(request: FastifyRequest, devMode: boolean): void {
  const { host = "", origin, "sec-fetch-site": site } = request.headers;
  if (devMode && !LOOPBACK.test(host)) {
    throw refusal(403, "auth.host", "in dev mode only loopback addresses are served");
  }
  const isForeign = origin !== undefined && origin.replace(/^https?:\/\//, "") !== host;
  if (isForeign || site === "cross-site" || site === "same-site") {
    throw refusal(403, "auth.origin", "pages of other sites are not served");
  }
}

/** The operator's routes. */
export async function requireOperator({ caller }: FastifyRequest): Promise<void> {
  if (caller.kind === "node") {
    throw refusal(403, "auth.operator", "an operator's token is needed, and this is a node's");
  }
}

/** The agent's routes: an agent acts for its own node only. */
export function requireNode({ caller }: FastifyRequest, node: string): void {
  if (caller.kind === "dev") return;
  if (caller.kind === "operator") {
    throw refusal(403, "auth.node", "a node's token is needed, and this is an operator's");
  }
  if (caller.node !== node) {
    throw refusal(403, "auth.node", `this token is node ${caller.node}'s, not node ${node}'s`);
  }
}
