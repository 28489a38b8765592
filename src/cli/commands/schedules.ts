/** `statedsl schedules`: what the service starts when, and what became of it. */
import type { ListedSchedule } from '../../app/runs.js';
import { localTime } from '../../views/drawing/amounts.js';
import { alignedLines, type Cell } from '../../views/drawing/columns.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { statusPaint } from '../../views/run-list.js';
import { reportRefusal, runsOf, type StoreFlags } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';

interface SchedulesFlags extends StoreFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const HEAD = [
  { title: 'SCHEDULE' },
  { title: 'PROGRAM' },
  { title: 'CRON' },
  { title: 'ZONE' },
  { title: 'NEXT' },
  { title: 'LAST' },
];

export async function schedulesCommand(flags: SchedulesFlags): Promise<ExitCode> {
  const listed = await (await runsOf(flags)).schedules();
  if (!listed.ok) return reportRefusal(listed.refusal);
  const { schedules, active } = listed.value;
  if (flags.json) {
    stdout.write(`${JSON.stringify(listed.value)}\n`);
    return EXIT.returned;
  }
  const paint = await stdout.paint();
  const rows = schedules.map(({ name, program, cron, zone, next: [next], last }): Cell[] => {
    const words = lastWords(last);
    return [
      name,
      visibleLine(program),
      cron,
      zone,
      next === undefined ? '-' : localTime(next),
      { text: words, paint: statusPaint(last?.status ?? '', paint) },
    ];
  });
  if (rows.length > 0) stdout.write(`${alignedLines(HEAD, rows, paint.faint).join('\n')}\n`);
  if (flags.quiet) return EXIT.returned;
  if (rows.length === 0)
    stderr.write('there are no schedules; write them under `schedules:` in statedsl.config.yaml\n');
  else if (!active)
    stderr.write(
      `no service runs, so nothing starts: \`statedsl serve${flags.on === undefined ? '' : ` --on ${flags.on}`}\` starts it\n`,
    );
  return EXIT.returned;
}

function lastWords(last: ListedSchedule['last']): string {
  if (last === null) return '-';
  const { due, outcome, run_id, status, message, passed } = last;
  const others = passed === undefined ? '' : `, and ${passed} before it without a start`;
  const what = outcome === 'started' ? `${status ?? outcome}, run ${run_id}` : outcome;
  return visibleLine(`${localTime(due)} ${what}${message === undefined ? '' : `: ${message}`}${others}`);
}
