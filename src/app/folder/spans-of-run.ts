/** The spans of a stored run, made from its record: the same that were sent while it was executed, however often. */
import { join } from 'node:path';
import { readJournal } from '../../runtime/store/read-journal.js';
import { openStoredRun } from '../../runtime/store/stored-run.js';
import type { OtlpSpan } from '../../runtime/trace/otlp.js';
import { parentsOf, RunSpans } from '../../runtime/trace/run-spans.js';

/** `prompts`: whether agents have their prompts and answers. Throws a `RunRefused` or a `StoreError`. */
export function spansOfRun(directory: string, runId: string, prompts: boolean): OtlpSpan[] {
  const { about, path } = openStoredRun(directory, runId);
  const spans: OtlpSpan[] = [];
  const made = new RunSpans({
    runId: about.run_id,
    ...parentsOf(about.settings),
    prompts,
    emit: (span) => spans.push(span),
    forget: () => spans.splice(0),
  });
  readJournal(join(path, 'journal.ndjson'), (record) => {
    made.take(record);
    return true;
  });
  return spans;
}
