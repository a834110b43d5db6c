export { pushBusybox } from "./busybox-image.ts";
export { type DockerEngine, startDockerEngine } from "./docker-engine.ts";
export {
  type EngineEvent,
  type EngineEvents,
  lives,
  overlaps,
  watchEngine,
} from "./engine-events.ts";
export type { Link } from "./link.ts";
export type { Container, LabNode } from "./node.ts";
export { type Postgres, startPostgres } from "./postgres.ts";
export type { Program } from "./program.ts";
export { type Registry, registryLogin, startRegistry } from "./registry.ts";
export { eventually, type Stoppable } from "./service-process.ts";
export {
  type MissingService,
  type ServiceEnvironment,
  type Services,
  startServices,
} from "./services.ts";
export { type CommandResult, startWorld, type World, type WorldOptions } from "./world.ts";
