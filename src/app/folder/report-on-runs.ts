/** Reports on runs of a folder: how much time and money they took, and where. */
import { join } from 'node:path';
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type ListedRun, listedRun, listRuns } from '../../runtime/list-runs.js';
import { RunModel } from '../../runtime/record/run-model.js';
import { readJournal } from '../../runtime/store/read-journal.js';
import { JournalDamage, RunRefused, StoreError } from '../../runtime/store/store-error.js';
import { readIndex } from '../../runtime/store/stored-run.js';
import { type Report, type RunWithFacts, reportOn } from '../../views/report/report.js';
import { type Detail, detailNames, detailOf } from '../../views/report/report-detail.js';
import type { ReportScope } from '../runs.js';
import { findRun } from './find-run.js';

/** Throws a `RunRefused` or a `StoreError`. */
export function reportOnRuns(directory: string, scope: ReportScope): Report {
  return reportOn(runsWithFacts(directory, scope, withReadableFacts));
}

/** Every attempt of one step, state or tool, which needs whole records. Throws a `RunRefused` or a `StoreError`. */
export function detailOfRuns(directory: string, name: string, scope: ReportScope): Detail {
  const runs = runsWithFacts(directory, scope, withAllFacts);
  const found = detailOf(name, runs);
  if (found !== null) return found;
  const names = detailNames(runs);
  const near = nearest(name, names);
  const help =
    near !== undefined ? `did you mean \`${near}\`?` : `they have ${names.map((one) => `\`${one}\``).join(', ')}`;
  throw new RunRefused('unknown', `these runs have no step, state or tool called \`${name}\``, help);
}

/** `ofSeveral`: how one of several runs is read. */
function runsWithFacts(
  directory: string,
  { run = null, last }: ReportScope,
  ofSeveral: typeof withAllFacts,
): RunWithFacts[] {
  if (last !== undefined) return listRuns(directory, last).map((one) => ofSeveral(directory, one));
  const id = findRun(directory, run);
  // Who names a run learns that its record is damaged. The latest one is a list of one run.
  const read = run === null ? ofSeveral : withAllFacts;
  return [read(directory, listedRun(directory, id, readIndex(directory).get(id)))];
}

/** Throws a `StoreError` if the record is damaged. */
function withAllFacts(directory: string, listed: ListedRun): RunWithFacts {
  const facts = new RunModel();
  takeFacts(directory, listed, facts, () => undefined);
  return withFacts(listed, facts);
}

/** One of several runs: if its record is damaged, what comes before the damage counts. */
function withReadableFacts(directory: string, listed: ListedRun): RunWithFacts {
  const facts = new RunModel();
  // Unless its record says something else.
  facts.machine = listed.machine ?? '';
  let last = 0;
  const note = (seq: number): void => {
    last = seq;
  };
  try {
    takeFacts(directory, listed, facts, note);
    return withFacts(listed, facts);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const { message } = cause;
    // A file that an event refers to may be missing, too.
    const position = last === 0 ? {} : { seq: last + 1 };
    const damage =
      cause instanceof JournalDamage ? { message, seq: cause.seq, byte: cause.byte } : { message, ...position };
    return { ...withFacts(listed, facts), damage };
  }
}

/** `note` gets the number of each event. Throws a `StoreError`. */
function takeFacts(directory: string, { run_id }: ListedRun, facts: RunModel, note: (seq: number) => void): void {
  readJournal(join(directory, 'runs', run_id, 'journal.ndjson'), (record) => {
    facts.take(record);
    note(record.seq);
    return true;
  });
}

function withFacts({ run_id, status, started_at, branch }: ListedRun, facts: RunModel): RunWithFacts {
  return { run_id, status, started_at, ...omitUndefined({ branch }), facts };
}
