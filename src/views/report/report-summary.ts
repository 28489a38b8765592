/**
 * A run as Markdown, for the summary of a CI job: its result, why it failed, its states, steps and cost, and its graph.
 * What a program or a command wrote is shown as code, so that it is never read as Markdown or HTML.
 */
import type { RunError, Waiting } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import type { RecordedStep } from '../../runtime/record/step-stories.js';
import { countOf, dollars, duration } from '../drawing/amounts.js';
import { cut, escapeControls, oneLine } from '../drawing/visible-text.js';
import { mermaid } from '../graph/graph-text.js';
import { graphOf } from '../graph/machine-graph.js';
import type { Report } from './report.js';

/** Enough of a result or an error to see what it is. */
const MOST_TEXT = 4000;
const MOST_CELL = 120;
/** GitHub shows no larger diagram, and a page of a hundred rows is not a summary. */
const MOST_STATES = 80;
const MOST_ROWS = 50;

/** What `show --json` says about a run, as far as a summary has it. */
interface SummedRun {
  readonly run_id: string;
  readonly machine: string;
  readonly status: string;
  readonly states: readonly string[];
  readonly error: RunError | null;
  readonly waiting: readonly Waiting[];
  readonly steps?: readonly RecordedStep[];
  readonly returned?: Json;
}

/** `machine`: the program of the run; null: it cannot be read, and there is no graph. */
export function drawSummary(run: SummedRun, report: Report, machine: Machine | null): string {
  const { status, error, waiting, steps = [] } = run;
  const [reported] = report.runs;
  const unknown = report.unknown_costs === 0 ? '' : `, ${countOf(report.unknown_costs, 'call')} of unknown cost`;
  const facts = [
    duration(report.duration_ms),
    countOf(report.effects, 'effect'),
    ...(report.retries > 0 ? [`${report.retries} retried`] : []),
    ...(report.tools.some(({ spent }) => spent !== undefined) ? [`cost ${dollars(report.cost)}${unknown}`] : []),
    ...(report.tokens.in + report.tokens.out > 0 ? [`${report.tokens.in + report.tokens.out} tokens`] : []),
  ];
  const parts = [
    `## ${code(run.machine)}: ${status}`,
    `${facts.join(', ')} · run ${code(run.run_id)}${reported?.branch === undefined ? '' : ` · branch ${code(reported.branch)}`}`,
    ...(error === null ? [] : [errorText(error)]),
    ...(waiting.length === 0 ? [] : [waitingText(run)]),
    ...(status === 'returned' && run.returned !== null && run.returned !== undefined
      ? [`**Result**\n\n${block(textOf(run.returned))}`]
      : []),
    ...table(
      ['State', 'Entries', 'Effects', 'Time'],
      report.states
        .filter(({ state }) => state !== 'MAIN' || machine?.workflow === undefined)
        .map(({ state, entries, effects, time_ms }) => [code(state), `${entries}`, `${effects}`, duration(time_ms)]),
    ),
    ...table(
      ['Step', 'Status', 'Attempts', 'Agent', 'Cost'],
      steps.map(({ path, status: how, attempt, agent, cost }) => [
        code(path),
        how,
        `${attempt}`,
        agent === null ? '' : code(agent),
        agent === null ? '' : dollars(cost),
      ]),
    ),
    ...table(
      ['Agent', 'Calls', 'Failed', 'Cost', 'Tokens in', 'Tokens out'],
      report.tools.flatMap(({ tool, calls, failed, spent }) =>
        spent === undefined
          ? []
          : [[code(tool), `${calls}`, `${failed}`, dollars(spent.cost), `${spent.tokens.in}`, `${spent.tokens.out}`]],
      ),
    ),
    ...(machine === null || machine.states.length > MOST_STATES ? [] : [graphText(run, machine)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function errorText({ kind, message, state, file, line }: RunError): string {
  const where = [
    ...(state === null ? [] : [`in the state ${code(state)}`]),
    ...(file === null || line === null ? [] : [`at ${code(`${file}:${line}`)}`]),
  ];
  return `**Why it failed** (${code(kind)}${where.length === 0 ? '' : `, ${where.join(', ')}`})\n\n${block(message)}`;
}

function waitingText({ waiting }: SummedRun): string {
  const lines = waiting.map(({ kind, name, path, question, choices }) => {
    const what = name ?? path ?? '';
    const asked = question === undefined ? '' : `: ${code(question)}`;
    const among = choices == null ? '' : ` (${choices.map(code).join(', ')})`;
    return `- ${kind}${what === '' ? '' : ` ${code(what)}`}${asked}${among}`;
  });
  return `**Waits for**\n\n${lines.join('\n')}`;
}

/** States that the run did not enter are gray. */
function graphText({ states }: SummedRun, machine: Machine): string {
  const entered = new Set(states);
  const drawn = mermaid([graphOf(machine)], (_, at) => !entered.has(machine.states[at]?.name ?? ''));
  return `<details><summary>Graph</summary>\n\n${block(drawn.trimEnd(), 'mermaid')}\n\n</details>`;
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const shown = rows.slice(0, MOST_ROWS).map(line);
  const more = rows.length > MOST_ROWS ? [`\n… and ${rows.length - MOST_ROWS} more`] : [];
  return [[line(titles), line(titles.map(() => '---')), ...shown, ...more].join('\n')];
}

/** One line of any text. A bar would end its cell, also inside of code. */
function code(text: string): string {
  const line = escapeControls(oneLine(cut(text, MOST_CELL))).replaceAll('|', '\\|');
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 && line !== '' ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

function block(text: string, language = ''): string {
  const shown = text.length > MOST_TEXT && language === '' ? `${cut(text, MOST_TEXT)}\n[…]` : text;
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${shown}\n${fence}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
