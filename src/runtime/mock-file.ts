/** The file of `--mock`: answers of commands, agents, tools and people by name, and signals. Mistakes are reported with their location. */
import { isObject, numberOf, type Value } from '../interpreter/values/value.js';
import { readDuration } from '../machine/duration.js';
import { ERROR_KINDS } from '../machine/error-kinds.js';
import type { Json } from '../machine/expression.js';
import { nearest } from '../prelude/nearest.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { type FileProblem, type ReadFile, readYamlFile } from './configuration/yaml-file.js';
import { type GivenAnswer, outputOf, valueOutcome } from './pretended-world.js';

/** An answer, or a list with one for each call. */
export type MockAnswers = Readonly<Record<string, Json>>;

export const MOCK_PARTS = ['commands', 'agents', 'tools', 'asks', 'signals'] as const;
const PARTS_MEANT: Readonly<Record<string, string>> = {
  ...{ agent: 'agents', tasks: 'agents', task: 'agents', command: 'commands', shell: 'commands', bash: 'commands' },
  ...{
    tool: 'tools',
    calls: 'tools',
    ask: 'asks',
    answers: 'asks',
    questions: 'asks',
    signal: 'signals',
    events: 'signals',
  },
};
export type MockPart = (typeof MOCK_PARTS)[number];

export interface Mock extends Readonly<Record<MockPart, MockAnswers | null>> {
  readonly file: string;
  readonly locationOf: ReadFile['locationOf'];
}

/** Reads the file of `--mock`. `shown`: how messages name it. */
export async function loadMock(
  file: string,
  shown = file,
): Promise<{ mock: Mock | null; problems: readonly FileProblem[] }> {
  const read = await readYamlFile(file, true, shown);
  if (read.problems.length > 0) return { mock: null, problems: read.problems };
  const problems: FileProblem[] = [];
  const report = (path: (string | number)[], message: string, help?: string): void => {
    const { line = null, column = null } = read.locationOf(path, typeof path.at(-1) === 'string') ?? {};
    problems.push({ file, line, column, message, ...omitUndefined({ help }) });
  };
  const value = read.value ?? {};
  if (!isMapping(value)) {
    report([], 'a mock is a mapping with the keys `commands`, `agents`, `tools`, `asks` and `signals`');
    return { mock: null, problems };
  }
  for (const [key, answers] of Object.entries(value)) {
    if (!(MOCK_PARTS as readonly string[]).includes(key))
      report(
        [key],
        `there is no key \`${key}\` in a mock`,
        PARTS_MEANT[key.toLowerCase()] !== undefined
          ? `write \`${PARTS_MEANT[key.toLowerCase()]}\``
          : 'the keys are `commands`, `agents`, `tools`, `asks` and `signals`',
      );
    else if (answers !== null && !isMapping(answers)) report([key], `\`${key}\` must be a mapping of names to answers`);
    else checkAnswers(key as MockPart, answers ?? {}, report);
  }
  if (problems.length > 0) return { mock: null, problems };
  const part = (key: MockPart): MockAnswers | null => (key in value ? ((value[key] ?? {}) as MockAnswers) : null);
  const { locationOf } = read;
  const parts = { tools: part('tools'), agents: part('agents'), commands: part('commands') };
  return { mock: { file: shown, locationOf, ...parts, asks: part('asks'), signals: part('signals') }, problems };
}

type ReportProblem = (path: (string | number)[], message: string, help?: string) => void;

function checkAnswers(part: MockPart, answers: MockAnswers, report: ReportProblem): void {
  for (const [name, answer] of Object.entries(answers)) {
    if (!Array.isArray(answer)) checkAnswer(part, [part, name], answer, report);
    else for (const [at, one] of answer.entries()) checkAnswer(part, [part, name, at], one, report);
  }
}

function checkAnswer(part: MockPart, path: (string | number)[], answer: Json, report: ReportProblem): void {
  const wrapped = unwrap(answer);
  const given = wrapped?.value ?? answer;
  if (part === 'asks' && (given === null || isMapping(given) || Array.isArray(given))) {
    report(path, 'the answer of a person must be a text', 'write `{value: TEXT, after: 2h}` for one that takes time');
    return;
  }
  if (wrapped === null) {
    const meant = part === 'agents' || part === 'commands' ? failureMeant(answer) : null;
    if (meant !== null)
      report(
        path,
        'this is an object as the result, and no failure',
        `write \`${meant}\`, or \`{value: …}\` around the object`,
      );
    return;
  }
  const { fail, after, cost, tokens } = wrapped;
  if (after !== undefined && durationOf(after) === null)
    report([...path, 'after'], '`after` must be a duration, such as `30s`');
  if (cost !== undefined && !(amountOf(cost) >= 0)) report([...path, 'cost'], '`cost` must be a number of US dollars');
  if (tokens !== undefined && !(Number.isSafeInteger(amountOf(tokens)) && amountOf(tokens) >= 0))
    report([...path, 'tokens'], '`tokens` must be a whole number');
  if (fail === undefined) return;
  if (part === 'asks' || part === 'signals') report([...path, 'fail'], `\`${part}\` cannot fail`);
  const { kind } = fail as { readonly kind?: Json };
  if (kind !== undefined && typeof kind !== 'string')
    report([...path, 'fail'], 'the `kind` of a failure must be a text');
  // Tools name their failures themselves; those of everything else are known.
  else if (kind !== undefined && part !== 'tools' && !ERROR_KINDS.includes(kind)) {
    const near = nearest(kind, ERROR_KINDS);
    const help = near === undefined ? `the kinds are ${ERROR_KINDS.join(', ')}` : `did you mean \`${near}\`?`;
    report([...path, 'fail', 'kind'], `there is no failure \`${kind}\``, help);
  }
}

/** The failure that an object of other words was meant as; null: it may be a result. */
function failureMeant(answer: Json): string | null {
  if (!isMapping(answer)) return null;
  const keys = Object.keys(answer);
  const own = [
    'exit',
    'exit_code',
    'exitCode',
    'code',
    'fail',
    'fails',
    'failure',
    'stdout',
    'stderr',
    'times_out',
    'timeout',
  ];
  if (keys.length === 0 || !keys.every((key) => own.includes(key))) return null;
  if ('timeout' in answer || 'times_out' in answer) return '{fail: {kind: timeout}}';
  const numbers = Object.values(answer).filter((value) => Number.isSafeInteger(amountOf(value)));
  const code = numbers[0] === undefined ? 1 : amountOf(numbers[0]);
  if (code === 0 || keys.every((key) => key === 'stdout'))
    return `{value: "${typeof answer.stdout === 'string' ? answer.stdout : ''}"}`;
  const message = [answer.stderr, answer.stdout, answer.fail, answer.failure].find((one) => typeof one === 'string');
  return `{fail: {code: ${code}${message === undefined ? '' : `, message: "${message}"`}}}`;
}

interface WrappedAnswer {
  readonly value?: Json;
  readonly fail?: { readonly [key: string]: Json };
  readonly after?: Json;
  readonly cost?: Json;
  readonly tokens?: Json;
}

const WRAPPING: ReadonlySet<string> = new Set(['value', 'fail', 'after', 'cost', 'tokens']);

/** `{value: …}` or `{fail: {…}}`, with what belongs to it; null: the answer is a value itself. */
function unwrap(answer: Json): WrappedAnswer | null {
  if (!isMapping(answer)) return null;
  if (isMapping(answer.fail)) return answer as WrappedAnswer;
  return 'value' in answer && Object.keys(answer).every((key) => WRAPPING.has(key)) ? (answer as WrappedAnswer) : null;
}

/** NaN: it is not a number. */
const amountOf = (value: Json): number => numberOf(value as Value) ?? Number.NaN;

const durationOf = (value: Json): number | null => (typeof value === 'string' ? readDuration(value).ms : null);

/** One answer of a mock. `isTool`: every value is the result, including a text. */
export function readMockAnswer(answer: Json, isTool: boolean): GivenAnswer {
  const wrapped = unwrap(answer);
  const { after, cost, tokens, fail } = wrapped ?? {};
  const value = wrapped === null ? answer : (wrapped.value ?? null);
  return {
    result: fail === undefined ? valueOutcome(value, isTool) : failure(fail, isTool),
    ...omitUndefined({
      afterMs: (after === undefined ? null : durationOf(after)) ?? undefined,
      cost: cost === undefined ? undefined : amountOf(cost),
      tokens: tokens === undefined ? undefined : amountOf(tokens),
    }),
  };
}

function failure({ code, message, kind }: { readonly [key: string]: Json }, isTool: boolean): GivenAnswer['result'] {
  if (kind === 'timeout') return 'timeout';
  const words = typeof message === 'string' ? message : '';
  if (typeof code === 'number' && kind === undefined) return outputOf('', code, words);
  const said = words || String(code ?? kind ?? 'the mock makes this call fail');
  return {
    kind: 'failed',
    message: said,
    ...omitUndefined({
      error_type: typeof kind === 'string' ? kind : undefined,
      exit: typeof code === 'number' ? code : undefined,
      tool_code: isTool && typeof code === 'string' ? code : undefined,
    }),
  };
}

export function isMapping(value: Json | undefined): value is { [key: string]: Json } {
  return isObject(value as Value);
}
