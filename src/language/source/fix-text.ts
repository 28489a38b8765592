/**
 * `check --fix`: corrects errors that can have meant only one thing, until none is left. A fix is kept only if its error is
 * gone and no other error has come, so a program is never changed into one that is wrong in another way, and a program
 * without errors is not changed at all.
 */
import type { Diagnostic, Edit, Fix } from './diagnostic.js';
import { lineText, positionAt, type SourceFile, type SourceSet, sourceFile } from './diagnostic.js';
import { withoutPreference } from './repair.js';

/** How many fixes may follow from one, because the text could only be read after it. */
const MOST_STEPS = 10;

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

/** A fix as lines: those that it replaced, and those that it wrote. */
interface MadeFix {
  readonly code: string;
  /** In the text before this fix. */
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

export interface FixedText {
  readonly text: string;
  readonly made: readonly MadeEdit[];
  readonly fixes: readonly MadeFix[];
}

type CheckText = (text: string) => Promise<Checked>;

/** A text on the way, with the rounds of fixes that led to it. */
interface FixAttempt {
  readonly text: string;
  readonly checked: Checked;
  readonly rounds: readonly Round[];
}

interface Round {
  readonly text: string;
  readonly fixes: readonly Mended[];
}

export async function fixText(original: string, check: CheckText): Promise<FixedText> {
  let now: FixAttempt = { text: original, checked: await check(original), rounds: [] };
  // Each round leaves fewer errors.
  for (;;) {
    const next = await improve(now, check);
    if (next === null) break;
    now = next;
  }
  return {
    text: now.text,
    made: now.rounds.flatMap(({ text, fixes }) => fixes.flatMap((fix) => madeEdits(fix, text))),
    fixes: now.rounds.flatMap(linesOfRound),
  };
}

/**
 * Diagnostics in which only those fixes are safe that `--fix` makes first, all of them together. The others are guesses: a
 * fix that leaves its error or brings another one may not be what the author meant.
 */
export async function withSafeFixes<T extends Checked>(text: string, checked: T, check: CheckText): Promise<T> {
  const { diagnostics } = checked;
  if (!diagnostics.some((one) => safeFix(one) !== undefined)) return checked;
  const next = await improve({ text, checked, rounds: [] }, check);
  const made = new Set(next?.rounds[0]?.fixes.map(({ diagnostic }) => diagnostic));
  return {
    ...checked,
    diagnostics: diagnostics.map((one) => (made.has(one) ? one : withoutPreference(one))),
  };
}

/** Applies all fixes together; if that makes something wrong, all that make nothing wrong together. */
async function improve(now: FixAttempt, check: CheckText): Promise<FixAttempt | null> {
  const fixes = safeFixes(now.checked.diagnostics);
  if (fixes.length === 0) return null;
  const all = await tryFixes(now, fixes, check);
  if (all !== null || fixes.length === 1) return all;
  let best: { readonly step: FixAttempt; readonly fixes: readonly Mended[] } | null = null;
  for (const fix of fixes) {
    const tried: readonly Mended[] = [...(best?.fixes ?? []), fix];
    const step = await tryFixes(now, tried, check);
    if (step !== null) best = { step, fixes: tried };
  }
  return best?.step ?? null;
}

/**
 * The text after these fixes, and after those of the errors that only they made visible. Null: an error is left that was not
 * there before, or one that was to be corrected.
 */
async function tryFixes(before: FixAttempt, fixes: readonly Mended[], check: CheckText): Promise<FixAttempt | null> {
  const known = countErrors(before.checked.diagnostics);
  const wasUnsafe = new Set(before.checked.diagnostics.filter(({ severity }) => severity === 'warning').map(keyOf));
  const corrected = new Map<string, number>();
  let now = before;
  let next = fixes;
  for (let step = 0; step < MOST_STEPS; step++) {
    for (const { diagnostic } of next) corrected.set(keyOf(diagnostic), (corrected.get(keyOf(diagnostic)) ?? 0) + 1);
    const text = applyEdits(
      now.text,
      next.flatMap(({ edits }) => edits),
    );
    now = { text, checked: await check(text), rounds: [...now.rounds, { text: now.text, fixes: next }] };
    const left = new Map([...known].map(([key, count]) => [key, count - (corrected.get(key) ?? 0)]));
    const fresh = now.checked.diagnostics.filter((one) => {
      if (one.severity !== 'error') return one.code === 'unsafe-program' && !wasUnsafe.has(keyOf(one));
      const count = left.get(keyOf(one)) ?? 0;
      left.set(keyOf(one), count - 1);
      return count <= 0;
    });
    if (fresh.length === 0) return now;
    next = safeFixes(fresh);
    if (next.length < fresh.length) return null;
  }
  return null;
}

function countErrors(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of diagnostics)
    if (one.severity === 'error') counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}

/** Lines and columns change with every fix. */
function keyOf({ code, message, span }: Diagnostic): string {
  return `${span.file} ${code} ${message}`;
}

function madeEdits({ diagnostic, edits }: Mended, text: string): MadeEdit[] {
  const source = sourceFile('', text);
  return edits.map((edit) => {
    const { line, column } = positionAt(source, edit.span.start);
    return { code: diagnostic.code, line, column, was: text.slice(edit.span.start, edit.span.end), text: edit.text };
  });
}

/** The fixes of a round one after the other, the first of the text first. */
function linesOfRound({ text, fixes }: Round): MadeFix[] {
  let now = text;
  const done: Edit[] = [];
  return [...fixes]
    .sort((a, b) => firstOf(a.edits) - firstOf(b.edits))
    .map(({ diagnostic, edits }) => {
      // One edit after the other, because a line may move over others.
      const changes = edits.map((edit) => {
        const before = now;
        now = applyEdits(now, [rebasedEdit(edit, done)]);
        done.push(edit);
        return changedLines(sourceFile('', before), sourceFile('', now));
      });
      return {
        code: diagnostic.code,
        line: Math.min(...changes.map(({ line }) => line)),
        removed: changes.flatMap(({ removed }) => removed),
        added: changes.flatMap(({ added }) => added),
      };
    });
}

function firstOf(edits: readonly Edit[]): number {
  return Math.min(...edits.map(({ span }) => span.start));
}

function rebasedEdit({ span, text }: Edit, done: readonly Edit[]): Edit {
  const by = done
    .filter((one) => one.span.start < span.start)
    .reduce((sum, one) => sum + one.text.length - (one.span.end - one.span.start), 0);
  return { span: { ...span, start: span.start + by, end: span.end + by }, text };
}

/** The lines between the first and the last that differ. */
function changedLines(before: SourceFile, after: SourceFile): Pick<MadeFix, 'line' | 'removed' | 'added'> {
  const [were, are] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < were.length && start < are.length && were[start] === are[start]) start++;
  let end = 0;
  const most = Math.min(were.length, are.length) - start;
  while (end < most && were[were.length - 1 - end] === are[are.length - 1 - end]) end++;
  return {
    line: start + 1,
    removed: were.slice(start, were.length - end),
    added: are.slice(start, are.length - end),
  };
}

function linesOf(source: SourceFile): string[] {
  return source.lineStarts.map((_, at) => lineText(source, at + 1));
}

/** A diagnostic with a fix that may be applied without asking. */
interface Mended {
  readonly diagnostic: Diagnostic;
  readonly edits: readonly Edit[];
}

/** The preferred fix of an error in the first file. */
export function safeFix({ severity, fixes = [] }: Diagnostic): Fix | undefined {
  if (severity !== 'error') return undefined;
  return fixes.find(({ preferred, edits }) => preferred && edits.every(({ span }) => span.file === 0));
}

/** The safe fixes. If fixes overlap, only the first counts. */
function safeFixes(diagnostics: readonly Diagnostic[]): Mended[] {
  const taken: Edit[] = [];
  return diagnostics.flatMap((diagnostic): Mended[] => {
    const edits = safeFix(diagnostic)?.edits;
    if (edits === undefined || edits.some((edit) => taken.some((other) => touches(edit, other)))) return [];
    taken.push(...edits);
    return [{ diagnostic, edits }];
  });
}

/** The result of edits that share a character, or insert at the same offset, would depend on their order. */
function touches(a: Edit, b: Edit): boolean {
  return a.span.start <= b.span.end && b.span.start <= a.span.end;
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let changed = text;
  for (const { span, text: inserted } of [...edits].sort(
    (a, b) => b.span.start - a.span.start || b.span.end - a.span.end,
  ))
    changed = changed.slice(0, span.start) + inserted + changed.slice(span.end);
  return changed;
}
