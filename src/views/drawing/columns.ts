/** How many terminal columns a text takes: two for wide characters, none for combining ones. */
import stringWidth from 'string-width';

export function columns(text: string): number {
  // Nearly all source text is ASCII, where a column is a code unit and no segmenting is needed.
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** The beginning of a text that fits into the given number of columns, with a mark if the rest is missing. */
export function fitToWidth(text: string, width: number): string {
  if (columns(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += columns(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}
