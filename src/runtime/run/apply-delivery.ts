/** Applies answers and signals to a run: while it executes, from its inbox, or before it is resumed. */
import {
  answer,
  cancelRun,
  type OpenWait,
  openQuestions,
  openWaits,
  type Run,
  receiveSignal,
  signalsOf,
  valueOfAnswer,
} from '../../interpreter/run.js';
import { printJson, withText } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { nearest } from '../../prelude/nearest.js';
import { unreachable } from '../../prelude/unreachable.js';
import { type Delivery, isSignalName, nameInId } from '../store/inbox.js';
import { RunRefused } from '../store/store-error.js';

/** Returns the effect id of the question that was answered, or null. */
export function applyDelivery(run: Run, delivery: Delivery, through: { readonly inbox?: number } = {}): string | null {
  const warn = (message: string): null => {
    run.recordNow({ type: 'warned', message, state: run.currentState, line: 0, by: 'runner', ...through });
    return null;
  };
  switch (delivery.kind) {
    case 'signal': {
      const { name, payload, by } = delivery;
      const signal = nameInId(name);
      if (signal === name) receiveSignal(run, name, payload, by, through);
      else if (openWaits(run).some(({ kind, id }) => kind === 'signal' && id === name))
        receiveSignal(run, signal, payload, by, { id: name, ...through });
      else warn(`the signal for \`${name}\` came when the run did not wait for it`);
      return null;
    }
    case 'answer': {
      const { kind: _, name, value, by, ...how } = delivery;
      const [question, ...others] = waitsCalled(openQuestions(run), name);
      if (question === undefined) return warn(`the answer to \`${name}\` came when the run did not ask for it`);
      if (others.length > 0) return warn(`the answer to \`${name}\` ${fitsSeveral([question, ...others])}`);
      const fitting = valueOfAnswer(question, value);
      if (fitting === undefined) return warn(`${wrongAnswer(question, value)}: ${possibleAnswers(question)}`);
      answer(run, question.effect, fitting, by, { ...how, ...through });
      return question.effect;
    }
    case 'refused': {
      const { kind: _, value, ...refused } = delivery;
      run.recordNow({ type: 'answer_refused', ...refused, ...withText(value), ...through });
      return null;
    }
    case 'key': {
      const { key, run_id, how } = delivery;
      run.recordNow({ type: 'key_shared', key, run_id, how, ...through });
      return null;
    }
    case 'cancel':
      cancelRun(run, delivery.by, through);
      return null;
    default:
      return unreachable(delivery);
  }
}

/** Records what a run did not take before it was cancelled: an answer or a signal does nothing there. */
export function noteUntaken(run: Run, delivery: Delivery, through: { readonly inbox: number }): void {
  if (delivery.kind === 'cancel') return;
  if (delivery.kind !== 'answer' && delivery.kind !== 'signal') return void applyDelivery(run, delivery, through);
  const { kind, name, by } = delivery;
  const sent = printJson(kind === 'answer' ? delivery.value : delivery.payload).slice(0, MOST_NOTED);
  const message =
    kind === 'answer'
      ? `${by} had answered \`${name}\` with ${sent}, which the run had not taken when it was cancelled`
      : `${by} had sent the signal \`${name}\` with ${sent}, which the run had not taken when it was cancelled`;
  run.recordNow({ type: 'warned', message, state: run.currentState, line: 0, by: 'runner', ...through });
}

/** So many characters of a value stand in a note. */
const MOST_NOTED = 200;

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
function checkSignals(run: Run, deliveries: readonly Delivery[]): void {
  const sent = deliveries.flatMap((one) => (one.kind === 'signal' ? [nameInId(one.name)] : []));
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

/**
 * What an id or a name means: one open wait, none, or several. The number of a call distinguishes approvals with the same
 * name; a name without it means any of them.
 */
function waitsCalled(open: readonly OpenWait[], name: string): readonly OpenWait[] {
  const own = open.filter(({ id }) => id === name);
  if (own.length > 0) return own;
  const exact = open.filter((one) => one.name === name);
  return exact.length > 0 ? exact : open.filter((one) => one.name.replace(/^(?:\d+\.)+/, '') === name);
}

const fitsSeveral = (waits: readonly OpenWait[]): string =>
  `fits ${waits.map(({ id }) => `\`${id}\``).join(' and ')}, which the run waits for at once`;

/** Throws a `RunRefused` if it is not clear which is meant, and if all have ended. */
function theOne(waits: readonly OpenWait[], name: string): OpenWait | undefined {
  const [one, ...others] = waits.filter(isInTime);
  if (one === undefined && waits[0] !== undefined) throw tooLate(waits[0]);
  if (one === undefined || others.length === 0) return one;
  throw new RunRefused(
    'wrong-use',
    `\`${name}\` ${fitsSeveral(waits)}`,
    `name the one that you mean, for example \`${one.id}\``,
  );
}

/** Applies deliveries that came together, or refuses all of them because of one that the run cannot accept. */
export function applyDeliveries(run: Run, deliveries: readonly Delivery[]): void {
  for (const delivery of addressTo(run, deliveries)) applyDelivery(run, delivery);
}

/**
 * The deliveries with the ids of the questions that they answer, so that they can mean no other ones later. Throws a
 * `RunRefused` if one does not fit the run. `earlier`: deliveries that the run has not taken yet.
 */
export function addressTo(
  run: Run,
  deliveries: readonly Delivery[],
  earlier: readonly Delivery[] = [],
): readonly Delivery[] {
  const addressed = address(openWaits(run), deliveries, earlier);
  checkSignals(run, deliveries);
  return addressed;
}

/**
 * The same for what a run waits for: throws a `RunRefused` if an answer has none of these open questions or does not fit it,
 * and if a name fits several.
 */
export function address(
  open: readonly OpenWait[],
  deliveries: readonly Delivery[],
  earlier: readonly Delivery[] = [],
): readonly Delivery[] {
  const questions = open.filter(({ kind }) => kind !== 'signal');
  const signals = open.filter(({ kind }) => kind === 'signal');
  const answered = new Set<OpenWait>();
  for (const one of earlier) {
    if (one.kind !== 'answer') continue;
    const [question, ...others] = waitsCalled(withoutAll(questions, answered), one.name);
    if (question !== undefined && others.length === 0) answered.add(question);
  }
  const taken = new Set(answered);
  return deliveries.map((delivery): Delivery => {
    const { kind } = delivery;
    if (kind === 'cancel' || kind === 'key') return delivery;
    const { name } = delivery;
    if (kind === 'refused') {
      const [question] = waitsCalled(questions, name);
      if (question === undefined) throw notAsked(name, questions, false);
      return { ...delivery, id: question.id, name: question.name };
    }
    if (kind === 'signal') {
      const wait = theOne(waitsCalled(signals, name), name);
      if (wait === undefined && nameInId(name) !== name) throw notWaiting(name, signals);
      return delivery;
    }
    const question = theOne(waitsCalled(withoutAll(questions, answered), name), name);
    if (question === undefined) {
      const others = waitsCalled(questions, name);
      if (others.some((one) => taken.has(one))) throw takenLater(name);
      throw notAsked(name, questions, others.length > 0);
    }
    if (valueOfAnswer(question, delivery.value) === undefined)
      throw new RunRefused('wrong-use', wrongAnswer(question, delivery.value), possibleAnswers(question));
    answered.add(question);
    return { ...delivery, name: question.id };
  });
}

/**
 * Throws a `RunRefused` if a question has an answer already. It is for a run that has not reported yet what it asks, so nobody
 * can have seen another question of that name. `earlier`: deliveries that the run has not taken yet.
 */
export function checkUntaken(deliveries: readonly Delivery[], earlier: readonly Delivery[]): void {
  const answered = new Set(earlier.flatMap((one) => (one.kind === 'answer' ? [one.name, nameInId(one.name)] : [])));
  for (const one of deliveries) if (one.kind === 'answer' && answered.has(one.name)) throw takenLater(one.name);
}

function withoutAll(questions: readonly OpenWait[], answered: ReadonlySet<OpenWait>): readonly OpenWait[] {
  return questions.filter((one) => !answered.has(one));
}

function takenLater(name: string): RunRefused {
  const message = `\`${name}\` already has an answer, which the run has not taken yet`;
  return new RunRefused('conflict', message, 'resume the run if nothing executes it: `statedsl resume`');
}

/** A run that nothing executes notices only when it is resumed that the time is over. */
const isInTime = ({ until }: OpenWait): boolean => until === null || Date.now() < until;

function tooLate({ kind, name, until }: OpenWait): RunRefused {
  const what = kind === 'signal' ? `the wait for the signal \`${name}\`` : `the question \`${name}\``;
  const message = `${what} ended at ${new Date(until as number).toISOString()}`;
  return new RunRefused('conflict', message, 'the run continues without it: `statedsl resume`');
}

function notAsked(name: string, questions: readonly OpenWait[], isTwice: boolean): RunRefused {
  if (isTwice) return new RunRefused('wrong-use', `\`${name}\` is answered twice`, 'keep one of the answers');
  const help =
    questions.length === 0
      ? 'it has no open question'
      : `it asks for ${namesOrIds(questions, nameInId(name) !== name)}`;
  return new RunRefused('wrong-use', `the run does not ask for \`${name}\``, help);
}

function notWaiting(name: string, signals: readonly OpenWait[]): RunRefused {
  const help = signals.length === 0 ? 'it waits for no signal' : `it waits for ${namesOrIds(signals, true)}`;
  return new RunRefused('wrong-use', `the run does not wait for \`${name}\``, help);
}

/** Their names, and the ids of those that share a name, or of all of them. */
function namesOrIds(waits: readonly OpenWait[], areIds = false): string {
  const isShared = ({ name }: OpenWait): boolean => waits.filter((one) => one.name === name).length > 1;
  return waits.map((one) => `\`${areIds || isShared(one) ? one.id : one.name}\``).join(', ');
}

/** Says that a question does not have this answer. */
export function wrongAnswer({ kind, name, choices }: OpenWait, value: Json): string {
  const text = typeof value === 'string' ? value : printJson(value as Value);
  const given = text.trim() === '' ? 'an empty answer' : `\`${text}\``;
  if (choices === null) return `${given} is not a text, and the answer to \`${name}\` is one`;
  return kind === 'approval'
    ? `${given} neither approves nor denies \`${name}\``
    : `${given} is not one of the choices for \`${name}\``;
}

export function possibleAnswers({ kind, choices }: OpenWait): string {
  if (choices === null) return 'answer with a text';
  return kind === 'approval' ? 'answer `true` to approve or `false` to deny' : `choose ${choices.join(' or ')}`;
}
