/** Finds a command as a shell does: along PATH, or by a path relative to the working directory. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/** Whether a command exists. */
export function commandFinder(cwd: string, path = ''): (command: string) => boolean {
  const find = commandLocator(cwd, path);
  return (command) => find(command) !== null;
}

/** The absolute path of a command's file, or null. */
export function commandLocator(cwd: string, path = ''): (command: string) => string | null {
  const known = new Map<string, string | null>();
  const folders = path.split(delimiter);
  const look = (command: string): string | null => {
    const candidates = command.includes('/')
      ? [resolve(cwd, command)]
      : folders.map((folder) => resolve(cwd, folder, command));
    return candidates.find(isProgram) ?? null;
  };
  return (command) => {
    const found = known.get(command);
    const answer = found === undefined ? look(command) : found;
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
