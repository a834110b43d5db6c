/** The known word nearest to a mistyped one, within two edits, or a third of a long word. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, distance: distanceBetween(typed, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  const allowed = Math.max(word.length < 3 ? 0 : 2, Math.floor(word.length / 3));
  return best !== undefined && best.distance <= allowed ? best.candidate : undefined;
}

/** Single-character edits between two words; both are cut at 64 characters. */
function distanceBetween(a: string, b: string): number {
  const left = [...a.slice(0, 64)];
  const right = [...b.slice(0, 64)];
  let row = right.map((_, at) => at + 1);
  left.forEach((character, above) => {
    let diagonal = above;
    let before = above + 1;
    row = right.map((other, at) => {
      const up = row[at] ?? 0;
      const cost = Math.min(up + 1, before + 1, diagonal + (character === other ? 0 : 1));
      diagonal = up;
      before = cost;
      return cost;
    });
  });
  return row[right.length - 1] ?? left.length;
}
