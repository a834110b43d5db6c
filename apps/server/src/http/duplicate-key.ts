/** A map that is being read: its keys so far, and where in it the reader is. */
interface OpenMap {
  readonly keys: Set<string>;
  at: string;
}

/** A list that is being read, with the index the reader is at. */
interface OpenList {
  at: number;
}

/**
 * The path of the first key that stands twice in one map (R4), or none. `text` must be JSON that
 * was read without a fault: only then does a scan of strings and brackets say all. One pass, no
 * recursion, so neither size nor depth matters.
 */
export function duplicateKey(text: string): readonly (string | number)[] | undefined {
  const open: (OpenMap | OpenList)[] = [];
  let wantsKey = false;
  for (let i = 0; i < text.length; i += 1) {
    const inside = open.at(-1);
    switch (text[i]) {
      case "{":
        open.push({ keys: new Set(), at: "" });
        wantsKey = true;
        break;
      case "[":
        open.push({ at: 0 });
        wantsKey = false;
        break;
      case "}":
      case "]":
        open.pop();
        wantsKey = false;
        break;
      case ",":
        if (inside !== undefined && !("keys" in inside)) inside.at += 1;
        wantsKey = inside !== undefined && "keys" in inside;
        break;
      case '"': {
        const end = endOfString(text, i);
        if (wantsKey && inside !== undefined && "keys" in inside) {
          inside.at = JSON.parse(text.slice(i, end + 1)) as string;
          if (inside.keys.has(inside.at)) return open.map(({ at }) => at);
          inside.keys.add(inside.at);
          wantsKey = false;
        }
        i = end;
      }
    }
  }
  return undefined;
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end;
}
