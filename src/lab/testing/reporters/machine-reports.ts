/** Results for programs: TAP 14, JUnit XML, JSON, and the annotations of GitHub Actions. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Paint } from '../../../views/drawing/paint.js';
import { escapeControls } from '../../../views/drawing/visible-text.js';
import type { FaultKind } from '../faults/points.js';
import type { FaultOutcome, FaultResult } from '../faults/run-faults.js';
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

const NAMES: Readonly<Record<FaultKind, readonly [string, string]>> = {
  crash: ['crash point', 'crash points'],
  fail: ['failure', 'failures'],
  late: ['other order', 'other orders'],
  twice: ['repetition', 'repetitions'],
};
/** How many points of one end are listed. A run of thousands of events may end otherwise at each of them. */
const MOST_POINTS = 100;

/** What these results say, and what they do not. */
export const FAULT_STATEMENT =
  'For these tests and these faults one at a time. Nothing is said about what commands do.\n';

/** What faults have changed, as text: a line for each kind, and below it each other end with its point. */
export function faultLines({ outcomes, possible, repeated, name }: FaultResult, paint: Paint): string {
  const kinds = [...new Set(outcomes.map(({ point }) => point.kind))];
  const lines = kinds.flatMap((kind) =>
    kindLines(
      kind,
      outcomes.filter(({ point }) => point.kind === kind),
      possible[kind],
      paint,
    ),
  );
  const twice = repeated.map(
    ({ text, line }) => `      line ${line} \`${escapeControls(text)}\` can run twice; it has no \`once\``,
  );
  return [`  ${escapeControls(name)}`, ...lines, ...twice].map((line) => `${line}\n`).join('');
}

function kindLines(kind: FaultKind, outcomes: readonly FaultOutcome[], possible: number, paint: Paint): string[] {
  const same = outcomes.filter(({ isSame }) => isSame).length;
  const groups = new Map<string, FaultOutcome[]>();
  for (const outcome of outcomes) {
    if (outcome.isSame && outcome.failures.length === 0 && outcome.defect === undefined) continue;
    const text = groupText(outcome);
    groups.set(text, [...(groups.get(text) ?? []), outcome]);
  }
  const other = outcomes.length - same;
  const [first] = groups.keys();
  const ends = other === 0 ? '' : `, ${other} other ${other === 1 ? 'end' : 'ends'}`;
  const names = NAMES[kind][outcomes.length === 1 ? 0 : 1];
  const detail = groups.size === 1 && first !== undefined ? `: ${first}` : '';
  const count =
    possible > outcomes.length && outcomes.length > 1 ? `${outcomes.length} of ${possible}` : outcomes.length;
  const head = `    ${count} ${names}, ${same} as before${ends}${detail}`;
  return [head, ...[...groups].flatMap(([text, list]) => groupLines(text, list, groups.size > 1, paint))];
}

function groupText({ end, reason }: FaultOutcome): string {
  return escapeControls(reason === undefined ? end : `${end} (${reason})`);
}

function groupLines(text: string, outcomes: readonly FaultOutcome[], isNamed: boolean, paint: Paint): string[] {
  const bad = outcomes.filter(({ failures, defect }) => failures.length > 0 || defect !== undefined);
  const shown = [...bad, ...outcomes.filter((one) => !bad.includes(one))].slice(0, Math.max(MOST_POINTS, bad.length));
  const points = shown.flatMap((one) => [
    `      ${one.point.name}  ${escapeControls(one.point.what)}${paint.faint(`  --fault ${one.point.name}`)}`,
    ...(one.defect === undefined
      ? []
      : [`        ${paint.error(`a defect of statedsl: ${escapeControls(one.defect)}`)}`]),
    ...one.failures.flatMap((failure) => failureLines(failure, paint)),
  ]);
  const more = outcomes.length - shown.length;
  return [
    ...(isNamed ? [`    ${outcomes.length} × ${text}`] : []),
    ...points,
    ...(more > 0 ? [paint.faint(`      and ${more} more`)] : []),
  ];
}

function failureLines({ message, expected, got }: TestFailure, paint: Paint): string[] {
  return [
    `        ${paint.error(escapeControls(message))}`,
    ...(expected === undefined ? [] : [`          expected  ${escapeControls(expected)}`]),
    ...(got === undefined ? [] : [`          got       ${escapeControls(got)}`]),
  ];
}

/** The log of one point, for `--fault`. */
export function faultLog({ outcomes }: Pick<FaultResult, 'outcomes'>, paint: Paint): string {
  return outcomes
    .flatMap(({ log }) => log)
    .map((line) => `      ${paint.faint(`| ${line}`)}\n`)
    .join('');
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
