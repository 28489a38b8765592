/** Which step and which scope a thread is in. */
import type { StepKey } from '../../machine/step.js';
import type { Frame, StepFrame } from './frame.js';
import type { Thread } from './thread.js';

/** The step that an instruction belongs to. */
export function stepOf(thread: Thread): StepFrame {
  const frame = thread.frames.at(-1);
  if (frame?.kind !== 'step') throw new Error('no step is open here');
  return frame;
}

/** The innermost step that is open, whatever lies in it; null outside of steps. */
export function innermostStep(thread: Thread): StepFrame | null {
  for (let at = thread.frames.length - 1; at >= 0; at--) {
    const frame = thread.frames[at] as Frame;
    if (frame.kind === 'step') return frame;
  }
  return null;
}

const IN_NONE: { readonly step?: string } = {};

/** For events: the step that something happens in. Outside of steps, which is most of the time, nothing is made. */
export function inStep(thread: Thread): { readonly step?: string } {
  if (thread.frames.length === 0) return IN_NONE;
  const frame = innermostStep(thread);
  return frame === null ? IN_NONE : { step: frame.path };
}

/** The name of the state whose steps have no state in their paths. */
const UNNAMED_STATE = 'MAIN';

/** What names of steps in a scope stand behind; level 0 is the machine. */
function prefixAt(thread: Thread, level: number): string {
  let seen = 0;
  if (level > 0)
    for (const frame of thread.frames) {
      if (frame.kind !== 'scope') continue;
      seen++;
      if (seen === level) return frame.prefix;
    }
  const state = thread.run.linked.machine.states[thread.state]?.name ?? '';
  return state === UNNAMED_STATE ? '' : `${state}/`;
}

/** The scope that is innermost. */
export function prefixHere(thread: Thread): string {
  for (let at = thread.frames.length - 1; at >= 0; at--) {
    const frame = thread.frames[at] as Frame;
    if (frame.kind === 'scope') return frame.prefix;
  }
  return prefixAt(thread, 0);
}

/** The path of the step that a key is about. */
export function pathOf(thread: Thread, { level, path }: StepKey): string {
  return level === undefined ? path : prefixAt(thread, level) + path;
}
