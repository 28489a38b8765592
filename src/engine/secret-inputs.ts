/**
 * Secret inputs of runs on an engine. A worker has their values, from its environment or from a submission that only it can
 * decrypt. What the engine records has none of them: lines and outcomes have `***`, as on disk, and images have marks from
 * which the next worker restores the values.
 */
import { decode, unpackValue } from '../interpreter/values/json.js';
import { typeOf, type Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import type { Input } from '../machine/machine.js';
import { escapeRegExp, inputSecrets, type Secret, secretForms } from '../runtime/redact.js';
import type { Submission } from './messages.js';

export type SecretInputs = Readonly<Record<string, Json>>;

/** Why an environment does not have the secret inputs of a submission; null: it has them. The values are not shown. */
export function variableProblem(
  submission: Submission,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly variable: string; readonly isMissing: boolean; readonly reason: string } | null {
  for (const [name, variable] of Object.entries(submission.variables ?? {})) {
    const text = environment[variable];
    if (text === undefined) return { variable, isMissing: true, reason: 'it is not set' };
    const input = submission.header.machine.inputs.find((one) => one.name === name);
    const reason = input === undefined ? null : unfitness(inputValue(text, input), input);
    if (reason !== null) return { variable, isMissing: false, reason };
  }
  return null;
}

/** Null: the input accepts the value. */
function unfitness(value: Json, input: Input): string | null {
  const wanted = wantedType(input);
  return nameOfType(value) === wanted
    ? null
    : `it is not ${ARTICLES[wanted] ?? wanted}, which the input \`${input.name}\` needs`;
}

const ARTICLES: Readonly<Record<string, string>> = {
  number: 'a number',
  boolean: '`true` or `false`',
  list: 'a list in JSON',
  object: 'an object in JSON',
};

function wantedType({ type, value }: Partial<Input>): string {
  return type ?? (value === undefined || value === null ? 'string' : nameOfType(value));
}

function nameOfType(value: Json): string {
  const name = typeOf(value as Value);
  return name === 'text' ? 'string' : name;
}

/** The values of secret inputs. Throws an `Error` if a variable is missing. */
export function secretInputsOf(
  submission: Submission,
  environment: Readonly<Record<string, string | undefined>>,
): SecretInputs {
  const { variables = {}, secretInputs = {}, header } = submission;
  const missing = Object.values(variables).find((name) => environment[name] === undefined);
  if (missing !== undefined)
    throw new Error(`run \`${header.runId}\` needs the variable \`${missing}\`, which this worker does not have`);
  const resolved = Object.entries(variables).map(([name, variable]) => {
    const input = header.machine.inputs.find((one) => one.name === name);
    return [name, inputValue(environment[variable] ?? '', input)] as const;
  });
  const sent = Object.entries(secretInputs).map(([name, value]) => [name, unpackValue(value)] as const);
  return Object.fromEntries([...sent, ...resolved]);
}

/** The text of a variable, by the type of its input; numbers keep their digits. */
function inputValue(text: string, input: Input | undefined): Json {
  if (wantedType(input ?? {}) === 'string') return text;
  try {
    return decode(text) as Json;
  } catch {
    return text;
  }
}

export function secretsIn(inputs: SecretInputs): readonly Secret[] {
  return Object.entries(inputs).flatMap(([name, value]) => inputSecrets(name, value));
}

/**
 * Begins and ends the mark of a secret: its position in `formsOf` is between them. A text that has this character itself gets
 * it twice, and a hidden number is a text that begins with it and `#`. So no mark is confused with a text of the program.
 */
const MARK = '\u0001';
const NUMBER = `${MARK}#`;

/** The value with marks instead of secrets, also in numbers and in names of members. */
export function hideSecrets<T extends Json>(value: T, secrets: readonly Secret[]): T {
  if (secrets.length === 0) return value;
  const forms = formsOf(secrets);
  const marks = new Map([...forms.map((form, at) => [form, String(at)] as const), [MARK, '']]);
  const found = new RegExp([...marks.keys()].map(escapeRegExp).join('|'), 'g');
  const hide = (text: string): string => text.replace(found, (form) => `${MARK}${marks.get(form)}${MARK}`);
  return changeScalars(value, hide, (one) => {
    if (typeof one === 'string') return hide(one);
    const printed = String(one);
    const hidden = hide(printed);
    return hidden === printed ? one : `${NUMBER}${hidden}`;
  }) as T;
}

/** The value that was hidden. */
export function revealSecrets<T extends Json>(value: T, secrets: readonly Secret[]): T {
  if (secrets.length === 0) return value;
  const forms = formsOf(secrets);
  const marks = new RegExp(`${MARK}(\\d*)${MARK}`, 'g');
  const reveal = (text: string): string =>
    text.replace(marks, (mark, at: string) => (at === '' ? MARK : (forms[Number(at)] ?? mark)));
  return changeScalars(value, reveal, (one) => {
    if (typeof one === 'number') return one;
    return one.startsWith(NUMBER) ? Number(reveal(one.slice(NUMBER.length))) : reveal(one);
  }) as T;
}

/** Whether the value has marks, so that it cannot be used without the secrets. */
export function hasMarks(value: Json): boolean {
  return JSON.stringify(value).includes(JSON.stringify(MARK).slice(1, -1));
}

/** All texts that show a secret, longest first. */
function formsOf(secrets: readonly Secret[]): readonly string[] {
  const forms = new Set([...secrets.map(({ value }) => value), ...secretForms(secrets)]);
  return [...forms].sort((a, b) => b.length - a.length);
}

function changeScalars(
  value: Json,
  changeName: (name: string) => string,
  change: (scalar: string | number) => Json,
): Json {
  if (typeof value === 'string' || typeof value === 'number') return change(value);
  if (Array.isArray(value)) return value.map((one) => changeScalars(one, changeName, change));
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, one]) => [changeName(name), changeScalars(one, changeName, change)]));
}
