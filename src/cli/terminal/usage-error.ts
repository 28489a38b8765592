/** Reports wrong usage that only a command can detect, with the form and exit code of commander's own errors. */
import { escapeControls, visibleLine } from '../../views/drawing/visible-text.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { stderr } from './streams.js';

/** Reports a problem with one next step, and returns the exit code. */
export async function usageError(message: string, help?: string): Promise<ExitCode> {
  const paint = await stderr.paint();
  stderr.write(`${paint.error('error')}${paint.strong(`: ${visibleLine(message)}`)}\n`);
  if (help !== undefined) stderr.write(`  = ${paint.strong('help:')} ${escapeControls(help)}\n`);
  return EXIT.usage;
}

/**
 * Errors of the argument parser quote the command line. Its control characters must not reach a terminal or forge a
 * line.
 */
export function visibleError(text: string): string {
  const [message = '', guess] = text.trimEnd().split(/\n(?=\(Did you mean [^\n]*\)$)/);
  const lines = guess === undefined ? [message] : [message, guess];
  return lines.map((line) => `${visibleLine(line)}\n`).join('');
}
