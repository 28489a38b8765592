/** All attempts of a step, as text for people. Long texts are cut after their beginnings. */
import { countOf, duration, localTime } from '../drawing/amounts.js';
import type { Paint } from '../drawing/paint.js';
import { cut, escapeControls, visibleLine } from '../drawing/visible-text.js';
import { costCell } from '../report/report-table.js';
import type { DetailedGate, DetailedStep, DetailedStepAttempt } from './step-detail.js';
import { stepPaint } from './step-table.js';

const LONGEST_TEXT = 2000;
const LONGEST_LINE = 500;
const MOST_LINES = 20;

/** A block of lines for each step. `several`: the steps belong to more than one run. */
export function stepBlocks(steps: readonly DetailedStep[], several: boolean, paint: Paint): string[][] {
  return steps.map(({ run_id, path, type, status, attempts }) => {
    const kind = type === 'none' ? '' : `${type}, `;
    const run = several ? `, run ${run_id}` : '';
    const head = `${paint.state(visibleLine(path))}  ${kind}${stepPaint(status, paint)(status)}${run}`;
    return [head, ...attempts.flatMap((one) => attemptLines(one, paint))];
  });
}

function attemptLines(one: DetailedStepAttempt, paint: Paint): string[] {
  const { attempt, agent, status, seq, at, duration_ms, overrides } = one;
  const by = agent === null ? '' : `, ${visibleLine(agent)}`;
  const took = duration_ms === null ? '' : `, ${duration(duration_ms)}`;
  const held = Object.entries(overrides).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [
    `  attempt ${attempt}${by}: ${stepPaint(status, paint)(status)}`,
    paint.faint(`    event ${seq}, ${localTime(at)}${took}`),
    ...(held.length === 0 ? [] : [`    held: ${visibleLine(cut(held.join(', '), LONGEST_LINE))}`]),
    ...spentLine(one),
    ...textLines('prompt', one.prompt, paint),
    ...commandLines(one),
    ...deniedLines(one, paint),
    ...failureLines(one, paint),
    ...textLines('answer', one.answer, paint),
    ...one.gates.flatMap((gate) => gateLines(gate, paint)),
  ];
}

/** The cost and tokens of agent calls. Commands have neither. */
function spentLine(one: DetailedStepAttempt): string[] {
  if (!one.calls.some(({ kind }) => kind === 'agent')) return [];
  const { tokens, turns, session_id } = one;
  const parts = [
    one.cost === null ? 'unknown cost' : costCell(one),
    ...(tokens.in + tokens.out === 0 ? [] : [`${tokens.in} tokens in`, `${tokens.out} out`]),
    ...(turns === null ? [] : [countOf(turns, 'turn')]),
    ...(session_id === null || session_id === '' ? [] : [`session ${visibleLine(session_id)}`]),
  ];
  return [`    ${parts.join(', ')}`];
}

function deniedLines({ calls }: DetailedStepAttempt, paint: Paint): string[] {
  return calls
    .flatMap(({ denied = [] }) => denied)
    .map(({ tool, input, reason }) => {
      const call = visibleLine(cut(input === undefined ? tool : `${tool} ${input}`, LONGEST_LINE));
      return paint.warning(`    denied: ${call}${reason ? ` (${visibleLine(cut(reason, LONGEST_LINE))})` : ''}`);
    });
}

/** How failed agent calls ended: a limit, an error, an unavailable agent. */
function failureLines({ calls }: DetailedStepAttempt, paint: Paint): string[] {
  const failed = calls.filter(({ kind, ending }) => kind === 'agent' && ending !== 'succeeded');
  return failed.map(({ tool, outcome }) =>
    paint.warning(`    ${visibleLine(tool)}: ${visibleLine(outcome ?? 'no recorded outcome')}`),
  );
}

/** Commands of the work and of the context; commands of gates are shown with the results of the gates. */
function commandLines({ calls, gates }: DetailedStepAttempt): string[] {
  const asked = new Set(gates.map(({ gate }) => gate));
  const own = calls.filter(
    ({ kind, tool, text }) => !text.startsWith('STEP: ') && !(kind === 'shell' && asked.has(tool)),
  );
  return own.map(
    ({ text, outcome }) => `    $ ${visibleLine(cut(text, LONGEST_LINE))} (${visibleLine(outcome ?? 'open')})`,
  );
}

function gateLines({ gate, kind, pass, message, output, artifact }: DetailedGate, paint: Paint): string[] {
  const what = kind === gate ? '' : ` (${kind})`;
  const words = pass ? paint.success('passed') : paint.error('failed');
  const why = message === null || output !== undefined ? '' : `: ${visibleLine(message)}`;
  const more = artifact === undefined ? [] : [paint.faint(`      … all of it: artifacts/${artifact}`)];
  return [`    gate ${gate}${what} ${words}${why}`, ...block(output ?? '', paint), ...more];
}

function textLines(title: string, text: string | null, paint: Paint): string[] {
  if (text === null) return [];
  const lines = block(text, paint);
  return lines.length === 0 ? [`    ${title}: nothing`] : [`    ${title}`, ...lines];
}

function block(text: string, paint: Paint): string[] {
  const lines = cut(text.trimEnd(), LONGEST_TEXT).split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  const shown = lines.slice(0, MOST_LINES).map((line) => `      ${escapeControls(cut(line, LONGEST_LINE))}`.trimEnd());
  if (lines.length > MOST_LINES) shown.push(`      … ${countOf(lines.length - MOST_LINES, 'more line')}`);
  return shown.map(paint.faint);
}
