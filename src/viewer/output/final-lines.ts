/** Lines that a program overwrites, for example with its progress, as they are in the end. */

/** What is before the last carriage return of a line is overwritten. One at the very end may be half of a line break. */
export function finalLines(text: string): string {
  if (!text.includes('\r')) return text;
  const lines = text.replace(/\r\n/g, '\n').split('\n');
  return lines.map((line, at) => finalLine(line, at === lines.length - 1)).join('\n');
}

function finalLine(line: string, isLast: boolean): string {
  const end = isLast && line.endsWith('\r') ? line.length - 1 : line.length;
  return end === 0 ? line : line.slice(line.lastIndexOf('\r', end - 1) + 1);
}
