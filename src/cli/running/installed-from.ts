/** Where packages are looked for that a user has installed next to statedsl. */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/** The folder of the program, and the working directory. */
export function installedFrom(): readonly string[] {
  const script = process.argv[1];
  try {
    return script === undefined ? [process.cwd()] : [dirname(realpathSync(script)), process.cwd()];
  } catch {
    return [process.cwd()];
  }
}
