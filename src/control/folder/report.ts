/** Reports on runs of a folder: how much time and money they took, and where. */
import { join } from 'node:path';
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type ListedRun, listedRun, listRuns } from '../../runtime/list-runs.js';
import { readJournal } from '../../runtime/store/read-journal.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import { readIndex } from '../../runtime/store/stored-run.js';
import { type Report, type RunWithFacts, reportOn } from '../../views/report/report.js';
import { type Detail, detailNames, detailOf } from '../../views/report/report-detail.js';
import { RunFacts } from '../../views/report/run-facts.js';
import type { ReportScope } from '../runs.js';
import { findRun } from './find-run.js';

/** Throws a `RunRefused` or a `StoreError`. */
export function reportOnRuns(directory: string, scope: ReportScope): Report {
  return reportOn(runsWithFacts(directory, scope));
}

/** Every attempt of one step, state or tool. Throws a `RunRefused` or a `StoreError`. */
export function detailOfRuns(directory: string, name: string, scope: ReportScope): Detail {
  const runs = runsWithFacts(directory, scope);
  const found = detailOf(name, runs);
  if (found !== null) return found;
  const names = detailNames(runs);
  const near = nearest(name, names);
  const help =
    near !== undefined ? `did you mean \`${near}\`?` : `they have ${names.map((one) => `\`${one}\``).join(', ')}`;
  throw new RunRefused('unknown', `these runs have no step, state or tool called \`${name}\``, help);
}

function runsWithFacts(directory: string, { run = null, last }: ReportScope): RunWithFacts[] {
  const id = findRun(directory, run);
  const runs =
    last === undefined ? [listedRun(directory, id, readIndex(directory).get(id))] : listRuns(directory, last);
  return runs.map((one) => withFacts(directory, one));
}

function withFacts(directory: string, { run_id, status, started_at, branch }: ListedRun): RunWithFacts {
  const facts = new RunFacts();
  readJournal(join(directory, 'runs', run_id, 'journal.ndjson'), (record) => {
    facts.take(record);
    return true;
  });
  return { run_id, status, started_at, ...omitUndefined({ branch }), facts };
}
