/** Builds a prompt from quoted text on the line, or from plain text on the lines below. */
import { unquotedPrompt } from '../../source/catalogue/steps.js';
import { missingPart } from '../../source/catalogue/syntax.js';
import type { Name, Template } from '../expression-nodes.js';
import type { SyntaxNode } from '../grammar/cst.js';
import { fixAt, type ParseContext, report, reportMissing, token, tokenEnd, tokenSpan } from '../grammar/cst.js';
import { blockText } from '../tree/block-text.js';
import { blockTemplate, plainTemplate, quotedTemplate } from '../tree/interpolation.js';
import { tripledTemplate } from '../tree/triple-quotes.js';

const example = 'PROMPT: "Implement {task.description}"';

/** The text of a `promptText` node, or undefined if there is none. */
export function buildPrompt(context: ParseContext, node: SyntaxNode | undefined, after: Name): Template | undefined {
  const quoted = node === undefined ? undefined : token(node, 'Quoted');
  const block = node === undefined ? undefined : token(node, 'TextBlock');
  const unquoted = node === undefined ? undefined : token(node, 'UnquotedText');
  const tripled = node === undefined ? undefined : token(node, 'TripleQuoted');
  if (quoted !== undefined) return quotedTemplate(context, quoted.image, quoted.startOffset);
  if (block !== undefined) return blockTemplate(context, blockText(context, block, 'PROMPT:', false));
  if (tripled !== undefined) {
    const bounds = { end: tokenEnd(tripled), oneLineFrom: tripled.startOffset };
    const at = after.span.end - context.base;
    // An entry of RETRY has its text on its line.
    const colon = context.text[at] === ':' ? at : undefined;
    return tripledTemplate(context, tripled, { ...bounds, colon, isAlone: colon !== undefined });
  }
  if (unquoted !== undefined) {
    const where = tokenSpan(context, unquoted);
    const isText = !/(?<!\w)with(?!\w)|=|^['`“”„«»‘’‚]/.test(unquoted.image);
    const fix = /["\\]/.test(unquoted.image) ? {} : { fix: fixAt(where, `"${unquoted.image}"`, isText) };
    if (!context.blamed) report(context, unquotedPrompt(where, fix));
    context.blamed = true;
    return plainTemplate(context, unquoted.image, unquoted.startOffset);
  }
  reportMissing(context, missingPart(after.span, { what: 'a text', after: after.text, example }));
  context.blamed = true;
  return undefined;
}
