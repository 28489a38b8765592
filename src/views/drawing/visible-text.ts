/**
 * Text that is safe to show to a person. Output of commands and text of programs are not trusted: on a terminal, a
 * control sequence could repaint other text, and a bidirectional mark could reorder it.
 */

// Line feeds and tabs stay: callers split lines at line feeds, and a tab never moves the cursor backwards.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the regular expression looks for control characters
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** For terminals: control characters as escapes (`\x1b`, `\u202e`). */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}

/** For pictures, where every character must keep its column: control characters as one visible character. */
export function pictureControls(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });
}

/** Text on one line: line ends become spaces, so that a value cannot forge a line. */
export function oneLine(text: string): string {
  return text.replace(/(?<!\s)\s*[\r\n]+\s*/g, ' ');
}

/** One line that is safe to show. */
export function visibleLine(text: string): string {
  return escapeControls(oneLine(text));
}

/** At most `limit` code units, never half a surrogate pair, with a mark if the rest is missing. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = isHighSurrogate(text.charCodeAt(limit - 2)) ? limit - 2 : limit - 1;
  return `${text.slice(0, end)}…`;
}

/** At most the given number of terminal columns. East Asian characters and emoji take two. */
export function cutColumns(text: string, width: number): string {
  let used = 0;
  let kept = '';
  let shorter = '';
  for (const character of text) {
    used += isWide(character.codePointAt(0) as number) ? 2 : 1;
    if (used > width) return `${shorter}…`;
    kept += character;
    // The mark takes one column.
    if (used < width) shorter = kept;
  }
  return kept;
}

function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
