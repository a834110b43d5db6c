import { badInput } from "./command-error.ts";
import { nearest } from "./near.ts";

/** Everything that can be listed, with the other spellings that are understood. */
const spellings = {
  jobs: ["job"],
  cronjobs: ["cronjob", "cj"],
  modules: ["module", "mod"],
  nodes: ["node", "no"],
  tasks: ["task"],
  runs: ["run"],
  events: ["event", "ev"],
  namespaces: ["namespace", "ns"],
} as const;

export type Resource = keyof typeof spellings;

/** The resource that a word means, among those the command takes; a typo gets the nearest. */
export function parseResource<R extends Resource>(word: string, allowed: readonly R[]): R {
  const typed = word.toLowerCase();
  const found = allowed.find(
    (name) => name === typed || (spellings[name] as readonly string[]).includes(typed),
  );
  if (found !== undefined) return found;
  const near = nearest(typed, [...allowed, ...allowed.map(singular)]);
  throw badInput(
    "usage.resource",
    `"${word}" is nothing this command knows`,
    near === undefined
      ? `one of: ${allowed.join(", ")}`
      : `did you mean ${near}? (${allowed.join(", ")})`,
  );
}

/** `jobs` → `job`: how one of them is called. */
export function singular(resource: Resource): string {
  return resource.slice(0, -1);
}
