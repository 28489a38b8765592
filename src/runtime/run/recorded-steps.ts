/** The status of each step of a run after an event, from the record alone, which also says since when. */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { ReportedStep } from './run-report.js';

/** `since`: when its last attempt started or ended; ISO 8601. */
export interface RecordedStep extends ReportedStep {
  readonly since: string;
}

interface StepChange extends RecordedStep {
  /** The number of the event that says so. */
  readonly seq: number;
}

/** Receives the events in their order. */
export class RecordedSteps {
  /** The events of each step, by path. If a run is resumed before some of them, these are removed. */
  private readonly changes = new Map<string, StepChange[]>();

  take({ seq, time, event }: { readonly seq: number; readonly time: string; readonly event: RunEvent }): void {
    switch (event.type) {
      case 'step_started': {
        const { step: path, attempt, agent } = event;
        return this.add({ seq, path, status: 'running', agent, attempt, cost: null, since: time });
      }
      case 'retry_triggered':
        return this.change(seq, event.step, { status: 'fail' });
      case 'step_completed':
        return this.change(seq, event.step, { status: event.status, cost: event.cost, since: time });
      case 'run_resumed': {
        const { from } = event;
        if (from === undefined) return;
        for (const [path, list] of this.changes) {
          const kept = list.filter((one) => one.seq < from);
          if (kept.length === 0) this.changes.delete(path);
          else this.changes.set(path, kept);
        }
        return;
      }
      default:
    }
  }

  /** The steps in the order in which they began. `costs`: US dollars of the open ones, if known. */
  list(costs: ReadonlyMap<string, { readonly cost: number | null }>): RecordedStep[] {
    return [...this.changes.values()].map((list) => {
      const { seq: _, ...step } = list.at(-1) as StepChange;
      const isOver = step.status === 'pass' || step.status === 'fatal';
      return isOver ? step : { ...step, cost: costs.get(step.path)?.cost ?? null };
    });
  }

  private add(change: StepChange): void {
    const list = this.changes.get(change.path);
    if (list === undefined) this.changes.set(change.path, [change]);
    else list.push(change);
  }

  private change(seq: number, path: string, change: Partial<RecordedStep>): void {
    const before = this.changes.get(path)?.at(-1);
    if (before !== undefined) this.add({ ...before, ...change, seq });
  }
}
