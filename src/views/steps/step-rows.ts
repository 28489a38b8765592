/**
 * Steps in a report: one row for each, with the cost of its own calls. Nested steps have rows of their own, so that the
 * sum of the rows is the total cost.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Attempt } from '../../runtime/record/record-facts.js';
import type { RunModel } from '../../runtime/record/run-model.js';
import type { AttemptStatus, StepAttempt, StepStory } from '../../runtime/record/step-stories.js';
import { type Spending, spendingOf } from '../report/undo-rows.js';

/** One step of a report. */
export interface StepRow extends Spending {
  readonly machine: string;
  readonly path: string;
  /** `code`, `split`, `validate`, `artifact` or `none`. */
  readonly type: string;
  /** The agent of its last attempt, or null. */
  readonly agent: string | null;
  readonly status: AttemptStatus;
  /** The number of its last attempt. */
  readonly attempt: number;
  /** All attempts, including those of earlier rounds of a loop and of before the run was resumed. */
  readonly attempts: number;
  readonly retries: number;
  /** Attempts by another agent than the previous one. */
  readonly escalations: number;
  /** The names of the limits that stopped the step's agents, one for each time. */
  readonly guards: readonly string[];
  /** Calls of tools that the programs of its agents did not allow. */
  readonly denied?: number;
  readonly gates: { readonly passed: number; readonly failed: number };
  /** Null if no call reported any. */
  readonly turns: number | null;
  readonly duration_ms: number;
  /** The step ran in another run, from which this one was copied. */
  readonly copied?: true;
}

interface MachineStories {
  readonly machine: string;
  readonly stories: StepStory[];
}

/** In the order of their first start. A step that occurs in several runs of a machine is one row. */
export function stepRows(runs: readonly { readonly facts: RunModel }[]): StepRow[] {
  const rows = new Map<string, MachineStories>();
  for (const { facts } of runs)
    for (const story of facts.steps.all.values()) {
      const key = JSON.stringify([facts.machine, story.path]);
      const known = rows.get(key);
      if (known === undefined) rows.set(key, { machine: facts.machine, stories: [story] });
      else known.stories.push(story);
    }
  return [...rows.values()].map(rowOf);
}

function rowOf({ machine, stories }: MachineStories): StepRow {
  const tries = stories.flatMap((story) => story.tries);
  const calls = tries.flatMap((one) => one.calls);
  const last = stories.at(-1) as StepStory;
  const current = last.tries.findLast(({ status }) => status !== 'undone') ?? last.tries.at(-1);
  const gates = tries.flatMap((one) => one.gates);
  return {
    machine,
    path: last.path,
    type: last.type,
    agent: current?.agent ?? null,
    status: last.status,
    attempt: current?.attempt ?? 0,
    attempts: tries.length,
    retries: tries.filter(({ retry }) => retry !== null).length,
    escalations: escalationsIn(stories),
    guards: calls.flatMap(guardOf),
    gates: { passed: gates.filter(({ pass }) => pass).length, failed: gates.filter(({ pass }) => !pass).length },
    ...spendingOf(calls),
    turns: turnsOf(calls),
    duration_ms: tries.reduce((total, { durationMs }) => total + (durationMs ?? 0), 0),
    ...omitUndefined({ copied: last.copied ? true : undefined }),
    ...deniedIn(calls),
  };
}

function deniedIn(calls: readonly Attempt[]): Pick<StepRow, 'denied'> {
  const denied = calls.reduce((total, { denied: some = [] }) => total + some.length, 0);
  return denied === 0 ? {} : { denied };
}

function escalationsIn(stories: readonly StepStory[]): number {
  const isEscalated = (one: StepAttempt, at: number, all: readonly StepAttempt[]): boolean =>
    one.retry !== null && one.agent !== (all[at - 1] ?? one).agent;
  return stories.reduce((total, { tries }) => total + tries.filter(isEscalated).length, 0);
}

function guardOf({ outcome }: Attempt): string[] {
  if (outcome === null || (outcome.kind !== 'exited' && outcome.kind !== 'timed-out')) return [];
  return outcome.guard === undefined ? [] : [outcome.guard.name];
}

/** Null: no call reported its turns. */
export function turnsOf(calls: readonly Attempt[]): number | null {
  const known = calls.flatMap(({ turns }) => (turns === undefined ? [] : [turns]));
  return known.length === 0 ? null : known.reduce((total, one) => total + one, 0);
}
