/**
 * Shell text in quotes, as in gates and contexts. The quotes belong to the language, their content to the shell: `\"`,
 * `\\` and `\u{a}` are a quote, a backslash and a line feed; every other backslash is passed on.
 */
import type { ShellText } from '../ast.js';
import { type ParseContext, span } from '../grammar/cst.js';

/** The text of `raw`, which begins at `start`. Without quotes it is used unchanged. */
export function quotedShell(context: ParseContext, raw: string, start: number): ShellText {
  const quote = raw[0];
  const quoted = raw.length > 1 && (quote === '"' || quote === "'") && raw.endsWith(quote);
  const from = quoted ? 1 : 0;
  const inner = quoted ? raw.slice(1, -1) : raw;
  const lines = [{ at: 0, source: context.base + start + from }];
  let text = '';
  let at = 0;
  if (quote === '"') {
    for (const found of inner.matchAll(/\\(["\\]|u\{a\})/g)) {
      text += inner.slice(at, found.index) + (found[1] === 'u{a}' ? '\n' : found[1]);
      at = found.index + found[0].length;
      // After an escape, an offset in the file is one character larger than in the text.
      lines.push({ at: text.length, source: context.base + start + from + at });
    }
  }
  text += inner.slice(at);
  return { text, lines, block: false, span: span(context, start, start + raw.length) };
}
