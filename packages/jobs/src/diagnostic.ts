/** A place in a text: `offset` counts UTF-16 units from 0, `line` and `column` from 1. */
export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** One problem: `code` is API and never changes its meaning, the wording of `message` may. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** RFC 6901 JSON pointer to the value at fault. */
  readonly pointer?: string;
  /** The part of a text at fault; `end` is exclusive. */
  readonly range?: { readonly start: Position; readonly end: Position };
  readonly found?: string;
  readonly allowed?: readonly string[];
  /** What to do about it, as an instruction. */
  readonly help?: string;
  readonly related?: readonly Diagnostic[];
}
