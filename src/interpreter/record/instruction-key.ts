/**
 * What an edited program may move after it is done: how such an instruction is recognized, where it ends, what it leaves
 * behind, and how another one takes that over.
 */
import type { Expr, Json } from '../../machine/expression.js';
import type { Instruction, State } from '../../machine/machine.js';
import { localOf, type Thread } from '../run-state/thread.js';
import { compile } from '../values/evaluate.js';
import { encode } from '../values/json.js';
import { compileEmitText } from '../values/template.js';
import { define, plain, type Value } from '../values/value.js';
import { exactKey } from './alignment.js';
import { endOf } from './structures.js';

/** The text of an instruction, and its kind with the name that it binds or concerns; null: it has none. */
export interface InstructionKey {
  readonly key: string;
  readonly name: string | null;
}

/** Null: executing it again does nothing that is already done. */
export function instructionKey(one: Instruction, state: State, pc: number): InstructionKey | null {
  const { code } = state;
  const local = (slot: number | undefined): string | undefined => state.locals[slot ?? -1];
  switch (one.op) {
    case 'shell':
    case 'argv':
    case 'function':
    case 'agent':
    case 'plan': {
      const name = local(one.bind?.slot);
      return { key: `${one.op} ${one.text}`, name: name === undefined ? null : `${one.op} ${name}` };
    }
    case 'ask':
      return { key: `ask ${one.name}`, name: null };
    case 'signal':
      return endsMembers(code, pc) ? null : { key: `signal ${one.name}`, name: null };
    case 'step-begin':
      return { key: `step ${one.plan.name}`, name: null };
    case 'increment':
      return { key: exactKey(one, []), name: `increment ${one.name}` };
    case 'emit':
      return { key: exactKey(one, []), name: one.event === null ? null : `emit ${one.event}` };
    case 'set':
      return isRepeatable(one.value, one.name) ? null : { key: exactKey(one, []), name: null };
    case 'sleep':
    case 'wait-start': {
      const whole = code.slice(pc, endOf(code, pc)).map((part) => exactKey(part, []));
      return endsMembers(code, pc) ? null : { key: whole.join('\n'), name: null };
    }
    default:
      return null;
  }
}

/**
 * For what changes nothing when it is executed again, unless values have changed since: where it stands it is not executed
 * again, because it would decide or set something else.
 */
export function passingKey(one: Instruction): InstructionKey | null {
  return one.op === 'unless' || one.op === 'set' ? { key: exactKey(one, []), name: null } : null;
}

/** Whether an instruction has an outcome on record; the others leave only what they did to the run. */
export function isEffect({ op }: Instruction): boolean {
  return op === 'shell' || op === 'argv' || op === 'function' || op === 'agent' || op === 'ask';
}

/** What is not an effect has no number, so there may be many such. */
export function isUnnumbered(effect: string): boolean {
  return /^(?:.*\.)?0$/.test(effect);
}

/** Reads the time, an identifier or a random number, in JSON. */
export const SAMPLES = /"op":"read","name":"(?:now|uuid|random)\(\)"/;

/** Whether the value of a SET is the same again: it reads neither its own name nor the time, a random number or an id. */
function isRepeatable(value: Expr, name: string): boolean {
  const text = JSON.stringify(value);
  return !SAMPLES.test(text) && !text.includes(`"op":"read","name":${JSON.stringify(name)}`);
}

/** Whether it is a WAIT that ends the members above it, which run at the same time. */
function endsMembers(code: readonly Instruction[], pc: number): boolean {
  return code.some((one) => (one.op === 'fork' || one.op === 'fork-each') && one.join === pc);
}

/** The values of an instruction, as one text, which distinguishes several executions. */
export function valuesOf(one: Instruction): (thread: Thread) => string {
  switch (one.op) {
    case 'plan':
      return texts(one.args.map(({ value }) => compile(value)));
    case 'increment':
      return texts([compile(one.by)]);
    case 'emit':
      return texts(
        [...one.fields.map(({ value }) => value), ...(one.message === null ? [] : [one.message])].map(
          (template) => compileEmitText(template).value,
        ),
      );
    case 'unless':
      return memberOf;
    default:
      return () => 'null';
  }
}

/** Which members of blocks a thread executes: the conditions in each of them are decided apart. */
function memberOf({ path }: Thread): string {
  return path
    .split('.')
    .filter((_, at) => at % 2 === 1)
    .join('.');
}

function texts(values: readonly ((thread: Thread) => Value)[]): (thread: Thread) => string {
  if (values.length === 0) return () => 'null';
  return (t) => {
    try {
      return JSON.stringify(values.map((value) => plain(value(t))));
    } catch {
      // A missing value is a failure where it is read.
      return 'null';
    }
  };
}

/** The local names that an instruction and everything that belongs to it binds. */
function boundNames({ code, locals }: State, pc: number): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const note = (slot: number | undefined): void => {
    const name = slot === undefined ? undefined : locals[slot];
    if (name !== undefined && slot !== undefined && !name.startsWith('$')) names.set(name, slot);
  };
  for (const one of code.slice(pc, Math.max(pc + 1, endOf(code, pc)))) {
    if ('timedOut' in one) note(one.timedOut);
    if (one.op === 'signal' || one.op === 'ask') note(one.bind);
    else if ('bind' in one && typeof one.bind === 'object') {
      note(one.bind.slot);
      note('exitSlot' in one.bind ? one.bind.exitSlot : undefined);
    } else if ((one.op === 'set' || one.op === 'increment') && one.to.in === 'local') note(one.to.slot);
  }
  return names;
}

/** What an instruction has bound, once it has ended: the texts of the values, by name. */
export function leftBy(state: State, pc: number): (thread: Thread) => Json {
  const names = [...boundNames(state, pc)];
  return (t) => {
    const values: Record<string, Json> = {};
    for (const [name, slot] of names) {
      const value = localOf(t, slot);
      if (value !== undefined) define(values, name, encode(value));
    }
    return values;
  };
}
