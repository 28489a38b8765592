/**
 * The one way out of the process. Modules that a plan calls run in it and can end it too: an end that did not come
 * this way is theirs, and is told.
 */
import { EXIT } from './exit-code.js';

let isMeant = false;

/** Nothing that happens from now on is the fault of a module. */
export function meansToEnd(): void {
  isMeant = true;
}

/** Ends the process at once; what was printed and not taken yet is lost. */
export function endProcess(code: number): never {
  meansToEnd();
  process.exit(code);
}

process.on('exit', () => {
  if (isMeant) return;
  process.stderr.write('error: a module ended the process before statedsl was done\n');
  process.exitCode = EXIT.failed;
});
