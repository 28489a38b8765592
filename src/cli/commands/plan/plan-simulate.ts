/** `statedsl plan simulate`: shows which calls run and which are skipped, for every combination of outcomes. */
import type { PlanFlags } from '../../../app/project/load-plan.js';
import { simulatePlan } from '../../../interpreter/plan/simulate-plan.js';
import { planCasesJson, planCasesText } from '../../../views/graph/plan-cases.js';
import { EXIT, type ExitCode } from '../../terminal/exit-code.js';
import { stdout } from '../../terminal/streams.js';
import { loadSoundPlan } from './plan-graph.js';

interface PlanSimulateFlags extends PlanFlags {
  readonly json?: boolean;
}

export async function planSimulateCommand(file: string, flags: PlanSimulateFlags): Promise<ExitCode> {
  const sound = await loadSoundPlan(file, flags);
  if (sound === null) return EXIT.usage;
  const simulation = simulatePlan(sound.plan);
  stdout.write(
    flags.json ? `${JSON.stringify(planCasesJson(sound.plan, simulation))}\n` : planCasesText(sound.plan, simulation),
  );
  return EXIT.returned;
}
