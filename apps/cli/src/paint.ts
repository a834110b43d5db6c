const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Colour = keyof typeof codes;
export type Paint = (text: string, colour: Colour) => string;

/** Colours text where a terminal shows it; elsewhere the text is left as it is. */
export function paintFor(terminal: { readonly colour: boolean }): Paint {
  return terminal.colour
    ? (text, colour) => (text === "" ? "" : `\u001b[${codes[colour]}m${text}\u001b[0m`)
    : (text) => text;
}

/**
 * Whether to colour: only on a terminal, never with `NO_COLOR` set to anything (no-color.org)
 * or `TERM=dumb`.
 */
export function wantsColour(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const refused = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  return stream.isTTY === true && !refused;
}

/**
 * Text from elsewhere (a server, a container's output) with every control character but tab and
 * line feed made visible, so that what a job prints cannot move a cursor or retitle a window.
 */
export function printable(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(unsafe, (c) => {
    const code = c.codePointAt(0) ?? 0;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\ufffd";
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
