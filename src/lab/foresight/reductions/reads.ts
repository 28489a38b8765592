/** The variables that parts of a machine read, found by walking over its JSON. A variable is a text such as `tracked 3`. */
import type { Expr, SlotRef, Template } from '../../../machine/expression.js';
import type { Instruction, Machine } from '../../../machine/machine.js';
import { isJsonObject } from '../../../prelude/json-object.js';

export type Variable = string;

/** Locals and entry values belong to a state. */
export function variableOf(state: number, { in: storage, slot }: SlotRef): Variable {
  return storage === 'local' || storage === 'entry' ? `${storage} ${state} ${slot}` : `${storage} ${slot}`;
}

type AnyNode = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is AnyNode => isJsonObject(value);

/** Collects the variables that expressions inside `value` read. */
export function readsIn(machine: Machine, state: number, value: unknown, into = new Set<Variable>()): Set<Variable> {
  if (Array.isArray(value)) for (const item of value) readsIn(machine, state, item, into);
  else if (isNode(value)) {
    if (value.op === 'read') for (const ref of value.places as readonly SlotRef[]) into.add(variableOf(state, ref));
    else if (value.op === 'dagger') addData(machine, value.path as readonly string[], into);
    else if (value.op !== 'const')
      for (const key in value) if (key !== 'origin') readsIn(machine, state, value[key], into);
  }
  return into;
}

function addData({ tracked, inputs }: Machine, [kind, name]: readonly string[], into: Set<Variable>): void {
  const names = kind === 'track' ? tracked : kind === 'input' ? inputs.map((input) => input.name) : [];
  const storage = kind === 'track' ? 'tracked' : 'input';
  names.forEach((one, slot) => {
    if (name === undefined || one === name) into.add(`${storage} ${slot}`);
  });
}

/** Operations that look at a value, so that it can make them fail. A text only shows it. */
export const LOOKING = new Set([
  'field',
  'index',
  'call',
  'arithmetic',
  'compare',
  'negate',
  'not',
  'and',
  'or',
  'test',
  'maybe',
]);

/** Collects the variables whose values can make an expression inside `value` fail. */
export function readsThatFail(machine: Machine, state: number, value: unknown, into: Set<Variable>): void {
  if (Array.isArray(value)) for (const item of value) readsThatFail(machine, state, item, into);
  else if (isNode(value)) {
    const looks = typeof value.op === 'string' && LOOKING.has(value.op);
    // `{xs*}` needs a list, and `{n:int}` a whole number.
    const converts = value.source !== undefined && (value.list === true || value.filter === 'int');
    if (looks || converts) readsIn(machine, state, value, into);
    else if (value.op !== 'const' && value.op !== 'read')
      for (const key in value) if (key !== 'origin') readsThatFail(machine, state, value[key], into);
  }
}

/** The expressions and texts of an instruction that decide how the run continues. */
export function controlParts(instruction: Instruction): readonly (Expr | Template | null | undefined | unknown)[] {
  switch (instruction.op) {
    case 'unless':
      return [instruction.condition];
    case 'goto-dynamic':
      return [instruction.target];
    case 'each':
      return [instruction.list];
    case 'fork':
      return [instruction.max, instruction.quorum, instruction.wait];
    case 'fork-each':
      return [instruction.list, instruction.max, instruction.quorum, instruction.wait];
    case 'shell':
    case 'function':
    case 'agent':
      return [instruction.ok, instruction.timeout, instruction.idle, instruction.retry, instruction.retryOn];
    case 'argv':
      return [
        ...[instruction.ok, instruction.timeout, instruction.idle],
        ...[instruction.retry, instruction.retryOn, instruction.list],
      ];
    case 'plan':
      return [instruction.args, instruction.call];
    case 'sleep':
      return [instruction.duration];
    case 'wait-start':
      return [instruction.timeout];
    case 'wait-turn':
      return [instruction.every];
    case 'signal':
      return [instruction.timeout];
    case 'ask':
      return [instruction.choices, instruction.deadline, instruction.value, instruction.show ?? null];
    case 'fail':
      // Handlers and the state ERROR may read its values.
      return [instruction.args];
    case 'undo':
      return [instruction.by];
    case 'gate-check':
      return [instruction.check];
    case 'gate-schema':
      return [instruction.path];
    case 'step-attempt':
      return [instruction.agent, instruction.plan];
    case 'task-enter':
    case 'tasks':
      return [instruction];
    default:
      return [];
  }
}
