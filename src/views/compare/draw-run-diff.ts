/** What `statedsl diff` prints: two runs, or two ranges of one, next to each other. */
import type { RunError } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import { countOf, dollars, duration } from '../drawing/amounts.js';
import { alignedLines } from '../drawing/columns.js';
import type { Paint } from '../drawing/paint.js';
import { cut, visibleLine } from '../drawing/visible-text.js';

/** One side of a comparison: a run, or a range of its events. */
export interface RunSide {
  readonly run_id: string;
  readonly machine: string;
  /** The path of its program; null: it was not a file. */
  readonly program: string | null;
  /** The digest of the program that was executed last. */
  readonly digest: string;
  /** The first and the last event that are compared. */
  readonly from: number;
  readonly to: number;
  /** The last event on record. */
  readonly last: number;
  /** After the last of the compared events. */
  readonly status: string;
  readonly state: string | null;
  /** In the range: states that were entered, commands and calls that were started, US dollars, and time. */
  readonly states: number;
  readonly effects: number;
  readonly agent_calls: number;
  readonly cost: number | null;
  readonly active_ms: number;
  readonly returned: Json;
  readonly printed_returned?: string;
  readonly error: RunError | null;
}

/** The first event that differs. */
export interface DifferentLine {
  readonly seq: number;
  readonly type: string;
  readonly text: string;
  /** The members that differ, if both events have the same type. */
  readonly differs?: string;
}

/** Both values of a name. A missing member: that side has none. */
export interface DifferentValue {
  readonly name: string;
  readonly left?: Json;
  /** The JSON of the value, if a number in it was written differently, such as `1.10`. */
  readonly printed_left?: string;
  readonly right?: Json;
  readonly printed_right?: string;
}

/** Two runs next to each other, as `diff --json` prints them. */
export interface RunDiff {
  readonly left: RunSide;
  readonly right: RunSide;
  /** The same program did the same with the same inputs. */
  readonly same: boolean;
  readonly same_program: boolean;
  /** Lines of the programs that only one of them has, with `-` or `+` before them. */
  readonly program: readonly { readonly file: string; readonly lines: readonly string[] }[];
  readonly inputs: readonly DifferentValue[];
  readonly difference: { readonly left: DifferentLine | null; readonly right: DifferentLine | null } | null;
  /** States in the order of both, by the event that entered them; null: that side did not enter it. */
  readonly path: readonly {
    readonly state: string;
    readonly left: number | null;
    readonly right: number | null;
    readonly same: boolean;
  }[];
  /** Values at the end that differ; null: they cannot be rebuilt from a record without its secrets. */
  readonly values: readonly DifferentValue[] | null;
  /** Files of the worktrees that differ; null: one side has no worktree, or its commits are gone. */
  readonly files: readonly { readonly file: string; readonly change: 'added' | 'removed' | 'changed' }[] | null;
}

const WIDTH = 60;
const MOST = 40;

export function drawRunDiff(diff: RunDiff, paint: Paint): string {
  const { left, right, difference } = diff;
  const lines = [...table(['', 'left', 'right'], headRows(left, right), paint)];
  const section = (title: string, body: readonly string[]): void => {
    if (body.length > 0) lines.push('', paint.strong(title), ...limitLines(body).map((line) => `  ${line}`));
  };
  for (const { file, lines: changed } of diff.program)
    section(`program ${visibleLine(file)}`, changed.map(visibleLine));
  if (!diff.same_program && diff.program.length === 0) lines.push('', 'the programs differ');
  section('inputs', valueRows(diff.inputs, paint));
  if (difference !== null)
    section('first difference', [`left:  ${lineText(difference.left)}`, `right: ${lineText(difference.right)}`]);
  section('path', pathLines(diff));
  section('values', valueRows(diff.values ?? [], paint));
  const signs = { added: '+', removed: '-', changed: '~' } as const;
  section(
    'files of the worktrees',
    (diff.files ?? []).map(({ file, change }) => `${signs[change]} ${visibleLine(file)}`),
  );
  if (diff.values === null) lines.push('', 'the values cannot be rebuilt from these records');
  lines.push('', diff.same ? 'both did the same' : difference === null ? 'the events are the same' : 'they differ');
  return `${lines.join('\n')}\n`;
}

function headRows(left: RunSide, right: RunSide): string[][] {
  const sides = [left, right];
  const row = (title: string, textOf: (side: RunSide) => string): string[] => [
    title,
    ...sides.map((side) => short(textOf(side))),
  ];
  return [
    row('run', ({ run_id }) => run_id),
    row('events', ({ from, to }) => `${from} to ${to}`),
    // Its folder is in `--json`.
    row('program', ({ program, machine }) => program?.split('/').at(-1) ?? machine),
    row('status', ({ status, state }) => (state === null ? status : `${status}, in ${state}`)),
    row('result', ({ returned, printed_returned, error }) =>
      error !== null ? `${error.kind}: ${error.message}` : returned === null ? '–' : textOf(returned, printed_returned),
    ),
    row('states', ({ states }) => String(states)),
    row('effects', ({ effects, agent_calls }) => `${effects}, ${countOf(agent_calls, 'agent call')}`),
    row('cost', ({ cost }) => dollars(cost)),
    row('time', ({ active_ms }) => duration(active_ms)),
  ];
}

/** Equal visits in a row are one line. */
function pathLines({ path }: RunDiff): string[] {
  if (path.every(({ same }) => same)) return [];
  const lines: string[] = [];
  let equal = 0;
  const flush = (): void => {
    if (equal > 0) lines.push(`  ${countOf(equal, 'state')} alike`);
    equal = 0;
  };
  for (const { state, left, right, same } of path) {
    if (same) {
      equal++;
      continue;
    }
    flush();
    const name = visibleLine(state);
    if (right === null) lines.push(`- ${name}  (event ${left})`);
    else if (left === null) lines.push(`+ ${name}  (event ${right})`);
    else lines.push(`≠ ${name}  (event ${left}, event ${right})`);
  }
  flush();
  return lines;
}

function valueRows(values: readonly DifferentValue[], paint: Paint): string[] {
  if (values.length === 0) return [];
  const cell = (value: Json | undefined, printed: string | undefined): string =>
    value === undefined ? '–' : short(textOf(value, printed));
  return table(
    ['name', 'left', 'right'],
    values.map(({ name, left, printed_left, right, printed_right }) => [
      visibleLine(name),
      cell(left, printed_left),
      cell(right, printed_right),
    ]),
    paint,
  );
}

function table(titles: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  return alignedLines(
    titles.map((title) => ({ title })),
    rows,
    paint.faint,
  );
}

const textOf = (value: Json, printed = JSON.stringify(value)): string => (typeof value === 'string' ? value : printed);
const short = (text: string): string => cut(visibleLine(text), WIDTH);

function lineText(line: DifferentLine | null): string {
  if (line === null) return 'has no such event';
  const differs = line.differs === undefined ? '' : `  [${line.differs}]`;
  return visibleLine(`event ${line.seq}, ${line.type.replaceAll('_', ' ')}: ${line.text}${differs}`);
}

const limitLines = (lines: readonly string[]): readonly string[] =>
  lines.length <= MOST ? lines : [...lines.slice(0, MOST), `… and ${lines.length - MOST} more; \`--json\` has all`];
