/**
 * A debugger for a run that another process executes. The adapter writes into the folder of the run where it listens; the
 * process that executes the run connects, and the session takes place there. The adapter only passes messages on.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeOf } from '../../app/programs.js';
import { executedFolder } from '../../app/project/stored-record.js';
import { resultOf } from '../../app/result.js';
import { isProcess } from '../../runtime/process/process-group.js';
import { DEBUGGER } from '../../runtime/store/inbox.js';
import { readOwn } from '../../runtime/store/own-file.js';
import { AdapterRefusal } from './adapter-protocol.js';
import { inFolder } from './launch-values.js';

/** How long the process that executes the run may take to answer, in milliseconds. */
const ANSWER_MS = 2_000;
/** The system limits the length of the path of a socket, in bytes. */
const LONGEST_PATH = 100;

interface AskingDebugger {
  readonly pid: number;
  readonly by: string;
  readonly socket: string;
  /** Tells it from others of the same process. */
  readonly id?: string;
}

export function readAsking(text: string): AskingDebugger | null {
  try {
    const { pid, by, socket } = JSON.parse(text) as Record<string, unknown>;
    return typeof pid === 'number' && typeof by === 'string' && typeof socket === 'string' ? { pid, by, socket } : null;
  } catch {
    return null;
  }
}

/** Throws an `AdapterRefusal` if another debugger has asked for the run. */
function claim(path: string, asking: AskingDebugger): void {
  for (;;) {
    try {
      return writeFileSync(path, JSON.stringify(asking), { flag: 'wx', mode: 0o600 });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    }
    let first: AskingDebugger | null = null;
    try {
      first = readAsking(readOwn(path).toString('utf8'));
    } catch {
      // It has gone meanwhile, or is no file.
    }
    if (first !== null && isProcess(first.pid))
      throw new AdapterRefusal(`the run is debugged already by ${first.by} (process ${first.pid})`, true);
    rmSync(path, { force: true });
  }
}

/** A connection to the process that executes a run; null: none does, or it does not answer. */
export async function reachRun(
  { folder, dir, run }: { readonly folder: string; readonly dir: string | undefined; readonly run: string },
  by: string,
): Promise<Socket | null> {
  const directory = storeOf({ folder, ...(dir === undefined ? {} : { dir: inFolder(folder, dir) }) });
  // What is wrong with the name is reported when the record is opened instead.
  const found = await resultOf(() => executedFolder(directory, run));
  return found.ok && found.value !== null ? reachRunner(found.value, by) : null;
}

async function reachRunner(folder: string, by: string): Promise<Socket | null> {
  const own = join(folder, 'debugger.sock');
  const elsewhere = Buffer.byteLength(own) > LONGEST_PATH ? mkdtempSync(join(tmpdir(), 'statedsl-')) : null;
  const path = elsewhere === null ? own : join(elsewhere, 's');
  const request = join(folder, DEBUGGER);
  claim(request, { pid: process.pid, by, socket: path, id: randomUUID() });
  const forget = (): void => {
    for (const one of [request, path]) rmSync(one, { force: true });
    if (elsewhere !== null) rmSync(elsewhere, { recursive: true, force: true });
  };
  rmSync(path, { force: true });
  const socket = await firstConnection(path);
  if (socket === null) forget();
  else {
    process.once('exit', forget);
    socket.once('close', () => {
      process.off('exit', forget);
      forget();
    });
  }
  return socket;
}

/** Listens until a process connects; null: none does in time. */
async function firstConnection(path: string): Promise<Socket | null> {
  const server = createServer();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Socket | null>((resolve) => {
      timer = setTimeout(() => resolve(null), ANSWER_MS);
      server.once('connection', resolve);
      server.once('error', () => resolve(null));
      server.listen(path, () => chmodSync(path, 0o600));
    });
  } finally {
    clearTimeout(timer);
    server.close();
  }
}

/** The session in the other process, as one that asks it and hears its messages. */
export class RemoteSession {
  private readonly received: Buffer[] = [];
  private bytes = 0;
  /** How many bytes the next message has, with its header; 0: not known yet. */
  private wanted = 0;

  constructor(
    private readonly socket: Socket,
    private readonly onMessage: (message: Record<string, unknown>) => void,
    onEnd: () => void,
  ) {
    socket.on('data', (bytes) => this.take(bytes));
    socket.on('error', () => undefined);
    socket.on('close', onEnd);
  }

  send(message: object): void {
    const text = Buffer.from(JSON.stringify(message));
    this.socket.write(`Content-Length: ${text.length}\r\n\r\n`);
    this.socket.write(text);
  }

  close(): void {
    this.socket.destroy();
  }

  /** Joins what has come only when a message is complete: a long one comes in many parts. */
  private take(bytes: Buffer): void {
    this.received.push(bytes);
    this.bytes += bytes.length;
    if (this.bytes < this.wanted) return;
    let rest = Buffer.concat(this.received);
    for (;;) {
      const head = rest.indexOf(HEAD_END);
      if (head < 0) break;
      const length = Number(/Content-Length: *(\d+)/i.exec(rest.toString('latin1', 0, head))?.[1]);
      const end = head + HEAD_END.length + length;
      this.wanted = end;
      if (rest.length < end) break;
      const message = messageIn(rest.toString('utf8', head + HEAD_END.length, end));
      // What is not this protocol has no end that could be found.
      if (message === null) return this.close();
      rest = rest.subarray(end);
      this.wanted = 0;
      this.onMessage(message);
    }
    this.received.splice(0, this.received.length, rest);
    this.bytes = rest.length;
  }
}

const HEAD_END = '\r\n\r\n';

function messageIn(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
