/**
 * Shows a run on stderr while it happens. A file or a pipe gets plain lines; a terminal also gets one live line for
 * every running effect, redrawn below the log. Lines are buffered briefly, so that a loop with a million iterations
 * does not cause a million writes.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import { duration } from '../../views/drawing/amounts.js';
import type { Paint } from '../../views/drawing/paint.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { eventLog, type Log } from '../../views/log/log.js';
import type { Stream } from '../terminal/streams.js';

/** The most characters that are buffered before they are written. */
const BATCH = 16 * 1024;
const REDRAW_MS = 200;
/** A short effect needs no live line. The line appears after this time. */
const SHOW_AFTER_MS = 150;
const MAX_LIVE_LINES = 10;

export interface Progress {
  event(event: RunEvent): void;
  /** Receives the output of running effects; null if their last lines are not shown. */
  readonly output: ((effect: string, bytes: Uint8Array) => void) | null;
  /** What a person should know about a running effect. */
  notice(effect: string, text: string): void;
  /** A line of the command itself. */
  line(text: string): void;
  /** Writes the buffered text and removes the live lines, which return with the next event. */
  pause(): void;
  /** Stops showing anything. */
  end(): void;
}

export const silent: Progress = {
  event: () => {},
  output: null,
  notice: () => {},
  line: () => {},
  pause: () => {},
  end: () => {},
};

interface ProgressOptions {
  readonly stream: Stream;
  readonly paint: Paint;
  readonly outputOf: (effect: string, stderr: boolean) => string | null;
  readonly head: (artifact: string) => string | null;
  /** Questions are asked here, so they need no line in the log. */
  readonly asks: boolean;
  /** The program has no states. */
  readonly stateless: boolean;
  readonly verbose: boolean;
}

export async function showProgress(options: ProgressOptions): Promise<Progress> {
  const { stream, paint, head, outputOf, stateless, verbose } = options;
  const log = eventLog({ paint, terminal: stream.terminal, outputOf, head, stateless, verbose });
  // TERM=dumb is a terminal that cannot move its cursor.
  const moves = stream.terminal && process.env.TERM !== 'dumb';
  const live = moves ? await liveLines(log, paint) : null;
  let ended = false;
  const lines = gatherEvents((text) => {
    live?.clear();
    stream.write(text);
    if (!ended) live?.draw();
  });
  const line = (text: string): void => {
    if (!ended) lines.add(`${text}\n`);
  };

  return {
    event(event) {
      if (event.type === 'asked' && options.asks) return;
      for (const text of log.lines(event)) line(text);
      live?.updateRunning();
    },
    output: live === null ? null : (effect, bytes) => live.addOutput(effect, bytes),
    notice(effect, text) {
      const words = log.notice(effect, text);
      if (words !== null) line(words);
    },
    line,
    pause() {
      lines.flush();
      live?.clear();
    },
    end() {
      ended = true;
      lines.flush();
      live?.stop();
    },
  };
}

interface GatheredText {
  add(text: string): void;
  flush(): void;
}

/** Passes text on in larger pieces, at the latest when this turn of the event loop ends. */
export function gatherEvents(write: (text: string) => void): GatheredText {
  let text = '';
  let scheduled = false;
  const flush = (): void => {
    scheduled = false;
    const ready = text;
    text = '';
    if (ready !== '') write(ready);
  };
  return {
    add(more) {
      text += more;
      if (text.length >= BATCH) flush();
      else if (!scheduled) {
        scheduled = true;
        setImmediate(flush);
      }
    },
    flush,
  };
}

interface Live {
  draw(): void;
  clear(): void;
  /** Updates the running effects after an event. */
  updateRunning(): void;
  /** Updates the last line of an effect. */
  addOutput(effect: string, bytes: Uint8Array): void;
  stop(): void;
}

async function liveLines(log: Log, paint: Paint): Promise<Live> {
  const [{ createLogUpdate }, { fitToWidth: fitting }] = await Promise.all([
    import('log-update'),
    import('../../views/drawing/columns.js'),
  ]);
  const update = createLogUpdate(process.stderr);
  const since = new Map<string, number>();
  const last = lastLines();
  let timer: NodeJS.Timeout | null = null;
  let drawn = false;

  function draw(): void {
    const now = Date.now();
    const running = log.running().filter(({ effect }) => now - (since.get(effect) ?? now) >= SHOW_AFTER_MS);
    if (running.length === 0) {
      clear();
      return;
    }
    const width = (process.stderr.columns || 80) - 16;
    const lines = running.slice(0, MAX_LIVE_LINES).map(({ effect, text }) => {
      const lasted = paint.faint(duration(now - (since.get(effect) ?? now)));
      const said = last.of(effect);
      if (said === '') return `  ${paint.state('●')} ${fitting(text, width)} ${lasted}`;
      const half = Math.max(20, Math.floor(width / 2));
      const shown = fitting(text, half);
      return `  ${paint.state('●')} ${shown} ${lasted} ${paint.faint(fitting(said, Math.max(10, width - half)))}`;
    });
    if (running.length > MAX_LIVE_LINES) lines.push(paint.faint(`  … ${running.length - MAX_LIVE_LINES} more running`));
    update(lines.join('\n'));
    drawn = true;
  }

  function clear(): void {
    if (drawn) update.clear();
    drawn = false;
  }

  function updateRunning(): void {
    const running = log.running();
    const names = new Set(running.map(({ effect }) => effect));
    for (const effect of since.keys())
      if (!names.has(effect)) {
        since.delete(effect);
        last.forget(effect);
      }
    for (const effect of names) if (!since.has(effect)) since.set(effect, Date.now());
    if (names.size > 0) timer ??= setInterval(draw, REDRAW_MS).unref();
    else if (timer !== null) {
      clearInterval(timer);
      timer = null;
      clear();
    }
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer);
    clear();
    update.done();
  }

  return { draw, clear, updateRunning, addOutput: last.add, stop };
}

/** How many bytes of the last output of an effect are kept. */
const KEPT_BYTES = 2048;

interface LastLines {
  readonly add: (effect: string, bytes: Uint8Array) => void;
  readonly of: (effect: string) => string;
  readonly forget: (effect: string) => void;
}

/**
 * The last line that each running effect printed, for the live lines of a terminal. Only the last bytes of an
 * unfinished line are kept, so that a program that never ends its line needs little memory.
 */
function lastLines(): LastLines {
  const ends = new Map<string, Buffer>();
  return {
    add(effect, bytes) {
      const before = ends.get(effect);
      const all =
        before === undefined || bytes.length >= KEPT_BYTES ? Buffer.from(bytes) : Buffer.concat([before, bytes]);
      ends.set(effect, all.subarray(-KEPT_BYTES));
    },
    of(effect) {
      // A program may redraw its line from the beginning, as progress bars do.
      const lines = (ends.get(effect)?.toString('utf8') ?? '').split(/[\r\n]+/);
      const line = lines.findLast((one) => one.trim() !== '') ?? '';
      return visibleLine(withoutColors(line)).trim();
    },
    forget: (effect) => void ends.delete(effect),
  };
}

function withoutColors(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: color sequences begin with one
  return line.replace(/\u001b\[[0-9;]*m/g, '');
}
