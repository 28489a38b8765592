/** The edits that were made in a file, one line each. */
import { escapeControls, visibleLine } from '../drawing/visible-text.js';

/** The maximum length of a shown text. */
const SHOWN = 60;

interface DrawnEdit {
  readonly code: string;
  readonly line: number;
  readonly column: number;
  readonly was: string;
  readonly text: string;
}

export function drawFixes(name: string, made: readonly DrawnEdit[]): string {
  return made
    .map(({ code, line, column, was, text }) => {
      const location = `${visibleLine(name)}:${line}:${column}`;
      return `fixed[${code}]: ${location}: ${changeText(was, text)}\n`;
    })
    .join('');
}

function changeText(was: string, text: string): string {
  if (was === '') return `inserted ${quoteVisible(text)}`;
  return text === '' ? `removed ${quoteVisible(was)}` : `${quoteVisible(was)} → ${quoteVisible(text)}`;
}

function quoteVisible(text: string): string {
  const line = escapeControls(text.replace(/\r?\n/g, '↵'));
  return `\`${line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line}\``;
}
