/**
 * The messages of the checker, one entry per code. Each subject has its own file; the checker uses them as one object.
 */
import { declarationMessages, nameMessages } from './declarations.js';
import { effectMessages } from './effects.js';
import { expressionMessages } from './expressions.js';
import { flowMessages } from './flow.js';
import { patternMessages } from './patterns.js';
import { callMessages } from './plan.js';

export const checkMessages = {
  ...declarationMessages,
  ...flowMessages,
  ...patternMessages,
  ...nameMessages,
  ...expressionMessages,
  ...callMessages,
  ...effectMessages,
} as const;
