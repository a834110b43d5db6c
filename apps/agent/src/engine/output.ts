/** Length of the header before each piece of a multiplexed output stream. */
const HEADER_BYTES = 8;

/**
 * The text of an engine's output, in the order it was printed: the frames of both streams without
 * their headers, or the whole as it is where it carries none.
 */
export function demultiplex(raw: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + HEADER_BYTES <= raw.length; ) {
    const stream = raw.readUInt8(at);
    if (stream > 2 || raw.readUIntBE(at + 1, 3) !== 0) return raw.toString("utf8");
    const length = raw.readUInt32BE(at + 4);
    pieces.push(raw.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length));
    at += HEADER_BYTES + length;
  }
  return Buffer.concat(pieces).toString("utf8");
}

/**
 * The last `limit` characters, without half of a surrogate pair at the front, and with a mark for
 * each NUL: a database that takes none in a text would never take the report of such a run.
 */
export function lastCharacters(text: string, limit: number): string {
  const tail = text.length > limit ? text.slice(text.length - limit) : text;
  const whole = /^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail;
  return whole.replaceAll("\0", "\uFFFD");
}
