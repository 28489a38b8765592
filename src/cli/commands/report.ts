/** `statedsl report`: how much time and money runs took, and where. */
import type { Runs } from '../../app/runs.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { drawDetail } from '../../views/report/report-detail.js';
import { drawReport } from '../../views/report/report-text.js';
import { reportRefusal, runsOf, type StoreFlags } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface ReportFlags extends StoreFlags {
  /** The number of newest runs to report on, instead of one run. */
  readonly last?: number;
  /** The name of a step, a state or a tool. */
  readonly detail?: string;
  readonly json?: boolean;
  /** Prints Markdown. */
  readonly summary?: boolean;
  /** The file for a page; `-` is the output. */
  readonly html?: string;
}

export async function reportCommand(name: string | undefined, flags: ReportFlags): Promise<ExitCode> {
  if (name !== undefined && flags.last !== undefined)
    return usageError('a run and `--last` both choose the runs of the report', 'choose one of them');
  const runs = await runsOf(flags);
  if (flags.html !== undefined && flags.summary !== true) {
    if (flags.last !== undefined || flags.detail !== undefined || flags.json)
      return usageError('`--html` shows one whole run', 'leave out `--last`, `--detail` and `--json`');
    return (await import('./report-html.js')).reportPage(runs, name ?? null, flags.html);
  }
  if (flags.summary === true) {
    if (flags.last !== undefined || flags.detail !== undefined || flags.json || flags.html !== undefined)
      return usageError('`--summary` shows one run', 'leave out `--last`, `--detail`, `--html` and `--json`');
    return printSummary(runs, name ?? null);
  }
  const scope = { run: name ?? null, ...omitUndefined({ last: flags.last }) };
  if (flags.detail !== undefined) {
    const detail = await runs.detail(flags.detail, scope);
    if (!detail.ok) return reportRefusal(detail.refusal);
    const listed = flags.last === undefined ? null : await runs.list({ limit: flags.last });
    const areSeveral = listed?.ok === true && listed.value.runs.length > 1;
    if (flags.json) stdout.write(`${JSON.stringify(detail.value)}\n`);
    else stdout.write(drawDetail(detail.value, areSeveral, await stdout.paint()));
    return EXIT.returned;
  }
  const report = await runs.report(scope);
  if (!report.ok) return reportRefusal(report.refusal);
  if (flags.json) stdout.write(`${JSON.stringify(report.value)}\n`);
  else stdout.write(drawReport(report.value, await stdout.paint()));
  return EXIT.returned;
}

async function printSummary(runs: Runs, name: string | null): Promise<ExitCode> {
  const shown = await runs.inspect(name);
  if (!shown.ok) return reportRefusal(shown.refusal);
  const { run_id } = shown.value;
  const report = await runs.report({ run: run_id });
  if (!report.ok) return reportRefusal(report.refusal);
  const program = await runs.program(run_id);
  const { drawSummary } = await import('../../views/report/report-summary.js');
  stdout.write(drawSummary(shown.value, report.value, program.ok ? program.value.machine : null));
  return EXIT.returned;
}
