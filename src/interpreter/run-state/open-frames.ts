/** The step and the scope in which a thread is. */
import type { StepKey } from '../../machine/expression.js';
import type { Frame, StepFrame } from './frame.js';
import type { Thread } from './thread.js';

/** The step that an instruction belongs to. */
export function stepOf(thread: Thread): StepFrame {
  const frame = thread.frames.at(-1);
  if (frame?.kind !== 'step') throw new Error('no step is open here');
  return frame;
}

/** The innermost open step; null outside of steps. */
export function innermostStep(thread: Thread): StepFrame | null {
  for (let at = thread.frames.length - 1; at >= 0; at--) {
    const frame = thread.frames[at] as Frame;
    if (frame.kind === 'step') return frame;
  }
  return null;
}

const IN_NONE: { readonly step?: string } = {};

/** The members of an event that name its step. Outside of steps, the usual case, nothing is allocated. */
export function inStep(thread: Thread): { readonly step?: string } {
  if (thread.frames.length === 0) return IN_NONE;
  const frame = innermostStep(thread);
  return frame === null ? IN_NONE : { step: frame.path };
}

/** The name of the state whose steps do not have the state in their paths. */
const UNNAMED_STATE = 'MAIN';

/** The prefix of the names of steps in a scope; level 0 is the machine. */
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

/** The innermost scope. */
export function prefixHere(thread: Thread): string {
  for (let at = thread.frames.length - 1; at >= 0; at--) {
    const frame = thread.frames[at] as Frame;
    if (frame.kind === 'scope') return frame.prefix;
  }
  return prefixAt(thread, 0);
}

/** The path of the step to which a key belongs. */
export function pathOf(thread: Thread, { level, path }: StepKey): string {
  return level === undefined ? path : prefixAt(thread, level) + path;
}
