/**
 * Asks a person the questions of a run that something else executes, one after another, as long as each of them is open.
 * Somebody else may answer them, too.
 */
import type { Waiting } from '../../interpreter/events/event.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { AskHandler, Question } from './drive-options.js';

interface FollowedQuestion {
  /** The same question has it again, also after a look that found nothing new. */
  readonly key: string;
  /** What an answer names: its id, which only this question has. */
  readonly name: string;
  readonly question: Question;
}

interface QuestionHandlers {
  readonly ask: AskHandler;
  readonly deliver: (name: string, value: string) => Promise<void>;
  /** The person left a question open. */
  readonly onLeft: () => void;
  readonly onFailure: (cause: unknown) => void;
}

export class FollowedQuestions {
  private open: readonly FollowedQuestion[] = [];
  /** The open questions that have an answer, which the run has not taken yet. */
  private readonly answered = new Set<string>();
  private asking: { readonly key: string; readonly stop: AbortController } | null = null;

  constructor(private readonly handlers: QuestionHandlers) {}

  /** What is open now. A question that is no longer open is withdrawn. */
  update(open: readonly FollowedQuestion[]): void {
    this.open = open;
    const isOpen = (wanted: string): boolean => open.some(({ key }) => key === wanted);
    for (const key of this.answered) if (!isOpen(key)) this.answered.delete(key);
    if (this.asking !== null && !isOpen(this.asking.key)) {
      this.asking.stop.abort();
      this.asking = null;
    }
    if (this.asking === null) void this.askNext();
  }

  private async askNext(): Promise<void> {
    const { ask, deliver, onLeft, onFailure } = this.handlers;
    const next = this.open.find(({ key }) => !this.answered.has(key));
    if (next === undefined) return;
    const stop = new AbortController();
    this.asking = { key: next.key, stop };
    try {
      const value = await ask(next.question, stop.signal);
      if (stop.signal.aborted) return;
      if (value === null) return onLeft();
      this.answered.add(next.key);
      await deliver(next.name, value);
    } catch (cause) {
      if (!stop.signal.aborted) onFailure(cause);
      return;
    }
    if (stop.signal.aborted) return;
    this.asking = null;
    await this.askNext();
  }
}

/** `preset`: the answer that the question has by default. */
export function questionOf({ name, question, choices, show, until }: Waiting, preset: string | null): Question {
  return {
    name: name ?? '',
    question: question ?? '',
    choices: choices ?? null,
    default: preset,
    ...omitUndefined({ show }),
    deadlineMs: until ?? null,
  };
}
