/** A Markdown document with its program fences in their one form; everything else stays as it is. */
import { hasErrors } from '../source/diagnostic.js';
import type { SourceFile } from '../source/source-file.js';
import { parseProgram } from '../syntax/parse.js';
import { formatSource } from './format-program.js';

/** A fence: where it lies, its program, and what the document puts before each of its lines. */
export interface FencedProgram {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly prefix: string;
}

/** The text of the document. A fence with mistakes is left alone. */
export function formatMarkdown(file: SourceFile, fences: readonly FencedProgram[]): string {
  let out = '';
  let done = 0;
  for (const fence of [...fences].sort((a, b) => a.start - b.start)) {
    const formatted = formatFence(file, fence);
    if (formatted === undefined) continue;
    out += file.text.slice(done, fence.start) + formatted;
    done = fence.end;
  }
  return out + file.text.slice(done);
}

function formatFence(file: SourceFile, fence: FencedProgram): string | undefined {
  const { program, diagnostics } = parseProgram(file, 0, fence);
  if (hasErrors(diagnostics)) return undefined;
  const text = formatSource(program, { text: fence.text, base: fence.start });
  if (text === '') return undefined;
  const lineEnd = file.text.slice(fence.start, fence.end).includes('\r\n') ? '\r\n' : '\n';
  const lines = text.replace(/\n$/, '').split('\n');
  const prefixed = lines.map((line) => (line === '' ? fence.prefix.trimEnd() : fence.prefix + line));
  return prefixed.join(lineEnd) + (fence.text.endsWith('\n') ? lineEnd : '');
}
