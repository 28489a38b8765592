/** Builds what runs other things than commands: the members of PARALLEL and FOR EACH, and the tools and plans of CALL and PLAN. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { emptyBlock, missingPart, parallelWithoutBullets, unexpectedText } from '../../source/catalogue/syntax.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Block, Called, Instruction, OutputPath } from '../ast.js';
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
import { buildArguments, buildOptions, checkNote, headerOptions, noteOptions } from './build-options.js';
import { buildOutputPath } from './build-references.js';
import { quotedTemplate } from './interpolation.js';
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

/** Builds CALL and PLAN: the call of a tool or plan, with its values and its output path. */
export function buildCall(context: ParseContext, node: SyntaxNode, inList: boolean): Instruction {
  const verbToken = (token(node, 'Call') ?? token(node, 'Plan')) as Token;
  const verb = verbName(context, verbToken);
  const plan = verbToken.tokenType.name === 'Plan';
  const options = headerOptions(context, node, verbToken, inList);
  const where = spanOf(context, node);
  const called = calledBy(context, node, verb, plan);
  if (called === null) return { kind: 'broken', verb, span: where };
  const args = buildArguments(context, child(node, 'callArgs'));
  const before = token(node, 'CallBind');
  const result = resultOf(context, node);
  const bind = before === undefined ? result.bind : boundName(context, before, 'a value');
  if (before !== undefined && result.bind !== undefined) {
    const help = 'name the result once; a path below `†state` may also follow the arrow';
    reportMissing(context, unexpectedText(result.bind.span, { text: result.bind.text, help }));
  }
  return {
    kind: 'call',
    verb,
    options,
    ...omitUndefined({ bind }),
    bindAfter: before === undefined && bind !== undefined,
    called,
    args,
    ...omitUndefined({ output: result.output }),
    span: where,
  };
}

/** A tool by its name, or the file of a plan in quotes. Returns null after reporting that both are missing. */
function calledBy(context: ParseContext, node: SyntaxNode, verb: Name, plan: boolean): Called | null {
  const word = token(node, 'ToolName');
  const text = token(node, 'CalledText');
  if (plan && text !== undefined) {
    const file = quotedTemplate(context, text.image, text.startOffset);
    return { kind: 'plan', file, span: file.span };
  }
  const named = word ?? text;
  if (!plan && named !== undefined) {
    const where = tokenSpan(context, named);
    const name = { text: word?.image ?? named.image.slice(1, -1), span: where };
    return { kind: 'tool', name, quoted: word === undefined, span: where };
  }
  const facts = plan
    ? {
        what: 'the file of a plan in quotes',
        after: `${verb.text}:`,
        example: 'PLAN: "release.plan.json" with tag="v1"',
      }
    : { what: 'the name of a tool', after: `${verb.text}:`, example: 'CALL: build with target="web" → †state.build' };
  reportMissing(context, missingPart(word === undefined ? verb.span : tokenSpan(context, word), facts));
  context.blamed = true;
  return null;
}

/** Suggests the text after the arrow for a path without its `†`, or in quotes as in plans. */
export function helpAfterArrow(head: SyntaxNode, rest: SyntaxNode): string | undefined {
  const first = rest.parts[0] as Token | undefined;
  if (token(head, 'PlainArrow') === undefined || head.name !== 'toolCall' || first === undefined) return undefined;
  const quoted = /^(["'])(†.*)\1$/.exec(first.image)?.[2];
  if (quoted !== undefined) return `write \`→ ${quoted}\`, without quotes`;
  const name = token(head, 'Name');
  if (name === undefined || name.startOffset + name.image.length !== first.startOffset) return undefined;
  const path = /^(?:\.\w+)+$/.exec(first.image)?.[0];
  const kind = name.image === 'data' ? '' : 'state.';
  return `a path in the data begins with \`†\`: \`→ †${name.image === 'state' ? '' : kind}${name.image}${path ?? '.name'}\``;
}

function resultOf(context: ParseContext, node: SyntaxNode): { readonly bind?: Name; readonly output?: OutputPath } {
  const arrow = token(node, 'PlainArrow');
  if (arrow === undefined) return {};
  const output = token(node, 'OutputPath');
  if (output !== undefined) return { output: buildOutputPath(context, output.image, output.startOffset) };
  const name = token(node, 'Name');
  if (name !== undefined) return { bind: bindingName(context, name, 'a value') };
  const facts = { what: 'the path of the result', after: arrow.image, example: '→ †state.result' };
  reportMissing(context, missingPart(tokenSpan(context, arrow), facts));
  return {};
}
