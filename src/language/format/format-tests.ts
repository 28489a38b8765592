/**
 * The one layout of test files: lines of a test or property are indented by two spaces, one space is after a verb, after a
 * comma and around an arrow, `->` becomes `→`, and tests are apart.
 */
import { outsideQuotes } from '../syntax/tests/logical-lines.js';

const VERB = /^(?:AT MOST|[A-Z]+)(?:\s*\[always\])?\s*:/;

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
    const isVerb = VERB.test(trimmed) || (trimmed.startsWith('#') && indent <= 2);
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
    lines.push(' '.repeat(wanted) + (isVerb ? withSpaces(withArrows(trimmed)) : trimmed));
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

/** Lines in which quotes and commas have no meaning. */
const PROSE = /^(?:TEST|PROPERTY|SKIP):/;

/** Changes nothing inside quotes, nor a comment behind the line. */
function withSpaces(line: string): string {
  const verb = VERB.exec(line)?.[0];
  if (verb === undefined) return line;
  const head = verb.replace(/\s*\[/, ' [').replace(/\s+:$/, ':');
  const rest = line.slice(verb.length).trimStart();
  if (PROSE.test(head)) return `${head} ${rest}`.trimEnd();
  let text = '';
  let piece = '';
  let end = 0;
  for (const { character, at } of outsideQuotes(rest)) {
    if (at > end) {
      text += setSpaces(piece) + rest.slice(end, at);
      piece = '';
    }
    if (character === '#' && /\s\s$/.test(piece))
      return `${head} ${(text + setSpaces(piece)).trimEnd()}  ${rest.slice(at)}`;
    piece += character;
    end = at + 1;
  }
  return `${head} ${text}${setSpaces(piece)}${rest.slice(end)}`.trimEnd();
}

/** A piece of a line that has no quotes. */
const setSpaces = (piece: string): string =>
  piece
    .replaceAll('...', '…')
    .replace(/\s*→\s*/g, ' → ')
    .replace(/\s*,\s*/g, ', ')
    .replace(/\s{2,}/g, ' ');
