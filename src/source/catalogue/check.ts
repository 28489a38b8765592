/**
 * The words of everything the checker finds once the text could be read, one entry a code. Each subject has a file of its
 * own; the checker sees all of them as one.
 */
import { callMessages } from './calls.js';
import { declarationMessages } from './declarations.js';
import { effectMessages } from './effects.js';
import { expressionMessages } from './expressions.js';
import { flowMessages } from './flow.js';
import { nameMessages } from './names.js';
import { patternMessages } from './patterns.js';

export const checkMessages = {
  ...declarationMessages,
  ...flowMessages,
  ...patternMessages,
  ...nameMessages,
  ...expressionMessages,
  ...callMessages,
  ...effectMessages,
} as const;
