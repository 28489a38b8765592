/**
 * The text of a prompt. As in any text, a value is inserted once and never scanned again. In addition, a line with nothing
 * but placeholders without a value disappears, so that the prompt of a first attempt has no gaps.
 */
import type { Hole, Template } from '../../machine/expression.js';
import type { Thread } from '../run-state/thread.js';
import { render } from '../values/json.js';
import { limitedText } from '../values/operators.js';
import { compileTemplate } from '../values/template.js';

type PromptPiece = { readonly literal: string } | { readonly value: (thread: Thread) => string };

export function compilePrompt(template: Template): (thread: Thread) => string {
  const pieces: PromptPiece[] = template.map((part) => {
    if (typeof part === 'string') return { literal: part };
    const { value } = compileTemplate([part satisfies Hole]);
    return { value: (t) => render(value(t)) };
  });
  return (t) => limitedText(assemble(pieces, t));
}

/** The values of the attempt before that a prompt shows, wherever in it: `error`, `diff`. */
export function retryFieldsOf(template: Template): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      const { op, field } = value as { readonly op?: unknown; readonly field?: unknown };
      if (op === 'retry-key' && typeof field === 'string') found.add(field);
      Object.values(value).forEach(visit);
    }
  };
  visit(template);
  return found;
}

function assemble(pieces: readonly PromptPiece[], thread: Thread): string {
  let text = '';
  let line = '';
  /** Whether the line has only spaces and empty values, with at least one value. */
  let holes = 0;
  let filled = false;
  for (const piece of pieces) {
    if ('value' in piece) {
      const value = piece.value(thread);
      holes++;
      if (value !== '') filled = true;
      line += value;
      continue;
    }
    let from = 0;
    for (let end = piece.literal.indexOf('\n'); end >= 0; end = piece.literal.indexOf('\n', from)) {
      line += piece.literal.slice(from, end);
      if (filled || holes === 0 || line.trim() !== '') text += `${line}\n`;
      line = '';
      holes = 0;
      filled = false;
      from = end + 1;
    }
    line += piece.literal.slice(from);
  }
  if (filled || holes === 0 || line.trim() !== '') return text + line;
  // The last line is removed together with the line end before it.
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Counts code points as characters, so that no letter is split. */
const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

const mark = (lines: number): string => `[… ${lines} ${lines === 1 ? 'line' : 'lines'} left out …]`;

/** At most `limit` characters, including the mark. A text that fits stays as it is. */
export function cutMiddle(text: string, limit: number): string {
  // Every code point is at most two units, so a short text need not be counted.
  if (text.length <= limit || lengthOf(text) <= limit) return text;
  const lines = text.split('\n');
  // The number of lines in the mark is not known yet; it is never longer than that of all of them.
  const room = limit - lengthOf(mark(lines.length)) - 2;
  let used = 0;
  let head = 0;
  let tail = lines.length;
  // The beginning is longer, because the first error usually explains the others.
  const headRoom = Math.ceil((room * 2) / 3);
  while (head < tail) {
    const cost = lengthOf(lines[head] as string) + 1;
    if (used + cost > headRoom) break;
    used += cost;
    head++;
  }
  while (tail > head) {
    const cost = lengthOf(lines[tail - 1] as string) + 1;
    if (used + cost > room) break;
    used += cost;
    tail--;
  }
  if (head === 0 && tail === lines.length) return cutLine(text, limit);
  return [...lines.slice(0, head), mark(tail - head), ...lines.slice(tail)].join('\n');
}

/** If not even one line fits: parts of the first and of the last line. */
function cutLine(text: string, limit: number): string {
  const points = [...text];
  const lines = text.split('\n').length;
  const said = mark(lines);
  const room = Math.max(0, limit - lengthOf(said) - 2);
  const head = Math.ceil((room * 2) / 3);
  const tail = room - head;
  const end = tail === 0 ? '' : points.slice(-tail).join('');
  return `${points.slice(0, head).join('')}\n${said}\n${end}`;
}

/** The last line of a text, shortened for a message: programs usually end with what went wrong. */
export function lastLine(text: string): string {
  return (text.trimEnd().split('\n').at(-1) ?? '').slice(0, 500);
}

/** The end of a text: at most `limit` characters, in whole lines unless the last line is longer. */
export function endOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.slice(-limit);
  const line = end.indexOf('\n');
  // The cut may be inside a character of two units.
  return line >= 0 && line < end.length - 1 ? end.slice(line + 1) : end.replace(/^[\uDC00-\uDFFF]/, '');
}
