/** Text with the colors that a terminal would show, and with every match of a search marked. */
import Anser from 'anser';
import { escapeControls } from '../../views/drawing/visible-text.js';

/** Moves of the cursor and the like: they have no meaning on a page. */
const OTHER_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the regular expression looks for control sequences
  /\u001b(?:\[[0-9;?<=>!]*[ -/]*[@-ln-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[()][A-Z0-9]|[=>78cDEHMNOZ])/g;

interface StyledPiece {
  readonly text: string;
  readonly classes: string;
  readonly foreground: string | null;
  readonly background: string | null;
}

/** `search`: every place with this text is marked, whatever its case. */
export function ColoredOutput({ text, search }: { readonly text: string; readonly search: string }) {
  return (
    <>
      {piecesOf(text).map((piece, at) => (
        <Span key={at} piece={piece} search={search} />
      ))}
    </>
  );
}

function Span({ piece, search }: { readonly piece: StyledPiece; readonly search: string }) {
  const { text, classes, foreground, background } = piece;
  const content = search === '' ? text : markMatches(text, search);
  if (classes === '' && foreground === null && background === null) return <>{content}</>;
  const style = {
    ...(foreground === null ? {} : { color: foreground }),
    ...(background === null ? {} : { backgroundColor: background }),
  };
  return (
    <span class={classes} style={style}>
      {content}
    </span>
  );
}

function markMatches(text: string, search: string) {
  const parts = [];
  const lower = text.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(search); at >= 0; at = lower.indexOf(search, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + search.length)}</mark>);
    from = at + search.length;
  }
  return [...parts, text.slice(from)];
}

function piecesOf(text: string): StyledPiece[] {
  const cleaned = finalLines(text).replace(OTHER_SEQUENCES, '');
  return Anser.ansiToJson(cleaned, { use_classes: true, remove_empty: true }).map((entry) => ({
    text: escapeControls(entry.content),
    classes: [
      /^ansi-[a-z-]+$/.test(entry.fg ?? '') ? `${entry.fg}-fg` : '',
      /^ansi-[a-z-]+$/.test(entry.bg ?? '') ? `${entry.bg}-bg` : '',
      ...entry.decorations.map((one) => `ansi-${one}`),
    ]
      .filter(Boolean)
      .join(' '),
    foreground: rgb(entry.fg, entry.fg_truecolor),
    background: rgb(entry.bg, entry.bg_truecolor),
  }));
}

function rgb(name: string | null, color: string | null): string | null {
  return name === 'ansi-truecolor' && color !== null && /^[\d, ]+$/.test(color) ? `rgb(${color})` : null;
}

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
