/** Results for people: a line for each test, and below a failed one what is different and the end of its log. */
import { duration } from '../../views/drawing/duration.js';
import type { Paint } from '../../views/drawing/paint.js';
import { escapeControls } from '../../views/drawing/visible-text.js';
import type { TestFailure, TestResult } from '../test-result.js';

export function resultLines(result: TestResult, paint: Paint): string {
  const name = escapeControls(result.name);
  switch (result.status) {
    case 'passed':
      return `  ${paint.success('✓')} ${name}\n`;
    case 'skipped':
      return `  ${paint.warning('-')} ${name}${paint.faint(` (skipped${result.reason ? `: ${escapeControls(result.reason)}` : ''})`)}\n`;
    case 'failed':
      return `  ${paint.error('✗')} ${name}\n${result.failures.map((one) => failureLines(one, result, paint)).join('')}${logLines(result, paint)}`;
  }
}

function failureLines({ line, message, expected, got, help }: TestFailure, result: TestResult, paint: Paint): string {
  const at = paint.faint(`${result.file}:${line === 0 ? result.line : line}`);
  return [
    `    ${escapeControls(message)}  ${at}`,
    ...(expected === undefined ? [] : [`      expected  ${indentAll(expected)}`]),
    ...(got === undefined ? [] : [`      got       ${indentAll(got)}`]),
    ...(help === undefined ? [] : [`      help: ${escapeControls(help)}`]),
  ]
    .map((text) => `${text}\n`)
    .join('');
}

function logLines({ log }: TestResult, paint: Paint): string {
  if (log.length === 0) return '';
  return `    the log ends with\n${log.map((line) => `      ${paint.faint(`| ${line}`)}\n`).join('')}`;
}

const indentAll = (text: string): string => escapeControls(text).split('\n').join('\n                ');

export function summaryLine(results: readonly TestResult[], ms: number, paint: Paint): string {
  const count = (status: TestResult['status']): number => results.filter((one) => one.status === status).length;
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')];
  const parts = [
    ...(failed > 0 ? [paint.error(`${failed} failed`)] : []),
    ...(passed > 0 ? [paint.success(`${passed} passed`)] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return `${parts.length === 0 ? 'no tests' : parts.join(', ')} ${paint.faint(`in ${duration(ms)}`)}\n`;
}
