/** Questions of a run as a form for the person in front of the client, and what the form brings back. */
import { type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import type { RecordedEvent, Runs } from '../app/runs.js';
import type { Waiting } from '../interpreter/events/event.js';
import type { Json } from '../machine/expression.js';
import { isJsonObject } from '../prelude/json-object.js';
import { shownLines } from '../views/log/event-line.js';
import type { Caller } from './caller.js';
import { cutText, type ShortMembers } from './short-answer.js';

/** The only form of a result. */
export const FORM = 'form';

/** Questions and approvals are for people; signals and time are not. */
export const isQuestion = ({ kind }: Waiting): boolean => kind === 'ask' || kind === 'approval';

/** The name by which a question is answered. */
export const nameOf = ({ name, path }: Waiting): string => name ?? path ?? '';

/** What tells a question from an earlier one of the same name. */
export const idOf = (question: Waiting): string => question.id ?? nameOf(question);

/** With ids as the names of those whose name fits several: an answer means exactly one of them. */
export function withOwnNames(waiting: readonly Waiting[]): Waiting[] {
  const names = waiting.map(nameOf);
  return waiting.map((one, at) => {
    const isUnique = names.indexOf(names[at] as string) === at && names.lastIndexOf(names[at] as string) === at;
    return isUnique || one.id === undefined ? one : { ...one, name: one.id };
  });
}

const LONGEST_TITLE = 300;
const LONGEST_MESSAGE = 1200;

export const dateOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The defaults of open questions by their names, as the record has them. */
export async function defaultsOf(runs: Runs, runId: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const events = await runs.events(runId, 0, undefined, 'no');
  if (!events.ok) return found;
  for await (const event of events.value) {
    if (event.type !== 'asked') continue;
    const { name, default: value } = event as RecordedEvent;
    if (typeof name !== 'string') continue;
    if (typeof value === 'string') found.set(name, value);
    else found.delete(name);
  }
  return found;
}

interface AskedForm {
  readonly runId: string;
  readonly program: string;
  readonly questions: readonly Waiting[];
  readonly defaults: ReadonlyMap<string, string>;
  /** What the agent would answer. */
  readonly proposed?: ShortMembers;
}

export function questionForm({ runId, program, questions, defaults, proposed = {} }: AskedForm, state: string) {
  const fields = questions.map((one) => [nameOf(one), fieldOf(one, defaults, proposed)] as const);
  const lines = questions.map((one) => `- ${wordsOf(one, defaults)}`);
  const message = cutText([`\`${program}\` asks (run ${runId}):`, ...lines].join('\n'), LONGEST_MESSAGE);
  return formResult(message, Object.fromEntries(fields), state);
}

export function confirmForm(message: string, state: string) {
  const start = { type: 'boolean', title: 'Start it?', default: false };
  return formResult(message, { start }, state);
}

function formResult(message: string, properties: ShortMembers, requestState: string): InputRequiredResult {
  const requestedSchema = { type: 'object', properties, required: Object.keys(properties) };
  const request = inputRequired.elicit({ message, requestedSchema: requestedSchema as never });
  return inputRequired({ requestState, inputRequests: { [FORM]: request } });
}

export function wordsOf(one: Waiting, defaults: ReadonlyMap<string, string>): string {
  const standard = defaults.get(nameOf(one));
  const facts = [
    ...(one.choices == null ? [] : [one.choices.join(', ')]),
    ...(standard === undefined ? [] : [`default: ${standard}`]),
    ...(one.until == null ? [] : [`until ${dateOf(one.until)}`]),
  ];
  const question = one.kind === 'approval' ? `approve \`${nameOf(one)}\`?` : (one.question ?? nameOf(one));
  const asked = facts.length === 0 ? question : `${question} (${facts.join('; ')})`;
  return [asked, ...shownLines(one).map((line) => cutText(line, LONGEST_TITLE))].join('\n');
}

function fieldOf(one: Waiting, defaults: ReadonlyMap<string, string>, proposed: ShortMembers): ShortMembers {
  const name = nameOf(one);
  if (one.kind === 'approval') return { type: 'boolean', title: cutText(`Approve ${name}`, LONGEST_TITLE) };
  const given = Object.hasOwn(proposed, name) ? proposed[name] : defaults.get(name);
  const isChoice = one.choices == null || one.choices.includes(String(given));
  return {
    type: 'string',
    title: cutText(one.question ?? name, LONGEST_TITLE),
    ...(one.choices == null ? {} : { enum: [...one.choices] }),
    ...(typeof given === 'string' && isChoice ? { default: given } : {}),
  };
}

/** What a person did with a form. `agent`: the client says that a program filled it. */
export type Filled =
  | { readonly kind: 'accepted'; readonly content: ShortMembers; readonly byAgent: boolean }
  | { readonly kind: 'refused'; readonly how: 'declined' | 'cancelled' | 'missing' };

/** Nothing that comes from a client has the form that it should have. */
export function filledForm({ responses }: Caller): Filled {
  const response = responses[FORM];
  const { action, content, _meta } = (typeof response === 'object' && response !== null ? response : {}) as Readonly<
    Record<string, unknown>
  >;
  if (action === 'accept' && isJsonObject(content)) {
    const byAgent = (_meta as Readonly<Record<string, unknown>> | undefined)?.['statedsl/filled-by'] === 'agent';
    return { kind: 'accepted', content: content as ShortMembers, byAgent };
  }
  if (action === 'decline' || action === 'cancel')
    return { kind: 'refused', how: action === 'decline' ? 'declined' : 'cancelled' };
  return { kind: 'refused', how: 'missing' };
}

/** The problem with the values of a form, which its library does not check; null: there is none. */
export function formProblem(
  content: ShortMembers,
  questions: readonly Waiting[],
  names: readonly string[],
): string | null {
  for (const name of Object.keys(content)) if (!names.includes(name)) return `the form has no field \`${name}\``;
  for (const name of names) {
    if (!Object.hasOwn(content, name)) return `the form has no answer to \`${name}\``;
    const value = content[name] as Json;
    const question = questions.find((one) => nameOf(one) === name);
    if (question?.kind === 'approval' && typeof value !== 'boolean')
      return `the answer to \`${name}\` must be true or false`;
    if (question?.kind === 'ask' && typeof value !== 'string') return `the answer to \`${name}\` must be a text`;
    if (question?.choices != null && !question.choices.includes(value as string))
      return `the answer to \`${name}\` must be one of ${question.choices.join(', ')}`;
  }
  return null;
}
