/** What faults have changed, for people: a line for each kind, and below it each other end with its point. */
import type { Paint } from '../../../views/drawing/paint.js';
import { escapeControls } from '../../../views/drawing/visible-text.js';
import type { FaultKind } from '../faults/points.js';
import type { FaultOutcome, FaultResult } from '../faults/run-faults.js';
import type { TestFailure } from '../test-world.js';

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
