/** Builds UNDO: the command, agent call or CALL that undoes the instruction above it. */

import { missingPart } from '../../source/catalogue/syntax.js';
import type { Instruction } from '../ast.js';
import { child, type ParseContext, reportMissing, spanOf, token } from '../grammar/cst.js';
import type { SyntaxNode } from '../grammar/syntax-node.js';
import { verbName } from '../names.js';
import type { Token } from '../tokens/token.js';
import { buildCall } from './build-call.js';
import { buildPerformed } from './build-commands.js';
import { headerOptions } from './build-options.js';

export function buildUndo(context: ParseContext, node: SyntaxNode, inList: boolean): Instruction {
  const verbToken = token(node, 'Undo') as Token;
  const options = headerOptions(context, node, verbToken, inList);
  const verb = verbName(context, verbToken);
  const where = spanOf(context, node);
  const call = child(node, 'toolCall');
  if (call !== undefined) {
    const by = buildCall(context, call, true);
    if (by.kind !== 'call') return { kind: 'broken', verb, span: where };
    return { kind: 'undo', verb, by: { ...by, options: [...options, ...by.options] }, span: where };
  }
  const performed = child(node, 'performed');
  if (performed === undefined) {
    const example = 'UNDO: git tag -d -- {tag}';
    reportMissing(context, missingPart(verb.span, { what: 'a command', after: `${verb.text}:`, example }));
    return { kind: 'broken', verb, span: where };
  }
  const by = buildPerformed(context, performed, { verb, options, check: false, style: 'verb' }, where);
  return by.kind === 'do' ? { kind: 'undo', verb, by, span: where } : { kind: 'broken', verb, span: where };
}
