/** `statedsl lsp`: the language server on standard input and output, which carry nothing else. */
import { appendFileSync } from 'node:fs';
import { StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver-protocol/node';
import { startServer } from '../../editor/lsp/language-server.js';
import { endProcess } from '../end-process.js';
import { watchHeaders } from '../message-headers.js';
import type { ExitCode } from '../terminal/exit-code.js';

export function languageServerCommand({ log }: { readonly log?: string }): Promise<ExitCode> {
  // A file ends without being closed.
  process.stdin.once('end', () => process.stdin.destroy());
  return new Promise((resolve) => {
    let isOver = false;
    const exit = (code: number, problem?: string): void => {
      if (isOver) return;
      isOver = true;
      if (problem !== undefined) process.stderr.write(`error: the input is not the protocol: ${problem}\n`);
      resolve(code as ExitCode);
      // An editor that closes its ends leaves streams open that would keep the process alive.
      setImmediate(() => endProcess(code));
    };
    watchHeaders(process.stdin, (problem) => exit(1, problem));
    startServer({
      reader: new StreamMessageReader(process.stdin),
      writer: new StreamMessageWriter(process.stdout),
      environment: process.env,
      log: (text) => {
        if (log !== undefined) appendFileSync(log, `${new Date().toISOString()} ${text}\n`);
      },
      exit: (code, error) => exit(code, error?.message),
    });
  });
}
