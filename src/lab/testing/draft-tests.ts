/** A trace as the lines of a TEST: inputs, what mocks and people answer, and the states of the run. */
import type { RunEvent } from '../../interpreter/events/event.js';
import { isToolCall } from '../../interpreter/plan/call-request.js';
import { printJson } from '../../interpreter/values/json.js';
import { isObject, type Value } from '../../interpreter/values/value.js';
import { quoteText } from '../../language/format/print-expression.js';
import type { Json } from '../../machine/expression.js';
import type { Trace, TraceStep } from '../foresight/exploration.js';
import type { Happening, RequestFacts } from '../foresight/way.js';
import { modelOf } from './run-facts.js';

export interface TestDraft {
  readonly name: string;
  /** Without expectations. */
  readonly lines: readonly string[];
  readonly states: readonly string[];
  /** Whether the trace ends with its run. */
  readonly isWhole: boolean;
  /** How the run of a whole trace ends: `returned`, or the kind of its failure. */
  readonly end: string | null;
}

export interface TestStart {
  readonly state: string;
  readonly with: Readonly<Record<string, Json>>;
}

/** Null: something in it has no form in a test. */
export function draftOf(name: string, { steps, inputs }: Trace, start: TestStart | null): TestDraft | null {
  const events = steps.flatMap((step) => step.events);
  const { states, result } = modelOf(events);
  const isWhole = result !== null;
  const mocks = mocksOf(steps, events, isWhole);
  if (mocks === null) return null;
  const answers = new Map<string, string[]>();
  const signals: string[] = [];
  for (const { request, happening } of steps) {
    if (request === null || happening === null || happening.kind === 'outcome' || happening.kind === 'limit') continue;
    if (request.kind === 'approval') return null;
    if (happening.kind === 'signal') signals.push(`SIGNAL: ${happening.name} ${valueText(happening.value)}`);
    else addTo(answers, request.name ?? '', valueText(happening.value));
  }
  const given = Object.entries(inputs).map(([input, value]) => `GIVEN: ${input}=${valueText(value)}`);
  const entry = Object.entries(start?.with ?? {}).map(([value, json]) => `${value}=${valueText(json)}`);
  const begins =
    start === null ? [] : [`START: ${start.state}${entry.length === 0 ? '' : ` with ${entry.join(', ')}`}`];
  return {
    name,
    lines: [
      ...given,
      ...begins,
      ...mocks,
      ...[...answers].map(([asked, texts]) => `ANSWER: ${asked} → ${texts.join(', ')}`),
      ...signals,
    ],
    states,
    isWhole,
    end: result?.type === 'run_failed' ? result.error.kind : result === null ? null : 'returned',
  };
}

/** Mocks give their answers in the order of the requests. */
function mocksOf(steps: readonly TraceStep[], events: readonly RunEvent[], isWhole: boolean): string[] | null {
  const settled = new Map<string, { readonly request: RequestFacts; readonly happening: Happening }[]>();
  for (const { effect, request, happening } of steps) {
    if (effect === null || request === null || happening === null) continue;
    const list = settled.get(effect) ?? [];
    settled.set(effect, [...list, { request, happening }]);
  }
  const mocks = new Map<string, string[]>();
  for (const event of events) {
    if (event.type !== 'effect_requested' || !MOCKED.has(event.kind)) continue;
    const { line, effect, tool } = event;
    const end = settled.get(effect)?.shift();
    if (end?.request.isPlanCheck === true) continue;
    const selector =
      tool !== null && (event.kind === 'agent' || event.kind === 'tool')
        ? isToolCall(event)
          ? `CALL ${tool}`
          : `Task(${tool})`
        : patternText(event.text);
    const answer = end === undefined ? 'hangs' : answerText(end.happening, event.kind === 'tool');
    if (answer === null) return null;
    addTo(mocks, `MOCK: ${selector} line ${line}`, answer);
  }
  return [...mocks].flatMap(([mock, answers]) => {
    // What was only asked for at the end is answered by what follows.
    while (!isWhole && answers.at(-1) === 'hangs') answers.pop();
    return answers.length === 0 ? [] : [`${mock} → ${answers.join(', ')}`];
  });
}

const MOCKED: ReadonlySet<string> = new Set(['shell', 'argv', 'function', 'agent', 'tool']);

function addTo(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

const patternText = (text: string): string => `"${text.trim().replace(/\s+/g, ' ').replace(/[\\"]/g, '\\$&')}"`;

function answerText(happening: Happening, isTool: boolean): string | null {
  if (happening.kind !== 'outcome') return null;
  const { outcome } = happening;
  switch (outcome.kind) {
    case 'exited': {
      if ('invalid' in outcome) return null;
      const text = outcome.stdout.text ?? '';
      if (outcome.is_error === true) return `fails tool_failure ${quoteText(text)}`;
      if (outcome.exit === 0 && outcome.stderr === '' && !isTool) return quoteText(text);
      if (outcome.exit === null) return `fails tool_failure ${quoteText(outcome.stderr)}`;
      const error = outcome.stderr === '' ? '' : ` stderr ${quoteText(outcome.stderr ?? '')}`;
      return `exit ${outcome.exit} ${quoteText(text)}${error}`;
    }
    case 'not-started':
      return `fails tool_failure ${quoteText(outcome.reason)}`;
    case 'timed-out':
      return 'times out';
    case 'failed': {
      const kind = outcome.error_type ?? outcome.tool_code;
      if (typeof outcome.exit === 'number') return `exit ${outcome.exit} "" stderr ${quoteText(outcome.message)}`;
      return kind === undefined ? null : `fails ${kind} ${quoteText(outcome.message)}`;
    }
    case 'value':
      return valueText(outcome.value);
    default:
      return null;
  }
}

/** JSON as an expression, in which braces in texts are no values. */
export function valueText(value: Json): string {
  if (typeof value === 'string') return quoteText(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (!isObject(value as Value)) return printJson(value as Value);
  const members = Object.entries(value as object).map(([name, item]) => `${quoteText(name)}: ${valueText(item)}`);
  return `{${members.join(', ')}}`;
}
