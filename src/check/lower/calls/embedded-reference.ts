/**
 * Reports references in a text without braces, which stay text. People who copy a reference from a plan do not expect
 * this.
 */
import { checkMessages as say } from '../../../source/catalogue/check.js';
import type { Diagnostic } from '../../../source/diagnostic.js';
import type { Span } from '../../../source/source-file.js';
import type { ShellText } from '../../../syntax/ast.js';
import type { Template } from '../../../syntax/step-key.js';
import { dataReferenceEnd } from '../../../syntax/tokens/interpolation-scan.js';

/** Matches only clear references. `{†…` is a real reference or an escape, and `††` is deliberate text. */
const EMBEDDED = /(?<![{†])†(?:input|state|data|track)[.[]/g;

export function lintEmbedded(template: Template, diagnostics: Diagnostic[]): void {
  if (!template.parts.some((part) => typeof part === 'string' && part.includes('†'))) return;
  const { span, raw } = template;
  // A text on its own lines has lost its indentation, so its offsets are not offsets of the file.
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

/** A few are enough; a long text may contain thousands. */
const MOST = 10;

/** The ranges of references outside of braces. References inside a call in braces are read. */
function findEmbedded(text: string): [number, number][] {
  const ranges: [number, number][] = [];
  for (const { index } of text.matchAll(EMBEDDED)) {
    if (ranges.length === MOST) break;
    const open = text.lastIndexOf('{', index);
    const read = open >= 0 && /[\w†]/.test(text[open + 1] ?? '') && text.lastIndexOf('}', index) < open;
    if (read && text.lastIndexOf('\n', index) < open) continue;
    // The full stop of a sentence is not part of the reference.
    const reference = text.slice(index, dataReferenceEnd(text, index)).replace(/\.+$/, '');
    if (/[.[]/.test(reference)) ranges.push([index, index + reference.length]);
  }
  return ranges;
}
