import type { LineCounter, Node } from "yaml";

/** A fault of the YAML layer, or a doubt about it, at offsets of the text. */
export interface YamlFinding {
  readonly code: string;
  readonly severity?: "warning";
  readonly message: string;
  readonly help: string;
  readonly start: number;
  readonly end: number;
}

/** One document: its plain value, and its nodes, which know where they stand. */
export interface YamlDocument {
  readonly value: unknown;
  readonly root: Node;
}

/** What a text holds; `documents` is empty when a finding is an error. */
export interface YamlText {
  readonly documents: readonly YamlDocument[];
  readonly findings: readonly YamlFinding[];
  readonly lines: LineCounter;
}

/** The most frequent mistake of all: a cron expression that begins with `*`, without quotes. */
export function quoteSchedule(value: string): { message: string; help: string } {
  return {
    message: "a schedule that begins with * needs quotes: without them * refers to an anchor",
    help: `write schedule: "${value}"`,
  };
}
