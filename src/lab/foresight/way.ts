/** One way in which something that a run waits for can end, and what such ways are made of. */
import type { BrokenGuard, Outcome, PipeMember } from '../../interpreter/events/event.js';
import type { EffectRequest } from '../../interpreter/request.js';
import type { Pending } from '../../interpreter/run-state/pending.js';
import type { Json } from '../../machine/expression.js';
import type { Instruction, LimitScope, State } from '../../machine/machine.js';
import { type Knowledge, mentionsUnknown } from './unknown/knowledge.js';
import { ANY_TYPE, TYPE } from './unknown/known-facts.js';

/** What happens: an outcome, an answer of a person, a signal, or a LIMIT that ends the run. */
export type Happening =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'answer'; readonly value: Json }
  | { readonly kind: 'signal'; readonly name: string; readonly value: Json }
  | { readonly kind: 'limit'; readonly scope: LimitScope };

export interface Way {
  /** For people: `fails`, `exit 2`; empty where the value says it. */
  readonly label: string;
  readonly isFailure?: true;
  /** Time passes. */
  readonly isTime?: true;
  /** How much at least, in milliseconds; absent: it is not known. */
  readonly takesMs?: number;
  /** A LIMIT ends the run. */
  readonly limit?: LimitScope;
  /** The list of which this is one length of those that are explored. */
  readonly list?: string;
  /** Whether that is the greatest of them. */
  readonly isLongest?: true;
  /** A person or another program acts. */
  readonly isOutside?: true;
  readonly rare?: Rare;
  readonly make: (k: Knowledge) => Happening;
}

export interface Site {
  readonly facts: RequestFacts;
  readonly pending: Pick<Pending, 'kind' | 'purpose' | 'until'>;
  readonly instruction: Instruction | undefined;
  readonly state: State;
  /** The longest list of tasks that is explored. */
  readonly longest: number;
  /** The names of tasks that the program mentions. */
  readonly taskNames: readonly string[];
  /** Whether a call of this agent may be stopped by a limit of its own. */
  readonly isLimited: (agent: string) => boolean;
  /** What the program reads of answers in steps and of failures. */
  readonly looked: { readonly comments: boolean; readonly files: boolean; readonly tool: boolean };
  /** How people call the value. */
  readonly label: string;
}

export function valueOutcome(value: Json): Happening {
  return { kind: 'outcome', outcome: { kind: 'value', value } };
}

interface Exit {
  readonly text: string;
  readonly exit: number;
  readonly stderr?: string;
  readonly is_error?: boolean;
  readonly invalid?: string;
  readonly guard?: BrokenGuard;
  readonly pipe?: readonly PipeMember[];
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

/** What is known of the exit code of a process. */
interface Exits {
  readonly from?: number;
  readonly among?: readonly number[];
  readonly not?: readonly number[];
  /** A signal may have ended it, or it never started: there is no exit code. */
  readonly orNone?: true;
}

/** Exit codes that the program tells apart are unknown numbers; the interpreter passes them on as they are. */
export function unknownExit(k: Knowledge, label: string, { from = 0, among, not = [], orNone }: Exits): number {
  const text = `exit_code(${label})`;
  const types = TYPE.number | (orNone === true ? TYPE.null : 0);
  if (among !== undefined) {
    const codes = among.filter((one) => !not.includes(one)).map(String);
    const all = orNone === true ? ['null', ...codes] : codes;
    return k.fresh(types, text, { whole: true, among: all }) as unknown as number;
  }
  const interval = { whole: true as const, low: { at: from, open: false }, high: { at: 255, open: false } };
  return k.fresh(types, text, not.length === 0 ? interval : { ...interval, not: not.map(String) }) as unknown as number;
}

/** A failure with an exit code: one way for each code that `retry_on` names, and one for all others. */
export function failedWays(
  { instruction, label }: Pick<Site, 'instruction' | 'label'>,
  exits: Exits,
  way: { readonly label: string; readonly make: (k: Knowledge, exit: number) => Happening },
): Way[] {
  const { from = 0, among, not = [] } = exits;
  const options = isDecoded(instruction) ? instruction : instruction?.op === 'plan' ? instruction.call : undefined;
  const retryOn = Array.isArray(options?.retryOn) ? (options.retryOn as readonly (string | number)[]) : [];
  const codes = retryOn.filter(
    (one): one is number =>
      typeof one === 'number' && !not.includes(one) && (among === undefined ? one >= from : among.includes(one)),
  );
  return [
    {
      label: way.label,
      isFailure: true,
      make: (k) => way.make(k, unknownExit(k, label, { ...exits, not: [...not, ...codes] })),
    },
    ...codes.map(
      (code): Way => ({ label: `${way.label} with exit ${code}`, isFailure: true, make: (k) => way.make(k, code) }),
    ),
  ];
}

export const timedOut = ({ timeoutMs }: Pick<RequestFacts, 'timeoutMs'>): Way => ({
  label: 'times out',
  isFailure: true,
  isTime: true,
  ...(timeoutMs === undefined ? {} : { takesMs: timeoutMs }),
  make: () => ({
    kind: 'outcome',
    outcome: { kind: 'timed-out', timeout_ms: 0, stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: 0 },
  }),
});

/** What is refused, or is more than a run can hold, before or after it was done. */
export function rareFailure(rare: Rare, label: string, make: (k: Knowledge) => Happening): Way {
  return { label, rare, isFailure: true, make };
}

/** A failure of a kind, with words that nobody knows. */
export function failureOfKind(k: Knowledge, kind: string, label: string, exit?: number): Happening {
  const message = k.fresh(TYPE.text, `error of ${label}`, { not: ['""'] });
  return {
    kind: 'outcome',
    outcome: { kind: 'failed', error_type: kind, message, ...(exit === undefined ? {} : { exit }) },
  };
}

/** The process of the run ended during a call that must not run twice. */
export const inDoubt: Way = {
  label: 'may already have run',
  isFailure: true,
  make: () => ({
    kind: 'outcome',
    outcome: { kind: 'failed', error_type: 'in_doubt', message: 'it may already have run, and must not run twice' },
  }),
};

type Decoded = Extract<Instruction, { op: 'shell' | 'argv' | 'function' | 'agent' }>;

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
export function tasks({ longest, taskNames, looked }: Pick<Site, 'longest' | 'taskNames' | 'looked'>): {
  readonly length: number;
  readonly print: (k: Knowledge) => string;
  readonly about: Pick<Way, 'list' | 'isLongest'>;
}[] {
  const print = (k: Knowledge, length: number, withFiles: boolean): string =>
    JSON.stringify(
      Array.from({ length }, (_, at) => ({
        name: taskNames[at] ?? `task-${at + 1}`,
        description: k.fresh(TYPE.text, `description of task ${at + 1}`),
        ...(withFiles ? { files: [k.fresh(TYPE.text, `file of task ${at + 1}`)] } : {}),
      })),
    );
  return Array.from({ length: longest + 1 }, (_, length) => {
    const about = { list: 'tasks', ...(length === longest ? { isLongest: true as const } : {}) };
    const withFiles = looked.files && length > 0 ? [false, true] : [false];
    return withFiles.map((one) => ({ length, about, print: (k: Knowledge) => print(k, length, one) }));
  }).flat();
}

/** The answer of a validation. */
export function verdictBy(k: Knowledge, { looked, label }: Pick<Site, 'looked' | 'label'>, pass: boolean): string {
  return looked.comments
    ? JSON.stringify({ pass, comments: k.fresh(TYPE.text, `comments of ${label}`) })
    : String(pass);
}

/** What an outcome depends on of a request, as long as it is open. */
export interface RequestFacts {
  readonly kind: Pending['kind'];
  readonly text: string;
  readonly state: string;
  readonly line: number;
  readonly tool: string | null;
  /** Other programs that may be the failing members of its pipes. */
  readonly piped?: readonly string[];
  readonly ok?: readonly number[] | 'any';
  readonly hasTimeout: boolean;
  /** Absent: it has none, or one of idle time. */
  readonly timeoutMs?: number;
  /** It must not run twice. */
  readonly isOnce?: boolean;
  /** The agent that is called, which is not always the tool. */
  readonly agent?: string;
  readonly answerFile?: string;
  readonly alternatives?: number;
  readonly choices?: readonly string[] | null;
  readonly name?: string;
  readonly action?: string;
  readonly isPlanCheck?: boolean;
  readonly hasGuards?: boolean;
  /** Whether unknown values are parts of what is passed on, which may not fit there. */
  readonly hasValues?: boolean;
  readonly hasSchema?: boolean;
  /** Where the result is written first, as programs name it. */
  readonly output?: string;
  /** It is a program, and its output must be JSON. */
  readonly printsResult?: boolean;
  /** It is a function of a module, which gives failures codes of its own and any value of JavaScript as its result. */
  readonly isFunction?: boolean;
}

export function requestFacts(request: EffectRequest): RequestFacts {
  const common = {
    kind: request.kind,
    text: request.kind as string,
    state: '',
    line: 0,
    tool: null,
    hasTimeout: false,
  };
  switch (request.kind) {
    case 'shell':
    case 'argv':
    case 'function':
    case 'agent':
    case 'tool': {
      const { text, state, line, tool, ok = [0], timeoutMs, idleMs, once } = request;
      const facts = {
        kind: request.kind,
        text,
        state,
        line,
        tool,
        ok,
        hasTimeout: timeoutMs !== null || idleMs !== undefined,
        ...(timeoutMs === null || idleMs !== undefined ? {} : { timeoutMs }),
        ...(once ? { isOnce: true } : {}),
        ...(mentionsUnknown({ ...request, text: '', tool: '' }) ? { hasValues: true } : {}),
      };
      if (request.kind === 'shell') {
        const programs = (request.template.pipes ?? []).flatMap(({ members }) => members);
        const piped = [...new Set(programs)].filter((one) => one !== null && one !== tool) as string[];
        return piped.length === 0 ? facts : { ...facts, piped };
      }
      if (request.kind === 'tool') {
        const isPlanCheck = request.calls.kind === 'plan';
        const { alternatives, schema } = request.call;
        const output = alternatives[0]?.[0];
        const printsResult = request.calls.kind === 'run';
        const isFunction = request.calls.kind === 'module';
        return {
          ...facts,
          alternatives: alternatives.length,
          isPlanCheck,
          hasSchema: schema !== null,
          printsResult,
          isFunction,
          output: output ?? text,
        };
      }
      if (request.kind !== 'agent') return facts;
      const { agent, answerFile, call, guards } = request;
      return {
        ...facts,
        agent,
        ...(answerFile === undefined ? {} : { answerFile }),
        ...(call === undefined ? {} : { alternatives: call.alternatives.length, hasSchema: call.schema !== null }),
        hasGuards: guards !== undefined && Object.keys(guards).length > 0,
      };
    }
    case 'ask':
      return { ...common, text: request.question, choices: request.choices, name: request.name };
    case 'signal':
      return { ...common, text: request.name, name: request.name };
    case 'worktree':
      return { ...common, action: request.action.do };
    default:
      return common;
  }
}

/** In the order in which reports name them. */
const WORDS = {
  value_too_large: 'values over 16 MiB',
  nul: 'texts with NUL characters',
  merge_conflict: 'merge conflicts',
  worktree: 'failures of git',
} as const;

/**
 * What is left out of an exploration because it is rare, and can happen at almost every line: values that are too large, texts
 * that cannot be passed on, and trouble with git. What is claimed of all runs is explored a second time with it.
 */
export type Rare = keyof typeof WORDS;

export const RARE = Object.keys(WORDS) as readonly Rare[];

/** `values over 16 MiB and merge conflicts` */
export function rareWords(kinds: readonly Rare[]): string {
  const words: string[] = RARE.filter((one) => kinds.includes(one)).map((one) => WORDS[one]);
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}

const GROWING: ReadonlySet<string> = new Set([
  'set',
  'track',
  'emit',
  'return',
  'fail',
  'goto',
  'goto-dynamic',
  'unless',
  'undo',
]);

/**
 * Whether the program itself makes larger values of others in an instruction: of several, or with a function. A value with
 * some words beside it is as large as the value.
 */
export function makesLarger(instruction: Instruction): boolean {
  return GROWING.has(instruction.op) && grows(instruction);
}

function grows(value: unknown): boolean {
  if (Array.isArray(value)) return isText(value) || value.some(grows);
  if (typeof value !== 'object' || value === null) return false;
  const { op, operator, left, right } = value as Readonly<Record<string, unknown>>;
  if (op === 'const') return false;
  if (op === 'arithmetic' && operator === '+' && !isConstant(left) && !isConstant(right)) return true;
  if (op === 'call' && LONGER.has(String((value as { name?: unknown }).name))) return true;
  return Object.values(value).some(grows);
}

const LONGER: ReadonlySet<string> = new Set(['replace', 'json', 'range', 'join', 'split', 'lines', 'base64_encode']);

const isConstant = (value: unknown): boolean => (value as { op?: unknown } | undefined)?.op === 'const';

/** A template with several values. */
function isText(parts: readonly unknown[]): boolean {
  const isHole = (one: unknown): boolean =>
    typeof one === 'object' && one !== null && 'source' in one && 'value' in one;
  return parts.filter(isHole).length > 1;
}
