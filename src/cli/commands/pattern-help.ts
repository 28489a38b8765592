/** `statedsl help std/poll`: what an included pattern does, and how it is used. */
import { shippedPattern } from '../../app/project/surroundings.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

export async function patternHelp(name: string): Promise<ExitCode> {
  const text = shippedPattern(name);
  if (text === null) return usageError(`there is no included pattern \`${name}\``, 'list them: `statedsl list`');
  stdout.write(`  IMPORT: "${name.replace(/\.dsl$/, '')}"\n\n${describe(text)}`);
  return EXIT.returned;
}

/** The comments of a file of patterns, and the first line of each pattern, which names its parameters. */
function describe(text: string): string {
  const lines = text.split('\n').filter((line) => /^(?:#|PATTERN\b|$)/.test(line));
  const shown = lines.map((line) => line.replace(/^# ?/, '')).join('\n');
  return `${shown.replace(/\n{3,}/g, '\n\n').trimEnd()}\n`;
}
