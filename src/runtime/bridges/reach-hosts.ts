/**
 * Runs inside of a sandbox without a network: listens on its loopback address, which nothing outside shares, and passes
 * each connection on to the socket of the proxy that knows the named hosts. Its arguments are the socket, and the program with its
 * arguments, which learns of the proxy from the usual variables.
 */
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { proxyVariables } from '../agents/sandbox/proxy-variables.js';

const [socket = '', program = '', ...args] = process.argv.slice(2);

const server = createServer((inner) => {
  const outer = connect(socket);
  const end = (): void => {
    inner.destroy();
    outer.destroy();
  };
  for (const one of [inner, outer]) one.on('error', end).on('close', end);
  inner.pipe(outer).pipe(inner);
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const env = { ...process.env, ...proxyVariables(`http://127.0.0.1:${port}`) };
  const child = spawn(program, args, { stdio: 'inherit', env });
  child.on('error', ({ message }) => {
    process.stderr.write(`${message}\n`);
    process.exit(127);
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128 + (SIGNALS[signal] ?? 0))));
});

/** Numbers of signals as exit codes, where a shell would tell them. */
const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15 };
