/** Whether a command exists, as a shell would look it up: along PATH, or at a path relative to where it runs. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

export function commandFinder(cwd: string, path = process.env.PATH ?? ''): (command: string) => boolean {
  const known = new Map<string, boolean>();
  const folders = path.split(delimiter).map((folder) => resolve(cwd, folder));
  const look = (command: string): boolean => {
    if (command.includes('/')) return isProgram(resolve(cwd, command));
    return folders.some((folder) => isProgram(join(folder, command)));
  };
  return (command) => {
    const answer = known.get(command) ?? look(command);
    known.set(command, answer);
    return answer;
  };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
