/** The detail of a report as text for people: every attempt of a step, a state or a tool. */
import { countOf, dollars, localTime } from '../drawing/amounts.js';
import { duration } from '../drawing/duration.js';
import type { Paint } from '../drawing/paint.js';
import { cut, visibleLine } from '../drawing/visible-text.js';
import { stepBlocks } from '../steps/step-detail-text.js';
import type { DetailedAttempt } from './detailed-attempt.js';
import type { Detail } from './report-detail.js';

const LONGEST_TEXT = 120;
const LONGEST_PROMPT = 2000;

/** `several`: the attempts belong to more than one run, so each names its run. */
export function drawDetail({ steps, visits, attempts }: Detail, several: boolean, paint: Paint): string {
  const blocks = visits.map(({ run_id, seq, at, state, entered, with: passed, time_ms, attempts: inside }) => {
    const how = entered ? '' : ' (resumed)';
    const where = several ? `run ${run_id}, ` : '';
    const head = `${paint.state(visibleLine(state))}${how}  ${where}event ${seq}, ${localTime(at)}, ${duration(time_ms)}`;
    const entry = Object.entries(passed).map(
      ([name, value]) => `  with ${showPrompt(`${name} = ${JSON.stringify(value)}`)}`,
    );
    return [head, ...entry, ...inside.flatMap((one) => attemptLines(one, false, paint))];
  });
  const tries = attempts.flatMap((one) => attemptLines(one, several, paint));
  if (tries.length > 0) blocks.push(tries);
  return [...stepBlocks(steps, several, paint), ...blocks].map((lines) => `${lines.join('\n')}\n`).join('\n');
}

function attemptLines(one: DetailedAttempt, several: boolean, paint: Paint): string[] {
  const tint = one.ending === 'failed' ? paint.warning : paint.faint;
  const number = one.attempt > 1 ? `, attempt ${one.attempt}` : '';
  const location = `${several ? `run ${one.run_id}, ` : ''}event ${one.seq}, ${localTime(one.at)}, ${visibleLine(one.state)}, line ${one.line}${number}`;
  return [
    `  ${one.undo === true ? 'undo: ' : ''}${visibleLine(cut(one.text, LONGEST_TEXT))} ${tint(`(${visibleLine(one.outcome ?? 'no recorded outcome')})`)}`,
    paint.faint(`    ${location}`),
    ...(one.args ?? []).map((value) => `    value ${showPrompt(JSON.stringify(value))}`),
    ...(one.prompt === undefined ? [] : [`    prompt ${showPrompt(one.prompt)}`]),
    ...(one.retried === null ? [] : [paint.warning(`    retried after: ${showPrompt(one.retried)}`)]),
    ...spentLines(one),
  ];
}

function spentLines({ cost, tokens, turns, session_id }: DetailedAttempt): string[] {
  if (cost === undefined) return [];
  const parts = [
    cost === null ? 'unknown cost' : dollars(cost),
    ...(tokens === undefined ? [] : [`${tokens.in} tokens in`, `${tokens.out} out`]),
    ...(turns === undefined ? [] : [countOf(turns, 'turn')]),
    ...(session_id === undefined ? [] : [`session ${visibleLine(session_id)}`]),
  ];
  return [`    ${parts.join(', ')}`];
}

function showPrompt(text: string): string {
  return visibleLine(cut(text, LONGEST_PROMPT));
}
