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
    made: now.rounds.flatMap(({ text, fixes }) => {
      const source = sourceFile('', text);
      return fixes.flatMap((fix) => madeEdits(fix, source));
    }),
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

/** So many characters are checked to find the fixes that can be made together, in so many texts. */
const MOST_TRIED = 4_000_000;
const FEWEST_TRIES = 8;
const MOST_TRIES = 1000;

/**
 * Applies all fixes together; if that makes something wrong, those that make nothing wrong together: all parts of halves that
 * can be added. A text that is so long that this takes too many checks gets fewer of them.
 */
async function improve(now: FixAttempt, check: CheckText): Promise<FixAttempt | null> {
  let tries = Math.min(MOST_TRIES, Math.max(FEWEST_TRIES, Math.floor(MOST_TRIED / now.text.length)));
  let best: { readonly step: FixAttempt; readonly fixes: readonly Mended[] } | null = null;
  const add = async (fixes: readonly Mended[]): Promise<void> => {
    if (fixes.length === 0 || tries-- <= 0) return;
    const tried: readonly Mended[] = [...(best?.fixes ?? []), ...fixes];
    const step = await tryFixes(now, tried, check);
    if (step !== null) best = { step, fixes: tried };
    else if (fixes.length > 1) {
      const middle = fixes.length >> 1;
      await add(fixes.slice(0, middle));
      await add(fixes.slice(middle));
    }
  };
  await add(safeFixes(now.checked.diagnostics));
  return (best as { readonly step: FixAttempt } | null)?.step ?? null;
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

function madeEdits({ diagnostic, edits }: Mended, source: SourceFile): MadeEdit[] {
  return edits.map(({ span, text }) => {
    const { line, column } = positionAt(source, span.start);
    return { code: diagnostic.code, line, column, was: source.text.slice(span.start, span.end), text };
  });
}

/** The fixes of a round one after the other, the first of the text first. */
function linesOfRound({ text, fixes }: Round): MadeFix[] {
  const source = sourceFile('', text);
  const parts = editedParts(
    source,
    fixes.flatMap(({ edits }) => edits),
  );
  const shifts = new LineShifts(parts.size);
  return [...fixes]
    .sort((a, b) => firstOf(a.edits) - firstOf(b.edits))
    .map(({ diagnostic, edits }) => {
      // One edit after the other, because a line may move over others.
      const changes = edits.map((edit) => {
        const part = parts.get(edit) as EditedPart;
        const before = sourceFile('', part.text);
        part.text = applyEdits(part.text, [rebasedEdit(edit, part)]);
        part.done.push(edit);
        const after = sourceFile('', part.text);
        const changed = changedLines(before, after);
        const line = part.line + changed.line + shifts.before(part.number);
        shifts.add(part.number, after.lineStarts.length - before.lineStarts.length);
        return { ...changed, line };
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

/** Lines that are edited together. */
interface EditedPart {
  /** Its number among all parts. */
  readonly number: number;
  /** How many lines of the text are above it. */
  readonly line: number;
  /** Where it begins in the text. */
  readonly start: number;
  /** As it is after the edits that were made. */
  text: string;
  readonly done: Edit[];
}

/** The part of each edit. */
function editedParts(source: SourceFile, edits: readonly Edit[]): ReadonlyMap<Edit, EditedPart> {
  const { text, lineStarts } = source;
  const parts = new Map<Edit, EditedPart>();
  let part: EditedPart | null = null;
  let end = 0;
  for (const edit of [...edits].sort((a, b) => a.span.start - b.span.start)) {
    const first = positionAt(source, edit.span.start).line - 1;
    const start = lineStarts[first] as number;
    if (part === null || start >= end) {
      part = { number: parts.size, line: first, start, text: '', done: [] };
      end = 0;
    }
    end = Math.max(end, lineStarts[positionAt(source, edit.span.end).line] ?? text.length);
    part.text = text.slice(part.start, end);
    parts.set(edit, part);
  }
  return parts;
}

/** How many lines the parts above one have more than before, although any of them may change. */
class LineShifts {
  /** Each number is the sum of as many as its index has in its lowest bit. */
  private readonly sums: number[];

  constructor(count: number) {
    this.sums = new Array<number>(count + 1).fill(0);
  }

  add(part: number, lines: number): void {
    for (let at = part + 1; at < this.sums.length; at += at & -at) this.sums[at] = (this.sums[at] as number) + lines;
  }

  before(part: number): number {
    let sum = 0;
    for (let at = part; at > 0; at -= at & -at) sum += this.sums[at] as number;
    return sum;
  }
}

function rebasedEdit({ span, text }: Edit, { start, done }: EditedPart): Edit {
  const by = done
    .filter((one) => one.span.start < span.start)
    .reduce((sum, one) => sum + one.text.length - (one.span.end - one.span.start), -start);
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
  /** The edits by the stretches of the text in which they are. */
  const taken = new Map<number, Edit[]>();
  return diagnostics.flatMap((diagnostic): Mended[] => {
    const edits = safeFix(diagnostic)?.edits;
    if (edits === undefined) return [];
    for (const edit of edits)
      for (const stretch of stretchesOf(edit))
        if (taken.get(stretch)?.some((other) => touches(edit, other)) === true) return [];
    for (const edit of edits)
      for (const stretch of stretchesOf(edit)) {
        const others = taken.get(stretch);
        if (others === undefined) taken.set(stretch, [edit]);
        else others.push(edit);
      }
    return [{ diagnostic, edits }];
  });
}

/** Characters. */
const STRETCH = 256;

/** Edits that touch have one in common. */
function* stretchesOf({ span }: Edit): Generator<number> {
  for (let at = Math.floor(span.start / STRETCH); at * STRETCH <= span.end; at++) yield at;
}

/** The result of edits that share a character, or insert at the same offset, would depend on their order. */
function touches(a: Edit, b: Edit): boolean {
  return a.span.start <= b.span.end && b.span.start <= a.span.end;
}

/** The edits are apart from each other. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { span, text: inserted } of [...edits]
    .sort((a, b) => b.span.start - a.span.start || b.span.end - a.span.end)
    .reverse()) {
    pieces.push(text.slice(at, span.start), inserted);
    at = span.end;
  }
  return pieces.join('') + text.slice(at);
}
