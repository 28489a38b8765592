/** `statedsl plan graph`, and `statedsl graph` for a plan: draws its calls and the paths between them. */

import { basename } from 'node:path';
import type { PlanFlags } from '../../../project/load-plan.js';
import { planDot, planGraph, planMermaid } from '../../../views/graph/plan-graph.js';
import { EXIT, type ExitCode } from '../../terminal/exit-code.js';
import { stdout } from '../../terminal/streams.js';
import { usageError } from '../../terminal/usage.js';
import { loadSoundPlan } from './load-sound-plan.js';

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
