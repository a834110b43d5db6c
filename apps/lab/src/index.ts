export { pushBusybox } from "./busybox-image.ts";
export { type DockerEngine, startDockerEngine } from "./docker-engine.ts";
export { type Postgres, startPostgres } from "./postgres.ts";
export { type Registry, startRegistry } from "./registry.ts";
export { eventually, type Stoppable } from "./service-process.ts";
export {
  type MissingService,
  type ServiceEnvironment,
  type Services,
  startServices,
} from "./services.ts";
