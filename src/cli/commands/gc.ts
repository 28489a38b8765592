/** `statedsl gc`: removes old runs. */
import type { RemovedRuns } from '../../app/runs.js';
import { drawRemoval } from '../../views/run-list.js';
import { reportRefusal, runsOf, type StoreFlags } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';
import { leftText } from './apply.js';

interface GcFlags extends StoreFlags {
  readonly keepLast: number;
  readonly all?: boolean;
  readonly archive?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export async function gcCommand(flags: GcFlags): Promise<ExitCode> {
  const { keepLast, all = false, archive = false, dryRun = false } = flags;
  if (archive && flags.on === undefined)
    return usageError(
      '`--archive` copies runs of an engine before they are removed there',
      'name the engine with `--on`; runs of a directory are only removed',
    );
  if (all && flags.on !== undefined)
    return usageError(
      '`--all` cannot be used with `--on`: an engine removes only runs that have ended',
      'end the others first: `statedsl cancel RUN --on URL`',
    );
  const removed = await (await runsOf(flags)).remove({ keepLast, all, archive, dryRun });
  if (!removed.ok) return reportRefusal(removed.refusal);
  const { left = [] } = removed.value;
  if (flags.json) stdout.write(`${JSON.stringify(removed.value)}\n`);
  else {
    stdout.write(drawRemoval(removed.value, await stdout.paint()));
    if (!flags.quiet) for (const hint of hintsOn(removed.value)) stderr.write(`${hint}\n`);
    for (const { directory, why } of left)
      stderr.write(`${leftText(directory, why)}, then \`statedsl gc\` with the same options\n`);
  }
  const isWhole = left.length === 0 && removed.value.kept.every(({ problem }) => problem === undefined);
  return isWhole ? EXIT.returned : EXIT.failed;
}

/** Why older runs were kept, other than because a process is using them. */
function hintsOn({ kept }: RemovedRuns): string[] {
  const isWaiting = kept.some(
    ({ status, unapplied, link, problem }) =>
      status !== 'running' && !unapplied && link === undefined && problem === undefined,
  );
  const work = kept.filter(({ unapplied }) => unapplied).map(({ run_id }) => run_id);
  return [
    ...kept.flatMap(({ run_id, problem }) => (problem === undefined ? [] : [`run ${run_id} is kept: ${problem}`])),
    ...(isWaiting ? ['runs that have not ended are kept; `--all` removes them too'] : []),
    ...(work.length > 0
      ? [
          work.length === 1
            ? `run ${work[0]} is kept because its changes have not been applied; \`--all\` removes it too`
            : `${work.length} runs are kept because their changes have not been applied; \`--all\` removes them too`,
        ]
      : []),
    ...kept.flatMap(({ run_id, link }) =>
      link === undefined
        ? []
        : [`run ${run_id} is kept because its \`${link}\` is a symbolic link; remove its folder yourself`],
    ),
  ];
}
