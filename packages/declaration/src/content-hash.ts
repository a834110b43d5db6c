import { sha256 } from "@noble/hashes/sha2";
import { bytesToHex } from "@noble/hashes/utils";

/** JSON with the keys of every map in code-unit order: equal data has one text. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map(
      (key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`,
    );
  return `{${members.join(",")}}`;
}

/** 64 hexadecimal digits that stand for this content; equal content has one hash. */
export function contentHash(value: unknown): string {
  return textHash(canonicalJson(value));
}

/** 64 hexadecimal digits that stand for this text. */
export function textHash(text: string): string {
  return bytesToHex(sha256(text));
}
