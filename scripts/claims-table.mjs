// Reading and writing the table of claims; the ids in test titles are `[A53-01]`, `[C31-35]`.
const idPattern = /\b(?:A53|C31)-\d+\b/g;
const titleIds = /\[((?:A53|C31)-\d+)\]/g;
const row = /^\| ((?:A53|C31)-\d+) \| (.*) \|$/;

/** The claims of a table with the columns id, claim, test, rules, where, in its order. */
export function parseClaims(markdown) {
  return markdown.split("\n").flatMap((line) => {
    const match = row.exec(line);
    if (match === null) return [];
    const [claim, test, rules, where] = match[2].split(" | ");
    return [{ id: match[1], claim, test, rules, where: where.split(", ") }];
  });
}

/** The ids of the rows of any table whose first column they are. */
export function parseTable(markdown) {
  return markdown.split("\n").flatMap((line) => row.exec(line)?.[1] ?? []);
}

/** The ids in a text that no claim has; `[C31-35]` in a title, or plain in a table. */
export function unknownIds(claims, text) {
  const known = new Set(claims.map(({ id }) => id));
  const found = new Set(text.match(idPattern) ?? []);
  return [...found].filter((id) => !known.has(id)).sort();
}

/** The part of the house that a test file speaks for: its workspace, or the documents. */
export function partOf(path) {
  return /^(?:packages|apps)\/([^/]+)\//.exec(path)?.[1] ?? "docs";
}

/**
 * For each claim the files whose passed tests name it, and the parts that its `where` column
 * asks for and none of them stands in.
 */
export function shownBy(claims, tests) {
  const files = new Map(claims.map(({ id }) => [id, new Set()]));
  for (const { path, title } of tests) {
    for (const [, id] of title.matchAll(titleIds)) files.get(id)?.add(path);
  }
  return new Map(
    claims.map(({ id, where }) => {
      const paths = [...files.get(id)].sort();
      const parts = new Set(paths.map(partOf));
      return [id, { tests: paths, missing: where.filter((part) => !parts.has(part)) }];
    }),
  );
}

/** The document with the table, below its introduction. */
export function renderDocument(introduction, claims, shown) {
  const lines = claims.map(({ id, claim, where, rules }) => {
    const { tests } = shown.get(id);
    const links = tests.map((path) => `[${path}](../../${path})`).join("<br>");
    return `| ${id} | ${claim} | ${where.join(", ")} | ${rules} | ${links} |`;
  });
  const head = ["| id | claim | where | rules | tests |", "| --- | --- | --- | --- | --- |"];
  return `${introduction}\n${[...head, ...lines].join("\n")}\n`;
}
