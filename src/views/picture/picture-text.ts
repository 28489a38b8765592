/**
 * Text of programs that is safe in a picture: without characters that XML forbids, that reorder other text, that are
 * invisible, or that pile up over other lines.
 */
import { cut, oneLine, pictureControls } from '../drawing/visible-text.js';

const LONGEST_SHOWN = 600;
const LONGEST_FULL = 4000;

/** Invisible characters, marks of direction, separators of lines, and code points that no document may contain. */
const ODD =
  /[\u00ad\u061c\u180e\u200b\u200c\u2028\u2029\u2060-\u206f\ufeff\ufff0-\uffff\u{e0000}-\u{e0fff}\ufdd0-\ufdef]|[\ud800-\udfff]/gu;

function visible(text: string): string {
  return pictureControls(text)
    .replace(ODD, '\ufffd')
    .replace(/(\p{M}{3})\p{M}+/gu, '$1')
    .replaceAll('\t', ' ');
}

export const pictureText = {
  /** One line for the picture itself. */
  short: (text: string): string => visible(oneLine(cut(text, LONGEST_SHOWN))),
  /** For a pointer. */
  full: (text: string): string => visible(oneLine(cut(text, LONGEST_FULL))),
};
