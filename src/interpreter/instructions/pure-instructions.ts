/**
 * The instructions that need no effect. They run in one synchronous loop, so linking decides everything that does not
 * change between executions: which slots are used, and whether a comparison is with a constant.
 */
import type { EntryArgument, InstructionOf } from '../../machine/machine.js';
import { endReturned, type Passed, transfer } from '../control/transfer.js';
import type { RunEvent } from '../events/event.js';
import { badValue, listNames, RuntimeFailure, readable } from '../failure.js';
import type { LinkContext, Linked, LinkedInstruction } from '../run-state/linked-machine.js';
import { STOP } from '../run-state/linked-machine.js';
import { inStep } from '../run-state/open-frames.js';
import { locationOf, record, type Slot, type Thread } from '../run-state/thread.js';
import { registerOf } from '../undo/register.js';
import { compile, compileCondition, warnInexact } from '../values/evaluate.js';
import { printedForm, printedForms } from '../values/json.js';
import { operations } from '../values/operations.js';
import { compileEmitText, compileOptionalField, compileTemplate } from '../values/template.js';
import { aType, isList, noList, plain, plainByName, type Value } from '../values/value.js';

function emitTracked(thread: Thread, name: string, value: Value): void {
  if (!thread.run.quiet) record(thread, trackedSet(name, value));
}

function trackedSet(name: string, value: Value): RunEvent {
  const text = printedForm(value);
  const event = { type: 'tracked_set', name, value: plain(value) } as const;
  return text === undefined ? event : { ...event, printed: text };
}

function trackedName(context: LinkContext, slot: number): string {
  return context.machine.tracked[slot] ?? '';
}

export function linkSet(instruction: InstructionOf<'set'>, context: LinkContext): Linked {
  const next = context.pc + 1;
  const value = compile(instruction.value);
  const { slot } = instruction.to;
  if (instruction.to.in === 'local')
    return {
      instruction: (t) => {
        t.locals[slot] = value(t);
        return next;
      },
    };
  const name = trackedName(context, slot);
  return {
    instruction: (t) => {
      const result = value(t);
      t.tracked[slot] = result;
      emitTracked(t, name, result);
      return next;
    },
  };
}

export function linkTrack(instruction: InstructionOf<'track'>, context: LinkContext): Linked {
  const next = context.pc + 1;
  const { slot } = instruction;
  const value = compile(instruction.value);
  const name = trackedName(context, slot);
  return {
    instruction: (t) => {
      if (t.tracked[slot] !== undefined) return next;
      const initial = value(t);
      t.tracked[slot] = initial;
      emitTracked(t, name, initial);
      return next;
    },
  };
}

export function linkIncrement(instruction: InstructionOf<'increment'>, context: LinkContext): Linked {
  const next = context.pc + 1;
  const { name } = instruction;
  const { slot } = instruction.to;
  const storage = instruction.to.in;
  const by = compile(instruction.by);
  const add = operations().increment;
  const addSlowly = (t: Thread, current: Slot, increment: Value): Value => {
    if (current !== undefined) warnInexact(t, '+', current, increment);
    return add(current, increment, name, storage === 'tracked');
  };
  return {
    instruction: (t) => {
      const slots = storage === 'local' ? t.locals : t.tracked;
      const current = slots[slot];
      const increment = by(t);
      const sum = typeof current === 'number' && typeof increment === 'number' ? current + increment : Number.NaN;
      const isShort = sum <= Number.MAX_SAFE_INTEGER && sum >= Number.MIN_SAFE_INTEGER;
      const result = isShort ? (sum === 0 ? 0 : sum) : addSlowly(t, current, increment);
      slots[slot] = result;
      if (storage === 'tracked' && !t.run.quiet)
        record(t, typeof result === 'number' ? { type: 'tracked_set', name, value: result } : trackedSet(name, result));
      return next;
    },
  };
}

export function linkEmit(instruction: InstructionOf<'emit'>, context: LinkContext): Linked {
  const next = context.pc + 1;
  const { event } = instruction;
  const message = instruction.message === null ? null : compileEmitText(instruction.message).text;
  const fields = instruction.fields.map(({ name, value, optional }) => ({
    name,
    value: optional ? compileOptionalField(value) : compileEmitText(value).value,
  }));
  const names = fields.map(({ name }) => name);
  return {
    instruction: (t) => {
      const given = fields.map((field) => field.value(t));
      for (const value of given) if (value !== undefined) readable(value);
      const values = plainByName(names, given);
      const text = message === null ? null : message(t);
      if (t.run.quiet) return next;
      const { state, line } = locationOf(t);
      const printed = printedForms(names, given);
      // Spreads come last: in V8 of Node 20, each member after one takes longer than all of those before it.
      record(t, {
        type: 'emitted',
        by: 'author',
        event,
        fields: values,
        message: text,
        state,
        line,
        ...(printed === undefined ? {} : { printed }),
        ...inStep(t),
      });
      return next;
    },
  };
}

export function linkUnless(instruction: InstructionOf<'unless'>, context: LinkContext): Linked {
  const condition = compileCondition(instruction.condition, instruction.text);
  const next = context.pc + 1;
  const to = context.base + instruction.to;
  return { instruction: (t) => (condition(t) ? next : to) };
}

/** How a state receives the arguments of a GOTO: names that it does not know have no slot. */
function passedNames(args: readonly EntryArgument[], entry: readonly string[]): Passed {
  const names = args.map(({ name }) => name);
  return { names, slots: names.map((name) => entry.indexOf(name)) };
}

export function linkGoto(instruction: InstructionOf<'goto'>, context: LinkContext): Linked {
  const { state: target, args } = instruction;
  if (args.length === 0) return { instruction: (t) => transfer(t, target) };
  const values = args.map(({ value }) => compile(value));
  const passed = passedNames(args, context.machine.states[target]?.entry ?? []);
  return {
    instruction: (t) =>
      transfer(
        t,
        target,
        passed,
        values.map((value) => value(t)),
      ),
  };
}

export function linkGotoDynamic(instruction: InstructionOf<'goto-dynamic'>, context: LinkContext): Linked {
  const where = compile(instruction.target);
  const values = instruction.args.map(({ value }) => compile(value));
  const { states } = context.machine;
  const { nameAmong } = operations();
  const targets = new Map(states.map((state, index) => [state.name, index] as const));
  return {
    instruction: (t) => {
      const name = where(t);
      const found = nameAmong(name, targets);
      const target = found === undefined ? undefined : targets.get(found);
      if (target === undefined) {
        const said =
          typeof name === 'string'
            ? `there is no state \`${name}\``
            : `the name of a state must be a text, not ${aType(name)}`;
        throw badValue(`GOTO failed: ${said}; the states are ${listNames([...targets.keys()])}`);
      }
      const passed = passedNames(instruction.args, states[target]?.entry ?? []);
      return transfer(
        t,
        target,
        passed,
        values.map((value) => value(t)),
      );
    },
  };
}

export function linkReturn(instruction: InstructionOf<'return'>): Linked {
  const value = instruction.value === null ? null : compile(instruction.value);
  return {
    instruction: (t) => {
      endReturned(t, value === null ? null : readable(value(t)), instruction.failed);
      return STOP;
    },
  };
}

export function linkFail(instruction: InstructionOf<'fail'>, context: LinkContext): Linked {
  const { text } = compileTemplate(instruction.message);
  const args = instruction.args.map(({ name, value }) => ({ name, value: compile(value) }));
  const names = args.map(({ name }) => name);
  const otherwise = `the state \`${context.state.name}\` failed`;
  return {
    instruction: (t) => {
      const passed = args.map(({ value }) => readable(value(t)));
      const printed = printedForms(names, passed);
      const about =
        args.length === 0 ? {} : { with: plainByName(names, passed), ...(printed === undefined ? {} : { printed }) };
      throw new RuntimeFailure('failed', text(t) || otherwise, null, null, about);
    },
  };
}

export function linkFellOff(context: LinkContext): Linked {
  const message = `the state \`${context.state.name}\` ended without GOTO or RETURN`;
  const fallOff: LinkedInstruction = () => {
    throw new RuntimeFailure('fell_off', message);
  };
  return { instruction: fallOff };
}

/** FOR EACH: the list is fixed at the start. */
export function linkEach(instruction: InstructionOf<'each'>, context: LinkContext): Linked {
  const list = compile(instruction.list);
  const { listIn } = operations();
  const { items, index, keep } = instruction;
  const next = context.pc + 1;
  return {
    instruction: (t) => {
      const value = listIn(list(t));
      if (!isList(value)) throw badValue(noList(value));
      t.locals[items] = value;
      t.locals[index] = 0;
      if (keep !== undefined) {
        t.locals[keep.failures] = [];
        t.locals[keep.handling] = t.handling;
      }
      return next;
    },
  };
}

export function linkNext(instruction: InstructionOf<'next'>, context: LinkContext): Linked {
  const { items, index, variable, mark } = instruction;
  const next = context.pc + 1;
  const exit = context.base + instruction.exit;
  return {
    instruction: (t) => {
      const list = t.locals[items] as readonly Value[];
      const at = t.locals[index] as number;
      if (at >= list.length) {
        t.locals[variable] = undefined;
        t.locals[items] = undefined;
        return exit;
      }
      t.locals[variable] = list[at];
      t.locals[index] = at + 1;
      if (mark !== undefined) t.locals[mark] = registerOf(t).entries.length;
      // A long loop must return now and then, so that signals are handled.
      if (t.run.burnFuel()) return next;
      t.pc = next;
      t.status = 'ready';
      t.run.enqueueFirst(t);
      return STOP;
    },
  };
}
