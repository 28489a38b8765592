/** How many terminal columns a text takes: two for wide characters, none for combining ones. */
import stringWidth from 'string-width';

export function columns(text: string): number {
  // Nearly all source text is ASCII, where a column is a code unit and no segmenting is needed.
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}
