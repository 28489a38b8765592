/** Compares events that announce a transition with the GOTO that follows them in the same block. */
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Block, Instruction } from '../../syntax/ast.js';
import { childBlocks } from '../../syntax/child-blocks.js';
import type { Unit } from '../collect.js';
import { constantText } from '../lower/expression.js';
import { sameName } from '../lower/simple.js';

export function lintEvents(unit: Unit, diagnostics: Diagnostic[]): void {
  for (const machine of unit.machines) for (const state of machine.states) lintBlock(state.body, diagnostics);
  for (const pattern of unit.patterns.values()) lintBlock(pattern.body, diagnostics);
}

function lintBlock(block: Block, diagnostics: Diagnostic[]): void {
  let announced: Extract<Instruction, { kind: 'emit' }> | null = null;
  for (const i of block.instructions) {
    if (i.kind === 'emit' && i.event?.text === 'PHASE_TRANSITION') announced = i;
    else if (i.kind === 'goto') {
      if (announced !== null && i.target.kind === 'state')
        lintTransition(announced, i.target.name.text, i, diagnostics);
      announced = null;
    } else if (i.kind === 'use' || i.kind === 'return') announced = null;
    for (const inner of childBlocks(i)) lintBlock(inner, diagnostics);
  }
}

function lintTransition(
  emit: Extract<Instruction, { kind: 'emit' }>,
  target: string,
  goto: Instruction,
  diagnostics: Diagnostic[],
): void {
  const field = emit.fields.find((f) => f.name.text === 'to');
  const said = field && constantText(field.value);
  if (!field || !said || sameName(said, target)) return;
  const label = { span: goto.span, text: 'goes there' };
  diagnostics.push(
    say.eventContradicts(field.span, { field: 'to', value: said, actual: target, what: 'the next GOTO is to', label }),
  );
}
