/**
 * The last line that each running effect printed, for the live lines of a terminal. Only the last bytes of an
 * unfinished line are kept, so that a program that never ends its line needs little memory.
 */
import { visibleLine } from '../../views/drawing/visible-text.js';

/** How many bytes of the last output of an effect are kept. */
const KEPT_BYTES = 2048;

interface LastLines {
  readonly add: (effect: string, bytes: Uint8Array) => void;
  readonly of: (effect: string) => string;
  readonly forget: (effect: string) => void;
}

export function lastLines(): LastLines {
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
