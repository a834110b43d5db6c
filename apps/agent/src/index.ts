export type { Clock } from "./clock.ts";
export type { AgentConfig, EngineChoice } from "./config.ts";
export type { RegistryCredentials } from "./engine/image-pull.ts";
export { type FoundEngine, findEngine } from "./find-engine.ts";
export { type RunningAgent, startAgent } from "./start-agent.ts";
export { isStartError, StartError, type StartErrorCode } from "./start-error.ts";
