/** A place in a text: `offset` counts UTF-16 units from 0, `line` and `column` from 1. */
export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** From `start` up to, not including, `end`. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** One problem: `code` is API and never changes its meaning, the wording of `message` may. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** RFC 6901 JSON pointer to the value that is wrong. */
  readonly pointer?: string;
  readonly range?: Range;
  readonly found?: string;
  readonly allowed?: readonly string[];
  readonly help?: string;
  readonly related?: readonly { readonly message: string; readonly range?: Range }[];
}
