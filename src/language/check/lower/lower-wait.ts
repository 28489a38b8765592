/** Lowers WAIT: a pause, a polling loop, or a signal. Waiting for the members of a PARALLEL is part of its join. */
import type { Expr, SlotRef, Template } from '../../../machine/expression.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Instruction, WaitNode } from '../../syntax/ast.js';
import type { Template as TextTemplate } from '../../syntax/expression-nodes.js';
import { constantText, lowerExpression, condition as truthOf } from './lower-expression.js';
import { checkOptions, DEFAULT_LIMIT, durationTemplate, pauseTemplate } from './options.js';
import { bindMembers, lowerParallel } from './parallel.js';
import type { StateLowering } from './state-lowering.js';

const DEFAULT_INTERVAL: Template = ['1s'];

/** `concurrent`: members of a PARALLEL run while it waits. */
export function lowerWait(l: StateLowering, i: WaitNode, concurrent = false): void {
  const { for: what } = i;
  if (what.kind !== 'condition')
    checkOptions(l, i.options, what.kind === 'members' ? { quorum: 'number' } : {}, 'this WAIT');
  l.bindUnwritten('timed_out', i.verb.span);
  switch (what.kind) {
    case 'members':
      l.diagnostics.push(say.waitWithoutParallel(i.verb.span, {}));
      break;
    case 'duration':
      l.emitter.add({ op: 'sleep', duration: durationTemplate(l, what.duration) }, i.span);
      l.emitter.add({ op: 'set', to: timedOut(l), name: 'timed_out', value: l.constant(false) }, i.span);
      break;
    case 'signal':
      l.scope.declare(what.name, 'local');
      l.emitter.add(
        {
          op: 'signal',
          name: what.name.text,
          timeout: i.timeout === undefined ? null : durationTemplate(l, i.timeout),
          bind: l.scope.local(what.name.text),
          timedOut: timedOut(l).slot,
        },
        i.span,
      );
      break;
    case 'condition':
      lowerPolling(l, i, what, concurrent);
      return;
    default:
      return unreachable(what);
  }
  if (i.body) l.block(i.body);
}

function timedOut(l: StateLowering) {
  return { in: 'local', slot: l.scope.local('timed_out') } as const;
}

/** Repeats: run the block, evaluate the condition, sleep. The block runs before the first evaluation. */
function lowerPolling(
  l: StateLowering,
  i: WaitNode,
  what: Extract<WaitNode['for'], { kind: 'condition' }>,
  concurrent: boolean,
): void {
  const options = checkOptions(l, i.options, { every: 'text' }, 'this WAIT');
  const every = options.get('every')?.value;
  const deadline = l.scope.hiddenSlot('$deadline');
  const slot = timedOut(l).slot;
  const timeout = i.timeout === undefined ? DEFAULT_LIMIT : durationTemplate(l, i.timeout);
  const backOff = every !== undefined && mayDouble(every) ? backOffSlots(l) : null;
  l.emitter.add({ op: 'wait-start', timeout, deadline, timedOut: slot }, i.span);
  if (backOff !== null) {
    const turns = { in: 'local', slot: backOff.turns } as const;
    l.emitter.add({ op: 'set', to: turns, name: '$turns', value: l.constant(0) }, i.span);
  }
  const again = l.emitter.pc;
  if (i.body) l.block(i.body);
  const first = l.emitter.pc;
  const condition = truthOf(lowerExpression(what.condition, l), what.condition.span, l.scope);
  // Instructions of the condition, such as a request for the time, are repeated with it.
  if (i.body === undefined && !concurrent && l.emitter.pc === first) {
    const names = constantNames(condition);
    if (names !== null && names.length > 0) l.diagnostics.push(say.waitUnchanged(what.span, { names }));
  }
  const unless = l.emitter.add({ op: 'unless', condition, to: -1, text: l.sourceText(what.span) }, what.span);
  const over = l.emitter.add({ op: 'jump', to: -1 }, i.span);
  l.emitter.patch(unless);
  const turn = l.emitter.add(
    {
      op: 'wait-turn',
      every: every === undefined ? DEFAULT_INTERVAL : pauseTemplate(l, every),
      deadline,
      timedOut: slot,
      again,
      exit: -1,
      ...omitUndefined({ backOff: backOff ?? undefined }),
    },
    i.span,
  );
  l.emitter.patch(over);
  l.emitter.patch(turn, 'exit');
}

/** The names that an expression reads if they all belong to this thread alone; else null. */
function constantNames(condition: Expr): string[] | null {
  const names = new Set<string>();
  const isConstant = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return true;
    const { op, name, places } = value as { op?: string; name?: string; places?: readonly SlotRef[] };
    if (op === 'dagger' || op === 'step-key' || op === 'retry-key' || op === 'run-total') return false;
    if (op === 'read') {
      names.add(name as string);
      return places?.every((slot) => slot.in !== 'tracked') === true;
    }
    return Object.values(value).every(isConstant);
  };
  return isConstant(condition) ? [...names] : null;
}

/** If the pause is a value, only the run knows whether it doubles. */
function mayDouble(every: TextTemplate): boolean {
  return constantText(every)?.includes('..') ?? true;
}

function backOffSlots(l: StateLowering) {
  return { turns: l.scope.hiddenSlot('$turns'), chance: l.scope.hiddenSlot('$chance') };
}

/** A WAIT directly below a PARALLEL for something other than its members, which run while it waits. */
export function lowerDetachedWait(
  l: StateLowering,
  parallel: Extract<Instruction, { kind: 'parallel' }>,
  wait: WaitNode,
): void {
  lowerParallel(l, parallel, null, true);
  lowerWait(l, wait, true);
  l.emitter.add({ op: 'join-detached' }, parallel.span);
  bindMembers(l, parallel, true);
}
