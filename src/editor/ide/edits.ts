/** Changes of a text as edits: of formatting, by changed lines, and of fixes. */
import type { Diagnostic, Edit } from '../../language/source/diagnostic.js';

/** How many pairs of lines are compared at most; a larger difference is one edit. */
const MOST_PAIRS = 4_000_000;

/** The edits that make `after` of `before`, each of whole lines. */
export function lineEdits(before: string, after: string): Edit[] {
  if (before === after) return [];
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [from, to] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const offset = a.slice(0, start).join('').length;
  if (from.length * to.length > MOST_PAIRS) return [edit(offset, from, to)];
  return hunks(from, to).map(({ at, removed, added }) =>
    edit(offset + from.slice(0, at).join('').length, removed, added),
  );
}

function edit(start: number, removed: readonly string[], added: readonly string[]): Edit {
  return { span: { file: 0, start, end: start + removed.join('').length }, text: added.join('') };
}

/** Lines with their line ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

interface Hunk {
  readonly at: number;
  readonly removed: string[];
  readonly added: string[];
}

function hunks(a: readonly string[], b: readonly string[]): Hunk[] {
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? (longest[(i + 1) * width + j + 1] as number) + 1
          : Math.max(longest[(i + 1) * width + j] as number, longest[i * width + j + 1] as number);
  const found: Hunk[] = [];
  let open: Hunk | null = null;
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      open = null;
      i++;
      j++;
      continue;
    }
    if (open === null) {
      open = { at: i, removed: [], added: [] };
      found.push(open);
    }
    const removes =
      j >= b.length ||
      (i < a.length && (longest[(i + 1) * width + j] as number) >= (longest[i * width + j + 1] as number));
    if (removes) open.removed.push(a[i++] as string);
    else open.added.push(b[j++] as string);
  }
  return found;
}

/** The preferred fixes of all messages that do not overlap. */
export function allFixes(diagnostics: readonly Diagnostic[]): Edit[] {
  const chosen: Edit[] = [];
  for (const diagnostic of diagnostics)
    for (const { edits, preferred } of diagnostic.fixes ?? []) {
      const overlaps = edits.some(({ span }) =>
        chosen.some((other) => span.start <= other.span.end && other.span.start <= span.end),
      );
      if (preferred && !overlaps && edits.every(({ span }) => span.file === 0)) chosen.push(...edits);
    }
  return chosen;
}
