/**
 * A retry that begins with an earlier step: the steps from there on are executed anew, on the files as they were before
 * the earlier step. The step that did not pass keeps its attempts and its overrides until it is entered again.
 */
import type { StepLayout } from '../../machine/step.js';
import type { StepFrame } from '../run-state/frame.js';
import { prefixHere } from '../run-state/open-frames.js';
import type { Thread } from '../run-state/thread.js';

/** Leaves a step that did not pass, for the earlier step of that name. */
export function leaveFor(t: Thread, earlier: string): void {
  const frame = t.frames.pop() as StepFrame;
  const restarts = t.restarts ?? { left: {}, bases: {} };
  const to = prefixHere(t) + earlier;
  t.restarts = { ...restarts, left: { ...restarts.left, [frame.path]: frame }, to, by: frame.path };
}

/** Notes the commit before a step from which a later one may start again. */
export function noteBase(t: Thread, { path, base }: StepFrame, layout: StepLayout): void {
  if (layout.restarts !== true || base === null) return;
  const restarts = t.restarts ?? { left: {}, bases: {} };
  t.restarts = { ...restarts, bases: { ...restarts.bases, [path]: base } };
}

/** The frame of a step that is entered: what an earlier attempt has left, or a new one. */
export function frameOfStep(t: Thread, fresh: StepFrame): StepFrame {
  const { restarts } = t;
  if (restarts === null) return fresh;
  const { path } = fresh;
  forgetBelow(t, path);
  const own = restarts.left[path];
  if (own !== undefined) {
    const { [path]: _, ...left } = restarts.left;
    t.restarts = { ...restarts, left };
    const { base, before } = fresh;
    return startedBy(t, { ...own, base, before, entered: 'for-itself' });
  }
  return startedBy(t, fresh);
}

/** The step learns which later one did not pass, and why. */
function startedBy(t: Thread, frame: StepFrame): StepFrame {
  const { restarts } = t;
  if (restarts === null || restarts.to !== frame.path || restarts.by === undefined) return frame;
  const { to, by, ...others } = restarts;
  t.restarts = others;
  const later = others.left[by];
  const base = others.bases[to] ?? frame.base;
  const why = later === undefined ? {} : { errorBefore: later.errorBefore, diffBefore: later.diffBefore };
  return { ...frame, ...why, base, startedBy: by, entered: 'for-another' };
}

/** What steps inside of a step have left is not that of its next attempt. */
export function forgetBelow(t: Thread, path: string): void {
  if (t.restarts === null) return;
  const kept = Object.entries(t.restarts.left).filter(([inner]) => !inner.startsWith(`${path}/`));
  t.restarts = { ...t.restarts, left: Object.fromEntries(kept) };
}
