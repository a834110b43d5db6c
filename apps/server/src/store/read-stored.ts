/** A stored text as what it holds; none where it is damaged, so that one row hides no other. */
export function readStored<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
