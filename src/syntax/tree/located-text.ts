/**
 * Text that differs from the text of its file: lines of a block without their indentation, folded lines, quoted text
 * without its escapes. Nodes that are parsed from it still have their locations in the file.
 */

export interface LocatedText {
  readonly text: string;
  /**
   * The pieces in order; the first begins at offset 0. From `at` on, each character of `text` is one character of the
   * file from `source` on.
   */
  readonly pieces: readonly { readonly at: number; readonly source: number }[];
}

/** Maps an offset in the text to the file. */
export function sourceOffset({ pieces }: LocatedText, offset: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle]?.at ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low];
  return piece === undefined ? 0 : piece.source + offset - piece.at;
}

/**
 * A copy of a tree that was parsed at offset 0 of the text, with its spans in the file. An end is mapped by the
 * character before it, because the text after it may be elsewhere.
 */
export function relocate<T>(tree: T, located: LocatedText, file: number): T {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    if ('start' in value && 'end' in value && 'file' in value) {
      const { start, end } = value as { start: number; end: number };
      const from = sourceOffset(located, start);
      return { file, start: from, end: end > start ? Math.max(from, sourceOffset(located, end - 1) + 1) : from };
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(tree) as T;
}
