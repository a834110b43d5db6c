import { expect, it } from "vitest";
import { demultiplex, lastCharacters } from "../src/engine/output.ts";

const frame = (stream: number, text: string): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt8(stream, 0);
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
};

it("what a container printed loses its NULs, which databases keep in no text (A8)", () => {
  const raw = Buffer.concat([frame(1, "a\0b"), frame(2, "\0\0")]);
  expect(lastCharacters(demultiplex(raw), 100)).toBe("a\uFFFDb\uFFFD\uFFFD");
});

it("the end that is kept begins with no half of a character", () => {
  expect(lastCharacters("x😀yz", 3)).toBe("yz");
  expect(lastCharacters("x😀yz", 4)).toBe("😀yz");
});
