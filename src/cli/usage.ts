/** Wrong usage that is only seen when a command starts: the same words and exit code as commander's own. */
import { escapeControls, oneLine } from '../views/drawing/visible-text.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { stderr } from './streams.js';

/** Says what is wrong, with one next step, and gives the exit code. */
export async function usageError(message: string, help?: string): Promise<ExitCode> {
  const paint = await stderr.paint();
  stderr.write(`${paint.error('error')}${paint.strong(`: ${escapeControls(oneLine(message))}`)}\n`);
  if (help !== undefined) stderr.write(`  = ${paint.strong('help:')} ${escapeControls(help)}\n`);
  return EXIT.usage;
}
