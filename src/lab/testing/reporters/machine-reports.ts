/** Results for programs: TAP 14, JUnit XML, JSON, and the annotations of GitHub Actions. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { escapeControls } from '../../../views/drawing/visible-text.js';
import type { FaultResult } from '../faults/run-faults.js';
import type { JudgedMutant } from '../mutation/mutate-program.js';
import { failureMessage, type TestFailure, type TestResult } from '../test-world.js';

export function tap(results: readonly TestResult[]): string {
  const lines = ['TAP version 14', `1..${results.length}`];
  for (const [at, result] of results.entries()) {
    const skip = result.status === 'skipped' ? ` # SKIP ${oneLine(result.reason ?? '')}`.trimEnd() : '';
    const name = oneLine(`${result.file}: ${result.name}`).replace(/[\\#]/g, '\\$&');
    lines.push(`${result.status === 'failed' ? 'not ok' : 'ok'} ${at + 1} - ${name}${skip}`);
    if (result.status !== 'failed') continue;
    lines.push('  ---', '  failures:');
    for (const failure of result.failures) {
      lines.push(`    - message: ${yaml(failureMessage(failure))}`);
      lines.push(`      at: ${yaml(`${result.file}:${failure.line || result.line}`)}`);
      for (const key of ['expected', 'got', 'help'] as const)
        if (failure[key] !== undefined) lines.push(`      ${key}: ${yaml(failure[key])}`);
      if (failure.difference !== undefined) lines.push(`      difference: ${yaml(failure.difference.join('\n'))}`);
    }
    lines.push('  ...');
  }
  return `${lines.join('\n')}\n`;
}

export function junit(results: readonly TestResult[]): string {
  const files = byFile(results);
  const suites = [...files].map(([file, tests]) => {
    const failures = tests.filter(({ status }) => status === 'failed').length;
    const skipped = tests.filter(({ status }) => status === 'skipped').length;
    const head = `  <testsuite name="${xml(file)}" tests="${tests.length}" failures="${failures}" skipped="${skipped}" time="${seconds(tests)}">`;
    return [head, ...tests.map(junitCase), '  </testsuite>'].join('\n');
  });
  const failed = results.filter(({ status }) => status === 'failed').length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="${results.length}" failures="${failed}" time="${seconds(results)}">\n${suites.map((suite) => `${suite}\n`).join('')}</testsuites>\n`;
}

function byFile(results: readonly TestResult[]): Map<string, TestResult[]> {
  const files = new Map<string, TestResult[]>();
  for (const result of results) files.set(result.file, [...(files.get(result.file) ?? []), result]);
  return files;
}

function junitCase(result: TestResult): string {
  const head = `    <testcase classname="${xml(result.file)}" name="${xml(result.name)}" time="${seconds([result])}"`;
  if (result.status === 'passed') return `${head}/>`;
  if (result.status === 'skipped') return `${head}><skipped message="${xml(result.reason ?? '')}"/></testcase>`;
  const text = [...result.failures.map(failureText), ...result.log].join('\n');
  const [first] = result.failures;
  const message = xml(first === undefined ? 'failed' : failureMessage(first));
  return `${head}><failure message="${message}">${xml(text)}</failure></testcase>`;
}

function seconds(results: readonly TestResult[]): string {
  return (results.reduce((sum, { duration_ms }) => sum + duration_ms, 0) / 1000).toFixed(3);
}

export function json(
  results: readonly TestResult[],
  faults: readonly FaultResult[] = [],
  mutants: readonly JudgedMutant[] | null = null,
): string {
  const count = (status: TestResult['status']): number => results.filter((one) => one.status === status).length;
  const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
  const tests = results.map((result) => ({ ...result, duration_ms: Math.round(result.duration_ms) }));
  const withFaults = faults.length === 0 ? {} : { faults: faults.map(faultJson) };
  return `${JSON.stringify({ ...counts, tests, ...withFaults, ...omitUndefined({ mutants: mutants ?? undefined }) })}\n`;
}

function faultJson({ file, name, line, outcomes, repeated }: FaultResult) {
  const same = outcomes.filter(({ isSame }) => isSame).length;
  const points = outcomes
    .filter(({ isSame, failures, defect }) => !isSame || failures.length > 0 || defect !== undefined)
    .map(({ point, end, isSame, reason, failures, defect }) =>
      omitUndefined({ point: point.name, what: point.what, end, same: isSame, reason, failures, defect }),
    );
  return { file, name, line, points: outcomes.length, same, other: points, repeated };
}

export function github(results: readonly TestResult[]): string {
  return results
    .flatMap((result) =>
      result.failures.map((failure) => {
        const line = failure.line || result.line;
        return `::error file=${property(result.file)},line=${line},title=${property(result.name)}::${escapeData(failureText(failure))}\n`;
      }),
    )
    .join('');
}

function failureText({ expected, got, difference = [], help, ...failure }: TestFailure): string {
  return [
    failureMessage(failure),
    ...(expected === undefined ? [] : [`expected ${expected}`]),
    ...(got === undefined ? [] : [`got ${got}`]),
    ...difference,
    ...(help === undefined ? [] : [`help: ${help}`]),
  ].join('\n');
}

const oneLine = (text: string): string => escapeControls(text.replace(/\s+/g, ' '));
const escapeData = (text: string): string =>
  escapeControls(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
const property = (text: string): string => escapeData(text).replace(/:/g, '%3A').replace(/,/g, '%2C');

/** A text that YAML reads: JSON, without the characters that are not printable for YAML. */
function yaml(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Without characters that XML cannot contain. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Points at which something failed, as failed tests: other programs count nothing else. */
export function failedPoints(faults: readonly FaultResult[]): TestResult[] {
  return faults.flatMap(({ file, name, line, outcomes }) =>
    outcomes
      .filter(({ failures, defect }) => failures.length > 0 || defect !== undefined)
      .map(({ point, failures, defect, log }): TestResult => {
        const defects = defect === undefined ? [] : [{ line: 0, message: `a defect of statedsl: ${defect}` }];
        const about = { file, name: `${name} (${point.name}: ${point.what})`, line };
        return { ...about, status: 'failed', failures: [...defects, ...failures], log: [...log], duration_ms: 0 };
      }),
  );
}
