/**
 * The only way to end the process. Modules of a plan run in this process and can end it too. Any other end is theirs
 * and is reported.
 */
import { EXIT } from './exit-code.js';

let isMeant = false;

/** From now on, an end of the process is not caused by a module. */
export function meansToEnd(): void {
  isMeant = true;
}

/** Ends the process at once. Output that was not flushed is lost. */
export function endProcess(code: number): never {
  meansToEnd();
  process.exit(code);
}

/** From now on, an end of the process by anything else is an error. */
export function reportOtherEnds(): void {
  process.on('exit', () => {
    if (isMeant) return;
    process.stderr.write('error: a module ended the process before statedsl was done\n');
    process.exitCode = EXIT.failed;
  });
}
