/** References that are in a text without braces: nothing reads them, which people who copy one out of a plan do not expect. */
import { checkMessages as say } from '../../../source/catalogue/check.js';
import type { Diagnostic } from '../../../source/diagnostic.js';
import type { Span } from '../../../source/source-file.js';
import type { ShellText, Template } from '../../../syntax/ast.js';
import { dataReferenceEnd } from '../../../syntax/tokens/interpolation-scan.js';

/** Only what is plainly a reference; `{†…` is one that is read, or an escape, and `††` says that it is meant as text. */
const EMBEDDED = /(?<![{†])†(?:input|state|data|track)[.[]/g;

export function lintEmbedded(template: Template, diagnostics: Diagnostic[]): void {
  if (!template.parts.some((part) => typeof part === 'string' && part.includes('†'))) return;
  const { span, raw } = template;
  // A text on lines of its own lost its indentation, so places in it are not places in the file.
  const exact = span.end - span.start === raw.length;
  for (const [start, end] of findEmbedded(raw)) {
    const where = exact ? { ...span, start: span.start + start, end: span.start + end } : span;
    diagnostics.push(say.embeddedReference(where, { reference: raw.slice(start, end) }));
    if (!exact) return;
  }
}

export function lintEmbeddedInShell(
  { text, span }: ShellText,
  sourceOffset: (offset: number) => number,
  diagnostics: Diagnostic[],
): void {
  if (!text.includes('†')) return;
  for (const [start, end] of findEmbedded(text)) {
    const where: Span = { file: span.file, start: sourceOffset(start), end: sourceOffset(end - 1) + 1 };
    diagnostics.push(say.embeddedReference(where, { reference: text.slice(start, end) }));
  }
}

/** Enough to see what is meant; a long text may hold thousands. */
const MOST = 10;

/** Ranges of references outside of braces. Inside of a call in braces they are read. */
function findEmbedded(text: string): [number, number][] {
  const ranges: [number, number][] = [];
  for (const { index } of text.matchAll(EMBEDDED)) {
    if (ranges.length === MOST) break;
    const open = text.lastIndexOf('{', index);
    const read = open >= 0 && /[\w†]/.test(text[open + 1] ?? '') && text.lastIndexOf('}', index) < open;
    if (read && text.lastIndexOf('\n', index) < open) continue;
    // The full stop of a sentence is none of its steps.
    const reference = text.slice(index, dataReferenceEnd(text, index)).replace(/\.+$/, '');
    if (/[.[]/.test(reference)) ranges.push([index, index + reference.length]);
  }
  return ranges;
}
