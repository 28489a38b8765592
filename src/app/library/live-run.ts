/** A run in the hands of a program that stores its record and performs its requests itself. */
import type { Outcome, RunEvent } from '../../interpreter/events/event.js';
import type { StoredLimits } from '../../interpreter/events/stored-limits.js';
import { exchange as exchangeWith, type Finished as FinishedEffect } from '../../interpreter/exchange.js';
import type { EffectRequest } from '../../interpreter/request.js';
import { link, openQuestions, type Run, startRun, valueOfAnswer } from '../../interpreter/run.js';
import type { Json } from '../../machine/expression.js';
import type { Machine as CompiledMachine, Limits } from '../../machine/machine.js';
import { possibleAnswers, wrongAnswer } from '../../runtime/run/apply-delivery.js';
import { fixedOptions, interpreterOptions } from '../../runtime/run/run-options.js';
import { digestOf, imageOf as imageOfRun, runOf as runOfImage } from '../../runtime/store/image.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { VERSION } from '../../runtime/version.js';
import type { Machine } from './compile-text.js';

declare const live: unique symbol;

/** A run in memory. Only `runOf` makes one. */
export interface LiveRun {
  readonly [live]: true;
}

/** All that another process needs to continue a run, besides its machine and its inputs. It is JSON. */
export interface RunImage {
  /** SHA-256 of the machine. */
  readonly digest: string;
  /** How long the run has been executing, in milliseconds. */
  readonly active_ms: number;
  readonly limits: StoredLimits;
  readonly snapshot: Json;
}

/** What decides which events a run produces. The same whenever its image is read. */
export interface LiveRunOptions {
  readonly inputs?: Readonly<Record<string, Json>>;
  /** How many members of a PARALLEL run at once. */
  readonly jobs?: number;
  /** The folder of the program's file, for `program_dir()`. */
  readonly programDir?: string;
  /** Limits that override those of the program. */
  readonly limits?: Limits;
}

/** How a request ended. */
export type Finished =
  | { readonly kind: 'outcome'; readonly effect: string; readonly outcome: Outcome }
  /** `by`: who answered the question, for the record. */
  | { readonly kind: 'answer'; readonly effect: string; readonly value: Json; readonly by: string };

/** What follows from what a run was given. */
export interface Exchange {
  /** `more`: call `exchange` again. `blocked`: it waits for its requests. `stopped`: it has ended. */
  readonly status: 'more' | 'blocked' | 'stopped';
  /** What is to be recorded before anything else is done. */
  readonly events: readonly RunEvent[];
  /** What the world is to do. */
  readonly requests: readonly EffectRequest[];
  /** Requests of an earlier exchange that are not needed anymore. */
  readonly cancelled: readonly string[];
}

/** Continues a run from its image, or begins one: null. Throws an `Error` if the image is of another machine. */
export function runOf(image: RunImage | null, machine: Machine, options: LiveRunOptions = {}): LiveRun {
  const compiled = machine as unknown as CompiledMachine;
  if (image !== null && image.digest !== digestOf(compiled)) throw new Error('the image is of another machine');
  const { inputs = {} } = options;
  const fixed = fixedOptions(compiled, options);
  const interpreter = interpreterOptions(compiled, fixed, { inputs, record: true, version: VERSION });
  const linked = link(compiled);
  const run = image === null ? startRun(linked, interpreter) : runOfImage(image, linked, interpreter);
  return run as unknown as LiveRun;
}

/** The image of a run between two exchanges. `activeMs`: how long it has been executing. */
export function imageOf(run: LiveRun, { activeMs = 0 }: { readonly activeMs?: number } = {}): RunImage {
  return imageOfRun(run as unknown as Run, { activeMs });
}

/**
 * Gives a run how one request ended, or nothing, and executes what follows. `transitions`: how many state changes it makes at
 * most before it returns with `more`. Only a `blocked` run may be given something, one thing at a time. Throws a `RunRefused`
 * if an answer is not one of the choices of its question, or neither approves nor denies.
 */
export function exchange(run: LiveRun, finished: Finished | null = null, transitions?: number): Exchange {
  const own = run as unknown as Run;
  return exchangeWith(own, finished === null ? null : fitting(own, finished), transitions);
}

/** An answer with its value as the run takes it. Throws a `RunRefused` if it does not fit its question. */
function fitting(run: Run, finished: Finished): FinishedEffect {
  const given = finished.kind === 'answer' || finished.outcome.kind === 'value';
  const question = openQuestions(run).find(({ effect }) => effect === finished.effect);
  if (question === undefined || (!given && question.kind === 'ask')) return finished;
  const answered =
    finished.kind === 'answer' ? finished.value : 'value' in finished.outcome ? finished.outcome.value : null;
  const value = valueOfAnswer(question, answered);
  if (value === undefined)
    throw new RunRefused('wrong-use', wrongAnswer(question, answered), possibleAnswers(question));
  return { kind: 'answer', effect: finished.effect, value, by: finished.kind === 'answer' ? finished.by : 'user' };
}
