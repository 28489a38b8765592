/** Pairs the equal elements of two lists that are in the same order in both: the most that there can be. */

/** Positions in the two lists. */
export type Pair = readonly [number, number];

/** Larger states are compared only from both ends, because a full comparison would take too long. */
const MOST_CELLS = 4_000_000;

/** The pairs in the parts between known pairs. `find` finds them, in positions relative to the part. */
export function pairsBetween(
  known: readonly Pair[],
  oldLength: number,
  freshLength: number,
  find: (old: [number, number], fresh: [number, number]) => readonly Pair[],
): Pair[] {
  const found: Pair[] = [];
  let [a, b] = [0, 0];
  for (const [from, to] of [...known, [oldLength, freshLength] as const]) {
    if (from > a && to > b) for (const [x, y] of find([a, from], [b, to])) found.push([a + x, b + y]);
    [a, b] = [from + 1, to + 1];
  }
  return found;
}

/** The longest common subsequence. */
export function commonSubsequence(a: readonly string[], b: readonly string[]): Pair[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const pairs: Pair[] = Array.from({ length: start }, (_, at) => [at, at] as const);
  pairs.push(...alignMiddle(a, b, { start, endA, endB }));
  for (let at = endA; at < a.length; at++) pairs.push([at, endB + at - endA]);
  return pairs;
}

function alignMiddle(
  a: readonly string[],
  b: readonly string[],
  { start, endA, endB }: { readonly start: number; readonly endA: number; readonly endB: number },
): Pair[] {
  const [rows, columns] = [endA - start, endB - start];
  if (rows === 0 || columns === 0 || rows * columns > MOST_CELLS) return [];
  const width = columns + 1;
  const longest = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      longest[i * width + j] =
        a[start + i] === b[start + j]
          ? (longest[(i + 1) * width + j + 1] as number) + 1
          : Math.max(longest[(i + 1) * width + j] as number, longest[i * width + j + 1] as number);
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (a[start + i] === b[start + j]) pairs.push([start + i++, start + j++]);
    else if ((longest[(i + 1) * width + j] as number) >= (longest[i * width + j + 1] as number)) i++;
    else j++;
  }
  return pairs;
}
