/** A place in a text: `offset` counts UTF-16 units from 0; `line` and `column` count from 1. */
export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** What a tool says about one fault (or one doubt) in an input. `code` is API, `message` is not. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** JSON pointer to the value at fault, where the input is structured. */
  readonly pointer?: string;
  /** The part of the text at fault; `end` is exclusive. */
  readonly range?: { readonly start: Position; readonly end: Position };
  /** What was found, quoted as it stands in the input. */
  readonly found?: string;
  /** What could stand there instead. */
  readonly allowed?: readonly string[];
  /** What to do about it, as an instruction. */
  readonly help?: string;
  readonly related?: readonly Diagnostic[];
}

/** The answer of a `safeParse…` function: the value and what to watch out for, or what is wrong. */
export type ParseResult<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** An instant in epoch milliseconds, UTC. */
export type Instant = number;
