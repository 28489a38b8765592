/** The fixes that were made in a file, each with the lines that it replaced. */
import { escapeControls, visibleLine } from '../drawing/visible-text.js';

interface DrawnFix {
  readonly code: string;
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

export function drawFixes(name: string, fixes: readonly DrawnFix[]): string {
  return fixes
    .map(({ code, line, removed, added }) => {
      const lines = [...removed.map((text) => `- ${text}`), ...added.map((text) => `+ ${text}`)];
      const shown = lines.map((text) => `${escapeControls(text)}\n`).join('');
      return `fixed[${code}]: ${visibleLine(name)}:${line}\n${shown}`;
    })
    .join('');
}
