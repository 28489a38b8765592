/**
 * What a run asks of people and other programs: questions, and signals. A question goes to the handler, if somebody is
 * there to answer; otherwise it stays open, and so does a signal, until the inbox has an answer.
 */
import type { AskRequest, SignalRequest } from '../../interpreter/request.js';
import type { AskHandler } from './drive-options.js';
import type { Flights } from './flights.js';

export class Questions {
  private readonly open = new Map<string, AskRequest | SignalRequest>();
  /** Settles when no question is on the terminal. */
  private line: Promise<void> = Promise.resolve();

  /** `ask`: null when nobody is there. */
  constructor(
    private readonly ask: AskHandler | null,
    private readonly flights: Flights,
  ) {}

  put(request: AskRequest | SignalRequest): void {
    const { ask } = this;
    if (request.kind === 'signal' || ask === null) this.open.set(request.effect, request);
    else this.flights.occupy(request, (stop) => this.askInTurn(request, ask, stop));
  }

  /** The question or signal that nobody here answers; undefined: none has this effect id. */
  openOne(effect: string): AskRequest | SignalRequest | undefined {
    return this.open.get(effect);
  }

  close(effect: string): void {
    this.open.delete(effect);
  }

  /** One question at a time: a terminal has one line to answer on. */
  private async askInTurn(request: AskRequest, ask: AskHandler, stop: AbortSignal): Promise<void> {
    const before = this.line;
    let release = (): void => undefined;
    this.line = new Promise((resolve) => {
      release = resolve;
    });
    try {
      await before;
      // The deadline may have passed while another question was on the terminal.
      const reply = stop.aborted ? null : await ask(request, stop);
      if (stop.aborted) return;
      if (reply === null) this.open.set(request.effect, request);
      else this.finish(request, reply);
    } finally {
      release();
    }
  }

  private finish({ effect, choices }: AskRequest, reply: string): void {
    if (choices === null || choices.includes(reply)) {
      this.flights.finish({ kind: 'answer', effect, value: reply });
      return;
    }
    const message = `the answer \`${reply}\` is not one of ${choices.join(', ')}`;
    this.flights.finish({ kind: 'outcome', effect, outcome: { kind: 'failed', message, error_type: 'bad_value' } });
  }
}
