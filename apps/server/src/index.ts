export type { Cancel, Clock } from "./clock.ts";
export type { ServerConfig } from "./config.ts";
export { isStartError, StartError, type StartErrorCode } from "./start-error.ts";
export { type RunningServer, startServer } from "./start-server.ts";
