/** Shortens long texts for agents: keeps whole lines at the beginning and the end, and a mark says how much is omitted. */

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
