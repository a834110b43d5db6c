import type { Readable } from "node:stream";
import { parseImageReference } from "@mesh/declaration";
import { answered, type Connection } from "./connection.ts";
import { EngineError, isEngineError, messageOf } from "./engine-error.ts";

/** By registry (`ghcr.io`, `127.0.0.1:5000`): what the host's own file holds (S6). */
export type RegistryCredentials = Readonly<
  Record<string, { readonly username: string; readonly password: string }>
>;

/** A pull of which nothing is heard for so long will not come to an end. */
const IDLE_MS = 300_000;
/** Where an image without a registry comes from. */
const DEFAULT_REGISTRY = "docker.io";

export interface ImagePuller {
  has(image: string): Promise<boolean>;
  ensure(image: string): Promise<void>;
}

/** Pulls what is missing, each image once at a time, with the credentials of its registry. */
export function createImagePuller(line: Connection, credentials: RegistryCredentials): ImagePuller {
  const underWay = new Map<string, Promise<void>>();
  const has = async (image: string): Promise<boolean> => {
    try {
      await answered(line, line.docker.getImage(image).inspect());
      return true;
    } catch (error) {
      if ((error as { statusCode?: number }).statusCode === 404) return false;
      throw pullError(image, error);
    }
  };
  const ensure = (image: string): Promise<void> => {
    const current = underWay.get(image);
    if (current !== undefined) return current;
    const work = (async () => {
      if (!(await has(image))) await pull(line, image, credentials);
    })().finally(() => underWay.delete(image));
    underWay.set(image, work);
    return work;
  };
  return { has, ensure };
}

async function pull(
  line: Connection,
  image: string,
  credentials: RegistryCredentials,
): Promise<void> {
  const registry = registryOf(image);
  const login = Object.hasOwn(credentials, registry) ? credentials[registry] : undefined;
  const authconfig = login === undefined ? undefined : { ...login, serveraddress: registry };
  try {
    const call = line.docker.createImage(authconfig, { fromImage: image });
    await follow(line, await answered(line, call, IDLE_MS));
  } catch (error) {
    throw pullError(image, error, login === undefined ? registry : undefined);
  }
}

/** Until the pull has ended, or nothing came of it for too long. */
function follow({ docker, clock }: Connection, stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(new Error(`no progress for ${IDLE_MS / 1000} s`));
      (stream as Readable).destroy();
    };
    let cancel = clock.after(IDLE_MS, giveUp);
    const goOn = (): void => {
      cancel();
      cancel = clock.after(IDLE_MS, giveUp);
    };
    // A refusal may come as an entry of a stream that began with status 200.
    const end = (error: Error | null, entries: unknown[]): void => {
      cancel();
      const refusal = (entries ?? []).map(refusalOf).find((text) => text !== undefined);
      if (error !== null) reject(error);
      else if (refusal !== undefined) reject(new Error(refusal));
      else resolve();
    };
    docker.modem.followProgress(stream, end, goOn);
    stream.once("close", () => end(new Error("the engine broke off"), []));
  });
}

function refusalOf(entry: unknown): string | undefined {
  const text = (entry as { error?: unknown }).error;
  return typeof text === "string" ? text : undefined;
}

function pullError(image: string, error: unknown, withoutLogin?: string): EngineError {
  if (isEngineError(error)) return error;
  const status = (error as { statusCode?: number }).statusCode;
  const text = messageOf(error);
  const asksForLogin = /unauthorized|authentication required|no basic auth/i.test(text);
  const hint =
    asksForLogin && withoutLogin !== undefined
      ? `; the host's file holds no credentials for ${withoutLogin}`
      : "";
  const unreachable = status === undefined && /ECONNREFUSED|ENOENT|ECONNRESET/.test(text);
  return new EngineError(
    unreachable ? "unavailable" : "neverStarted",
    `image ${image} cannot be pulled: ${text}${hint}`,
    { cause: error },
  );
}

function registryOf(image: string): string {
  try {
    return parseImageReference(image).registry ?? DEFAULT_REGISTRY;
  } catch {
    return DEFAULT_REGISTRY;
  }
}
