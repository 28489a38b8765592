/** Sequences, IF with its arms, and DEFAULT: structure becomes jumps. */
import { checkMessages as say } from '../source/catalogue/check.js';
import type { Span } from '../source/source-file.js';
import type { Instruction } from '../syntax/ast.js';
import { lowerBlock, lowerInstruction, type StateLowering } from './lower.js';
import { lowerExpression } from './lower-expression.js';
import { lowerForEach, lowerParallel } from './lower-parallel.js';
import { lowerDetachedWait, lowerWait } from './lower-wait.js';

type If = Extract<Instruction, { kind: 'if' }>;
type MembersWait = Extract<Instruction, { kind: 'wait' }>;
type Default = Extract<Instruction, { kind: 'default' }>;

/** Lowers instructions in order and reports what can never run. True when the end can be reached. */
export function lowerSequence(l: StateLowering, instructions: readonly Instruction[]): boolean {
  let completes = true;
  let runEnd = 0;
  for (let at = 0; at < instructions.length; at++) {
    const i = instructions[at] as Instruction;
    if (l.tooLarge) return completes;
    const previous = instructions[at - 1];
    if (!completes && previous !== undefined && i.kind !== 'on-error') {
      reportUnreachable(l, i, previous);
      lowerRest(l, instructions.slice(at));
      return false;
    }
    if (i.kind === 'if') {
      if (at >= runEnd) runEnd = endOfIfs(instructions, at);
      const run = runEnd;
      if (instructions[run]?.kind === 'default') {
        completes = lowerIfRun(l, instructions.slice(at, run) as If[], instructions[run] as Default);
        at = run;
        continue;
      }
      completes = lowerIf(l, i, null);
    } else if (i.kind === 'parallel' && instructions[at + 1]?.kind === 'wait') {
      const wait = instructions[++at] as Extract<Instruction, { kind: 'wait' }>;
      if (wait.for.kind === 'members') lowerParallel(l, i, wait);
      else if (wait.for.kind === 'signal') {
        lowerParallel(l, i, null);
        lowerWait(l, wait);
      } else lowerDetachedWait(l, i, wait);
    } else if (i.kind === 'for-each' && i.parallel && isMembersWait(instructions[at + 1])) {
      lowerForEach(l, i, instructions[++at] as MembersWait);
    } else {
      completes = lowerInstruction(l, i);
    }
  }
  return completes;
}

/** Instructions that never run are still read, so that their mistakes are found with all the others. */
function lowerRest(l: StateLowering, rest: readonly Instruction[]): void {
  const over = l.emitter.add({ op: 'jump', to: -1 }, (rest[0] as Instruction).span);
  lowerSequence(l, rest);
  l.emitter.patch(over);
}

function reportUnreachable(l: StateLowering, i: Instruction, previous: Instruction): void {
  const blame: Span = i.kind === 'broken' ? i.span : i.verb.span;
  if (previous.kind === 'use') {
    const use = { span: previous.span, text: 'always leaves the state' };
    l.diagnostics.push(say.unreachable(blame, { pattern: previous.pattern.text, use }));
  } else {
    const after = { span: previous.kind === 'broken' ? previous.span : previous.verb.span, text: 'leaves here' };
    l.diagnostics.push(say.unreachableInstruction(blame, { after }));
  }
}

/** A WAIT for the members of the PARALLEL above it. */
function isMembersWait(i: Instruction | undefined): boolean {
  return i?.kind === 'wait' && i.for.kind === 'members';
}

/** The index behind the run of IFs beginning at `at`. */
function endOfIfs(instructions: readonly Instruction[], at: number): number {
  let k = at;
  while (instructions[k]?.kind === 'if') k++;
  return k;
}

/** IFs in a row with a DEFAULT: a hidden flag remembers whether any of them matched. */
function lowerIfRun(l: StateLowering, ifs: readonly If[], last: Default): boolean {
  const slot = l.scope.hidden('$matched');
  const flag = { to: { in: 'local', slot }, name: '$matched' } as const;
  l.emitter.add({ op: 'set', ...flag, value: l.constant(false) }, (ifs[0] as If).span);
  let someArmCompletes = false;
  for (const i of ifs) someArmCompletes = lowerIfArms(l, i, slot).armCompletes || someArmCompletes;
  const read = { op: 'read', name: '$matched', places: [{ in: 'local', slot }] } as const;
  const skip = l.emitter.add(
    { op: 'unless', condition: { op: 'not', of: read }, to: -1, text: 'DEFAULT' },
    last.verb.span,
  );
  const defaultCompletes = lowerBlock(l, last.body);
  l.emitter.patch(skip);
  return someArmCompletes || defaultCompletes;
}

/** One IF with its ELSE IF and ELSE. True when execution can go on behind it. */
export function lowerIf(l: StateLowering, i: If, matched: number | null): boolean {
  const { armCompletes, elseCompletes } = lowerIfArms(l, i, matched);
  return armCompletes || elseCompletes;
}

function lowerIfArms(
  l: StateLowering,
  i: If,
  matched: number | null,
): { armCompletes: boolean; elseCompletes: boolean } {
  const ends: number[] = [];
  let armCompletes = false;
  i.arms.forEach((arm, at) => {
    const condition = lowerExpression(arm.condition, l);
    const text = sourceText(l, arm.condition.span);
    const next = l.emitter.add({ op: 'unless', condition, to: -1, text }, arm.condition.span);
    if (matched !== null)
      l.emitter.add(
        { op: 'set', to: { in: 'local', slot: matched }, name: '$matched', value: l.constant(true) },
        arm.verb.span,
      );
    const completes = lowerBlock(l, arm.body);
    armCompletes ||= completes;
    const isLast = at === i.arms.length - 1 && i.otherwise === undefined;
    if (completes && !isLast) ends.push(l.emitter.add({ op: 'jump', to: -1 }, arm.verb.span));
    l.emitter.patch(next);
  });
  const elseCompletes = i.otherwise === undefined || lowerBlock(l, i.otherwise.body);
  for (const end of ends) l.emitter.patch(end);
  return { armCompletes, elseCompletes };
}

export function sourceText(l: StateLowering, span: Span): string {
  const text = l.shared.sources[span.file]?.text.slice(span.start, span.end) ?? '';
  return text.replace(/\s+/g, ' ').trim();
}
