/**
 * A server of tools as a process. It communicates over standard input and output, and has its own process group, so that
 * it can be ended with everything that it started and nothing else.
 */
import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { execa } from 'execa';
import { printJson, readJson } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import { VALUE_BYTES } from '../process/output.js';
import { stopGroup } from '../process/process-group.js';

/** How long a server gets to end after the end of its input, before it receives a signal. Milliseconds. */
const LEAVE_MS = 500;
/** How long the run waits for a server that cannot be stopped. Milliseconds. */
const GIVE_UP_MS = 5000;

/** The largest size of a value with room for escapes, in bytes. */
const MESSAGE_BYTES = 2 * VALUE_BYTES;

/** The error for a message that is larger than the limit. */
export class MessageTooLarge extends Error {}

export interface ServerSpec {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** It stays in the process group of this process, and ends with it. */
  readonly inGroup?: true;
  /** Called as soon as the process exists, and when it and everything that it started have ended. */
  readonly onStart: (pid: number) => void;
  readonly onEnd: (pid: number) => void;
}

/** By these members the client library recognizes a process, which it asks for its revision and may not answer. */
type ProcessTransport = Transport & { readonly pid: number | null; readonly stderr: null };

/** The process of a client, which starts it. */
export function serverProcess(spec: ServerSpec): ProcessTransport {
  /** Parts of a message whose end has not arrived. Appending each of them would copy the message again and again. */
  let parts: Buffer[] = [];
  let size = 0;
  let child: ServerChild | null = null;
  let ended: Promise<void> = Promise.resolve();
  const transport: ProcessTransport = {
    stderr: null,
    get pid() {
      return child?.pid ?? null;
    },
    start: () =>
      new Promise((resolve, reject) => {
        const [command = '', ...args] = spec.command;
        const started = startServer(command, args, spec);
        child = started;
        ended = leave(started, spec);
        void started.then(({ cause }) => {
          if (started.pid !== undefined || !(cause instanceof Error)) return;
          reject(cause);
          transport.onerror?.(cause);
        });
        started.on('spawn', () => {
          try {
            spec.onStart(started.pid as number);
            resolve();
          } catch (cause) {
            // A process that is not on record must not run.
            if (started.pid !== undefined)
              void (spec.inGroup === true ? started.kill('SIGKILL') : stopGroup(started.pid));
            reject(cause);
          }
        });
        started.on('close', () => transport.onclose?.());
        started.stdin.on('error', (cause) => transport.onerror?.(cause));
        started.stdout.on('error', (cause) => transport.onerror?.(cause));
        started.stdout.on('data', (chunk: Buffer) => readMessages(chunk));
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        if (child?.stdin == null) reject(new Error('it is not connected'));
        else if (child.stdin.write(`${printJson(message as unknown as Value)}\n`)) resolve();
        else child.stdin.once('drain', resolve);
      }),
    async close() {
      const pid = child?.pid;
      if (pid === undefined) return;
      child?.stdin?.end();
      await Promise.race([ended, sleep(LEAVE_MS)]);
      if (child?.exitCode === null && child.signalCode === null)
        await (spec.inGroup === true ? child.kill('SIGKILL') : stopGroup(pid));
      await Promise.race([ended, sleep(GIVE_UP_MS)]);
      parts = [];
    },
  };
  function readMessages(chunk: Buffer): void {
    parts.push(chunk);
    size += chunk.length;
    if (size > MESSAGE_BYTES) {
      parts = [];
      transport.onerror?.(new MessageTooLarge(`it sent a message of more than ${MESSAGE_BYTES / 1024 / 1024} MiB`));
      void transport.close();
      return;
    }
    if (!chunk.includes('\n')) return;
    const whole = Buffer.concat(parts);
    const end = whole.lastIndexOf('\n');
    parts = [whole.subarray(end + 1)];
    size = whole.length - end - 1;
    for (const line of whole.toString('utf8', 0, end).split('\n')) {
      try {
        transport.onmessage?.(readMessage(line));
      } catch (cause) {
        transport.onerror?.(cause as Error);
      }
    }
  }
  return transport;
}

/** A message. The value of a tool keeps how its numbers are written; the schema of messages knows no such numbers. */
function readMessage(line: string): JSONRPCMessage {
  const message = deserializeMessage(line);
  if (!('result' in message) || message.result.structuredContent === undefined) return message;
  const read = readJson(line);
  if (!read.ok) return message;
  const { structuredContent } = (read.value as { readonly result: { readonly structuredContent: Value } }).result;
  return { ...message, result: { ...message.result, structuredContent } };
}

type ServerChild = ReturnType<typeof startServer>;

function startServer(command: string, args: readonly string[], { cwd, env, inGroup }: ServerSpec) {
  return execa(command, args, {
    cwd,
    env,
    extendEnv: false,
    detached: inGroup !== true,
    cleanup: false,
    stdin: 'pipe',
    stderr: 'ignore',
    buffer: false,
    encoding: 'buffer',
    reject: false,
  });
}

/** Settles when the process and its group have ended, before its pid can be reused. */
function leave(child: ServerChild, { onEnd, inGroup }: ServerSpec): Promise<void> {
  return new Promise((resolve) => {
    void child.then(() => child.pid === undefined && resolve());
    child.on('exit', () => {
      const { pid } = child;
      if (pid === undefined || inGroup === true) resolve();
      else
        void stopGroup(pid).then(() => {
          onEnd(pid);
          resolve();
        });
    });
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
