/**
 * `check --fix`: applies the fixes that need no decision, until none is left. If a round makes the program worse, its
 * fixes are tried one by one, and those that make it worse are left to the author. A valid program stays valid.
 */
import { applyEdits, type Mended, safeFixes } from '../../source/apply-fixes.js';
import { type Diagnostic, hasErrors } from '../../source/diagnostic.js';
import { positionAt, type SourceSet } from '../../source/source-file.js';

/** Fixes can reveal other mistakes. A text that needs more rounds than this is left as it is. */
const MOST_ROUNDS = 20;

interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: SourceSet;
}

/** One edit. Line and column refer to the text before its round of fixes. */
export interface MadeEdit {
  readonly code: string;
  readonly line: number;
  readonly column: number;
  readonly was: string;
  readonly text: string;
}

export interface FixedText {
  readonly text: string;
  readonly made: readonly MadeEdit[];
}

type Check = (text: string) => Promise<Checked>;

export async function fixText(original: string, check: Check): Promise<FixedText> {
  const made: MadeEdit[] = [];
  const seen = new Set([original]);
  let text = original;
  let now = await check(text);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const fixes = safeFixes(now.diagnostics);
    if (fixes.length === 0) break;
    const next = await applyFixes(text, now, fixes, check);
    if (next === null || seen.has(next.text)) break;
    made.push(...next.fixes.flatMap((fix) => madeEdits(fix, now.sources)));
    seen.add(next.text);
    text = next.text;
    now = next.checked;
  }
  return { text, made };
}

interface Round {
  readonly text: string;
  readonly checked: Checked;
  readonly fixes: readonly Mended[];
}

/**
 * Applies all fixes together; if that does not improve the program, applies only those that improve it on their own.
 */
async function applyFixes(
  text: string,
  before: Checked,
  fixes: readonly Mended[],
  check: Check,
): Promise<Round | null> {
  const all = await tryFixes(text, fixes, check);
  if (isBetter(before, all)) return all;
  if (fixes.length === 1) return null;
  for (const fix of fixes) {
    const one = await tryFixes(text, [fix], check);
    if (isBetter(before, one)) return one;
  }
  return null;
}

async function tryFixes(text: string, fixes: readonly Mended[], check: Check): Promise<Round> {
  const edited = applyEdits(
    text,
    fixes.flatMap(({ edits }) => edits),
  );
  return { text: edited, checked: await check(edited), fixes };
}

/**
 * The fixed mistakes are gone, and a valid program is still valid. The number of errors may grow, because a line that
 * can be parsed now can have other mistakes.
 */
function isBetter(before: Checked, { checked, fixes }: Round): boolean {
  if (hasErrors(checked.diagnostics) && !hasErrors(before.diagnostics)) return false;
  const count = (list: readonly Diagnostic[], code: string) => list.filter((one) => one.code === code).length;
  const codes = new Set(fixes.map(({ diagnostic }) => diagnostic.code));
  const countRemaining = (list: readonly Diagnostic[]) => [...codes].reduce((sum, code) => sum + count(list, code), 0);
  return (
    countRemaining(checked.diagnostics) < countRemaining(before.diagnostics) ||
    checked.diagnostics.length < before.diagnostics.length
  );
}

function madeEdits({ diagnostic, edits }: Mended, sources: SourceSet): MadeEdit[] {
  const [source] = sources;
  if (source === undefined) return [];
  return edits.map(({ span, text }) => {
    const { line, column } = positionAt(source, span.start);
    return { code: diagnostic.code, line, column, was: source.text.slice(span.start, span.end), text };
  });
}
