/** The closing lines of a run: how it ended, what it waits for, and the returned value. */
import type { RunError, Waiting } from '../../interpreter/events/event.js';
import { publicForm } from '../../interpreter/values/json.js';
import type { SourceSet } from '../../language/source/diagnostic.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { drawDiagnostic } from '../../views/diagnostics/draw-diagnostic.js';
import { failureDiagnostic } from '../../views/diagnostics/draw-failure.js';
import { duration } from '../../views/drawing/amounts.js';
import type { Paint } from '../../views/drawing/paint.js';
import { cut, escapeControls, oneLine } from '../../views/drawing/visible-text.js';
import { shownLines, waitingLine } from '../../views/log/event-line.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';

export function exitCodeOf(report: RunReport): ExitCode {
  // The person asked for the rollback, so its success counts, not the failure of the run.
  if (report.status === 'failed' && report.rollback?.failed.length === 0) return EXIT.returned;
  if (report.only !== undefined) return report.status === 'failed' ? EXIT.failed : PART_EXITS[report.only.status];
  return EXIT[report.status];
}

/** For a run of one part, the part counts: after it, the run was stopped as intended. */
const PART_EXITS = { done: EXIT.returned, refused: EXIT.usage, not_reached: EXIT.failed } as const;

/** The closing lines of the log. `isPlayed`: the run came from a cassette. `flags` are the flags that a command to resume the run must repeat. */
export function closingLines(report: RunReport, flags: readonly string[], paint: Paint, isPlayed = false): string[] {
  const id = report.run_id;
  const after = `after ${report.steps === undefined ? count(report.states_total, 'state') : count(report.steps.length, 'step')}, ${count(report.effects, 'effect')}, ${duration(report.duration_ms)}`;
  const run = paint.faint(`run ${id}`);
  switch (report.status) {
    case 'returned':
      return [`${paint.success('returned')} ${after}  ${run}`, ...applyHint(report, flags)];
    case 'failed':
      if (report.rollback !== undefined) {
        const lines = rollbackLines(report.rollback, run, paint);
        const again = ['rollback', id, ...flags].map(shellWord).join(' ');
        return report.rollback.failed.length === 0
          ? lines
          : [...lines, `  try again with: statedsl ${escapeControls(again)}`];
      }
      return [`${paint.error('failed')} ${after}  ${run}`, ...undoLines(report, flags)];
    case 'interrupted':
      if (report.only?.status === 'done') {
        const on = resumeHint(['resume', id, ...flags]).replace('resume with', 'continue with');
        return [`${paint.success(`stopped at the end of ${escapeControls(report.only.name)}`)} ${after}  ${run}`, on];
      }
      // What a cassette lacks cannot come later.
      return [
        `${paint.warning('interrupted')} ${after}  ${run}`,
        ...(isPlayed ? [] : [resumeHint(['resume', id, ...flags])]),
      ];
    case 'skipped':
      return [`${paint.warning('skipped')}, nothing was executed  ${run}`];
    case 'suspended':
      return [
        `${paint.warning('suspended')} ${after}  ${run}`,
        ...report.waiting.flatMap((waiting) => [
          `  waits for ${escapeControls(waitingLine(waiting))}`,
          ...shownLines(waiting).map((line) => `  ${escapeControls(line)}`),
        ]),
        ...report.waiting.map((waiting) => resumeHint([...resumeWords(waiting, id, report.waiting), ...flags])),
      ];
    default:
      return unreachable(report.status);
  }
}

/** The maximum number of listed UNDOs. */
const MOST_UNDONE = 10;

/** The UNDOs that a failed run has registered. */
export function undoLines(
  { run_id, undo = [] }: Pick<RunReport, 'run_id' | 'undo'>,
  flags: readonly string[],
): string[] {
  if (undo.length === 0) return [];
  const shown = undo.slice(0, MOST_UNDONE).map(({ line, text }) => `    line ${line}: ${shorten(text)}`);
  const more = undo.length > MOST_UNDONE ? [`    … ${undo.length - MOST_UNDONE} more`] : [];
  const words = ['rollback', run_id, ...flags].map(shellWord).join(' ');
  return [
    `  ${count(undo.length, 'UNDO')} registered but not performed, newest first:`,
    ...shown,
    ...more,
    `  perform ${undo.length === 1 ? 'it' : 'them'} with: statedsl ${escapeControls(words)}`,
  ];
}

function rollbackLines({ done, failed }: NonNullable<RunReport['rollback']>, run: string, paint: Paint): string[] {
  const came =
    failed.length === 0
      ? `${paint.success('rolled back')}: ${done} undone`
      : `${paint.error('rolled back')}: ${done} undone, ${failed.length} failed`;
  return [`${came}  ${run}`, ...failed.map(({ line, error }) => `    line ${line}: ${shorten(error)}`)];
}

function shorten(text: string): string {
  return escapeControls(cut(oneLine(text), 120));
}

/** The returned value for stdout: text raw, everything else as JSON, nothing for null. */
export function returnedText(report: RunReport, terminal: boolean): string {
  const value = report.returned;
  if (value === null || value === undefined) return '';
  const { printed_returned: printed } = report;
  if (typeof value !== 'string') return `${printed === undefined ? JSON.stringify(value) : publicForm(printed)}\n`;
  const text = terminal ? escapeControls(value) : value;
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** How to merge the changes in the worktree of a run. */
function applyHint({ run_id, worktree }: RunReport, flags: readonly string[]): string[] {
  if (worktree === undefined) return [];
  const { problem, directory } = worktree;
  const words = ['apply', run_id, ...flags].map(shellWord).join(' ');
  if (problem !== undefined)
    return [
      `  its latest changes are only in ${escapeControls(directory)}: ${escapeControls(problem.replace(/\s+/g, ' '))}`,
      `  try again with: statedsl ${escapeControls(words)}`,
    ];
  if (!worktree.changed) return ['  it changed no files'];
  return [`  its changes are on branch ${worktree.branch}; merge them with: statedsl ${escapeControls(words)}`];
}

/** A command that can be pasted into a shell. */
function resumeHint(words: readonly string[]): string {
  return `  resume with: statedsl ${escapeControls(words.map(shellWord).join(' '))}`;
}

/** `all`: of those with the same name each is called by its own id. */
function resumeWords(waiting: Waiting, id: string, all: readonly Waiting[]): string[] {
  const { kind, choices } = waiting;
  const nameOf = ({ name, path }: Waiting): string => name ?? path ?? '';
  const isShared = all.some((one) => one !== waiting && one.kind !== 'time' && nameOf(one) === nameOf(waiting));
  const named = (isShared ? waiting.id : undefined) ?? nameOf(waiting);
  switch (kind) {
    case 'ask':
      return ['answer', id, `${named}=${choices?.[0] ?? '…'}`];
    case 'signal':
      return ['signal', id, named];
    case 'time':
      return ['resume', id];
    case 'approval':
      return ['answer', id, `${named}=true`];
    default:
      return unreachable(kind);
  }
}

function shellWord(word: string): string {
  return /^[\w.,:=/@%+…-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Shown even with `--quiet`, because it is the only explanation of the failure. */
export function failureText(error: RunError, sources: SourceSet, paint: Paint): string {
  return `${drawDiagnostic(failureDiagnostic(error, sources), sources, paint)}\n`;
}
