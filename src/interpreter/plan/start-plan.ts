/** Starts the plan of an instruction, and makes it again from what a snapshot kept. */
import type { Json } from '../../machine/expression.js';
import type { Instruction } from '../../machine/machine.js';
import type { PlanPath } from '../../machine/plan.js';
import { writeData } from '../control/branch-data.js';
import type { ActivePlan } from '../run-state/open-plan.js';
import type { Run } from '../run-state/run-memory.js';
import type { Thread } from '../run-state/thread.js';
import { packValue, unpackValue } from '../values/json.js';
import { callOptions, type RunningPlan, runningPlan } from './active-plan.js';
import { initialData } from './engine/initial-data.js';
import { PlanEngine } from './engine/plan-engine.js';
import type { PlanEntry, PlanImage } from './engine/plan-entry.js';

export type PlanInstruction = Extract<Instruction, { op: 'plan' }>;

interface PlanStart {
  readonly effect: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** The log of a restored plan: the data of the run and its events have its writes already. Null for a new plan. */
  readonly log: readonly PlanEntry[] | null;
}

export function startPlan(thread: Thread, instruction: PlanInstruction, { effect, inputs, log }: PlanStart): void {
  const { run } = thread;
  const { plan: name, main = false, call } = instruction;
  const { plans = {} } = run.linked.machine;
  const plan = plans[name];
  if (plan === undefined) throw new Error(`the machine has no plan ${name}`);
  const before = call === undefined ? {} : (thread.data.read([]) as Readonly<Record<string, Json>>);
  const given = initialData(plan, inputs, before);
  if (main && log === null) run.data.begin(given);
  const options = call === undefined ? null : callOptions(thread, call);
  const written: PlanPath[] = [];
  let isRestoring = log !== null;
  const engine = new PlanEngine({
    plans,
    name,
    given,
    limit: run.options.jobs,
    unknown: run.linked.unknownData,
    callTimeoutMs: options?.timeoutMs ?? null,
    sink: {
      write(path, value, method) {
        written.push(path);
        // The data of a PLAN in a program is its own until it ends: see `leaveResults`.
        if (!isRestoring && (main || call !== undefined)) writeData(thread, { path, value, method });
      },
      note(path) {
        if (!isRestoring && main) run.data.note(path);
      },
    },
  });
  const active: RunningPlan = { engine, effect, inputs, written, options, unpaid: [] };
  thread.plan = active;
  if (main) run.setPlan(active);
  if (log === null) return;
  engine.replay(log);
  // The timers of these limits are among what the restored thread waits for.
  engine.limits.takeStarted();
  isRestoring = false;
}

export function planImage(plan: ActivePlan): PlanImage {
  const { effect, inputs, engine, unpaid } = runningPlan({ plan });
  return {
    effect,
    inputs: packValue(inputs as Json) as PlanImage['inputs'],
    log: engine.log.map(packEntry),
    ...(unpaid.length === 0 ? {} : { unpaid }),
  };
}

function packEntry(entry: PlanEntry): PlanEntry {
  if (!('outcome' in entry) || !('value' in entry.outcome) || entry.outcome.value === undefined) return entry;
  return { ...entry, outcome: { ...entry.outcome, value: packValue(entry.outcome.value) } };
}

function unpackEntry(entry: PlanEntry): PlanEntry {
  if (!('outcome' in entry) || !('value' in entry.outcome) || entry.outcome.value === undefined) return entry;
  return { ...entry, outcome: { ...entry.outcome, value: unpackValue(entry.outcome.value) } };
}

function unpackImage({ effect, inputs, log }: PlanImage): PlanImage {
  return { effect, inputs: unpackValue(inputs as Json) as PlanImage['inputs'], log: log.map(unpackEntry) };
}

/** Makes the plan of a restored thread again. `launched`: the keys of the calls that it waits for. */
export function restorePlan(
  thread: Thread,
  instruction: PlanInstruction,
  image: PlanImage,
  launched: readonly string[],
): void {
  startPlan(thread, instruction, unpackImage(image));
  const { unpaid = [] } = image;
  const active = runningPlan(thread);
  active.unpaid = unpaid;
  for (const key of [...launched, ...unpaid.map((one) => one.key)]) active.engine.forceStart(key);
}

/** Makes the plan of a run that has ended again, for reports on its calls. */
export function restoreEndedPlan(run: Run, image: PlanImage): void {
  const instruction = run.linked.machine.states.flatMap(({ code }) => code).find(({ op }) => op === 'plan');
  if (instruction?.op !== 'plan') return;
  startPlan(run.main, instruction, unpackImage(image));
  run.main.plan = null;
}
