/** The blocks directly inside an instruction. Only this file knows which instructions contain others. */
import { unreachable } from '../prelude/unreachable.js';
import type { Block, Instruction } from './ast.js';
import { blocksOf } from './step.js';

export function childBlocks(i: Instruction): readonly Block[] {
  switch (i.kind) {
    case 'if':
      return blocksOfIf(i);
    case 'default':
    case 'on-error':
    case 'for-each':
      return [i.body];
    case 'parallel':
      return [i.members];
    case 'wait':
      return i.body === undefined ? none : [i.body];
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
      return none;
    default:
      return unreachable(i);
  }
}

/** Shared by all instructions without blocks, which are most. */
const none: readonly Block[] = [];

function blocksOfIf({ arms, otherwise }: Extract<Instruction, { kind: 'if' }>): readonly Block[] {
  const blocks: Block[] = [];
  for (const { body } of arms) blocks.push(body);
  if (otherwise !== undefined) blocks.push(otherwise.body);
  return blocks;
}
