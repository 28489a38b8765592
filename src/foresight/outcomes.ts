/** What may come of everything that a run waits for: each way is one outcome, in which unknown values stand for any value. */
import type { Outcome } from '../interpreter/events/event.js';
import type { Pending } from '../interpreter/run-state/pending.js';
import type { Json } from '../machine/expression.js';
import type { Instruction, State } from '../machine/machine.js';
import type { RequestFacts } from './requests.js';
import { ANY_TYPE, type Facts, TYPE } from './unknown/facts.js';
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
  /** A person or another program acts. */
  readonly isOutside?: true;
  readonly make: (k: Knowledge) => Happening;
}

interface Site {
  readonly facts: RequestFacts;
  readonly pending: Pick<Pending, 'kind' | 'purpose' | 'until'>;
  readonly instruction: Instruction | undefined;
  readonly state: State;
  /** The longest list of tasks that is explored. */
  readonly longest: number;
  /** How people call the value. */
  readonly label: string;
}

export function waysOf(site: Site): readonly Way[] {
  const { pending, facts } = site;
  switch (pending.kind) {
    case 'clock':
      return clockWays(site);
    case 'timer':
      return [{ label: 'time is over', isTime: true, make: () => valueOutcome(pending.until ?? 0) }];
    case 'uuid':
      return [{ label: '', make: (k) => valueOutcome(k.fresh(TYPE.text, 'uuid()')) }];
    case 'random':
      return [{ label: '', make: (k) => valueOutcome(k.fresh(TYPE.number, 'random()', CHANCE)) }];
    case 'worktree':
      return worktreeWays(facts);
    case 'schema':
      return [
        { label: 'fits the schema', make: () => valueOutcome(null) },
        { label: 'does not fit the schema', isFailure: true, make: () => valueOutcome('it does not fit') },
      ];
    case 'ask':
      return askWays(site);
    case 'approval':
      return [true, false].map((value) => ({
        label: value ? 'approved' : 'denied',
        isOutside: true,
        make: () => ({ kind: 'answer', value }),
      }));
    case 'signal':
      return [
        {
          label: 'arrives',
          isOutside: true,
          make: (k) => ({ kind: 'signal', name: facts.name ?? '', value: k.fresh(ANY_TYPE, site.label) }),
        },
      ];
    case 'tool':
      return toolWays(site);
    case 'agent':
      return facts.alternatives === undefined ? agentWays(site) : toolWays(site);
    case 'shell':
    case 'argv':
    case 'function':
      return site.instruction?.op === 'gate-command' ? gateWays(site.instruction, facts) : commandWays(site);
    default:
      throw new Error(`nothing is known about outcomes of ${pending.kind}`);
  }
}

const CHANCE: Partial<Facts> = { low: { at: 0, open: false }, high: { at: 1, open: true } };

function valueOutcome(value: Json): Happening {
  return { kind: 'outcome', outcome: { kind: 'value', value } };
}

/** Later than every deadline. */
const NEVER_MS = 8e15;

function clockWays({ instruction, pending }: Site): Way[] {
  const inTime: Way = { label: '', make: () => valueOutcome(0) };
  if (instruction?.op !== 'wait-turn' || pending.purpose !== 'clock') return [inTime];
  return [
    { ...inTime, label: 'in time' },
    { label: 'the time is over', isTime: true, make: () => valueOutcome(NEVER_MS) },
  ];
}

function worktreeWays({ action }: RequestFacts): Way[] {
  const commit = '0'.repeat(40);
  switch (action) {
    case 'snapshot':
      return [
        {
          label: '',
          make: (k) => {
            const text = k.fresh(TYPE.text, 'diff');
            // The list is only read as one text.
            const files = [k.fresh(TYPE.text, 'files')];
            return { kind: 'outcome', outcome: { kind: 'changed', commit, files, stdout: { text, bytes: 1 } } };
          },
        },
      ];
    case 'fork':
      return [{ label: '', make: () => valueOutcome({ directory: '/' }) }];
    case 'merge':
      return [{ label: '', make: () => valueOutcome({ commit }) }];
    default:
      return [{ label: '', make: () => valueOutcome(null) }];
  }
}

function askWays({ facts, label }: Site): Way[] {
  const { choices } = facts;
  const answer = (text: string, make: (k: Knowledge) => Json): Way => ({
    label: text,
    isOutside: true,
    make: (k) => ({ kind: 'answer', value: make(k) }),
  });
  if (choices === null || choices === undefined) return [answer('', (k) => k.fresh(TYPE.text, label))];
  return choices.map((choice) => answer(`= ${JSON.stringify(choice)}`, () => choice));
}

// ---- commands ---------------------------------------------------------------------------------------

interface Exit {
  readonly text: string;
  readonly exit: number;
  readonly stderr?: string;
  readonly is_error?: boolean;
}

function exitOutcome({ text, exit, stderr = '', ...more }: Exit): Happening {
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

const timedOut: Way = {
  label: 'times out',
  isFailure: true,
  isTime: true,
  make: () => ({
    kind: 'outcome',
    outcome: { kind: 'timed-out', timeout_ms: 0, stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: 0 },
  }),
};

type Decoded = Extract<Instruction, { op: 'shell' | 'argv' | 'function' | 'agent' }>;

const isDecoded = (one: Instruction | undefined): one is Decoded =>
  one?.op === 'shell' || one?.op === 'argv' || one?.op === 'function' || one?.op === 'agent';

/** The output with an unknown value, so that the instruction decodes it as that value. */
function printedBy(k: Knowledge, instruction: Instruction | undefined, label: string): string {
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

/** Exit codes that the program tells apart are unknown numbers; the interpreter passes them on as they are. */
function unknownExit(k: Knowledge, label: string, from: number, not: readonly number[]): number {
  const bounds = { whole: true as const, low: { at: from, open: false }, high: { at: 255, open: false } };
  const exit = k.fresh(
    TYPE.number,
    `exit_code(${label})`,
    not.length === 0 ? bounds : { ...bounds, not: not.map(String) },
  );
  return exit as unknown as number;
}

function commandWays({ facts, instruction, label, state }: Site): Way[] {
  const ways: Way[] = [];
  const { ok = [0] } = facts;
  const readsExit = isDecoded(instruction) && instruction.bind?.exitSlot !== undefined;
  if (ok === 'any')
    ways.push({
      label: '',
      make: (k) =>
        exitOutcome({ text: printedBy(k, instruction, label), exit: readsExit ? unknownExit(k, label, 0, []) : 0 }),
    });
  else
    for (const exit of readsExit ? ok : ok.slice(0, 1))
      ways.push({
        label: exit === 0 ? '' : `exit ${exit}`,
        make: (k) => exitOutcome({ text: printedBy(k, instruction, label), exit }),
      });
  ways.push(...bodyAnswers(state));
  ways.push(...commandFailures({ facts, instruction, label }));
  return ways;
}

function commandFailures({ facts, instruction, label }: Pick<Site, 'facts' | 'instruction' | 'label'>): Way[] {
  const { ok = [0] } = facts;
  const ways: Way[] = [];
  const retried = isDecoded(instruction) && Array.isArray(instruction.retryOn) ? instruction.retryOn : [];
  const codes = retried.filter((one): one is number => typeof one === 'number' && (ok === 'any' || !ok.includes(one)));
  if (ok === 'any')
    ways.push({
      label: 'cannot be started',
      isFailure: true,
      make: (k) => ({
        kind: 'outcome',
        outcome: { kind: 'not-started', reason: k.fresh(TYPE.text, `error of ${label}`) },
      }),
    });
  else {
    ways.push({
      label: 'fails',
      isFailure: true,
      make: (k) =>
        exitOutcome({
          text: '',
          exit: unknownExit(k, label, 1, [...ok, ...codes]),
          stderr: k.fresh(TYPE.text, `error of ${label}`, { not: ['""'] }),
        }),
    });
    for (const exit of codes)
      ways.push({
        label: `fails with exit ${exit}`,
        isFailure: true,
        make: () => exitOutcome({ text: '', exit, stderr: 'failed' }),
      });
  }
  const decoding = isDecoded(instruction) ? instruction.reading : 'none';
  const exit = Array.isArray(ok) ? (ok[0] as number) : 0;
  if (decoding === 'check' || decoding === 'check-named' || decoding === 'capture')
    ways.push({ label: 'prints nothing', isFailure: true, make: () => exitOutcome({ text: '', exit }) });
  if (facts.hasTimeout) ways.push(timedOut);
  return ways;
}

/** Commands in the body of a step may print the answer that the step needs. */
function bodyAnswers({ code }: State): Way[] {
  const types = new Set(
    code.flatMap((one) => (one.op === 'step-collect' && one.plan.work === 'body' ? [one.plan.type] : [])),
  );
  const printed: string[] = [];
  if (types.has('validate')) printed.push('true', 'false');
  if (types.has('split')) printed.push(...tasks(2));
  return printed.map((text) => ({ label: `prints ${text}`, make: () => exitOutcome({ text, exit: 0 }) }));
}

/** Lists of tasks of every explored length. */
function tasks(longest: number): string[] {
  return Array.from({ length: longest + 1 }, (_, length) =>
    JSON.stringify(Array.from({ length }, (__, at) => ({ name: `task-${at + 1}`, description: `task ${at + 1}` }))),
  );
}

function agentWays({ facts, instruction, label, longest }: Site): Way[] {
  const answerOf = (text: string): Happening => exitOutcome({ text, exit: 0, is_error: false });
  const ways: Way[] = [];
  switch (facts.answerFile) {
    case 'plan.json':
      tasks(longest).forEach((text, count) => {
        ways.push({ label: `${count} task${count === 1 ? '' : 's'}`, make: () => answerOf(text) });
      });
      ways.push({ label: 'answers with no tasks', isFailure: true, make: () => answerOf('?') });
      break;
    case 'validate.json':
      for (const verdict of ['true', 'false']) ways.push({ label: `= ${verdict}`, make: () => answerOf(verdict) });
      ways.push({ label: 'answers with no verdict', isFailure: true, make: () => answerOf('?') });
      break;
    default:
      ways.push({ label: '', make: (k) => answerOf(printedBy(k, instruction, label)) });
  }
  ways.push({
    label: 'fails',
    isFailure: true,
    make: (k) =>
      exitOutcome({ text: k.fresh(TYPE.text, `error of ${label}`, { not: ['""'] }), exit: 0, is_error: true }),
  });
  if (facts.hasGuards === true)
    ways.push({
      label: 'reaches its limit',
      isFailure: true,
      make: () => ({
        kind: 'outcome',
        outcome: {
          kind: 'exited',
          exit: 0,
          stdout: { text: '', bytes: 0 },
          stderr: '',
          duration_ms: 0,
          guard: { name: 'max_turns', message: 'the limit is reached' },
        },
      }),
    });
  const decoding = isDecoded(instruction) ? instruction.reading : 'none';
  if (decoding === 'check' || decoding === 'check-named' || decoding === 'capture')
    ways.push({ label: 'prints nothing', isFailure: true, make: () => answerOf('') });
  if (facts.hasTimeout) ways.push(timedOut);
  return ways;
}

function gateWays({ gate, least }: Extract<Instruction, { op: 'gate-command' }>, { hasTimeout }: RequestFacts): Way[] {
  const text = gate.kind === 'coverage' ? `${least ?? 100} %` : '1 passed';
  return [
    { label: 'passes', make: () => exitOutcome({ text, exit: 0 }) },
    { label: 'does not pass', isFailure: true, make: () => exitOutcome({ text: '', exit: 1, stderr: 'failed' }) },
    ...(hasTimeout ? [timedOut] : []),
  ];
}

// ---- tools ------------------------------------------------------------------------------------------

function toolWays({ facts, label }: Site): Way[] {
  const { alternatives = 0, ok = [0], isPlanCheck, hasSchema, hasTimeout } = facts;
  const unfit: Way = {
    label: 'does not fit the schema',
    isFailure: true,
    make: () => ({ kind: 'outcome', outcome: { kind: 'value', value: null, invalid: 'it does not fit' } }),
  };
  if (isPlanCheck === true) return [{ label: 'fits the schema', make: () => valueOutcome(null) }, unfit];
  const ways: Way[] = [{ label: '', make: (k) => valueOutcome(k.fresh(ANY_TYPE, label)) }];
  for (let arm = 1; arm < alternatives; arm++)
    ways.push({
      label: `alternative ${arm + 1}`,
      make: (k) => valueOutcome({ _path: arm, _output: k.fresh(ANY_TYPE, label) }),
    });
  if (ok !== 'any')
    for (const exit of ok)
      if (exit !== 0)
        ways.push({ label: `exit ${exit}`, make: () => exitOutcome({ text: '', exit, stderr: 'failed' }) });
  ways.push({
    label: 'fails',
    isFailure: true,
    make: (k) => ({ kind: 'outcome', outcome: { kind: 'failed', message: k.fresh(TYPE.text, `error of ${label}`) } }),
  });
  if (hasSchema === true) ways.push(unfit);
  if (hasTimeout) ways.push(timedOut);
  return ways;
}
