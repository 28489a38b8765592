/** `statedsl apply`: merges the changes that a returned run made in its worktree into the checkout. */
import type { AppliedRun } from '../../app/runs.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
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
  if (!json && !quiet) {
    stderr.write(`${textOf(applied.value)}\n`);
    for (const { directory, why } of applied.value.left ?? [])
      stderr.write(`${leftText(directory, why)}, then \`statedsl apply ${applied.value.run_id}\` again\n`);
  }
  return EXIT.returned;
}

/** What is left of a worktree, and what its user can do. */
export function leftText(directory: string, why: string): string {
  const word = visibleLine(directory);
  const folder = /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
  const help = `unmount what is mounted there and stop what uses it, or \`chmod -R u+w ${folder}\``;
  return `warning: a worktree that is no longer needed is left: ${why}\n  = help: ${help}`;
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
