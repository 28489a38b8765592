/** Long texts for agents: the beginning and the end stay, whole lines, and a mark says how much is left out. */

/** Characters are code points, so that no letter is cut in two. */
const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

const mark = (lines: number): string => `[… ${lines} ${lines === 1 ? 'line' : 'lines'} left out …]`;

/** At most `limit` characters, the mark included. A text that fits stays as it is. */
export function cutMiddle(text: string, limit: number): string {
  // Every code point is at most two units, so a short text need not be counted.
  if (text.length <= limit || lengthOf(text) <= limit) return text;
  const lines = text.split('\n');
  // The number of lines in the mark is not known yet; it is never longer than that of all of them.
  const room = limit - lengthOf(mark(lines.length)) - 2;
  let used = 0;
  let head = 0;
  let tail = lines.length;
  // The head is longer, since the first thing that went wrong mostly explains the others.
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

/** Not even one line fits: parts of the first and of the last one are better than nothing. */
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

/** The last line of a text, at a length that a message can hold: programs mostly end with what went wrong. */
export function lastLine(text: string): string {
  return (text.trimEnd().split('\n').at(-1) ?? '').slice(0, 500);
}

/** The end of a text: at most `limit` characters, and whole lines unless its last one is longer than that. */
export function endOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.slice(-limit);
  const line = end.indexOf('\n');
  // The cut may stand inside a letter of two units.
  return line >= 0 && line < end.length - 1 ? end.slice(line + 1) : end.replace(/^[\uDC00-\uDFFF]/, '');
}
