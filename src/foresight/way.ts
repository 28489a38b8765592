/** One way in which something that a run waits for can end, and what such ways are made of. */
import type { Outcome } from '../interpreter/events/event.js';
import type { Pending } from '../interpreter/run-state/pending.js';
import type { Json } from '../machine/expression.js';
import type { Instruction, State } from '../machine/machine.js';
import type { RequestFacts } from './requests.js';
import { ANY_TYPE, TYPE } from './unknown/facts.js';
import type { Knowledge } from './unknown/knowledge.js';

/** What happens: an outcome, an answer of a person, or a signal. */
export type Happening =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'answer'; readonly value: Json }
  | { readonly kind: 'signal'; readonly name: string; readonly value: Json };

export interface Way {
  /** For people: `fails`, `exit 2`; empty where the value says it. */
  readonly label: string;
  readonly isFailure?: true;
  /** Time passes. */
  readonly isTime?: true;
  /** The list of which this is one length of those that are explored. */
  readonly list?: string;
  /** Whether that is the greatest of them. */
  readonly isLongest?: true;
  /** A person or another program acts. */
  readonly isOutside?: true;
  readonly make: (k: Knowledge) => Happening;
}

export interface Site {
  readonly facts: RequestFacts;
  readonly pending: Pick<Pending, 'kind' | 'purpose' | 'until'>;
  readonly instruction: Instruction | undefined;
  readonly state: State;
  /** The longest list of tasks that is explored. */
  readonly longest: number;
  /** How people call the value. */
  readonly label: string;
}

export function valueOutcome(value: Json): Happening {
  return { kind: 'outcome', outcome: { kind: 'value', value } };
}

export interface Exit {
  readonly text: string;
  readonly exit: number;
  readonly stderr?: string;
  readonly is_error?: boolean;
  readonly invalid?: string;
}

export function exitOutcome({ text, exit, stderr = '', ...more }: Exit): Happening {
  const outcome: Outcome = {
    kind: 'exited',
    exit,
    stdout: { text, bytes: text.length },
    stderr,
    duration_ms: 0,
    ...more,
  };
  return { kind: 'outcome', outcome };
}

export const timedOut: Way = {
  label: 'times out',
  isFailure: true,
  isTime: true,
  make: () => ({
    kind: 'outcome',
    outcome: { kind: 'timed-out', timeout_ms: 0, stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: 0 },
  }),
};

/** The process of the run ended during a call that must not run twice. */
export const inDoubt: Way = {
  label: 'may already have run',
  isFailure: true,
  make: () => ({
    kind: 'outcome',
    outcome: { kind: 'failed', error_type: 'in_doubt', message: 'it may already have run, and must not run twice' },
  }),
};

export type Decoded = Extract<Instruction, { op: 'shell' | 'argv' | 'function' | 'agent' }>;

export const isDecoded = (one: Instruction | undefined): one is Decoded =>
  one?.op === 'shell' || one?.op === 'argv' || one?.op === 'function' || one?.op === 'agent';

/** The output with an unknown value, so that the instruction decodes it as that value. */
export function printedBy(k: Knowledge, instruction: Instruction | undefined, label: string): string {
  const decoding = isDecoded(instruction) ? instruction.reading : 'text';
  switch (decoding) {
    case 'check':
    case 'check-named':
    case 'capture':
      return JSON.stringify(k.fresh(ANY_TYPE, label));
    case 'do':
      return k.fresh(TYPE.text | TYPE.list | TYPE.object, label);
    default:
      return k.fresh(TYPE.text, label);
  }
}

/** Lists of tasks of every explored length, and what a way has because of them. */
export function tasks(longest: number): { readonly text: string; readonly about: Pick<Way, 'list' | 'isLongest'> }[] {
  return Array.from({ length: longest + 1 }, (_, length) => {
    const list = Array.from({ length }, (__, at) => ({ name: `task-${at + 1}`, description: `task ${at + 1}` }));
    return { text: JSON.stringify(list), about: { list: 'tasks', ...(length === longest ? { isLongest: true } : {}) } };
  });
}
