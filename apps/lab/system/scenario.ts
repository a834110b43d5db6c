import { describe } from "vitest";
import type { Container, ServiceEnvironment } from "../src/index.ts";

/** What `npm run test:system` has started; absent names are services that cannot be had. */
export const services: ServiceEnvironment = process.env;

/** A scenario that needs the engine; where there is none it is skipped, as the runner has said. */
export const onEngine = describe.skipIf(services.MESH_TEST_DOCKER_SOCKET === undefined);

/** The value of a variable in a container's environment. */
export function variable({ Config }: Container, name: string): string | undefined {
  const entry = Config.Env.find((line) => line.startsWith(`${name}=`));
  return entry?.slice(name.length + 1);
}

/** A shell line as a container's command, in YAML's flow form. */
export const shell = (line: string): string => JSON.stringify(["sh", "-c", line]);

/** A service that does nothing, and ends at once when it is asked to. */
export const idle = shell("trap 'exit 0' TERM; while :; do sleep 1 & wait $!; done");
