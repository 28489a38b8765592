/**
 * Questions and signals that a run waits for. A question goes to the handler if there is one. Otherwise it stays open, as
 * a signal does, until the inbox has an answer.
 */
import type { AskRequest, SignalRequest } from '../../interpreter/request.js';
import { valueOfAnswer } from '../../interpreter/run.js';
import type { AskHandler } from './drive-options.js';
import type { Flights } from './flights.js';

export class Questions {
  private readonly open = new Map<string, AskRequest | SignalRequest>();
  /** Settles when the terminal shows no question. */
  private line: Promise<void> = Promise.resolve();

  /** `ask` is null if no person can be asked. `person`: who answers, for the record. */
  constructor(
    private readonly ask: AskHandler | null,
    private readonly person: string,
    private readonly flights: Flights,
  ) {}

  put(request: AskRequest | SignalRequest): void {
    const { ask } = this;
    if (request.kind === 'signal' || ask === null) this.open.set(request.effect, request);
    else this.flights.occupy(request, (stop) => this.askInTurn(request, ask, stop));
  }

  /** The open question or signal with this effect id; undefined: there is none. */
  openOne(effect: string): AskRequest | SignalRequest | undefined {
    return this.open.get(effect);
  }

  close(effect: string): void {
    this.open.delete(effect);
  }

  /** Asks one question at a time, because a terminal has one line for answers. */
  private async askInTurn(request: AskRequest, ask: AskHandler, stop: AbortSignal): Promise<void> {
    const before = this.line;
    let release = (): void => undefined;
    this.line = new Promise((resolve) => {
      release = resolve;
    });
    try {
      await before;
      // The deadline may have passed while the terminal showed another question.
      const reply = stop.aborted ? null : await ask(request, stop);
      if (stop.aborted) return;
      if (reply === null) this.open.set(request.effect, request);
      else this.finish(request, reply);
    } finally {
      release();
    }
  }

  private finish({ effect, name, choices }: AskRequest, reply: string): void {
    const value = valueOfAnswer({ kind: 'ask', effect, name, choices }, reply);
    if (value !== undefined) {
      this.flights.finish({ kind: 'answer', effect, value, by: this.person });
      return;
    }
    const given = reply.trim() === '' ? 'an empty answer' : `the answer \`${reply}\``;
    const message = `${given} is not one of ${choices?.join(', ')}`;
    this.flights.finish({ kind: 'outcome', effect, outcome: { kind: 'failed', message, error_type: 'bad_value' } });
  }
}
