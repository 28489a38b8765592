/** Results of tests for people. */
import { duration } from '../../../views/drawing/amounts.js';
import type { Paint } from '../../../views/drawing/paint.js';
import { escapeControls } from '../../../views/drawing/visible-text.js';
import { dollars, reservedText } from '../../foresight/bound.js';
import type { JudgedMutant } from '../mutation/mutate-program.js';
import type { NeededCall } from '../renew-cassettes.js';
import { failureMessage, type TestFailure, type TestResult } from '../test-world.js';

/** A line for a test, and below a failed one what is different and the end of its log. */
export function resultLines(result: TestResult, paint: Paint): string {
  const name = `${escapeControls(result.name)} ${paint.faint(`(${duration(result.duration_ms)})`)}`;
  switch (result.status) {
    case 'passed':
      return `  ${paint.success('✓')} ${name}\n${warningLines(result, paint)}`;
    case 'skipped':
      return `  ${paint.warning('-')} ${escapeControls(result.name)}${paint.faint(` (skipped${result.reason ? `: ${escapeControls(result.reason)}` : ''})`)}\n`;
    case 'failed':
      return `  ${paint.error('✗')} ${name}\n${result.failures.map((one) => failureLines(one, result, paint)).join('')}${warningLines(result, paint)}${logLines(result, paint)}`;
  }
}

function failureLines(
  { line, expected, got, difference = [], help, ...failure }: TestFailure,
  result: TestResult,
  paint: Paint,
): string {
  const at = paint.faint(`${result.file}:${line === 0 ? result.line : line}`);
  return [
    `    ${escapeControls(failureMessage(failure))}  ${at}`,
    ...(expected === undefined ? [] : [`      expected  ${indentAll(expected)}`]),
    ...(got === undefined ? [] : [`      got       ${indentAll(got)}`]),
    ...difference.map((one) => `      ${escapeControls(one)}`),
    ...(help === undefined ? [] : [`      help: ${escapeControls(help)}`]),
  ]
    .map((text) => `${text}\n`)
    .join('');
}

function warningLines(result: TestResult, paint: Paint): string {
  return (result.warnings ?? [])
    .map((one) => failureLines({ ...one, message: `warning: ${one.message}` }, result, paint))
    .join('');
}

function logLines({ log }: TestResult, paint: Paint): string {
  if (log.length === 0) return '';
  return `    the log ends with\n${log.map((line) => `      ${paint.faint(`| ${line}`)}\n`).join('')}`;
}

/** A prompt may have megabytes, of which a reader needs the beginning. */
const MOST_CHARACTERS = 4_000;

function indentAll(text: string): string {
  const more = text.length - MOST_CHARACTERS;
  const shown = more > 0 ? `${text.slice(0, MOST_CHARACTERS)}… and ${more} more characters` : text;
  return escapeControls(shown).split('\n').join('\n                ');
}

/**
 * What will be called to bring cassettes up to date, and the most that it may cost. A new outcome may change what its run asks
 * for afterwards. `runCost`: the most that a whole run may cost.
 */
export function neededCallsText(calls: readonly NeededCall[], runCost: number | null): string {
  if (calls.length === 0) return 'nothing has to be called\n';
  const lines = calls.map(
    ({ test, text, state, line, maxCost }) =>
      `  ${escapeControls(test)}: ${escapeControls(text)} (state ${state}, line ${line})${maxCost === 0 ? '' : `, ${costText(maxCost)}`}\n`,
  );
  const costs = calls.map(({ maxCost }) => maxCost);
  const total = costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  const count = calls.length === 1 ? 'one call is' : `${calls.length} calls are`;
  const runs = new Set(calls.map(({ test }) => test)).size;
  const all = runCost === null ? null : runCost * runs;
  const because = all === null && total !== null ? ', because nothing limits the cost of the whole run' : '';
  const most = all === 0 ? '' : `; in all ${all === null ? `at any cost${because}` : costText(all)}`;
  const more = `  and what ${runs === 1 ? 'the run asks' : 'the runs ask'} for because of the new outcomes${most}\n`;
  return `${count} not as recorded${total === 0 ? '' : `, ${costText(total)}`}:\n${lines.join('')}${more}`;
}

const costText = (cost: number | null): string =>
  cost === null ? 'at any cost, because an agent has no `max_cost`' : `≤ ${reservedText(dollars(cost))}`;

/** `failedFaults`: at how many points of faults something failed. */
export function summaryLine(results: readonly TestResult[], failedFaults: number, ms: number, paint: Paint): string {
  const count = (status: TestResult['status']): number => results.filter((one) => one.status === status).length;
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')];
  const parts = [
    ...(failed > 0 ? [paint.error(`${failed} failed`)] : []),
    ...(failedFaults > 0 ? [paint.error(`${failedFaults} failed with a fault`)] : []),
    ...(passed > 0 ? [paint.success(`${passed} passed`)] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return `${parts.length === 0 ? 'no tests' : parts.join(', ')} ${paint.faint(`in ${duration(ms)}`)}\n`;
}

/** `release.dsl:31:7  `<` → `<=``. */
export function survivorLine({ file, line, column, change }: JudgedMutant): string {
  return `  ${file}:${line}:${column}  ${change}\n`;
}

export function percentNoticed(mutants: readonly JudgedMutant[]): number {
  const noticed = mutants.filter(({ killed_by }) => killed_by !== null).length;
  return mutants.length === 0 ? 100 : (noticed / mutants.length) * 100;
}

/** `least`: what `--min` asks for. */
export function mutantsSummary(mutants: readonly JudgedMutant[], least = 0): string {
  if (mutants.length === 0) return 'the programs have nothing to change\n';
  const noticed = mutants.filter(({ killed_by }) => killed_by !== null).length;
  const percent = percentNoticed(mutants);
  const few = percent < least ? `, and \`--min\` asks for ${least} %` : '';
  return `the tests notice ${noticed} of ${mutants.length} mistakes (${percent.toFixed(1)} %)${few}\n`;
}
