/**
 * The two output streams of a command. If the reader goes away, writing ends silently; any other problem, such as a
 * full disk, is reported once. Colors are decided once for each stream.
 */
import type { Writable } from 'node:stream';
import { type ColorLevel, colorLevel } from '../views/drawing/color-level.js';
import { type Paint, plain } from '../views/drawing/paint.js';

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

function stream(node: Writable & { readonly isTTY?: boolean }): Stream {
  const terminal = node.isTTY === true;
  const level = colorLevel(terminal, process.env);
  const callbacks: (() => void)[] = [];
  const write = node.write.bind(node);
  let broken = false;
  let trouble: string | null = null;
  node.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') trouble ??= error.message;
    if (broken) return;
    broken = true;
    for (const callback of callbacks) callback();
  });
  return {
    terminal,
    level,
    write: (text) => {
      if (!broken && text.length > 0) write(text);
    },
    paint: async () => (level === 0 ? plain : (await import('../views/drawing/color.js')).createPaint(level)),
    flush: () =>
      new Promise((resolve) => {
        if (broken) resolve();
        else write('', () => resolve());
      }),
    onBroken: (callback) => {
      if (broken) callback();
      else callbacks.push(callback);
    },
    trouble: () => trouble,
  };
}

/** Where the current command prints. */
export let stdout: Stream = stream(process.stdout);
export let stderr: Stream = stream(process.stderr);
let isProcess = true;

/** From now on, commands print to these streams: a program that runs several commands collects the output of each. */
export function printTo(out: Writable, error: Writable): void {
  stdout = stream(out);
  stderr = stream(error);
  isProcess = false;
}

/** From now on, only `stdout` writes to standard output. Output of a plan's modules goes to standard error. */
export function reserveStdout(): void {
  if (isProcess) process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
}
