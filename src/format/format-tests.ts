/** The one layout of test files: lines of a test or property are indented by two spaces, `->` becomes `→`, and tests are apart. */

/** Changes nothing inside quotes. A line that continues the one above keeps its distance from it. */
export function formatTests(text: string): string {
  const lines: string[] = [];
  let shift = 0;
  let isBlank = true;
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    const trimmed = line.trim();
    if (trimmed === '') {
      if (!isBlank) lines.push('');
      isBlank = true;
      continue;
    }
    isBlank = false;
    const indent = line.length - line.trimStart().length;
    const isVerb = /^(?:[A-Z]+|AT MOST):/.test(trimmed) || (trimmed.startsWith('#') && indent <= 2);
    const wanted = isVerb ? (indent === 0 ? 0 : 2) : Math.max(0, indent + shift);
    if (isVerb) shift = wanted - indent;
    if (
      isVerb &&
      /^(?:TEST|PROPERTY):/.test(trimmed) &&
      lines.length > 0 &&
      lines.at(-1) !== '' &&
      !lines.at(-1)?.startsWith('#')
    )
      lines.push('');
    lines.push(' '.repeat(wanted) + withArrows(trimmed));
  }
  while (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** Replaces the first arrow outside of quotes, as answers and `AFTER:` have one. */
function withArrows(line: string): string {
  if (!/^(?:MOCK|ANSWER|AFTER):/.test(line)) return line;
  const before = /^(?:[^"'→]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')*?->/.exec(line)?.[0];
  return before === undefined ? line : `${before.slice(0, -2)}→${line.slice(before.length)}`;
}
