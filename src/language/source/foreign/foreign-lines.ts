/** All rules about lines of other languages. The first rule that matches a line applies. */
import { blockLines, stateHeads } from './block-lines.js';
import { expressionLines } from './expression-lines.js';
import type { ForeignLine } from './foreign-line.js';
import { instructionLines } from './instruction-lines.js';
import { jumpLines } from './jump-lines.js';
import { shellLines } from './shell-lines.js';
import { valueLines } from './value-lines.js';

export const foreignLines: readonly ForeignLine[] = [
  ...shellLines,
  ...jumpLines,
  ...blockLines,
  ...valueLines,
  ...instructionLines,
  ...expressionLines,
  ...stateHeads,
];
