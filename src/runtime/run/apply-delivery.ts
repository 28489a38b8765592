/** Applies answers and signals to a run: while it executes, from its inbox, or before it is resumed. */

import {
  answer,
  cancelRun,
  type OpenQuestion,
  openQuestions,
  type Run,
  receiveSignal,
  signalsOf,
  valueOfAnswer,
} from '../../interpreter/run.js';
import { printJson } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { nearest } from '../../prelude/nearest.js';
import { unreachable } from '../../prelude/unreachable.js';
import { type Delivery, isSignalName } from '../store/inbox.js';
import { RunRefused } from '../store/store-error.js';

/** Returns the effect id of the question that was answered, or null. */
export function applyDelivery(run: Run, delivery: Delivery, through: { readonly inbox?: number } = {}): string | null {
  switch (delivery.kind) {
    case 'signal':
      receiveSignal(run, delivery.name, delivery.payload, delivery.by, through);
      return null;
    case 'answer': {
      const question = questionCalled(openQuestions(run), delivery.name);
      const warn = (message: string): null => {
        run.recordNow({ type: 'warned', message, state: run.currentState, line: 0, by: 'runner', ...through });
        return null;
      };
      if (question === undefined)
        return warn(`the answer to \`${delivery.name}\` came when the run did not ask for it`);
      const value = valueOfAnswer(question, delivery.value);
      if (value === undefined) return warn(`${wrongAnswer(question, delivery.value)}: ${possibleAnswers(question)}`);
      answer(run, question.effect, value, delivery.by, through);
      return question.effect;
    }
    case 'cancel':
      cancelRun(run, delivery.by, through);
      return null;
    default:
      return unreachable(delivery);
  }
}

/** Throws a `RunRefused` if no program can wait for a signal with this name. */
export function checkSignalName(name: string): void {
  if (!isSignalName(name))
    throw new RunRefused('wrong-use', `\`${name}\` cannot be the name of a signal`, 'use letters, digits and `_`');
}

/** Throws a `RunRefused` for what no run can be sent. */
export function checkSendable(deliveries: readonly Delivery[]): void {
  if (deliveries.length === 0)
    throw new RunRefused('wrong-use', 'there is no answer', 'give one by the name of its question');
  for (const one of deliveries) if (one.kind === 'signal') checkSignalName(one.name);
}

/** Throws a `RunRefused` for a signal that no WAIT of the program is for: it would be kept for nothing. */
export function checkSignals(run: Run, deliveries: readonly Delivery[]): void {
  const sent = deliveries.flatMap((one) => (one.kind === 'signal' ? [one.name] : []));
  if (sent.length === 0) return;
  const names = signalsOf(run);
  const unknown = sent.find((name) => !names.has(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, names);
  const help =
    near !== undefined
      ? `did you mean \`${near}\`?`
      : names.size > 0
        ? `it waits for ${[...names].map((name) => `\`${name}\``).join(', ')}`
        : 'a program waits for one with `WAIT: signal NAME`';
  throw new RunRefused('wrong-use', `no WAIT of the program is for the signal \`${unknown}\``, help);
}

/** The number of a call distinguishes approvals with the same name. Without it, the first open one is meant. */
function questionCalled(questions: readonly OpenQuestion[], name: string): OpenQuestion | undefined {
  const exact = questions.find((one) => one.name === name);
  return exact ?? questions.find((one) => one.name.replace(/^(?:\d+\.)+/, '') === name);
}

/** Applies deliveries that came together, or refuses all of them because of one that the run cannot accept. */
export function applyDeliveries(run: Run, deliveries: readonly Delivery[]): void {
  checkAnswers(openQuestions(run), deliveries);
  checkSignals(run, deliveries);
  for (const delivery of deliveries) applyDelivery(run, delivery);
}

/**
 * Throws a `RunRefused` if an answer has none of these open questions or does not fit it. `earlier`: deliveries that the run
 * has not taken yet.
 */
export function checkAnswers(
  questions: readonly OpenQuestion[],
  deliveries: readonly Delivery[],
  earlier: readonly Delivery[] = [],
): void {
  const answered = new Set<OpenQuestion>();
  for (const one of earlier) {
    if (one.kind !== 'answer') continue;
    const question = questionCalled(withoutAll(questions, answered), one.name);
    if (question !== undefined) answered.add(question);
  }
  const taken = new Set(answered);
  for (const delivery of deliveries) {
    if (delivery.kind !== 'answer') continue;
    const { name, value } = delivery;
    const question = questionCalled(withoutAll(questions, answered), name);
    if (question === undefined) {
      const other = questionCalled(questions, name);
      if (other !== undefined && taken.has(other)) throw takenLater(name);
      throw notAsked(name, questions, other !== undefined);
    }
    if (valueOfAnswer(question, value) === undefined)
      throw new RunRefused('wrong-use', wrongAnswer(question, value), possibleAnswers(question));
    answered.add(question);
  }
}

/**
 * Throws a `RunRefused` if a question has an answer already. It is for a run that has not reported yet what it asks, so nobody
 * can have seen another question of that name. `earlier`: deliveries that the run has not taken yet.
 */
export function checkUntaken(deliveries: readonly Delivery[], earlier: readonly Delivery[]): void {
  const answered = new Set(earlier.flatMap((one) => (one.kind === 'answer' ? [one.name] : [])));
  for (const one of deliveries) if (one.kind === 'answer' && answered.has(one.name)) throw takenLater(one.name);
}

function withoutAll(questions: readonly OpenQuestion[], answered: ReadonlySet<OpenQuestion>): readonly OpenQuestion[] {
  return questions.filter((one) => !answered.has(one));
}

function takenLater(name: string): RunRefused {
  const message = `\`${name}\` already has an answer, which the run has not taken yet`;
  return new RunRefused('conflict', message, 'resume the run if nothing executes it: `statedsl resume`');
}

function notAsked(name: string, questions: readonly OpenQuestion[], isTwice: boolean): RunRefused {
  if (isTwice) return new RunRefused('wrong-use', `\`${name}\` is answered twice`, 'keep one of the answers');
  const open = questions.map((one) => `\`${one.name}\``).join(', ');
  const help = open === '' ? 'it has no open question' : `it asks for ${open}`;
  return new RunRefused('wrong-use', `the run does not ask for \`${name}\``, help);
}

/** Says that a question does not have this answer. */
export function wrongAnswer({ kind, name }: OpenQuestion, value: Json): string {
  const text = typeof value === 'string' ? value : printJson(value as Value);
  const given = text.trim() === '' ? 'an empty answer' : `\`${text}\``;
  return kind === 'approval'
    ? `${given} neither approves nor denies \`${name}\``
    : `${given} is not one of the choices for \`${name}\``;
}

export function possibleAnswers({ kind, choices }: OpenQuestion): string {
  return kind === 'approval' ? 'answer `true` to approve or `false` to deny' : `choose ${choices?.join(' or ')}`;
}
