/** Moments of a run, as properties name them: a state is entered, an event is emitted, something is asked for, answered or fails. */
import type { RunEvent } from '../interpreter/events/event.js';
import { ERROR_KINDS } from '../machine/error-kinds.js';
import type { Json } from '../machine/expression.js';
import type { Instruction, Machine } from '../machine/machine.js';

export type Moment =
  | { readonly kind: 'state'; readonly name: string }
  | { readonly kind: 'event'; readonly name: string }
  | { readonly kind: 'run'; readonly what: 'agent' | 'tool' | 'command'; readonly name: string }
  | { readonly kind: 'answered'; readonly name: string; readonly value: Json }
  | { readonly kind: 'failed'; readonly state: string | null; readonly error: string | null }
  | { readonly kind: 'returned' };

const FORMS =
  '`state NAME`, `event NAME`, `run Task(NAME)`, `run "TEXT"`, `answered NAME == "TEXT"`, `failed in STATE KIND` or `returned`';

/** The moment of a text, or what is wrong with the text. */
export function readMoment(text: string): Moment | { readonly problem: string } {
  const [, word = '', rest = ''] = /^(\w+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  const wrong = { problem: `\`${text.trim()}\` is not a moment; write ${FORMS}` };
  switch (word) {
    case 'state':
    case 'event':
      return /^\S+$/.test(rest) ? { kind: word, name: rest } : wrong;
    case 'run':
      return readSelector(rest) ?? wrong;
    case 'answered': {
      const match = /^(\S+)\s*==\s*("(?:[^"\\]|\\.)*")$/.exec(rest);
      return match === null
        ? wrong
        : { kind: 'answered', name: match[1] as string, value: JSON.parse(match[2] as string) as Json };
    }
    case 'failed': {
      const match = /^(?:in\s+(\S+))?\s*(\w+)?$/.exec(rest);
      return match === null || rest === 'in'
        ? wrong
        : { kind: 'failed', state: match[1] ?? null, error: match[2] ?? null };
    }
    case 'returned':
      return rest === '' ? { kind: 'returned' } : wrong;
    default:
      return wrong;
  }
}

function readSelector(text: string): Moment | null {
  const agent = /^Task\(([^)]+)\)$/.exec(text);
  if (agent !== null) return { kind: 'run', what: 'agent', name: (agent[1] as string).trim() };
  const tool = /^CALL\s+(\S+)$/.exec(text);
  if (tool !== null) return { kind: 'run', what: 'tool', name: tool[1] as string };
  const command = /^"([\s\S]+)"$/.exec(text);
  return command === null ? null : { kind: 'run', what: 'command', name: command[1] as string };
}

/** Whether an event is this moment. `isEqual` compares values that may be unknown. */
export function isMoment(moment: Moment, event: RunEvent, isEqual: (one: Json, other: Json) => boolean): boolean {
  switch (moment.kind) {
    case 'state':
      return event.type === 'state_entered' && event.state === moment.name;
    case 'event':
      return event.type === 'emitted' && event.event === moment.name;
    case 'run':
      return event.type === 'effect_requested' && isCall(moment, event);
    case 'answered':
      return event.type === 'answered' && event.name === moment.name && isEqual(event.value, moment.value);
    case 'failed':
      return (
        event.type === 'instruction_failed' &&
        (moment.state === null || event.state === moment.state) &&
        (moment.error === null || event.error_type === moment.error)
      );
    case 'returned':
      return event.type === 'run_returned';
  }
}

type Call = Extract<Moment, { kind: 'run' }>;

function isCall({ what, name }: Call, event: Extract<RunEvent, { type: 'effect_requested' }>): boolean {
  if (what === 'command') return fits(name, event.text);
  return event.kind === what && event.tool === name;
}

/** `*` is any text, and blanks are one. */
function fits(pattern: string, text: string): boolean {
  const oneBlank = (value: string): string => value.trim().replaceAll(/\s+/g, ' ');
  const parts = oneBlank(pattern)
    .split('*')
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(oneBlank(text));
}

/** What the program has none of, although the moment names it; null: it has it. */
export function missingIn(machine: Machine, moment: Moment): string | null {
  const all = machine.states.flatMap(({ code }) => code);
  switch (moment.kind) {
    case 'state':
      return machine.states.some(({ name }) => name === moment.name) ? null : `no state \`${moment.name}\``;
    case 'event':
      return moment.name === 'TOOL_FAILURE' || all.some((one) => one.op === 'emit' && one.event === moment.name)
        ? null
        : `no event \`${moment.name}\``;
    case 'answered':
      return all.some((one) => one.op === 'ask' && one.name === moment.name) ? null : `no question \`${moment.name}\``;
    case 'failed':
      if (moment.state !== null && !machine.states.some(({ name }) => name === moment.state))
        return `no state \`${moment.state}\``;
      return moment.error === null || ERROR_KINDS.includes(moment.error) ? null : `no error \`${moment.error}\``;
    case 'run':
      return all.some((one) => mayCall(machine, one, moment)) ? null : `no call of \`${moment.name}\``;
    case 'returned':
      return null;
  }
}

function mayCall(machine: Machine, one: Instruction, call: Call): boolean {
  switch (one.op) {
    case 'shell':
    case 'argv':
    case 'function':
    case 'gate-command':
      return call.what === 'command' && fits(call.name, one.text);
    case 'agent':
      return call.what === 'agent' ? one.agent === call.name : call.what === 'command' && fits(call.name, one.text);
    case 'step-attempt':
      return call.what === 'agent';
    case 'plan':
      return (
        call.what === 'tool' && Object.values(machine.plans ?? {}).some(({ tools }) => Object.hasOwn(tools, call.name))
      );
    case 'undo':
      return mayCall(machine, one.by, call);
    default:
      return false;
  }
}
