/**
 * The two output streams of a command. If the reader goes away, writing ends silently; any other problem, such as a
 * full disk, is reported once. Colors are decided once for each stream.
 */
import { fstatSync, statSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type ColorLevel, colorLevel } from '../../views/drawing/color-level.js';
import { type Paint, plain } from '../../views/drawing/paint.js';

export interface Stream {
  readonly terminal: boolean;
  readonly level: ColorLevel;
  write(text: string | Uint8Array): void;
  /** The colors of this stream. Their module is loaded only if the stream shows colors. */
  paint(): Promise<Paint>;
  /** Resolves when everything written so far has been handed over, or never can be. */
  flush(): Promise<void>;
  /** Calls back when the reader goes away; at once if it has gone. */
  onBroken(callback: () => void): void;
  /** The reason why writing failed, unless the reader went away. */
  readonly trouble: () => string | null;
}

/** Takes the output; `onTaken` is called when it has been handed over. */
interface Sink {
  write(text: string | Uint8Array, onTaken?: () => void): void;
}

type OnError = (error: NodeJS.ErrnoException) => void;
type NodeStream = Writable & { readonly isTTY?: boolean };

/** `open` is called for the first output: many commands print to one of the two streams only. */
function stream(terminal: boolean, open: (onError: OnError) => Sink): Stream {
  const level = colorLevel(terminal, process.env);
  const callbacks: (() => void)[] = [];
  let broken = false;
  let trouble: string | null = null;
  let sink: Sink | null = null;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') trouble ??= error.message;
    if (broken) return;
    broken = true;
    for (const callback of callbacks) callback();
  };
  return {
    terminal,
    level,
    write: (text) => {
      if (broken || text.length === 0) return;
      sink ??= open(onError);
      sink.write(text);
    },
    paint: async () => (level === 0 ? plain : (await import('../../views/drawing/color.js')).createPaint(level)),
    flush: () =>
      new Promise((resolve) => {
        if (broken || sink === null) resolve();
        else sink.write('', resolve);
      }),
    onBroken: (callback) => {
      if (broken) callback();
      else callbacks.push(callback);
    },
    trouble: () => trouble,
  };
}

function nodeSink(node: NodeStream, onError: OnError): Sink {
  node.on('error', onError);
  // Modules of a plan may replace `write`.
  const write = node.write.bind(node);
  return { write: (text, onTaken) => void write(text, () => onTaken?.()) };
}

/**
 * Writes to the descriptor itself, up to a number of bytes in all, and what does not fit to `further`. A tenth of the time
 * of a start is what Node needs to load its streams.
 */
function directSink(fd: number, mostBytes: number, onError: OnError, further: () => Sink): Sink {
  let left = mostBytes;
  let next: Sink | null = null;
  return {
    write(text, onTaken) {
      let bytes = typeof text === 'string' ? Buffer.from(text) : text;
      left -= bytes.length;
      while (next === null && bytes.length > 0 && left >= 0) {
        try {
          bytes = bytes.subarray(writeSync(fd, bytes));
        } catch (cause) {
          const error = cause as NodeJS.ErrnoException;
          if (error.code === 'EAGAIN') left = -1;
          else return onError(error);
        }
      }
      if (next === null && left < 0) next = further();
      if (next === null) onTaken?.();
      else next.write(bytes, onTaken);
    },
  };
}

/** A file takes everything at once, as `/dev/null` does. */
const ANY_NUMBER = Number.POSITIVE_INFINITY;
/** What a pipe takes at once, unless it is full. Node continues with more of it while a reader is slow. */
const PIPE_BYTES = 4096;

function kindOf(fd: number): 'file' | 'device' | 'pipe' {
  try {
    const stat = fstatSync(fd);
    if (stat.isCharacterDevice()) return stat.rdev === statSync('/dev/null').rdev ? 'file' : 'device';
    return stat.isFile() ? 'file' : 'pipe';
  } catch {
    return 'device';
  }
}

/** Makes a stream of the process, even where `reserveStdout` has replaced it. */
function makerOf(name: 'stdout' | 'stderr'): () => NodeStream {
  const make = Object.getOwnPropertyDescriptor(process, name)?.get;
  return () => (make === undefined ? process[name] : make.call(process));
}

const makeStdout = makerOf('stdout');
const makeStderr = makerOf('stderr');

function processStream(fd: number, make: () => NodeStream): Stream {
  const kind = kindOf(fd);
  const open = (onError: OnError): Sink => nodeSink(make(), onError);
  if (kind === 'device') return stream(make().isTTY === true, open);
  const mostBytes = kind === 'file' ? ANY_NUMBER : PIPE_BYTES;
  return stream(false, (onError) => directSink(fd, mostBytes, onError, () => open(onError)));
}

/** Where the current command prints. */
export let stdout: Stream = processStream(1, makeStdout);
export let stderr: Stream = processStream(2, makeStderr);
let isProcess = true;

/** From now on, commands print to these streams: a program that runs several commands collects the output of each. */
export function printTo(out: NodeStream, error: NodeStream): void {
  stdout = stream(out.isTTY === true, (onError) => nodeSink(out, onError));
  stderr = stream(error.isTTY === true, (onError) => nodeSink(error, onError));
  isProcess = false;
}

/** From now on, only `stdout` writes to standard output. Output of a plan's modules goes to standard error. */
export function reserveStdout(): void {
  if (!isProcess) return;
  let made: NodeStream | null = null;
  const get = (): NodeStream => {
    // What a module cannot print is lost, and does not end the process.
    made ??= makeStderr().on('error', () => {});
    return made;
  };
  for (const name of ['stdout', 'stderr'])
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
}
