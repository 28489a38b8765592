/**
 * The file with the answers of a scripted agent: one answer for all calls, or a list with one for each. An answer
 * defines the output, actions, cost and errors of the agent, so that a program can be tested with all of them.
 */
import { printJson } from '../../../interpreter/values/json.js';
import { isObject, plain, type Value } from '../../../interpreter/values/value.js';
import { parseDuration } from '../../../machine/duration.js';
import type { Json } from '../../../machine/expression.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { nearest } from '../../../prelude/nearest.js';
import { readYamlFile } from '../../configuration/yaml-file.js';
import { answerToCall } from '../../pretended-world.js';

export interface FakeAnswer {
  /** The answer. If absent, the agent ends without an answer and without reporting its cost. */
  readonly answer?: string;
  /** The error that the agent reports. */
  readonly error?: string;
  /** US dollars, reported gradually with the turns. */
  readonly cost: number | null;
  readonly turns: number;
  readonly tokens: {
    readonly in: number;
    readonly out: number;
    readonly cache_read: number;
    readonly cache_write: number;
  } | null;
  readonly session: string | null;
  /** Lines that are printed first, unchanged. */
  readonly lines: readonly string[];
  readonly stderr: string;
  /** The pause before each turn, and before the answer. */
  readonly pauseMs: number;
  readonly afterMs: number;
  /** Shell text that runs in the agent's working directory, with the prompt as standard input. */
  readonly run: string | null;
  /** A text that the prompt must contain. */
  readonly expect: string | null;
  readonly hang: boolean;
  readonly exit: number;
}

type KeyReader = (value: Json) => unknown;

const text: KeyReader = (value) => (typeof value === 'string' ? value : undefined);
const anyText: KeyReader = (value) => (typeof value === 'string' ? value : printJson(value as Value));
const amount: KeyReader = (value) => (value === null || (typeof value === 'number' && value >= 0) ? value : undefined);
const whole: KeyReader = (value) => (Number.isSafeInteger(value) && (value as number) >= 0 ? value : undefined);
const flag: KeyReader = (value) => (typeof value === 'boolean' ? value : undefined);
const duration: KeyReader = (value) => (typeof value === 'string' ? (parseDuration(value) ?? undefined) : undefined);
const texts: KeyReader = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
const counts: KeyReader = (value) => {
  if (!isJsonObject(value)) return undefined;
  const { in: input = 0, out = 0, cache_read = 0, cache_write = 0 } = value;
  const tokens = { in: input, out, cache_read, cache_write };
  return Object.values(tokens).every((count) => whole(count) !== undefined) ? tokens : undefined;
};

/** For each key of the file: its member, its reader, and a description of its type. */
const KEYS: Readonly<Record<string, readonly [keyof FakeAnswer, KeyReader, string]>> = {
  answer: ['answer', anyText, 'a value'],
  error: ['error', text, 'a text'],
  cost: ['cost', amount, 'an amount or null'],
  turns: ['turns', whole, 'a whole number'],
  tokens: ['tokens', counts, 'a mapping with `in`, `out`, `cache_read` and `cache_write`'],
  session: ['session', text, 'a text'],
  lines: ['lines', texts, 'a list of texts'],
  stderr: ['stderr', text, 'a text'],
  pause: ['pauseMs', duration, 'a duration such as `200ms`'],
  after: ['afterMs', duration, 'a duration such as `2s`'],
  run: ['run', text, 'shell text'],
  expect: ['expect', text, 'a text'],
  hang: ['hang', flag, '`true` or `false`'],
  exit: ['exit', whole, 'an exit code'],
};

const PLAIN: FakeAnswer = {
  cost: 0,
  turns: 1,
  tokens: null,
  session: null,
  lines: [],
  stderr: '',
  pauseMs: 0,
  afterMs: 0,
  run: null,
  expect: null,
  hang: false,
  exit: 0,
};

/** The answer to a call, by its number from 0, or the reason why there is none. */
export async function fakeAnswer(file: string, call: number): Promise<FakeAnswer | { readonly reason: string }> {
  const { value, problems } = await readYamlFile(file, true);
  const [problem] = problems;
  if (problem !== undefined)
    return { reason: `${problem.message}${problem.line === null ? '' : ` (\`${file}\`, line ${problem.line})`}` };
  const next = answerToCall<Json>(value, call, `\`${file}\``, null);
  if ('reason' in next) return next;
  return readAnswer(next.answer, Array.isArray(value) ? `${file}\`, answer \`${call + 1}` : file);
}

/** A plain text is an answer. */
function readAnswer(value: Json, location: string): FakeAnswer | { readonly reason: string } {
  if (typeof value === 'string') return { ...PLAIN, answer: value };
  if (!isObject(value as Value)) return { reason: `an answer in \`${location}\` must be a text or a mapping` };
  const answer: Partial<Record<keyof FakeAnswer, unknown>> = {};
  for (const [key, given] of Object.entries(value as object) as [string, Json][]) {
    const known = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (known === undefined) {
      const near = nearest(key, Object.keys(KEYS));
      const hint = near === undefined ? `the keys are ${Object.keys(KEYS).join(', ')}` : `did you mean \`${near}\`?`;
      return { reason: `there is no key \`${key}\` in \`${location}\`: ${hint}` };
    }
    const [member, read, needed] = known;
    const made = read(read === anyText ? given : plain(given as Value));
    if (made === undefined) return { reason: `\`${key}\` in \`${location}\` must be ${needed}` };
    answer[member] = made;
  }
  return { ...PLAIN, ...answer } as FakeAnswer;
}
