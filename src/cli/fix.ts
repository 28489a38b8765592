/**
 * `check --fix`: makes the fixes that leave nothing to decide, until none is left. A round that makes things worse is
 * tried fix by fix, and what still does so is left to the author; a program that was valid stays valid.
 */
import { applyEdits, type Mended, safeFixes } from '../source/apply-fixes.js';
import { type Diagnostic, hasErrors } from '../source/diagnostic.js';
import { positionAt, type SourceSet } from '../source/source-file.js';

/** Fixes can uncover what others hid; a text that needs more rounds than this is not understood. */
const MOST_ROUNDS = 20;

export interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: SourceSet;
}

/** One edit that was made; line and column are those of the text it was made in. */
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

/** All fixes at once; where that is no gain, those that are one by themselves. */
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
 * What was mended is gone, and a valid program is still one. Errors may become more: a line that can be read at last
 * can be wrong in other ways.
 */
function isBetter(before: Checked, { checked, fixes }: Round): boolean {
  if (hasErrors(checked.diagnostics) && !hasErrors(before.diagnostics)) return false;
  const count = (list: readonly Diagnostic[], code: string) => list.filter((one) => one.code === code).length;
  const codes = new Set(fixes.map(({ diagnostic }) => diagnostic.code));
  const left = (list: readonly Diagnostic[]) => [...codes].reduce((sum, code) => sum + count(list, code), 0);
  return left(checked.diagnostics) < left(before.diagnostics) || checked.diagnostics.length < before.diagnostics.length;
}

function madeEdits({ diagnostic, edits }: Mended, sources: SourceSet): MadeEdit[] {
  const [source] = sources;
  if (source === undefined) return [];
  return edits.map(({ span, text }) => {
    const { line, column } = positionAt(source, span.start);
    return { code: diagnostic.code, line, column, was: source.text.slice(span.start, span.end), text };
  });
}
