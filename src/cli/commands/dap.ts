/** `statedsl dap`: the debugger on standard input and output, which carry nothing else. */
import { appendFileSync } from 'node:fs';
import { startAdapter } from '../../editor/dap/debug-adapter.js';
import { endProcess } from '../end-process.js';
import { watchHeaders } from '../message-headers.js';
import type { ExitCode } from '../terminal/exit-code.js';

export function debugAdapterCommand({ log }: { readonly log?: string }): Promise<ExitCode> {
  // A file ends without being closed.
  process.stdin.once('end', () => process.stdin.destroy());
  let code: ExitCode = 0;
  watchHeaders(process.stdin, (problem) => {
    process.stderr.write(`error: the input is not the protocol: ${problem}\n`);
    code = 1;
    // As if the client had gone: a run that this session has started is interrupted.
    process.stdin.destroy();
  });
  return new Promise((resolve) => {
    startAdapter({
      input: process.stdin,
      output: process.stdout,
      environment: process.env,
      folder: process.cwd(),
      log: (text) => {
        if (log !== undefined) appendFileSync(log, `${new Date().toISOString()} ${text}\n`);
      },
      exit: () => {
        resolve(code);
        // An editor that closes its ends leaves streams open that would keep the process alive.
        setImmediate(() => endProcess(code));
      },
    });
  });
}
