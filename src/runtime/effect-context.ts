/**
 * What performs the requests of a run, and what it is given besides a request. Effects from a script implement it for
 * tests of programs: nothing is started and no time passes, and what the script does not answer fails.
 */
import type { Outcome } from '../interpreter/events/event.js';
import type { AskRequest, EffectRequest, SignalRequest } from '../interpreter/request.js';
import type { Json } from '../machine/expression.js';
import { unreachable } from '../prelude/unreachable.js';
import type { PipePool } from './process/pipes.js';
import type { OutputStore, Scratch } from './process/scratch.js';
import type { StopSignal } from './stop-signal.js';
import type { RunWorktrees } from './worktree/run-worktrees.js';

/** A text (the output), another JSON value, a complete outcome, or a function that returns one of these. */
export type ScriptedAnswer = Json | { readonly outcome: Outcome } | ((request: PerformedRequest) => Json | Outcome);

/** Answers by the text of a command, by its program, or by the name of an agent. Answers in a list are used in order. */
export interface Script {
  readonly [name: string]: ScriptedAnswer | readonly ScriptedAnswer[];
}

/** Milliseconds since the epoch at the start of every scripted run. */
const START = Date.UTC(2000, 0, 1);

/** Timers end at once and move the clock to their end. Random numbers are always the same. */
export function scriptedEffects(script: Script = {}): Effects {
  const calls = new Map<string, number>();
  let now = START;
  let identifiers = 0;
  return {
    perform(request) {
      switch (request.kind) {
        case 'clock':
          return { kind: 'value', value: now };
        case 'timer':
          now = Math.max(now, request.until ?? now + (request.ms ?? 0));
          return { kind: 'value', value: now };
        case 'uuid':
          return { kind: 'value', value: `00000000-0000-7000-8000-${String(identifiers++).padStart(12, '0')}` };
        case 'random':
          return { kind: 'value', value: 0.5 };
        case 'schema':
          return { kind: 'value', value: null };
        case 'worktree':
          return { kind: 'failed', message: 'scripted effects have no worktree' };
        case 'shell':
        case 'argv':
        case 'function':
        case 'agent':
        case 'tool':
          return answerOf(request, script, calls);
        default:
          return unreachable(request);
      }
    },
  };
}

type AnsweredRequest = Extract<PerformedRequest, { kind: 'shell' | 'argv' | 'function' | 'agent' | 'tool' }>;

function answerOf(request: AnsweredRequest, script: Script, calls: Map<string, number>): Outcome {
  const names = [request.text, request.tool, request.kind === 'agent' ? request.agent : null];
  const name = names.find((candidate) => typeof candidate === 'string' && Object.hasOwn(script, candidate));
  if (typeof name !== 'string')
    return { kind: 'not-started', reason: `the script has no answer for \`${request.text}\`` };
  const given = script[name] as ScriptedAnswer | readonly ScriptedAnswer[];
  if (!Array.isArray(given)) return toOutcome(given as ScriptedAnswer, request);
  const call = calls.get(name) ?? 0;
  calls.set(name, call + 1);
  const answer = given[call] as ScriptedAnswer | undefined;
  if (answer === undefined)
    return {
      kind: 'not-started',
      reason: `the script has ${given.length === 1 ? 'one answer' : `${given.length} answers`} for \`${name}\`, but this is call ${given.length + 1}`,
    };
  return toOutcome(answer, request);
}

function toOutcome(answer: ScriptedAnswer, request: PerformedRequest): Outcome {
  const given = typeof answer === 'function' ? answer(request) : answer;
  if (typeof given === 'string')
    return {
      kind: 'exited',
      exit: 0,
      stdout: { text: given, bytes: Buffer.byteLength(given) },
      stderr: '',
      duration_ms: 0,
    };
  if (given !== null && typeof given === 'object' && 'outcome' in given) return given.outcome as Outcome;
  return isOutcome(given) ? given : { kind: 'value', value: given as Json };
}

function isOutcome(value: Json | Outcome): value is Outcome {
  const kinds = ['exited', 'value', 'timed-out', 'not-started', 'failed'];
  return value !== null && typeof value === 'object' && 'kind' in value && kinds.includes(String(value.kind));
}

/** Every request except questions and signals, which no program answers. */
export type PerformedRequest = Exclude<EffectRequest, AskRequest | SignalRequest>;
export interface Effects {
  /**
   * Performs a request. An immediate outcome may be returned without a promise. After `context.stop` is aborted the outcome
   * no longer matters, but it must not come before everything that was started has ended.
   */
  perform(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome>;
}

/** Limits how many effects are performed at the same time, by all runs that share it. */
export interface EffectPermits {
  /** Resolves with a function that returns the permit, when one is free; with null if stopped before. */
  take(stop: StopSignal): Promise<(() => void) | null>;
}

/** State that the effects of one run share. */
export interface RunResources {
  readonly outputs: OutputStore;
  readonly scratch: Scratch;
  readonly pipes: PipePool;
  /** The process groups that are running. */
  readonly groups: Set<number>;
  /** Null: the run works in the directory in which it was started. */
  readonly worktrees: RunWorktrees | null;
  /** The folder for what a later process of the run has to know; it is made when it is needed. Null: nothing is kept. */
  readonly runFolder: (() => string) | null;
  /** Registers a function that ends something at the end of the run. */
  onEnd(close: () => Promise<void>): void;
  /** Records a process on disk, so that a later process finds what a killed runner left behind. */
  recordProcess(record: Readonly<Record<string, Json>>): void;
}

/** Facts about the run of an effect. */
export interface RunContext {
  readonly runId: string;
  /** The working directory of the run, absolute. */
  readonly cwd: string;
  /** The folder of the program's file, as an absolute path. */
  readonly programDir?: string | undefined;
  /** The directories, absolute, in which tools with relative paths are looked for, in this order; absent: `cwd`. */
  readonly toolFolders?: readonly string[];
  /** Aborted when the run is stopped. End everything that was started, then return any outcome; it is ignored. */
  readonly stop: AbortSignal;
  /** Aborted when the outcome is no longer needed for another reason than `stop`. */
  readonly unwanted?: AbortSignal;
  /** Call it with output as soon as it arrives. Secrets are replaced. Null if output is not displayed. */
  readonly show: ((bytes: Uint8Array, stream: 'stdout' | 'stderr') => void) | null;
  /** Call it with what a person should know while the effect is performed. Secrets are replaced. Absent if notices are not displayed. */
  readonly notice?: ((text: string) => void) | undefined;
}

export interface EffectContext extends RunContext {
  readonly resources: RunResources;
}
