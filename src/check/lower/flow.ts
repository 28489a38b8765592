/** Lowers sequences, IF with its arms, and DEFAULT to jumps. */
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Span } from '../../source/source-file.js';
import type { Instruction } from '../../syntax/ast.js';
import { condition as asCondition, lowerExpression } from './expression.js';
import { lowerForEach, lowerParallel } from './parallel.js';
import type { StateLowering } from './state-lowering.js';
import { lowerUndo } from './undo.js';
import { lowerDetachedWait, lowerWait } from './wait.js';

type If = Extract<Instruction, { kind: 'if' }>;
type Wait = Extract<Instruction, { kind: 'wait' }>;
type Default = Extract<Instruction, { kind: 'default' }>;

/**
 * Lowers instructions in order and reports unreachable ones. Returns true if the end can be reached. Unreachable
 * instructions are lowered too, so that their mistakes are reported; jumps skip them.
 */
export function lowerSequence(l: StateLowering, instructions: readonly Instruction[]): boolean {
  const over: number[] = [];
  let completes = true;
  let run = 0;
  for (let at = 0; at < instructions.length && l.expand(); at++) {
    const i = instructions[at] as Instruction;
    const previous = instructions[at - 1];
    if (!completes && previous !== undefined && i.kind !== 'on-error') {
      reportUnreachable(l, i, previous);
      over.push(l.emitter.add({ op: 'jump', to: -1 }, i.span));
      l.deadDepth++;
      completes = true;
    }
    if (i.kind === 'if') {
      if (at >= run) run = endOfIfs(instructions, at);
      const last = instructions[run];
      if (last?.kind === 'default') {
        completes = lowerIfRun(l, instructions.slice(at, run) as If[], last);
        at = run;
      } else completes = lowerIf(l, i, null);
    } else if (i.kind === 'undo') lowerUndo(l, i, previous ?? null);
    else if (lowerJoined(l, i, instructions[at + 1])) at++;
    else completes = l.instruction(i) && (completes || i.kind !== 'on-error');
  }
  l.deadDepth -= over.length;
  for (const jump of over) l.emitter.patch(jump);
  return completes && over.length === 0;
}

/**
 * Lowers a PARALLEL together with the WAIT directly below it. Returns false if the instructions are not such a pair.
 */
function lowerJoined(l: StateLowering, i: Instruction, next: Instruction | undefined): boolean {
  if (next?.kind !== 'wait') return false;
  if (i.kind === 'for-each' && i.parallel && isMembersWait(next)) lowerForEach(l, i, next);
  else if (i.kind !== 'parallel') return false;
  else if (isMembersWait(next)) lowerParallel(l, i, next);
  else if (next.for.kind === 'signal') {
    lowerParallel(l, i, null);
    lowerWait(l, next);
  } else lowerDetachedWait(l, i, next);
  return true;
}

function reportUnreachable(l: StateLowering, i: Instruction, previous: Instruction): void {
  // The mistake of the line was reported; further mistakes are reported for the corrected line.
  if (i.kind === 'broken') return;
  const blame: Span = i.verb.span;
  if (previous.kind === 'use') {
    const use = { span: previous.span, text: 'always leaves the state' };
    l.diagnostics.push(say.unreachable(blame, { pattern: previous.pattern.text, use }));
  } else {
    const after = { span: previous.kind === 'broken' ? previous.span : previous.verb.span, text: 'leaves here' };
    l.diagnostics.push(say.unreachableInstruction(blame, { after }));
  }
}

/** A WAIT for the members of the PARALLEL above it. */
function isMembersWait(wait: Wait): boolean {
  return wait.for.kind === 'members';
}

/** The index after the row of IFs that begins at `at`. */
function endOfIfs(instructions: readonly Instruction[], at: number): number {
  let k = at;
  while (instructions[k]?.kind === 'if') k++;
  return k;
}

/** IFs in a row with a DEFAULT. A hidden flag records whether any of them matched. */
function lowerIfRun(l: StateLowering, ifs: readonly If[], last: Default): boolean {
  const slot = l.scope.hiddenSlot('$matched');
  const flag = { to: { in: 'local', slot }, name: '$matched' } as const;
  l.emitter.add({ op: 'set', ...flag, value: l.constant(false) }, (ifs[0] as If).span);
  let someArmCompletes = false;
  for (const i of ifs) someArmCompletes = lowerIfArms(l, i, slot).armCompletes || someArmCompletes;
  const read = { op: 'read', name: '$matched', places: [{ in: 'local', slot }] } as const;
  const skip = l.emitter.add(
    { op: 'unless', condition: { op: 'not', of: read }, to: -1, text: 'DEFAULT' },
    last.verb.span,
  );
  const defaultCompletes = l.block(last.body);
  l.emitter.patch(skip);
  return someArmCompletes || defaultCompletes;
}

/** One IF with its ELSE IF and ELSE. Returns true if execution can continue after it. */
export function lowerIf(l: StateLowering, i: If, matched: number | null): boolean {
  const { armCompletes, elseCompletes } = lowerIfArms(l, i, matched);
  return armCompletes || elseCompletes;
}

interface Arms {
  readonly armCompletes: boolean;
  readonly elseCompletes: boolean;
  /** Whether at least one of its blocks leaves. */
  readonly leaves: boolean;
}

function lowerIfArms(l: StateLowering, i: If, matched: number | null): Arms {
  const conditions = i.arms.map(({ condition }) => condition);
  return l.missing.within(conditions, () => {
    const result = lowerArms(l, i, matched);
    return { result, leaves: result.leaves };
  });
}

function lowerArms(l: StateLowering, i: If, matched: number | null): Arms {
  const ends: number[] = [];
  let armCompletes = false;
  let leaves = false;
  i.arms.forEach((arm, at) => {
    const condition = asCondition(lowerExpression(arm.condition, l), arm.condition.span, l.scope);
    const text = l.sourceText(arm.condition.span);
    const next = l.emitter.add({ op: 'unless', condition, to: -1, text }, arm.condition.span);
    if (matched !== null)
      l.emitter.add(
        { op: 'set', to: { in: 'local', slot: matched }, name: '$matched', value: l.constant(true) },
        arm.verb.span,
      );
    const completes = l.block(arm.body);
    armCompletes ||= completes;
    leaves ||= !completes;
    const isLast = at === i.arms.length - 1 && i.otherwise === undefined;
    // Added even after an arm that leaves, where it is never executed: drawings recognize the next arm as the ELSE by
    // this jump.
    if (!isLast) ends.push(l.emitter.add({ op: 'jump', to: -1 }, arm.verb.span));
    l.emitter.patch(next);
  });
  const elseCompletes = i.otherwise === undefined || l.block(i.otherwise.body);
  for (const end of ends) l.emitter.patch(end);
  return { armCompletes, elseCompletes, leaves: leaves || !elseCompletes };
}
