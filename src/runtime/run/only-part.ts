/**
 * `--only`: a run of one state or step. What comes before it is taken from the memo and never executed, and nothing that
 * comes after it is begun.
 */
import type { Outcome, RunEvent } from '../../interpreter/events/event.js';
import type { CommandRequest, EffectRequest } from '../../interpreter/request.js';
import type { Machine } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';
import { Stopper, type StopSignal } from '../stop-signal.js';

/** How the part of a run that `only` names has ended. */
export interface OnlyReport {
  /** The state or step. */
  readonly name: string;
  /** `refused`: something before it could not be taken from the memo. `not_reached`: the run ended before it. */
  readonly status: 'done' | 'refused' | 'not_reached';
  /** For people: why it was refused, and the next step. */
  readonly message?: string;
  readonly help?: string;
}

/** Why a name cannot be used; null: it is a state or a step. */
export function onlyProblem(
  { states }: Machine,
  name: string,
): { readonly message: string; readonly help: string } | null {
  const steps = states.flatMap(({ code }) => code.flatMap((one) => (one.op === 'step-begin' ? [one.plan.name] : [])));
  const names = [...new Set([...states.map((state) => state.name), ...steps])];
  if (names.includes(name) || steps.includes(lastPart(name))) return null;
  const near = nearest(name, names);
  return {
    message: `there is no state and no step \`${name}\``,
    help: near === undefined ? `there are ${names.map((one) => `\`${one}\``).join(', ')}` : `did you mean \`${near}\`?`,
  };
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

type RefusedRequest = Pick<CommandRequest, 'kind' | 'text' | 'memo'> & { readonly line?: number };

/** Follows a run by its events and judges its requests. */
export class OnlyPart {
  private readonly stopper = new Stopper();
  private readonly isState: boolean;
  /** The path of the step, once it has begun. */
  private path: string | null = null;
  private phase: 'before' | 'inside' | 'after' = 'before';
  private refusal: { readonly message: string; readonly help: string } | null = null;
  /** Steps of agents: their context and their gates only prepare and judge what the agent does. */
  private readonly agentSteps = new Set<string>();
  private readonly stepOfEffect = new Map<string, string>();

  /** `signal` interrupts the run for another reason. */
  constructor(
    private readonly name: string,
    { states }: Machine,
    signal: StopSignal | undefined,
  ) {
    this.isState = states.some((state) => state.name === name);
    const pass = (): void => this.stopper.abort(signal?.reason);
    if (signal?.aborted === true) pass();
    else signal?.addEventListener('abort', pass, { once: true });
  }

  /** Interrupts the run where it has to end. */
  get signal(): StopSignal {
    return this.stopper.signal;
  }

  /** Takes an event that is on disk, before anything that follows from it is started. */
  take(event: RunEvent): void {
    switch (event.type) {
      case 'state_entered':
        if (!this.isState) return;
        if (event.state === this.name && this.phase === 'before') this.phase = 'inside';
        else if (event.state !== this.name && this.phase === 'inside') this.leave();
        return;
      case 'step_started':
        if (event.agent !== null) this.agentSteps.add(event.step);
        if (!this.isState && this.path === null && this.isMeant(event.step)) {
          this.path = event.step;
          this.phase = 'inside';
        }
        return;
      case 'step_completed':
        if (this.path === event.step && this.phase === 'inside') this.leave();
        return;
      case 'effect_requested':
        if (event.step !== undefined) this.stepOfEffect.set(event.effect, event.step);
        if (event.kind === 'signal' && !this.isInside(event.state, event.step)) this.refuse(event);
        return;
      case 'asked':
        if (this.phase === 'before') this.refuse({ kind: 'ask', text: `ASK: ${event.name}` });
        return;
      default:
    }
  }

  private isMeant(step: string): boolean {
    return step === this.name || lastPart(step) === this.name;
  }

  private leave(): void {
    this.phase = 'after';
    this.stopper.abort(`only ${this.name}`);
  }

  private isInside(state: string, step: string | undefined): boolean {
    if (this.isState) return state === this.name && this.phase === 'inside';
    const { path } = this;
    return (
      path !== null &&
      step !== undefined &&
      (step === path || /^[/.]/.test(step.slice(path.length))) &&
      step.startsWith(path)
    );
  }

  /** `own`: it belongs to the part. `free`: it costs nothing worth remembering. `before`: only the memo may answer it. */
  judge(request: EffectRequest): 'own' | 'free' | 'before' {
    if (!('state' in request)) return 'free';
    const step = (request.kind === 'agent' ? request.step : undefined) ?? this.stepOfEffect.get(request.effect);
    if (this.isInside(request.state, step)) return 'own';
    const isGate = request.kind === 'shell' && request.env.STATEDSL_STEP !== undefined;
    const isContext = request.kind !== 'agent' && step !== undefined && this.agentSteps.has(step);
    return isGate || isContext ? 'free' : 'before';
  }

  /** Stops the run at what the memo does not have. */
  refuse({ kind, text, line, memo }: RefusedRequest): void {
    if (this.refusal !== null || this.stopper.signal.aborted) return;
    const what = `\`${text}\`${line === undefined ? '' : ` in line ${line}`}`;
    const before = `comes before \`${this.name}\``;
    this.refusal =
      memo !== undefined
        ? {
            message: `${what} ${before}, and the memo does not have it`,
            help: 'run the program once without `--only`, with the same inputs and files',
          }
        : kind === 'ask' || kind === 'signal' || kind === 'tool'
          ? {
              message: `${what} ${before}, and cannot be remembered`,
              help: 'begin after it with `--start STATE`, or leave out `--only`',
            }
          : {
              message: `${what} ${before}, and is not remembered`,
              help: text.startsWith('STEP:')
                ? 'write `memo=yes` next to the name of the step (in a workflow file `memo: true`), and run it once without `--only`'
                : 'add `memo` to its options, as in `DO [memo]: …`, and run the program once without `--only`',
            };
    this.stopper.abort(`only ${this.name}: ${this.refusal.message}; ${this.refusal.help}`);
  }

  /** Once nothing is executed any more. `isOver`: the run has ended by itself. Null: it was interrupted by something else. */
  report(isOver: boolean): OnlyReport | null {
    const { name, phase, refusal } = this;
    if (refusal !== null) return { name, status: 'refused', ...refusal };
    if (phase === 'after' || (phase === 'inside' && isOver)) return { name, status: 'done' };
    if (!isOver) return null;
    return {
      ...{ name, status: 'not_reached', message: `the run ended before it came to \`${name}\`` },
      help: 'give it the inputs with which it comes there',
    };
  }
}

/** An outcome that nobody waits for, once the run has been stopped. */
export function whenStopped(stop: AbortSignal): Promise<Outcome> {
  const outcome: Outcome = { kind: 'not-started', reason: 'it was stopped' };
  if (stop.aborted) return Promise.resolve(outcome);
  return new Promise((resolve) => {
    stop.addEventListener('abort', () => resolve(outcome), { once: true });
  });
}
