import { parseImageReference } from "@mesh/declaration";
import type Dockerode from "dockerode";
import { EngineError, messageOf } from "./engine-error.ts";

/** By registry (`ghcr.io`, `127.0.0.1:5000`): what the host's own file holds (S6). */
export type RegistryCredentials = Readonly<
  Record<string, { readonly username: string; readonly password: string }>
>;

/** Where an image without a registry comes from. */
const DEFAULT_REGISTRY = "docker.io";

export interface ImagePuller {
  has(image: string): Promise<boolean>;
  ensure(image: string): Promise<void>;
}

/** Pulls what is missing, each image once at a time, with the credentials of its registry. */
export function createImagePuller(
  docker: Dockerode,
  credentials: RegistryCredentials,
): ImagePuller {
  const underWay = new Map<string, Promise<void>>();
  const has = async (image: string): Promise<boolean> => {
    try {
      await docker.getImage(image).inspect();
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
      if (!(await has(image))) await pull(docker, image, credentials);
    })().finally(() => underWay.delete(image));
    underWay.set(image, work);
    return work;
  };
  return { has, ensure };
}

async function pull(
  docker: Dockerode,
  image: string,
  credentials: RegistryCredentials,
): Promise<void> {
  const registry = registryOf(image);
  const login = Object.hasOwn(credentials, registry) ? credentials[registry] : undefined;
  const authconfig = login === undefined ? undefined : { ...login, serveraddress: registry };
  try {
    const stream = await docker.createImage(authconfig, { fromImage: image });
    await new Promise<void>((resolve, reject) => {
      // A refusal may come as an entry of a stream that began with status 200.
      docker.modem.followProgress(stream, (error: Error | null, entries: unknown[]) => {
        const refusal = (entries ?? []).map(refusalOf).find((text) => text !== undefined);
        if (error !== null) reject(error);
        else if (refusal !== undefined) reject(new Error(refusal));
        else resolve();
      });
    });
  } catch (error) {
    throw pullError(image, error, login === undefined ? registry : undefined);
  }
}

function refusalOf(entry: unknown): string | undefined {
  const text = (entry as { error?: unknown }).error;
  return typeof text === "string" ? text : undefined;
}

function pullError(image: string, error: unknown, withoutLogin?: string): EngineError {
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
