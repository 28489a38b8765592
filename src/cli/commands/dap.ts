/** `statedsl dap`: the debugger on standard input and output, which carry nothing else. */
import { appendFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { startAdapter } from '../../editor/dap/debug-adapter.js';
import { endProcess } from '../end-process.js';
import { watchHeaders } from '../message-headers.js';
import type { ExitCode } from '../terminal/exit-code.js';

export function debugAdapterCommand({ log }: { readonly log?: string }): Promise<ExitCode> {
  let code: ExitCode = 0;
  // The adapter reads only headers in one spelling, and ignores what is not JSON.
  const messages = new PassThrough();
  const misread = (problem: string): void => {
    if (code !== 0) return;
    process.stderr.write(`error: the input is not the protocol: ${problem}\n`);
    code = 1;
    // As if the client had gone: a run that this session has started is interrupted.
    messages.destroy();
    process.stdin.destroy();
  };
  watchHeaders(process.stdin, misread, (message) => {
    if (code !== 0) return;
    if (!isObject(message)) return misread('a message is not a JSON object');
    messages.write(`Content-Length: ${message.length}\r\n\r\n`);
    messages.write(message);
  });
  // A file ends without being closed.
  process.stdin.once('end', () => process.stdin.destroy());
  process.stdin.once('close', () => messages.end(() => messages.destroy()));
  return new Promise((resolve) => {
    startAdapter({
      input: messages,
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

function isObject(message: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(message.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
