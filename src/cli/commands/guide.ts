/**
 * `statedsl guide`: prints the page from which a flow can be written, or one of its parts. It is the skill of this
 * package without the lines that only programs read, so that people and agents have the same page.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedFolder } from '../../app/project/find-workflow.js';
import { nearest } from '../../prelude/nearest.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

/** Null: this installation has no skill. */
export function skillFolder(): string | null {
  const folder = shippedFolder('skills');
  return folder === null ? null : join(folder, 'statedsl');
}

export async function guideCommand(part: string | undefined): Promise<ExitCode> {
  const folder = skillFolder();
  if (folder === null) return usageError('the folder `skills` of statedsl is missing', 'install statedsl again');
  if (part === undefined) {
    stdout.write(readFileSync(join(folder, 'SKILL.md'), 'utf8').replace(/^---\n[\s\S]*?\n---\n+/, ''));
    return EXIT.returned;
  }
  const parts = readdirSync(join(folder, 'references')).map((name) => name.replace(/\.md$/, ''));
  if (!parts.includes(part)) {
    const near = nearest(part, parts);
    const names = parts.map((one) => `\`${one}\``).join(', ');
    return usageError(
      `the guide has no part \`${part}\``,
      near === undefined ? `its parts are ${names}` : `did you mean \`${near}\`?`,
    );
  }
  stdout.write(readFileSync(join(folder, 'references', `${part}.md`), 'utf8'));
  return EXIT.returned;
}
