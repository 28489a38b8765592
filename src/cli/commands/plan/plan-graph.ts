/** `statedsl plan graph`, and `statedsl graph` for a plan: draws its calls and the paths between them. */
import { basename } from 'node:path';
import { type LoadedPlan, loadPlan, type PlanFlags } from '../../../app/project/load-plan.js';
import { hasErrors } from '../../../language/source/diagnostic.js';
import { planDot, planGraph, planMermaid } from '../../../views/graph/plan-graph.js';
import { commandLineHost } from '../../files/command-line-host.js';
import { EXIT, type ExitCode } from '../../terminal/exit-code.js';
import { drawn } from '../../terminal/report-diagnostics.js';
import { stderr, stdout } from '../../terminal/streams.js';
import { usageError } from '../../terminal/usage-error.js';

interface PlanGraphFlags extends PlanFlags {
  readonly format: string;
}

export async function planGraphCommand(file: string, flags: PlanGraphFlags): Promise<ExitCode> {
  if (flags.format === 'ascii')
    return usageError('`--format ascii` cannot draw a plan', 'use `--format mermaid`, `dot` or `svg`');
  const sound = await loadSoundPlan(file, flags);
  if (sound === null) return EXIT.usage;
  if (flags.format !== 'svg') {
    const graph = planGraph(sound.plan);
    stdout.write(flags.format === 'dot' ? planDot(graph) : planMermaid(graph));
    return EXIT.returned;
  }
  const { planPicture } = await import('../../../views/graph/plan-picture.js');
  const { layOutSvg } = await import('../../terminal/graph-svg.js');
  const drawn = await layOutSvg(basename(file), planPicture(sound.plan));
  if ('problem' in drawn)
    return usageError(`cannot draw this plan: ${drawn.problem}`, 'use `--format dot` and draw it with another tool');
  stdout.write(drawn.svg);
  return EXIT.returned;
}

/** Returns the plan if it has no errors. Otherwise prints them and returns null. */
export async function loadSoundPlan(
  file: string,
  flags: PlanFlags,
): Promise<(LoadedPlan & { readonly plan: NonNullable<LoadedPlan['plan']> }) | null> {
  const loaded = loadPlan(commandLineHost(), file, flags);
  if (loaded.kind === 'missing') {
    await usageError(loaded.message);
    return null;
  }
  const { plan, diagnostics, sources } = loaded;
  if (plan !== null && !hasErrors(diagnostics)) return { ...loaded, plan };
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  stderr.write(await drawn(errors, sources));
  return null;
}
