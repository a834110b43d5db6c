import { Document, Scalar, visit } from "yaml";
import type { Manifest } from "./manifest.ts";
import { CONTROL } from "./yaml-document.ts";
import { AMBIGUOUS } from "./yaml-node.ts";

/**
 * A manifest as YAML text that `parseManifestYaml` reads back as the same manifest, without a
 * warning about the text.
 */
export function formatManifestYaml(manifest: Manifest): string {
  return formatYaml(manifest);
}

/**
 * Plain data as YAML that readers of 1.1 and 1.2 take alike: a string that an older one takes for
 * a boolean, number or date is quoted, and what cannot stand in a manifest is escaped.
 */
export function formatYaml(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && needsQuotes(node.value)) {
        node.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  // Such characters stand inside double quotes only, where an escape says them.
  return document
    .toString({ lineWidth: 0 })
    .replace(new RegExp(CONTROL, "gu"), (unit) => escapeOf(unit));
}

/** Dates of YAML 1.1, and the two plain scalars that had a meaning of their own. */
const OLDER = /^(?:\d{4}-\d\d?-\d\d?(?:[Tt \t].*)?|=|<<)$/;

function needsQuotes(text: string): boolean {
  return (
    AMBIGUOUS.test(text) ||
    OLDER.test(text) ||
    CONTROL.test(text) ||
    /[\r\ufeff]/.test(text) ||
    (text.includes("\n") && !BLOCK.test(text))
  );
}

/** Lines that a block after `|` keeps: no white space at their ends, where readers differ. */
const BLOCK = /^\S(?:.*\S)?(?:\n+(?:.*\S))*\n?$/;

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
