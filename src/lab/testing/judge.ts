/** Compares an expectation with a run. The result says what is different, or is null where nothing is. */
import type { RunEvent } from '../../interpreter/events/event.js';
import { fromRecord, printJson, render } from '../../interpreter/values/json.js';
import { equal, isObject, type Value } from '../../interpreter/values/value.js';
import type { Expression } from '../../language/syntax/expression-nodes.js';
import type { CountOperator, Expectation } from '../../language/syntax/tests/test-tree.js';
import type { Json } from '../../machine/expression.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { unreachable } from '../../prelude/unreachable.js';
import { differentLines } from '../../runtime/cassette/drift.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import type { TestedRun } from './run-facts.js';
import { fitsWildcard, selects } from './selectors.js';
import type { Evaluated } from './test-expressions.js';

export interface Judged {
  /** What is wrong besides the difference; may be empty. */
  readonly message: string;
  readonly expected?: string;
  readonly got?: string;
  /** Lines that begin with `-`, `+` or spaces. */
  readonly difference?: readonly string[];
}

type EvaluateText = (expression: Expression) => Evaluated;

export function judge(
  expectation: Exclude<Expectation, { kind: 'snapshot' }>,
  facts: TestedRun,
  evaluate: EvaluateText,
): Judged | null {
  switch (expectation.kind) {
    case 'returned':
      return judgeReturned(expectation.value, facts, evaluate);
    case 'failed': {
      const { report } = facts;
      const kind = expectation.error?.text ?? null;
      if (report?.status === 'failed' && (kind === null || report.error?.kind === kind)) return null;
      return difference(kind === null ? 'failed' : `failed ${kind}`, endOf(report));
    }
    case 'suspended': {
      const name = expectation.name?.text ?? null;
      const isWaiting = facts.report === null ? facts.waiting.length > 0 : facts.report.status === 'suspended';
      if (isWaiting && (name === null || facts.waiting.includes(name))) return null;
      const got = isWaiting ? `suspended ${facts.waiting.join(', ')}` : endOf(facts.report);
      return difference(name === null ? 'suspended' : `suspended ${name}`, got);
    }
    case 'states':
      return judgeStates(
        expectation.states.map((state) => state?.text ?? null),
        facts.states,
      );
    case 'state': {
      const { name, isAbsent } = expectation;
      if (facts.states.includes(name.text) !== isAbsent) return null;
      return difference(`${isAbsent ? 'no state' : 'state'} ${name.text}`, facts.states.join(', '));
    }
    case 'event':
      return judgeEvent(expectation, facts, evaluate);
    case 'calls': {
      const count = facts.calls.filter((call) => selects(expectation.selector, call)).length;
      if (holds(count, expectation.operator, expectation.count)) return null;
      return difference(
        `calls ${expectation.operator} ${expectation.count}`,
        `${count} ${count === 1 ? 'call' : 'calls'}`,
      );
    }
    case 'prompt':
      return judgePrompt(expectation, facts, evaluate);
    case 'once': {
      const { selector } = expectation;
      const found = facts.calls.find((call) => !call.isOnce && selects(selector, call));
      if (found === undefined) return null;
      return { message: `\`${found.text}\` (line ${found.line}) can run twice; give it \`once\`` };
    }
    case 'condition':
      return judgeCondition(expectation.expression, evaluate);
    default:
      return unreachable(expectation);
  }
}

function judgeReturned(value: Expression | null, { report }: TestedRun, evaluate: EvaluateText): Judged | null {
  if (value === null) return report?.status === 'returned' ? null : difference('returned', endOf(report));
  const wanted = evaluate(value);
  if ('problem' in wanted) return { message: wanted.problem };
  const returned = report === null ? null : fromRecord(report.returned, report.printed_returned);
  if (report?.status === 'returned' && isSame(returned, wanted.value)) return null;
  const judged = difference(`returned ${jsonText(wanted.value)}`, endOf(report));
  return report?.status === 'returned' ? withDifference(judged, wanted.value, returned) : judged;
}

/** `…` stands for any states. */
function judgeStates(wanted: readonly (string | null)[], states: readonly string[]): Judged | null {
  if (fitsWildcard<string | null>(wanted, states, null)) return null;
  const judged = difference(wanted.map((state) => state ?? '…').join(', '), states.join(', '));
  if (wanted.includes(null)) return judged;
  return { ...judged, difference: differentLines(wanted.join('\n'), states.join('\n')) };
}

function judgeEvent(
  { isAbsent, name, fields, times }: Extract<Expectation, { kind: 'event' }>,
  { events }: TestedRun,
  evaluate: EvaluateText,
): Judged | null {
  const wanted: [string, Json][] = [];
  for (const field of fields) {
    const evaluated = evaluate(field.value);
    if ('problem' in evaluated) return { message: evaluated.problem };
    wanted.push([field.name.text, evaluated.value]);
  }
  const named = events.flatMap((event) =>
    event.type === 'emitted' && event.event === name.text ? [fieldsOf(event)] : [],
  );
  const found = named.filter((has) =>
    wanted.every(([key, value]) => key in has && isAlike(has[key] as Json, value)),
  ).length;
  const expected = isAbsent ? 0 : times;
  if (expected === null ? found > 0 : found === expected) return null;
  const listed = named.map((has) => `${name.text} ${fieldsText(Object.entries(has))}`.trim()).join('\n');
  const count = expected === null ? 'at least once' : `${expected} ${expected === 1 ? 'time' : 'times'}`;
  return difference(
    [name.text, ...wanted.map(([key, value]) => `${key}=${jsonText(value)}`)].join(' ').concat(`, ${count}`),
    listed === '' ? 'no such event' : listed,
  );
}

function fieldsOf({ fields, printed = {} }: Extract<RunEvent, { type: 'emitted' }>): Readonly<Record<string, Json>> {
  const all = Object.entries(fields).map(([name, value]) => [
    name,
    fromRecord(value, Object.hasOwn(printed, name) ? printed[name] : undefined),
  ]);
  return Object.fromEntries(all);
}

/** Fields of events are texts or values; `n=1` means both `1` and `"1"`. */
function isAlike(has: Json, wanted: Json): boolean {
  if (isSame(has, wanted)) return true;
  const isScalar = (value: Json): boolean => !isObject(value as Value) && !Array.isArray(value);
  return isScalar(has) && isScalar(wanted) && render(has as Value) === render(wanted as Value);
}

function judgePrompt(
  { selector, part }: Extract<Expectation, { kind: 'prompt' }>,
  { calls }: TestedRun,
  evaluate: EvaluateText,
): Judged | null {
  const wanted = evaluate(part);
  if ('problem' in wanted) return { message: wanted.problem };
  const prompts = calls.flatMap((call) => (call.prompt !== null && selects(selector, call) ? [call.prompt] : []));
  if (prompts.some((prompt) => prompt.includes(render(wanted.value as Value)))) return null;
  return difference(jsonText(wanted.value), prompts.length === 0 ? 'no such call' : prompts.join('\n'));
}

function judgeCondition(expression: Expression, evaluate: EvaluateText): Judged | null {
  const evaluated = evaluate(expression);
  if ('problem' in evaluated) return { message: evaluated.problem };
  if (evaluated.value === true) return null;
  if (evaluated.value !== false)
    return { message: 'a condition must be true or false', got: jsonText(evaluated.value) };
  if (expression.kind !== 'compare') return { message: '', expected: 'true', got: 'false' };
  const left = evaluate(expression.left);
  const right = evaluate(expression.right);
  if ('problem' in left || 'problem' in right) return { message: '', expected: 'true', got: 'false' };
  const judged = difference(`${expression.operator} ${jsonText(right.value)}`, jsonText(left.value));
  return expression.operator === '==' ? withDifference(judged, right.value, left.value) : judged;
}

function holds(count: number, operator: CountOperator, wanted: number): boolean {
  switch (operator) {
    case '==':
      return count === wanted;
    case '!=':
      return count !== wanted;
    case '<':
      return count < wanted;
    case '<=':
      return count <= wanted;
    case '>':
      return count > wanted;
    case '>=':
      return count >= wanted;
    default:
      return unreachable(operator);
  }
}

function endOf(report: RunReport | null): string {
  if (report === null) return 'the run has not ended';
  const { status, error, returned, printed_returned, waiting } = report;
  if (status === 'returned') return `returned ${printed_returned ?? jsonText(returned)}`;
  if (status === 'suspended')
    return `suspended ${waiting.map(({ name, path, kind }) => name ?? path ?? kind).join(', ')}`;
  return error === null ? status : `${status} ${error.kind}: ${error.message}`;
}

function difference(expected: string, got: string): Judged {
  return { message: '', expected, got };
}

/** Of values with members and of texts with lines, what is different is shown line by line. */
function withDifference(judged: Judged, wanted: Json, got: Json): Judged {
  const [expected, has] = [linesOf(wanted), linesOf(got)];
  if (!expected.includes('\n') && !has.includes('\n')) return judged;
  return { ...judged, difference: differentLines(expected, has) };
}

const linesOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value, sortMembers, 2));

/** The order of members makes no difference. */
function sortMembers(_: string, value: Json): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

const jsonText = (value: Json): string => printJson(value as Value);
const isSame = (one: Json, other: Json): boolean => equal(one as Value, other as Value);
const fieldsText = (fields: readonly (readonly [string, Json])[]): string =>
  fields.map(([name, value]) => `${name}=${jsonText(value)}`).join(' ');
