/** `statedsl plan approve`: prints the hash of a plan and everything it calls. */
import { approvalHash, type PlanFlags } from '../../../app/project/load-plan.js';
import { EXIT, type ExitCode } from '../../terminal/exit-code.js';
import { stdout } from '../../terminal/streams.js';
import { loadSoundPlan } from './plan-graph.js';

interface PlanApproveFlags extends PlanFlags {
  readonly json?: boolean;
}

export async function planApproveCommand(file: string, flags: PlanApproveFlags): Promise<ExitCode> {
  const sound = await loadSoundPlan(file, flags);
  if (sound === null) return EXIT.usage;
  const hash = approvalHash(sound);
  stdout.write(flags.json ? `${JSON.stringify({ hash })}\n` : `${hash}\n`);
  return EXIT.returned;
}
