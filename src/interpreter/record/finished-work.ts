/** What a run has done, of its events and its executions: what an edited program may have moved. */
import type { Outcome, RunEvent } from '../events/event.js';
import type { PastExecution, PastExecutions } from './earlier-executions.js';
import type { DoneInstruction, FinishedWork } from './kept-locations.js';

type FinishedEffect = Pick<DoneInstruction, 'args' | 'outcome'>;

/** The effects of a run that ended. It takes the events that still count, one after the other. */
export class FinishedEffects {
  private readonly open = new Map<string, string>();
  private readonly finished = new Map<string, FinishedEffect>();

  take(event: RunEvent): void {
    switch (event.type) {
      case 'effect_requested': {
        const { effect, args, prompt, undo } = event;
        this.finished.delete(effect);
        if (!undo) this.open.set(effect, JSON.stringify(args ?? prompt ?? null));
        return;
      }
      case 'asked':
        this.open.set(event.effect, event.name);
        return;
      case 'answered':
        this.end(event.effect, { kind: 'value', value: event.value });
        return;
      case 'effect_settled':
        if (event.stopped !== true) this.end(event.effect, event.outcome);
        return;
      default:
    }
  }

  /** What was done: by the executions, when the whole record was executed again, and by these effects. */
  work(executions: PastExecutions): FinishedWork {
    const [all, passed] = [executions.all, executions.passed].map((some) => some.flatMap((one) => this.doneBy(one)));
    return { all: all ?? [], passed: passed ?? [], turnOf: (...where) => executions.turnOf(...where) };
  }

  private end(effect: string, outcome: Outcome): void {
    const args = this.open.get(effect);
    if (args !== undefined) this.finished.set(effect, { args, outcome });
  }

  private doneBy({ effects: ids, left, ...one }: PastExecution): DoneInstruction[] {
    if (left !== null || ids.length === 0) {
      const effect = one.path === '' ? '0' : `${one.path}.0`;
      return [{ ...one, effect, outcome: { kind: 'value', value: left } }];
    }
    const effect = ids.find((id) => this.finished.has(id));
    const found = effect === undefined ? undefined : this.finished.get(effect);
    return effect === undefined || found === undefined ? [] : [{ ...one, ...found, effect }];
  }
}
