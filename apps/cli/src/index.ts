export { runMesh, version } from "./program.ts";
export type { Surroundings, Terminal } from "./surroundings.ts";
