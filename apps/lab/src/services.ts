import { pushBusybox } from "./busybox-image.ts";
import { startDockerEngine } from "./docker-engine.ts";
import { startPostgres } from "./postgres.ts";
import { startRegistry } from "./registry.ts";
import { findProgram, type Stoppable } from "./service-process.ts";

/** What system tests find in their environment; one that cannot be had is absent. */
export interface ServiceEnvironment {
  readonly MESH_TEST_DOCKER_SOCKET?: string;
  readonly MESH_TEST_REGISTRY?: string;
  /** Busybox in that registry, by digest. */
  readonly MESH_TEST_IMAGE?: string;
  readonly MESH_TEST_POSTGRES_URL?: string;
  readonly MESH_TEST_CHROMIUM?: string;
}

/** A service that cannot be had on this machine, with the reason for a person. */
export interface MissingService {
  readonly service: "Docker Engine" | "PostgreSQL" | "Chromium";
  readonly reason: string;
}

export interface Services extends Stoppable {
  readonly environment: ServiceEnvironment;
  readonly missing: readonly MissingService[];
}

interface Started {
  readonly environment: ServiceEnvironment;
  readonly stop: () => Promise<void>;
}

/**
 * Starts each service that system tests need, side by side, in temporary folders.
 * One that cannot be had is named in `missing`; the others run all the same.
 */
export async function startServices(): Promise<Services> {
  const kinds = [
    { service: "Docker Engine", start: startEngineWithImage },
    { service: "PostgreSQL", start: startDatabase },
    { service: "Chromium", start: findChromium },
  ] as const;
  const started: Started[] = [];
  const missing: MissingService[] = [];
  await Promise.all(
    kinds.map(async ({ service, start }) => {
      try {
        started.push(await start());
      } catch (error) {
        missing.push({ service, reason: error instanceof Error ? error.message : String(error) });
      }
    }),
  );
  return {
    environment: Object.assign({}, ...started.map(({ environment }) => environment)),
    missing,
    stop: async () => {
      await Promise.allSettled(started.map(({ stop }) => stop()));
    },
  };
}

async function startEngineWithImage(): Promise<Started> {
  const running: Stoppable[] = [];
  const stop = async (): Promise<void> => {
    for (const service of running.toReversed()) await service.stop();
  };
  try {
    const registry = await startRegistry();
    running.push(registry);
    const engine = await startDockerEngine();
    running.push(engine);
    const image = await pushBusybox(engine.docker, registry.address);
    return {
      environment: {
        MESH_TEST_DOCKER_SOCKET: engine.socket,
        MESH_TEST_REGISTRY: registry.address,
        MESH_TEST_IMAGE: image,
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startDatabase(): Promise<Started> {
  const { url, stop } = await startPostgres();
  return { environment: { MESH_TEST_POSTGRES_URL: url }, stop };
}

async function findChromium(): Promise<Started> {
  const path = (await findProgram("chromium")) ?? (await findProgram("chromium-browser"));
  if (path === undefined) throw new Error("chromium is not installed (Debian package chromium)");
  return { environment: { MESH_TEST_CHROMIUM: path }, stop: async () => undefined };
}
