/** Coverage as a table for people, as an lcov file, and as JSON. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { type CoveredItem, type CoveredKind, percentOf } from '../coverage.js';

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
