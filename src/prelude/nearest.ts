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
 * Whether `name` can only be a misspelling of `meant`, which is one of `all`, the words that are possible there: it differs
 * in nothing but capitals, `_` and `-`, or in one letter, and no other word is as close.
 */
export function isMisspelling(name: string, meant: string, all: Iterable<string>): boolean {
  const plain = (word: string): string => word.toLowerCase().replaceAll(/[_ \t-]/g, '');
  const wanted = plain(name);
  if (WORDS_OF_THEIR_OWN.has(wanted)) return false;
  const isNear = (word: string): boolean => wanted.length > 2 && distance(wanted, plain(word), 1) <= 1;
  const exact = wanted === plain(meant);
  if (!exact && (!isNear(meant) || (meant.length < 3 && !/(.)\1/.test(wanted)))) return false;
  for (const other of all) if (other !== meant && (exact ? plain(other) === wanted : isNear(other))) return false;
  return true;
}

/** Words that differ from one of the language in a letter, and mean something else. */
const WORDS_OF_THEIR_OWN: ReadonlySet<string> = new Set(
  `agents content contents date dot edit entry exits fall fill fuel get let limits lists log mail mall mates note notes
  omit once plane plans plant play pass put reach read run runs sat send sent sets sit stage states stem steps stop stops
  stat task tasks test text time times trace train try type types used user wall want wants way wish`.split(/\s+/),
);

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
