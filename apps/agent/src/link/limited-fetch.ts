import type { Fetch } from "@mesh/protocol";
import { TOO_LARGE } from "./judge.ts";

/** Room in an answer for everything but the declaration: tasks, their secrets, the envelope. */
const REST_BYTES = 8 * 1024 * 1024;
/** A poll is held by the server for 25 seconds; no call may take longer than this. */
const CALL_MS = 60_000;

/**
 * The platform's `fetch`, with an answer read only up to what the host allows: a larger one is
 * given up before any of it is parsed (R7).
 */
export function limitedFetch(declarationBytes: number): Fetch {
  const limit = declarationBytes + REST_BYTES;
  return async (url, { method, headers, body, signal: given }) => {
    const call = new AbortController();
    const giveUp = (): void => call.abort(new Error(`no answer within ${CALL_MS / 1000} seconds`));
    const timer = setTimeout(giveUp, CALL_MS);
    const signal = given as AbortSignal | undefined;
    const pass = (): void => call.abort(signal?.reason);
    if (signal?.aborted) pass();
    signal?.addEventListener("abort", pass);
    try {
      const init = {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal: call.signal,
        // Whoever speaks for the server must not have this host ask others in its place (R7).
        redirect: "manual",
      } as const;
      const response = await fetch(url, init);
      const text = await readWithin(response, limit);
      return { status: response.status, text: async () => text };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", pass);
    }
  };
}

async function readWithin(response: Response, limit: number): Promise<string> {
  if (response.body === null) return "";
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body) {
    bytes += piece.byteLength;
    if (bytes > limit) throw new Error(`${TOO_LARGE}: the answer has more than ${limit} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
