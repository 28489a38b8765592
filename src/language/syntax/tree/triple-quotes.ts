/** Prompts between three quotes, as other languages write a text of several lines. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { tripleQuotes } from '../../source/catalogue/syntax.js';
import type { Template } from '../expression-nodes.js';
import { fixAt, type ParseContext, report, span, tokenEnd, tokenSpan } from '../grammar/cst.js';
import { indentOf } from '../tokens/command-patterns.js';
import type { Token } from '../tokens/token.js';
import { plainTemplate } from './interpolation.js';

/** Reports three quotes above and below the lines of a prompt, which would be a part of it. */
export function lintQuotedBlock(context: ParseContext, block: Token): void {
  const found = /^(\s*?\n[ \t]*)("{3}|'{3})[ \t]*\r?\n([\s\S]*?\S[\s\S]*?)\r?\n[ \t]*\2\s*$/.exec(block.image);
  if (found === null) return;
  const [all, before = '', quotes = '', inner = ''] = found;
  const start = block.startOffset + before.length;
  const quoted = span(context, start, block.startOffset + all.trimEnd().length);
  const fix = fixAt(quoted, inner.trimStart());
  report(context, tripleQuotes(span(context, start, start + quotes.length), { block: true, within: true, fix }));
}

interface TripledBounds {
  /** Where the colon before it is, if there is one. */
  readonly colon?: number | undefined;
  /** Where what it belongs to ends. */
  readonly end: number;
  /** Where a text on one line would begin; null: it cannot be one. */
  readonly oneLineFrom: number | null;
  /** Nothing but words may follow, which can stand before a block. */
  readonly isAlone: boolean;
}

/** Reports three quotes. The fix writes the text on one line between its quotes, or on the lines below. */
export function tripledTemplate(context: ParseContext, tripled: Token, bounds: TripledBounds): Template {
  const { colon: from = tripled.startOffset, end, oneLineFrom, isAlone } = bounds;
  const start = tripled.startOffset + 3;
  const inner = tripled.image.slice(3, -3);
  const lines = inner.replaceAll('\r\n', '\n').split('\n');
  const where = tokenSpan(context, tripled);
  if (lines.length === 1) {
    const fix =
      oneLineFrom === null || /["\\]/.test(inner)
        ? undefined
        : fixAt(
            span(context, oneLineFrom, tokenEnd(tripled)),
            `${oneLineFrom < tripled.startOffset ? ' ' : ''}"${inner}"`,
          );
    report(context, tripleQuotes(where, { block: false, ...omitUndefined({ fix }) }));
    return plainTemplate(context, inner, start);
  }
  const head = (lines[0] as string).trim();
  const rest = lines.slice(1);
  const margin = Math.min(
    ...rest.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length),
  );
  const text = [...(head === '' ? [] : [head]), ...rest.map((line) => line.slice(margin))].join('\n').trimEnd();
  const lineStart = context.text.lastIndexOf('\n', tripled.startOffset - 1) + 1;
  const indent = ' '.repeat(indentOf(context.text, lineStart) + 2);
  const block = text.split('\n').map((line) => (line.trim() === '' ? '' : indent + line));
  const after = context.text.slice(tokenEnd(tripled), end).trimEnd();
  const ends = /^[ \t]*(?:\r?\n|$)/.test(context.text.slice(end)) && isAlone;
  const before = /[ \t]*$/.exec(context.text.slice(0, from))?.[0].length ?? 0;
  const all = span(context, from - before, end);
  const fix = ends && text !== '' ? fixAt(all, `${after}:\n${block.join('\n')}`) : undefined;
  report(context, tripleQuotes(where, { block: true, ...omitUndefined({ fix }) }));
  return plainTemplate(context, text, start);
}
