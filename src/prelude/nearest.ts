/** The nearest name to a misspelt one, so that a message can end in one next step. */

/** The edit distance with transpositions; the computation stops beyond `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (previous[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (previous[j - 1] as number) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] as number) + 1);
      row.push(cost);
      best = Math.min(best, cost);
    }
    if (best > limit) return limit + 1;
    before = previous;
    previous = row;
  }
  return previous[b.length] as number;
}

/**
 * The candidate closest to `name`, ignoring case, or undefined if none is near. The first of equally near candidates
 * wins.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  // Any letter is one change away from any other, so such short names only match in another case.
  let limit = name.length < 3 ? 0 : Math.max(1, Math.floor(name.length / 3));
  let found: string | undefined;
  let seen = 0;
  for (const candidate of candidates) {
    if (++seen > 2000) break;
    const d = distance(wanted, candidate.toLowerCase(), limit);
    if (d < limit || (d === limit && found === undefined)) {
      found = candidate;
      limit = d;
      if (d === 0) break;
    }
  }
  return found;
}
