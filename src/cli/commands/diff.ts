/** `statedsl diff`: two runs next to each other, or two ranges of one. */
import { diffRuns } from '../../app/diff-runs.js';
import { reportJson } from '../../runtime/run/run-report.js';
import { type DifferentValue, drawRunDiff, type RunDiff } from '../../views/compare/draw-run-diff.js';
import { refusalsAsErrors, runsOf, type StoreFlags } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';

interface DiffFlags extends StoreFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Ends as `diff` of the shell does: 0 if both did the same, 1 if they differ. */
export async function diffCommand(left: string, right: string, flags: DiffFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const diff = await diffRuns(await runsOf(flags), left, right, process.cwd());
    if (flags.json) stdout.write(`${diffJson(diff)}\n`);
    else if (!flags.quiet) stdout.write(drawRunDiff(diff, await stdout.paint()));
    for (const { run_id, status, to, last } of flags.quiet ? [] : [diff.left, diff.right])
      if (status === 'running' && to === last)
        stderr.write(`run ${run_id} is still running: compared up to event ${to}\n`);
    return diff.same ? EXIT.returned : EXIT.failed;
  }, flags);
}

/** With numbers as they were written. */
function diffJson(diff: RunDiff): string {
  const { left, right, inputs, values } = diff;
  const listOf = (rows: readonly DifferentValue[]): string => `[${rows.map((row) => reportJson(row)).join(',')}]`;
  return reportJson({
    ...diff,
    ...{ printed_left: reportJson(left), printed_right: reportJson(right), printed_inputs: listOf(inputs) },
    ...(values === null ? {} : { printed_values: listOf(values) }),
  });
}
