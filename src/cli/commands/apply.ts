/** `statedsl apply`: merges the changes that a returned run made in its worktree into the checkout. */
import type { AppliedRun } from '../../control/runs.js';
import { reportRefusal, runsOf, type StoreFlags } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';

interface ApplyFlags extends StoreFlags {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export async function applyCommand(
  name: string | undefined,
  { cwd, json, quiet, ...flags }: ApplyFlags,
): Promise<ExitCode> {
  const applied = await (await runsOf(flags)).apply(name ?? null, { cwd: cwd ?? '.' });
  const printed = applied.ok ? applied.value : applied.refusal.facts;
  if (json && printed !== undefined) stdout.write(`${JSON.stringify(printed)}\n`);
  if (!applied.ok) return reportRefusal(applied.refusal);
  if (!json && !quiet) stderr.write(`${textOf(applied.value)}\n`);
  return EXIT.returned;
}

function textOf(applied: AppliedRun): string {
  const { run_id } = applied;
  const commit = applied.commit.slice(0, 12);
  if (applied.status === 'contained')
    return `nothing to apply: ${commit} already contains all changes of run ${run_id}`;
  const { files, into } = applied;
  const amount = files.length === 1 ? '1 file' : `${files.length} files`;
  return `applied  run ${run_id}\n  merged into ${into} as ${commit}: ${amount}`;
}
