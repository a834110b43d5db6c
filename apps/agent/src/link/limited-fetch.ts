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
  return async (url, { method, headers, body, signal }) => {
    const timeout = AbortSignal.timeout(CALL_MS);
    const response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal as AbortSignal, timeout]),
    });
    return { status: response.status, text: () => readWithin(response, limit) };
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
