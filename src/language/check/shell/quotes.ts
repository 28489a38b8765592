/** Reads single quotes and backticks, the two forms in which the shell first looks for the end. */
import { backslashInBackticks, unclosedQuote } from '../../source/catalogue/shell.js';
import { endCommand, grow, growExpansion, openCommandFrame, top, wordAt } from './frames.js';
import { readEscapedBrace, readHole } from './holes.js';
import { type CommandFrame, type Lexing, type LexingFrame, report } from './lexing.js';
import type { LexedHole, Word } from './tree.js';

const RUN = /[^\\{']+/y;

/** Reads `'…'` or `$'…'` from its first character, and moves `l.at` after its end. */
export function readSingle(l: Lexing, context: 'single' | 'ansi', start: number): void {
  const frame = top(l).commandFrame;
  const word = wordAt(l, frame);
  word.quoted = true;
  l.at = start + (context === 'ansi' ? 2 : 1);
  while (l.at < l.text.length) {
    const character = l.text[l.at];
    if (character === "'") {
      l.at++;
      return;
    }
    if (character === '{') {
      if (readHole(l, context)) continue;
      grow(word, '{', false);
      l.at++;
    } else if (character === '\\') readQuotedBackslash(l, context, word);
    else {
      RUN.lastIndex = l.at;
      const run = RUN.exec(l.text)?.[0] as string;
      grow(word, run, false);
      l.at += run.length;
    }
  }
  report(l, start, start + 1, (span) => unclosedQuote(span, { quote: "'" }));
}

function readQuotedBackslash(l: Lexing, context: 'single' | 'ansi', word: Word): void {
  noteEscape(l);
  if (readEscapedBrace(l, true)) return;
  if (context === 'single') grow(word, '\\', false);
  else word.expands = true;
  l.at += context === 'single' ? 1 : 2;
}

// ---- backticks --------------------------------------------------------------------------------------

/** Opens a command in backticks, or ends the open one: backticks nest only with backslashes. */
export function lexBackquote(l: Lexing): void {
  const frame = top(l).commandFrame;
  if (l.backtick < 0) {
    growExpansion(wordAt(l, frame));
    l.backtick = l.frames.length;
    openCommandFrame(l, '`', { depth: frame.depth + 1, owner: null, heredocs: [] });
    l.at++;
    return;
  }
  while (l.frames.length > l.backtick) {
    const closed = l.frames.pop() as LexingFrame;
    if (closed.kind === 'command') {
      endCommand(l, closed);
      if (closed.close === '`') checkBackticks(l, closed);
    }
  }
  l.backtick = -1;
  l.at++;
}

export function noteEscape(l: Lexing): void {
  const frame = l.backtick < 0 ? null : (l.frames[l.backtick] as CommandFrame);
  if (frame !== null && frame.escape < 0) frame.escape = l.at;
}

export function checkBackticks(l: Lexing, frame: CommandFrame): void {
  const value: LexedHole | null = frame.value;
  if (value === null || frame.escape < 0) return;
  report(l, frame.escape, frame.escape + 1, (span) => backslashInBackticks(span, { source: value.hole.source }));
}
