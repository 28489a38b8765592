/** Coverage as a table for people, as an lcov file, and as JSON. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { duration } from '../../../views/drawing/amounts.js';
import type { Paint } from '../../../views/drawing/paint.js';
import { escapeControls } from '../../../views/drawing/visible-text.js';
import { dollars, reservedText } from '../../foresight/bound.js';
import { type CoveredItem, type CoveredKind, percentOf } from '../coverage.js';
import type { JudgedMutant } from '../mutation/mutate-program.js';
import type { NeededCall } from '../suite.js';
import { failureMessage, type TestFailure, type TestResult } from '../test-world.js';

const KINDS: Readonly<Record<CoveredKind, string>> = {
  line: 'lines',
  condition: 'conditions',
  transition: 'transitions',
  handler: 'handlers',
  gate: 'gates',
  retry: 'retries',
  choice: 'choices',
  alternative: 'alternatives',
};
/** How much of a row lists what is missing. */
const MOST_MISSING = 6;

function byFile(items: readonly CoveredItem[]): Map<string, CoveredItem[]> {
  const files = new Map<string, CoveredItem[]>();
  for (const item of items) {
    const list = files.get(item.file);
    if (list === undefined) files.set(item.file, [item]);
    else list.push(item);
  }
  return files;
}

/** A row for each file, with the percentage in all and what is not covered. */
export function coverageTable(items: readonly CoveredItem[]): string {
  const kinds = (Object.keys(KINDS) as CoveredKind[]).filter((kind) => items.some((item) => item.kind === kind));
  const head = ['file', ...kinds.map((kind) => KINDS[kind]), 'all', 'missing'];
  const rows = [...byFile(items)].map(([file, own]) => [...cells(file, own, kinds), missing(own)]);
  const total = rows.length > 1 ? [[...cells('all files', items, kinds), '']] : [];
  const table = [head, ...rows, ...total];
  const widths = head.map((_, at) => Math.max(...table.map((row) => (row[at] as string).length)));
  return table
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] as number))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function cells(name: string, items: readonly CoveredItem[], kinds: readonly CoveredKind[]): string[] {
  const counts = kinds.map((kind) => {
    const own = items.filter((item) => item.kind === kind);
    return own.length === 0 ? '–' : `${own.filter(({ hits }) => hits > 0).length}/${own.length}`;
  });
  return [name, ...counts, `${Math.floor(percentOf(items))} %`];
}

function missing(items: readonly CoveredItem[]): string {
  const never = items.filter(({ hits }) => hits === 0);
  const lines = new Set(never.filter(({ kind }) => kind === 'line').map(({ line }) => line));
  // What is on a line that was never executed follows from that.
  const conditions = new Set(never.filter(({ kind }) => kind === 'condition').map(({ line }) => line));
  const others = never.filter(
    ({ kind, line }) => kind !== 'line' && !lines.has(line) && !(kind === 'transition' && conditions.has(line)),
  );
  const parts = [...ranges([...lines]), ...others.map(({ line, label }) => `${line}: ${label}`)];
  const more = parts.length - MOST_MISSING;
  return more > 0 ? `${parts.slice(0, MOST_MISSING).join(', ')}, and ${more} more` : parts.join(', ');
}

/** What no run executes; empty where there is nothing. */
export function unreachableText(items: readonly CoveredItem[]): string {
  if (items.length === 0) return '';
  const lines = items.map(({ file, line, label }) => `  ${file}:${line}${label === '' ? '' : ` ${label}`}\n`);
  return `not counted, because no run comes there\n${lines.join('')}`;
}

/** `3, 5–7` */
function ranges(lines: readonly number[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (lines[end + 1] === (lines[end] as number) + 1) end++;
    found.push(end === at ? `${lines[at]}` : `${lines[at]}–${lines[end]}`);
    at = end + 1;
  }
  return found;
}

export function lcov(items: readonly CoveredItem[]): string {
  return [...byFile(items)]
    .map(([file, own]) => {
      const lines = own.filter(({ kind }) => kind === 'line');
      const branches = own.filter(({ kind }) => kind !== 'line');
      const count = (list: readonly CoveredItem[]): number => list.filter(({ hits }) => hits > 0).length;
      const numbers = new Map<string, number>();
      const executed = new Set(lines.flatMap((one) => (one.hits > 0 ? [one.line] : [])));
      const records = branches.map(({ line, hits, label }) => {
        const block = label.replace(/ (?:is (?:true|false)|passed|failed|entry \d+|= .*|→ .*)$/, '');
        const number = numbers.get(`${line} ${block}`) ?? 0;
        numbers.set(`${line} ${block}`, number + 1);
        return `BRDA:${line},${[...numbers.keys()].indexOf(`${line} ${block}`)},${number},${hits === 0 && !executed.has(line) ? '-' : hits}`;
      });
      return [
        'TN:',
        `SF:${file}`,
        ...lines.map(({ line, hits }) => `DA:${line},${hits}`),
        `LF:${lines.length}`,
        `LH:${count(lines)}`,
        ...records,
        `BRF:${branches.length}`,
        `BRH:${count(branches)}`,
        'end_of_record\n',
      ].join('\n');
    })
    .join('');
}

export function coverageJson(items: readonly CoveredItem[]): string {
  const files = [...byFile(items)].map(([file, own]) => ({
    file,
    percent: Math.round(percentOf(own) * 10) / 10,
    items: own.map(({ kind, line, label, hits }) => omitUndefined({ kind, line, label: label || undefined, hits })),
  }));
  return `${JSON.stringify({ percent: Math.round(percentOf(items) * 10) / 10, files })}\n`;
}

/** Results for people: a line for each test, and below a failed one what is different and the end of its log. */
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
