/** Builds PARALLEL and FOR EACH, whose members are commands or blocks. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { emptyBlock, missingPart, parallelWithoutBullets } from '../../source/catalogue/syntax.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Block, Instruction } from '../ast.js';
import type { Expression, Name } from '../expression-nodes.js';
import {
  child,
  type ParseContext,
  reportMissing,
  type SyntaxNode,
  span,
  spanOf,
  token,
  tokenSpan,
  tokens,
} from '../grammar/cst.js';
import { bindingName, boundName, verbName } from '../names.js';
import type { Token } from '../tokens/token.js';
import { buildExpression } from './build-expression.js';
import { buildOptions, checkNote, headerOptions, noteOptions } from './build-options.js';
import type { Bodies } from './statement-context.js';

export function buildParallel(
  context: ParseContext,
  head: SyntaxNode,
  node: SyntaxNode,
  verbToken: Token,
  bodies: Bodies,
  inList: boolean,
): Instruction {
  const verb = verbName(context, verbToken);
  const headToken = token(node, 'ParallelHead') as Token;
  const words = headToken.image.replace(/in[ \t]+PARALLEL$/i, '').trimEnd();
  const note =
    words === ''
      ? undefined
      : { text: words, span: span(context, headToken.startOffset, headToken.startOffset + words.length) };
  const notes = [...words.matchAll(/\([^()]*\)/g)].flatMap(({ 0: image, index }) =>
    noteOptions(context, { image, startOffset: headToken.startOffset + index }, 'PARALLEL'),
  );
  const options = [
    ...headerOptions(context, head, verbToken, inList),
    ...notes,
    ...buildOptions(context, child(node, 'options')),
  ];
  const bind = boundLoop(context, child(head, 'performed'));
  const members = loopBody(context, bodies, verb, () => parallelWithoutBullets(verb.span, { command: words }));
  return {
    kind: 'parallel',
    verb,
    ...omitUndefined({ bind, note }),
    options,
    members,
    span: spanOf(context, head),
  };
}

function loopBody(context: ParseContext, bodies: Bodies, verb: Name, empty: () => Diagnostic): Block {
  const body = bodies.below(true);
  if (body !== undefined && body.instructions.length > 0) return body;
  reportMissing(context, empty());
  return body ?? { instructions: [], inline: false, span: { ...verb.span, start: verb.span.end } };
}

/** The name in `DO: x = FOR EACH …` or `DO: x = in PARALLEL`. */
function boundLoop(context: ParseContext, performed: SyntaxNode | undefined): Name | undefined {
  const binding = performed === undefined ? undefined : child(performed, 'binding');
  const bound = binding === undefined ? undefined : token(binding, 'Bind');
  return bound === undefined ? undefined : boundName(context, bound, 'a value');
}

/** The DO around a loop. */
interface LoopHead {
  readonly verb: Token;
  readonly node: SyntaxNode;
  readonly inList: boolean;
}

export function buildForEach(context: ParseContext, node: SyntaxNode, bodies: Bodies, outer?: LoopHead): Instruction {
  const forToken = (token(node, 'ForEach') ?? token(node, 'DoForEach')) as Token;
  const verb = verbName(context, outer?.verb ?? forToken);
  const word = token(node, 'Word');
  const relation = token(node, 'Relation');
  const expression = child(node, 'expression');
  const example = 'FOR EACH: task in tasks';
  // `FOR EACH: in list`: the variable is missing.
  const nameless = word === undefined || (word.image.toLowerCase() === 'in' && relation === undefined);
  if (nameless)
    reportMissing(
      context,
      missingPart(tokenSpan(context, forToken), { what: 'a variable', after: 'FOR EACH', example }),
    );
  else if (relation === undefined || relation.image.toLowerCase() !== 'in')
    reportMissing(
      context,
      missingPart(tokenSpan(context, relation ?? word), { what: '`in`', after: word.image, example }),
    );
  else if (expression === undefined)
    reportMissing(context, missingPart(tokenSpan(context, relation), { what: 'a list', after: 'in', example }));
  const list: Expression =
    expression === undefined ? { kind: 'broken', span: verb.span } : buildExpression(context, expression);
  const parallelNote = tokens(node, 'Note').find((note) => /(?<!\w)in[ \t]+PARALLEL(?!\w)/.test(note.image));
  for (const note of tokens(node, 'Note')) if (note !== parallelNote) checkNote(context, note, 'nothing');
  const options = [
    ...(outer === undefined ? [] : headerOptions(context, outer.node, outer.verb, outer.inList)),
    ...buildOptions(context, child(node, 'options')),
    ...(parallelNote === undefined ? [] : noteOptions(context, parallelNote, 'PARALLEL')),
  ];
  const variable = nameless ? { text: '', span: verb.span } : bindingName(context, word, 'a variable');
  const body = loopBody(context, bodies, verb, () => emptyBlock(verb.span, { verb: 'FOR EACH', what: 'body' }));
  const parallel = token(node, 'InParallel') !== undefined || parallelNote !== undefined;
  const where = { ...verb.span, end: spanOf(context, node).end };
  return {
    kind: 'for-each',
    verb,
    ...omitUndefined({ bind: boundLoop(context, outer === undefined ? undefined : child(outer.node, 'performed')) }),
    variable,
    list,
    parallel,
    options,
    body,
    afterDo: outer !== undefined,
    span: where,
  };
}
