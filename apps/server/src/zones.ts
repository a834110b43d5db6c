import { engineZones, type ZoneSource } from "@mesh/cron";

/** The engine's zone data under its own release, which evidence and `GET /v1/health` name (C7a). */
export const systemZones: ZoneSource = engineZones({ version: process.versions.tz });
