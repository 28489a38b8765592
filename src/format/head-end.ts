/**
 * Finds the end of an instruction's own line in the source. A comment may follow there, and the lines below begin after
 * it.
 */
import type { Arm, Block, Declaration, Instruction, Otherwise } from '../syntax/ast.js';

/** An offset on the last line of the head of an item, its action list included. */
export function headEnd(item: Instruction | Declaration | Arm | Otherwise): number {
  if (!('kind' in item)) return actionsEnd(item.body, item.span.end);
  switch (item.kind) {
    case 'do':
    case 'check': {
      const { performed, bind, options, verb } = item;
      if (performed.kind !== 'shell' || !performed.shell.block) return item.span.end;
      return bind?.span.end ?? options[options.length - 1]?.span.end ?? verb.span.end;
    }
    case 'if':
      return headEnd(item.arms[0] as Arm);
    case 'default':
    case 'on-error':
      return actionsEnd(item.body, item.span.end);
    default:
      return item.span.end;
  }
}

function actionsEnd(body: Block, otherwise: number): number {
  const last = body.inline ? body.instructions[body.instructions.length - 1] : undefined;
  return last === undefined ? otherwise : headEnd(last);
}
