/** Asks people for the paths that only they give. No terminal asks for these: who approves should know what for. */
import { printPath } from '../../prelude/reference.js';
import { forget, suspend } from '../control/effects.js';
import type { Thread } from '../run-state/thread.js';
import type { RunningPlan } from './active-plan.js';

/** Asks for approvals that are new, and drops the questions for those that an answer to another one has decided. */
export function askForApprovals(thread: Thread, { engine, effect: base }: RunningPlan): void {
  const { pending } = thread.run;
  const approvals = engine.openApprovals();
  const open = new Set(approvals.map(({ key }) => key));
  for (const one of [...thread.pending])
    if (one.kind === 'approval' && one.call !== undefined && !open.has(one.call.key)) forget(one);
  for (const { key, name, path, node } of approvals) {
    const effect = `${base}.${key}`;
    if (pending.has(effect)) continue;
    const waiting = { kind: 'approval', path: name } as const;
    suspend(thread, { effect, kind: 'approval', purpose: 'result', until: null, waiting, call: { key } });
    // A name with numbers of calls says already where the path is asked for.
    const within = node.parent === null || name !== key ? '' : ` in call ${node.prefix.slice(0, -1)}`;
    const question = `the plan waits for \`†${printPath(path)}\`${within}`;
    thread.run.recordNow({ type: 'asked', effect, name, question, choices: null, default: null, deadline: null });
  }
}
