/** The marks of kinds as paths around their middle, because no font is sure to have them. */
import type { PictureKind } from './picture.js';

const CIRCLE = 'M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0';

/** Null: the kind has no mark. */
export const MARKS: Readonly<Record<PictureKind, string | null>> = {
  agent: 'M-5.5 -2.5h11v7.5h-11zM0 -2.5v-3M-2 0.8v1M2 0.8v1',
  call: 'M-2 -5h-3.5v10h3.5M2 -5h3.5v10h-3.5M-2 0h4M0.4 -1.8l1.8 1.8l-1.8 1.8',
  end: null,
  failure: 'M0 -5.5l6 10.5h-12zM0 -1.5v2.6M0 3.1v0.1',
  input: null,
  loop: 'M4.6 -2.8a5.4 5.4 0 1 0 0.6 4.4M5.2 -5.6v3h-3',
  machine: null,
  parallel: 'M-3.5 -5.5v11M0 -5.5v11M3.5 -5.5v11',
  question: `${CIRCLE}M-1.8 -1.4a1.9 1.9 0 1 1 2.6 1.8q-0.8 0.4 -0.8 1.2M0 3.4v0.1`,
  start: null,
  state: null,
  step: null,
  wait: `${CIRCLE}M0 -3.4v3.4l2.4 1.6`,
};
