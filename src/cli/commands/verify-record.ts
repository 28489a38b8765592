/** `statedsl verify-record` and `statedsl export audit`: whether a record is as it was written, and what it says. */
import { readFileSync } from 'node:fs';
import { reportJson } from '../../runtime/run/run-report.js';
import { reasonOf } from '../../runtime/store/store-error.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { CommandEnded, refusalsAsErrors, reportRefusal, runsOf, type StoreFlags } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface RecordFlags extends StoreFlags {
  /** The file with the public key. */
  readonly key?: string;
  readonly json?: boolean;
}

/** Fails unless the record is proved to be as it was written: also if nothing is known because it has no hashes. */
export async function verifyRecordCommand(name: string | undefined, flags: RecordFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const verified = await (await runsOf(flags)).verify(name ?? null, await keyOf(flags));
    if (!verified.ok) return reportRefusal(verified.refusal, flags);
    const { value } = verified;
    if (flags.json === true) stdout.write(`${JSON.stringify(value)}\n`);
    else {
      const { run_id, words, events, problems, notes } = value;
      const lines = [
        `run ${run_id}: ${words}`,
        ...(value.head === null ? [] : [`${events === 1 ? '1 event' : `${events} events`}, head ${value.head.hash}`]),
        ...problems.map(({ message }) => `${value.status}: ${message}`),
        ...notes.map((note) => `note: ${note}`),
      ];
      stdout.write(`${lines.map(visibleLine).join('\n')}\n`);
    }
    return value.status === 'unbroken' ? EXIT.returned : EXIT.failed;
  }, flags);
}

export async function exportAudit(name: string | undefined, flags: RecordFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const entries = await (await runsOf(flags)).audit(name ?? null, await keyOf(flags));
    if (!entries.ok) return reportRefusal(entries.refusal);
    for (const entry of entries.value) stdout.write(`${reportJson(entry)}\n`);
    return ['broken', 'not-signed'].includes(String(entries.value.at(-1)?.status)) ? EXIT.failed : EXIT.returned;
  });
}

async function keyOf({ key }: RecordFlags): Promise<string | undefined> {
  if (key === undefined) return undefined;
  try {
    return readFileSync(key, 'utf8');
  } catch (cause) {
    throw new CommandEnded(
      await usageError(`the key \`${key}\` cannot be read: ${reasonOf(cause)}`, 'name a file with a public key'),
    );
  }
}
