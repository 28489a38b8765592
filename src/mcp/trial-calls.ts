/** Trials for agents: the tools of runs take the id of a trial where they take that of a run. */
import { setTimeout as pause } from 'node:timers/promises';
import { isTrialId } from '../runtime/store/kept-trials.js';
import { type PromisedTrial, TrialTasks, type WantedTrial } from '../serve/executions/trial-tasks.js';
import { countOf, dollars } from '../views/drawing/amounts.js';
import { boundWords } from '../views/drawing/bound-words.js';
import type { Caller } from './caller.js';
import type { Door } from './door.js';
import { refusalResult } from './findings.js';
import { failedResult, resultOf, type ToolResult } from './run-view.js';
import type { ShortMembers } from './short-answer.js';

/** What `trial` of `run` holds. */
export interface TrialArguments extends Omit<WantedTrial, 'program'> {
  readonly jobs?: number;
}

type PromisedResult = Awaited<ReturnType<TrialTasks['start']>>;
type ShownTrial = Extract<Awaited<ReturnType<TrialTasks['show']>>, { ok: true }>['value'];

/** Null: trials are executed here. */
export function whyNoTrials({ engine }: Door): ToolResult | null {
  if (engine === null) return null;
  const why = 'a trial is executed by a process of this machine, and workers of an engine execute the runs here';
  return failedResult(why, 'in a terminal: `statedsl trial`');
}

const LOOK_MS = 200;
const CONFIRM = 'ask the user, and then call it again with `confirm: true`';

export class TrialCalls {
  private readonly tasks: TrialTasks;

  constructor(
    private readonly door: Door,
    private readonly caller: Caller,
  ) {
    this.tasks = new TrialTasks(door.programs, door.directory, () => door.executions());
  }

  /** Whether an id is that of a trial. */
  has(id: string | undefined): id is string {
    return id !== undefined && this.door.engine === null && isTrialId(this.door.directory, id);
  }

  async start(program: string, { jobs, ...trial }: TrialArguments, confirm: boolean, wait_s: number) {
    const by = `agent ${this.caller.name}`;
    return this.afterPromise(await this.tasks.start({ program, ...trial }, { jobs, confirm, by }), wait_s);
  }

  async control(id: string, action: string, budget: number | undefined): Promise<ToolResult> {
    if (action === 'cancel') {
      const stopped = await this.tasks.interrupt(id);
      return stopped.ok ? this.get(stopped.value.trial_id, 0) : refusalResult(stopped.refusal);
    }
    if (action !== 'resume')
      return failedResult(`a trial has no \`${action}\``, 'call it with `cancel` or `resume`', { run_id: id });
    const by = `agent ${this.caller.name}`;
    // What is left was confirmed when it began, unless there is more money now.
    const resumed = await this.tasks.resume(id, budget, { by, confirm: budget === undefined });
    return this.afterPromise(resumed, 0, `ask a person to run \`statedsl trial --resume ${id} --budget ${budget}\``);
  }

  private afterPromise(promised: PromisedResult, wait_s: number, help = CONFIRM): Promise<ToolResult> | ToolResult {
    if (!promised.ok) return refusalResult(promised.refusal);
    const value: PromisedTrial = promised.value;
    if ('trial_id' in value) return this.get(value.trial_id, wait_s, value.bound);
    return failedResult(`nothing was started: ${value.unconfirmed}`, help, { bound: value.bound as never });
  }

  /** Waits for its end, so long at most. */
  async get(id: string, wait_s: number, bound?: Parameters<typeof boundWords>[0]): Promise<ToolResult> {
    for (const begun = performance.now(); ; await pause(LOOK_MS)) {
      const found = await this.tasks.show(id);
      if (!found.ok) return refusalResult(found.refusal);
      const isOver = found.value.status !== 'running' && found.value.status !== 'queued';
      if (isOver || performance.now() - begun >= wait_s * 1000 || this.caller.signal.aborted)
        return describe(found.value, bound === undefined ? {} : { bound: boundWords(bound) });
    }
  }

  list(): ReturnType<TrialTasks['list']> {
    return this.tasks.list();
  }
}

function describe(trial: ShownTrial, remarks: ShortMembers): ToolResult {
  const { trial_id, status, variants, ...rest } = trial;
  const next = nextStep(trial);
  const facts = { run_id: trial_id, status, ...rest, variants, ...remarks, ...(next === null ? {} : { next }) };
  return resultOf(facts as unknown as ShortMembers, { variants: 'in a terminal `statedsl trial --resume`' }, () => {
    const lines = variants.map(({ name, passed, runs, interval, cost }) => {
      const sure = interval === null ? '' : ` (95 %: ${interval.map((one) => Math.round(one * 100)).join('–')} %)`;
      return `${name}: ${passed} of ${countOf(runs, 'run')} passed${sure}, ${dollars(cost)}`;
    });
    return [`trial ${trial_id} ${status}`, ...lines, ...(next === null ? [] : [`next: ${next}`])].join('\n');
  });
}

function nextStep({ status, trial_id }: ShownTrial): string | null {
  if (status === 'complete') return null;
  if (status === 'running' || status === 'queued') return `\`get\` with \`run_id: "${trial_id}"\` and \`wait_s\``;
  return `\`control\` with \`action: "resume"\`${status === 'budget' ? ' and `limits: {cost}`, after asking the user' : ''}`;
}
