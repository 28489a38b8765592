/**
 * The one pretended world: nothing is started, no real time passes, and nothing is left to chance. Readers give what happens:
 * of a record (a cassette, or the run to which a fault is added), or of answers (the file of a mock, the lines of a test, a
 * script).
 */
import type { Outcome, TokenCounts } from '../interpreter/events/event.js';
import { WORK_EFFECTS } from '../interpreter/events/status-after.js';
import type {
  AgentRequest,
  ArgvRequest,
  FunctionRequest,
  ShellRequest,
  TimerRequest,
  ToolRequest,
} from '../interpreter/request.js';
import { printJson } from '../interpreter/values/json.js';
import type { Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { unreachable } from '../prelude/unreachable.js';
import type { EffectContext, Effects, PerformedRequest } from './effect-context.js';
import { VIRTUAL_START, type VirtualTime } from './virtual-time.js';

export interface WorldClock {
  /** Milliseconds since the epoch. */
  read(): number;
  wait(request: TimerRequest, context: EffectContext): Outcome | Promise<Outcome>;
}

/** `isEndless`: whether a timer that is due does not end, and never. */
export function virtualClock(time: VirtualTime, isEndless?: () => boolean): WorldClock {
  return {
    read: () => time.now,
    wait: ({ until, ms }, { stop }) =>
      time.sleep(until ?? time.now + (ms ?? 0), stop, 0, isEndless).then(() => ({ kind: 'value', value: time.now })),
  };
}

/** A clock that stands still, but for timers, which move it to their end at once. */
function steppedClock(now: number): WorldClock {
  return {
    read: () => now,
    wait({ until, ms }) {
      now = Math.max(now, until ?? now + (ms ?? 0));
      return { kind: 'value', value: now };
    },
  };
}

interface PretendedWorldOptions {
  /** What the record of another run says of a request, of whatever kind; null: nothing. */
  readonly recall?: (request: PerformedRequest, context: EffectContext) => Outcome | Promise<Outcome> | null;
  /** Null: time passes as in the world. */
  readonly clock: WorldClock | null;
  /** What is left to chance; null: it comes from the world. */
  readonly chance: { uuid(): string; random(): number } | null;
  /** The answer to a request for work; null: it is a request of the others. */
  answer(request: AnsweredRequest, context: EffectContext): Outcome | Promise<Outcome> | null;
  /** Schemas, worktrees, and what has no answer. */
  readonly others: Effects;
}

export function pretendedWorld({ recall, clock, chance, answer, others }: PretendedWorldOptions): Effects {
  return {
    perform(request, context) {
      const known = recall?.(request, context) ?? null;
      if (known !== null) return known;
      switch (request.kind) {
        case 'clock':
        case 'uuid':
        case 'random': {
          const value = request.kind === 'clock' ? clock?.read() : chance?.[request.kind]();
          return value === undefined ? others.perform(request, context) : { kind: 'value', value };
        }
        case 'timer':
          return clock?.wait(request, context) ?? others.perform(request, context);
        case 'schema':
        case 'worktree':
          return others.perform(request, context);
        case 'shell':
        case 'argv':
        case 'function':
        case 'agent':
        case 'tool':
          return answer(request, context) ?? others.perform(request, context);
        default:
          return unreachable(request);
      }
    },
  };
}

/** How a request ended, as a record has it. */
interface RecordedEnd {
  /** Null: it was stopped, or never ended. */
  readonly outcome: Outcome | null;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  /** Of ends at the same time, the smaller one is first. */
  readonly rank?: number;
}

/** Ends a request when its record says. */
export function endAsRecorded(
  { outcome, endedAt, rank = 0 }: RecordedEnd,
  time: VirtualTime,
  stop: AbortSignal,
): Promise<Outcome> {
  return time
    .sleep(outcome === null ? Number.POSITIVE_INFINITY : endedAt, stop, rank)
    .then(() => outcome ?? { kind: 'not-started', reason: 'it was stopped' });
}

export const numberedId = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** A request that a script can answer. */
export type AnsweredRequest = ShellRequest | ArgvRequest | FunctionRequest | AgentRequest | ToolRequest;

export function isAnswered(request: PerformedRequest): request is AnsweredRequest {
  return WORK_EFFECTS.has(request.kind);
}

export interface GivenAnswer {
  /** `timeout` ends at the time limit of the request, and `hang` ends only when the request is stopped. */
  readonly result: Outcome | 'timeout' | 'hang';
  readonly afterMs?: number;
  /** US dollars. */
  readonly cost?: number;
  readonly tokens?: number;
}

/** Performs an answer. Without `time`, it takes no time at all. */
export function performAnswer(
  given: GivenAnswer,
  request: Pick<AnsweredRequest, 'timeoutMs' | 'idleMs' | 'delayMs'>,
  time: VirtualTime | null,
  stop: AbortSignal,
): Outcome | Promise<Outcome> {
  const { idleMs, delayMs } = request;
  // An answer comes at once when its time has come: until then its author is silent.
  const isSilent = idleMs !== undefined && idleMs < (request.timeoutMs ?? Number.POSITIVE_INFINITY);
  const timeoutMs = isSilent ? idleMs : request.timeoutMs;
  const isHanging = given.result === 'hang' && timeoutMs === null;
  const afterMs = given.result === 'hang' || given.result === 'timeout' ? (timeoutMs ?? 0) : (given.afterMs ?? 0);
  const isLate = timeoutMs !== null && afterMs > timeoutMs;
  const outcome =
    typeof given.result === 'string' || isLate ? timedOut(timeoutMs, isSilent, given) : withCost(given.result, given);
  const waitMs = isHanging ? Number.POSITIVE_INFINITY : delayMs + (isLate ? (timeoutMs as number) : afterMs);
  if (time === null || waitMs === 0) return outcome;
  const lasting = outcome.kind === 'exited' ? { ...outcome, duration_ms: waitMs - delayMs } : outcome;
  return time.sleep(time.now + waitMs, stop).then(() => lasting);
}

function timedOut(timeoutMs: number | null, isSilent: boolean, given: GivenAnswer): Outcome {
  // A request without a limit of its own cannot run out of time, but its author wants to see what follows from that.
  if (timeoutMs === null) return { kind: 'failed', error_type: 'timeout', message: 'timed out' };
  const output = { stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: timeoutMs };
  const silent = isSilent ? { silent: { heard: '' } } : {};
  return { kind: 'timed-out', timeout_ms: timeoutMs, ...silent, ...output, ...factsOf(given) };
}

/** Only what was printed has a cost, so a value with a cost is printed as JSON, as agents do. */
function withCost(outcome: Outcome, given: GivenAnswer): Outcome {
  const facts = factsOf(given);
  if (Object.keys(facts).length === 0) return outcome;
  if (outcome.kind === 'value') return { ...outputOf(textOf(outcome.value)), ...facts };
  if (outcome.kind === 'failed') return { ...outputOf('', outcome.exit ?? 1, outcome.message), ...facts };
  return outcome.kind === 'exited' ? { ...outcome, ...facts } : outcome;
}

function factsOf({ cost, tokens }: GivenAnswer): { readonly cost?: number; readonly tokens?: TokenCounts } {
  return omitUndefined({
    cost: cost ?? (tokens === undefined ? undefined : 0),
    tokens: tokens === undefined ? undefined : { in: 0, out: tokens, cache_read: 0, cache_write: 0 },
  });
}

/** The outcome of a program that printed a text. */
export function outputOf(text: string, exit = 0, stderr = ''): Extract<Outcome, { kind: 'exited' }> {
  return { kind: 'exited', exit, stdout: { text, bytes: Buffer.byteLength(text) }, stderr, duration_ms: 0 };
}

/** A text is the output of a command or an agent; other values are the result itself, as are those of a tool. */
export function valueOutcome(value: Json, isTool: boolean): Outcome {
  return typeof value === 'string' && !isTool ? outputOf(value) : { kind: 'value', value };
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : printJson(value as Value);
}

/** What one answer for all calls, or a list with one for each, has for a call, by its number from 0. `source`: what messages call it. */
export function answerToCall<T>(
  given: T | readonly T[],
  call: number,
  source: string,
  name: string | null,
): { readonly answer: T } | { readonly reason: string } {
  if (!Array.isArray(given)) return { answer: given as T };
  const answer = given[call] as T | undefined;
  if (answer !== undefined) return { answer };
  const count = given.length === 1 ? 'one answer' : `${given.length} answers`;
  return { reason: `${source} has ${count}${name === null ? '' : ` for \`${name}\``}, but this is call ${call + 1}` };
}

/** Answers by name. `source`: what messages call it. */
export class NamedAnswers<T> {
  private readonly calls = new Map<string, number>();

  constructor(private readonly source: string) {}

  /** The answer to the next call of a name, or why there is none. `key`: what counts the calls, if not the name. */
  next(given: T | readonly T[], name: string, key = name): { readonly answer: T } | { readonly reason: string } {
    const call = this.calls.get(key) ?? 0;
    this.calls.set(key, call + 1);
    return answerToCall(given, call, `the ${this.source}`, name);
  }

  hasUsed(key: string): boolean {
    return this.calls.has(key);
  }
}

/** A text (the output), another JSON value, a complete outcome, or a function that returns one of these. */
export type ScriptedAnswer = Json | { readonly outcome: Outcome } | ((request: PerformedRequest) => Json | Outcome);

/** Answers by the text of a command, by its program, or by the name of an agent. Answers in a list are used in order. */
export interface Script {
  readonly [name: string]: ScriptedAnswer | readonly ScriptedAnswer[];
}

/** Timers end at once and move the clock to their end. Random numbers are always the same. */
export function scriptedEffects(script: Script = {}): Effects {
  const answers = new NamedAnswers<ScriptedAnswer>('script');
  let identifiers = 0;
  return pretendedWorld({
    clock: steppedClock(VIRTUAL_START),
    chance: { uuid: () => numberedId(identifiers++), random: () => 0.5 },
    answer(request) {
      const names = [request.text, request.tool, request.kind === 'agent' ? request.agent : null];
      const name = names.find((one) => typeof one === 'string' && Object.hasOwn(script, one)) ?? null;
      if (name === null) return { kind: 'not-started', reason: `the script has no answer for \`${request.text}\`` };
      const next = answers.next(script[name] as ScriptedAnswer | readonly ScriptedAnswer[], name);
      return 'reason' in next ? { kind: 'not-started', ...next } : scriptedOutcome(next.answer, request);
    },
    others: {
      perform: ({ kind }) =>
        kind === 'schema'
          ? { kind: 'value', value: null }
          : { kind: 'failed', message: 'scripted effects have no worktree' },
    },
  });
}

function scriptedOutcome(answer: ScriptedAnswer, request: PerformedRequest): Outcome {
  const given = typeof answer === 'function' ? answer(request) : answer;
  if (given !== null && typeof given === 'object' && 'outcome' in given) return given.outcome as Outcome;
  return isOutcome(given) ? given : valueOutcome(given as Json, false);
}

function isOutcome(value: Json | Outcome): value is Outcome {
  const kinds = ['exited', 'value', 'timed-out', 'not-started', 'failed'];
  return value !== null && typeof value === 'object' && 'kind' in value && kinds.includes(String(value.kind));
}
