/** `statedsl report`: how much time and money runs took, and where. */
import { join } from 'node:path';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { type ListedRun, listedRun, listRuns } from '../runtime/list-runs.js';
import { readJournal } from '../runtime/store/read-journal.js';
import { RunRefused } from '../runtime/store/run-refused.js';
import { readIndex } from '../runtime/store/stored-run.js';
import { nearest } from '../source/suggest.js';
import { type RunWithFacts, reportOn } from '../views/report/report.js';
import { detailNames, detailOf } from '../views/report/report-detail.js';
import { drawDetail } from '../views/report/report-detail-text.js';
import { drawReport } from '../views/report/report-text.js';
import { RunFacts } from '../views/report/run-facts.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { findRunOrLatest, refusalsAsErrors, type StoreFlags, storeOf } from './stored-runs.js';
import { stdout } from './streams.js';
import { usageError } from './usage.js';

interface ReportFlags extends StoreFlags {
  /** The number of newest runs to report on, instead of one run. */
  readonly last?: number;
  /** The name of a step, a state or a tool. */
  readonly detail?: string;
  readonly json?: boolean;
}

export async function reportCommand(name: string | undefined, flags: ReportFlags): Promise<ExitCode> {
  if (name !== undefined && flags.last !== undefined)
    return usageError('a run and `--last` both choose the runs of the report', 'choose one of them');
  return refusalsAsErrors(async () => {
    const directory = storeOf(flags);
    const runs = runsMeant(directory, name, flags).map((run) => withFacts(directory, run));
    if (flags.detail !== undefined) return printDetail(flags.detail, runs, flags);
    const report = reportOn(runs);
    if (flags.json) stdout.write(`${JSON.stringify(report)}\n`);
    else stdout.write(drawReport(report, await stdout.paint()));
    return EXIT.returned;
  });
}

function runsMeant(directory: string, name: string | undefined, { last }: ReportFlags): ListedRun[] {
  const id = findRunOrLatest(name, directory);
  return last === undefined ? [listedRun(directory, id, readIndex(directory).get(id))] : listRuns(directory, last);
}

function withFacts(directory: string, { run_id, status, started_at, branch }: ListedRun): RunWithFacts {
  const facts = new RunFacts();
  readJournal(join(directory, 'runs', run_id, 'journal.ndjson'), (record) => {
    facts.take(record);
    return true;
  });
  return { run_id, status, started_at, ...omitUndefined({ branch }), facts };
}

async function printDetail(name: string, runs: readonly RunWithFacts[], flags: ReportFlags): Promise<ExitCode> {
  const found = detailOf(name, runs);
  if (found === null) {
    const names = detailNames(runs);
    const near = nearest(name, names);
    const help =
      near !== undefined ? `did you mean \`${near}\`?` : `they have ${names.map((one) => `\`${one}\``).join(', ')}`;
    throw new RunRefused('unknown', `these runs have no step, state or tool called \`${name}\``, help);
  }
  if (flags.json) stdout.write(`${JSON.stringify(found)}\n`);
  else stdout.write(drawDetail(found, runs.length > 1, await stdout.paint()));
  return EXIT.returned;
}
