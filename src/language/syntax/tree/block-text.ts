/** Text on its own lines: the script of a `DO:`, the text of a `PROMPT:`. */
import { blockLineOutside, tabIndentation } from '../../source/catalogue/syntax.js';
import type { ShellText } from '../ast.js';
import { fixAt, type ParseContext, report, span, tokenEnd } from '../grammar/cst.js';
import { indentOf } from '../tokens/command-patterns.js';
import { mixesIndentation } from '../tokens/layout.js';
import type { Token } from '../tokens/token.js';

/**
 * The lines below the verb `of`, without the indentation of the first one. With `comments`, comments with less
 * indentation than the text are part of it, and lose only their own indentation.
 */
export function blockText(context: ParseContext, token: Token, of: string, comments: boolean): ShellText {
  const raw = token.image;
  const lines: { at: number; source: number }[] = [];
  const out: string[] = [];
  const margin = marginOf(raw, indentOf(context.text, context.text.lastIndexOf('\n', token.startOffset - 1) + 1));
  // A tab behind the margin is text: whether it was meant to be one, only the author knows, and so for the whole text.
  const isSure = !mixesIndentation(context.text) && !new RegExp(`\\n[ \\t]{${margin}}[ \\t]*\\t`).test(raw);
  let at = 0;
  let begin = tokenEnd(token);
  for (let start = raw.indexOf('\n') + 1; start > 0 && start <= raw.length; ) {
    const next = raw.indexOf('\n', start);
    const end = next < 0 ? raw.length : next;
    const line = raw.slice(start, end).replace(/\r$/, '');
    const indent = indentOf(line, 0);
    const blank = indent === line.length;
    if (out.length > 0 || !blank) {
      if (out.length === 0) begin = token.startOffset + start + indent;
      const cut = blank
        ? Math.min(indent, margin)
        : checkedMargin(context, line, indent, margin, token.startOffset + start, of, { comments, isSure });
      lines.push({ at, source: context.base + token.startOffset + start + cut });
      out.push(line.slice(cut));
      at += line.length - cut + 1;
    }
    start = next + 1;
  }
  return { text: out.join('\n'), lines, block: true, span: span(context, begin, tokenEnd(token)) };
}

/** The indentation of the first line of a block. */
function marginOf(raw: string, outer: number): number {
  for (const line of raw.matchAll(/\n([ \t]*)(?=[^ \t\r\n])/g)) {
    const indent = (line[1] as string).length;
    if (indent > outer) return indent;
  }
  return 0;
}

function checkedMargin(
  context: ParseContext,
  line: string,
  indent: number,
  margin: number,
  start: number,
  of: string,
  { comments, isSure }: { comments: boolean; isSure: boolean },
): number {
  const cut = Math.min(indent, margin);
  const indentation = line.slice(0, cut);
  if (indentation.includes('\t')) {
    const where = span(context, start, start + cut);
    const fix = fixAt(where, indentation.replaceAll('\t', '  '), isSure);
    report(context, tabIndentation(where, { fix }));
  }
  if (indent < margin && !(comments && line[indent] === '#'))
    report(context, blockLineOutside(span(context, start + indent, start + line.length), { of }));
  return cut;
}
