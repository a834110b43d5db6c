import type { ZoneSource } from "@mesh/cron";
import { engineZones } from "@mesh/cron";

/** The zone data that times are read with: the engine's, named by its release. */
export function readZones(engineVersion: string | undefined): ZoneSource {
  return engineZones({ version: engineVersion });
}
