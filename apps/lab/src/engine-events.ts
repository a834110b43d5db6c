import type { Readable } from "node:stream";
import type Docker from "dockerode";
import type { Stoppable } from "./service-process.ts";

/** One thing that the engine says of a container of ours. */
export interface EngineEvent {
  readonly at: number;
  readonly action: "create" | "start" | "kill" | "die" | "destroy";
  readonly containerId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Only of a container that has ended. */
  readonly exitCode?: number;
}

export interface EngineEvents extends Stoppable {
  /** What has happened so far, in order. */
  readonly seen: () => readonly EngineEvent[];
}

const actions = ["create", "start", "kill", "die", "destroy"] as const;

/** Listens to the engine, from now on, for containers that have these labels. */
export async function watchEngine(
  docker: Docker,
  labels: Readonly<Record<string, string>>,
): Promise<EngineEvents> {
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const stream = (await docker.getEvents({
    filters: { type: ["container"], event: [...actions], label },
  })) as Readable;
  const events: EngineEvent[] = [];
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") events.push(readEvent(line));
  });
  // The stream breaks when it is ended, and when the engine restarts.
  stream.on("error", () => undefined);
  return { seen: () => events, stop: async () => void stream.destroy() };
}

/** Of each container that started, when it was alive; `until` is absent while it is. */
export function lives(
  events: readonly EngineEvent[],
): readonly { readonly containerId: string; readonly from: number; readonly until?: number }[] {
  return events
    .filter(({ action }) => action === "start")
    .map(({ containerId, at }) => {
      const end = events.find(
        (event) => event.action === "die" && event.containerId === containerId && event.at >= at,
      );
      return { containerId, from: at, ...(end === undefined ? {} : { until: end.at }) };
    });
}

/** Whether two of these containers were ever alive at once. */
export function overlaps(events: readonly EngineEvent[]): boolean {
  const inOrder = [...lives(events)].sort((a, b) => a.from - b.from);
  return inOrder.some((life, index) => {
    const next = inOrder[index + 1];
    return next !== undefined && (life.until ?? Number.POSITIVE_INFINITY) > next.from;
  });
}

function readEvent(line: string): EngineEvent {
  const { Action, Actor, timeNano } = JSON.parse(line) as {
    Action: EngineEvent["action"];
    Actor: { ID: string; Attributes: Record<string, string> };
    timeNano: number;
  };
  const exitCode = Actor.Attributes.exitCode;
  return {
    at: timeNano / 1e6,
    action: Action,
    containerId: Actor.ID,
    labels: Actor.Attributes,
    ...(exitCode === undefined ? {} : { exitCode: Number(exitCode) }),
  };
}
