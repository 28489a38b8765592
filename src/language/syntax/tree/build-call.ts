/** Builds CALL and PLAN: the call of a tool or plan, with its values and its output path. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { missingPart, unexpectedText } from '../../source/catalogue/syntax.js';
import type { Called, Instruction, OutputPath } from '../ast.js';
import type { Name } from '../expression-nodes.js';
import { child, type ParseContext, reportMissing, type SyntaxNode, spanOf, token, tokenSpan } from '../grammar/cst.js';
import { bindingName, boundName, verbName } from '../names.js';
import type { Token } from '../tokens/token.js';
import { buildArguments, headerOptions } from './build-options.js';
import { buildOutputPath } from './build-references.js';
import { quotedTemplate } from './interpolation.js';

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
