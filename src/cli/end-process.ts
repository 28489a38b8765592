/**
 * The only way for statedsl to end its process. The modules of a plan run in the same process and could end it too,
 * which is reported as an error.
 */
import { EXIT } from './terminal/exit-code.js';

let isMeant = false;

/** From now on, statedsl itself ends the process, so no error is reported. */
export function meansToEnd(): void {
  isMeant = true;
}

/** Ends the process at once. Output that was not flushed is lost. */
export function endProcess(code: number): never {
  meansToEnd();
  process.exit(code);
}

/** From now on, an end of the process that statedsl did not announce is an error. */
export function reportOtherEnds(): void {
  process.on('exit', () => {
    if (isMeant) return;
    process.stderr.write('error: a module ended the process before statedsl was done\n');
    process.exitCode = EXIT.failed;
  });
}
