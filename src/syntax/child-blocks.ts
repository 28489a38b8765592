/** The blocks directly inside an instruction. Only this file knows which instructions contain others. */
import { unreachable } from '../prelude/unreachable.js';
import type { Block, Instruction } from './ast.js';
import { blocksOf } from './step.js';

export function childBlocks(i: Instruction): readonly Block[] {
  switch (i.kind) {
    case 'if':
      return [...i.arms.map(({ body }) => body), ...(i.otherwise === undefined ? [] : [i.otherwise.body])];
    case 'default':
    case 'on-error':
    case 'for-each':
      return [i.body];
    case 'parallel':
      return [i.members];
    case 'wait':
      return i.body === undefined ? [] : [i.body];
    case 'step':
      return blocksOf(i);
    case 'do':
    case 'check':
    case 'call':
    case 'emit':
    case 'proceed':
    case 'goto':
    case 'return':
    case 'fail':
    case 'rollback':
    case 'track':
    case 'increment':
    case 'set':
    case 'ask':
    case 'use':
    case 'undo':
    case 'broken':
      return [];
    default:
      return unreachable(i);
  }
}
