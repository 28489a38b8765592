/**
 * Patterns for the names of changed files. Matching follows all alternatives at once, as a set of positions in the pattern,
 * which is never larger than the pattern. A regular expression with many stars could take exponential time.
 */
import { unreachable } from '../../prelude/unreachable.js';

type GlobPart =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'set'; readonly ranges: readonly (readonly [string, string])[]; readonly without: boolean }
  /** Any number of characters; includes `/` only if it `crosses`. */
  | { readonly kind: 'star'; readonly crosses: boolean }
  /** Whole folders with the `/` after each, or nothing. */
  | { readonly kind: 'folders' };

const MOST_WAYS = 200;

/** The files that match at least one pattern: `touched` requires some, and `untouched` none. */
export function filesMatching(files: readonly string[], patterns: readonly string[]): string[] {
  const matchers = patterns.map(matcher);
  return files.filter((file) => matchers.some((matches) => matches(file)));
}

/** The files that match none of the patterns: what a task changed beyond its own files. */
export function filesOutside(files: readonly string[], patterns: readonly string[]): string[] {
  const matchers = patterns.map(matcher);
  return files.filter((file) => !matchers.some((matches) => matches(file)));
}

/**
 * Whether a name matches. `*` and `?` do not match `/`, `**` does, `[a-z]` is one character of a set, `{a,b}` one of several
 * texts, and `\` escapes the next character. A pattern without `/` matches base names, and one that ends in `/` everything
 * in a folder. A name matches itself, because tasks name files such as `pages/[id].tsx`.
 */
export function matcher(pattern: string): (name: string) => boolean {
  const anchored = pattern.replace(/^(\.?\/)+/, '');
  const itself = anchored.includes('\\') ? null : anchored;
  const ofBaseName = !pattern.includes('/');
  const ways = writtenOut(pattern.endsWith('/') ? `${anchored}**` : anchored).map(partsOf);
  return (name) => {
    const asked = ofBaseName ? name.slice(name.lastIndexOf('/') + 1) : name;
    return asked === itself || ways.some((parts) => follows(parts, [...asked]));
  };
}

/** The pattern with every choice of its `{a,b}`; if there are too many, the remaining braces are ordinary characters. */
function writtenOut(pattern: string): string[] {
  let ways = [pattern];
  for (;;) {
    const more = ways.flatMap(expandBraces);
    if (more.length === ways.length || more.length > MOST_WAYS) return ways;
    ways = more;
  }
}

/** One pattern for each text of the first innermost braces that hold several. */
function expandBraces(pattern: string): string[] {
  for (const { 0: braces, 1: inside = '', index } of pattern.matchAll(/(?<!\\)\{([^{}]*)\}/g))
    if (inside.includes(','))
      return inside.split(',').map((text) => pattern.slice(0, index) + text + pattern.slice(index + braces.length));
  return [pattern];
}

function partsOf(pattern: string): GlobPart[] {
  const characters = [...pattern];
  const parts: GlobPart[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === '*') {
      let end = at;
      while (characters[end + 1] === '*') end++;
      const crosses = end > at;
      const whole = crosses && (at === 0 || characters[at - 1] === '/') && characters[end + 1] === '/';
      parts.push(whole ? { kind: 'folders' } : { kind: 'star', crosses });
      at = whole ? end + 1 : end;
    } else if (character === '?') {
      parts.push({ kind: 'any' });
    } else if (character === '[' && closingOf(characters, at) > 0) {
      const end = closingOf(characters, at);
      parts.push(setOf(characters.slice(at + 1, end)));
      at = end;
    } else {
      if (character === '\\' && at + 1 < characters.length) at++;
      parts.push({ kind: 'character', character: characters[at] as string });
    }
  }
  return parts;
}

/** The end of the set that begins at `at`; -1 if it is only a bracket. A `]` in first position is a member. */
function closingOf(characters: readonly string[], at: number): number {
  const first = characters[at + 1] === '!' || characters[at + 1] === '^' ? at + 2 : at + 1;
  return characters.indexOf(']', first + 1);
}

function setOf(inside: readonly string[]): GlobPart {
  const without = inside[0] === '!' || inside[0] === '^';
  const members = without ? inside.slice(1) : inside;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at] as string;
    const range = members[at + 1] === '-' && at + 2 < members.length;
    ranges.push([from, range ? (members[at + 2] as string) : from]);
    if (range) at += 2;
  }
  return { kind: 'set', ranges, without };
}

/** Whether the parts match the whole name. */
function follows(parts: readonly GlobPart[], name: readonly string[]): boolean {
  let positions = new Set<number>();
  enter(parts, 0, positions, true);
  for (const character of name) {
    const next = new Set<number>();
    for (const position of positions) consume(parts, position, character, next);
    if (next.size === 0) return false;
    positions = next;
  }
  return positions.has(parts.length);
}

/** Adds a position and those that can be reached from it without reading a character. */
function enter(parts: readonly GlobPart[], position: number, positions: Set<number>, skipFolders: boolean): void {
  for (let at = position; ; at++) {
    positions.add(at);
    const part = parts[at];
    const optional = part?.kind === 'star' || (part?.kind === 'folders' && skipFolders);
    if (!optional) return;
  }
}

/** Reads a character at one position and adds the positions after it to `next`. */
function consume(parts: readonly GlobPart[], position: number, character: string, next: Set<number>): void {
  const part = parts[position];
  const slash = character === '/';
  switch (part?.kind) {
    case undefined:
      return;
    case 'character':
      if (part.character === character) enter(parts, position + 1, next, true);
      return;
    case 'any':
      if (!slash) enter(parts, position + 1, next, true);
      return;
    case 'set': {
      const inside = part.ranges.some(([from, to]) => from <= character && character <= to);
      if (!slash && inside !== part.without) enter(parts, position + 1, next, true);
      return;
    }
    case 'star':
      if (part.crosses || !slash) enter(parts, position, next, true);
      return;
    case 'folders':
      // After a `/` the folders may end, but not in the middle of a name.
      enter(parts, position, next, slash);
      return;
    default:
      return unreachable(part);
  }
}
