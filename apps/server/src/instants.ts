/** `2026-10-13T12:01Z`: an occurrence, which always lies on a minute. */
export function minuteText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}

/** `2026-10-13T12:01:07Z`. */
export function secondText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** One occurrence, or an interval with how many it holds. */
export function spanText(span: {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
  readonly countIsExact: boolean;
}): string {
  const { firstAt, lastAt, count, countIsExact } = span;
  if (count === 1 && countIsExact) return `the occurrence of ${minuteText(firstAt)}`;
  const many = countIsExact ? `${count}` : `more than ${count}`;
  return `${many} occurrences from ${minuteText(firstAt)} to ${minuteText(lastAt)}`;
}
