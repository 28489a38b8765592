/**
 * Finds interpolations in shell text. Braces have many meanings in a shell (`${x}`, `{a,b}`, `{ cmd; }`, programs of
 * awk and jq), so only text in the form of an interpolation is looked up. Text that could be both is a mistake.
 */
import type { ShellContext } from '../../../machine/expression.js';
import {
  ambiguousBraces,
  type BracesKind,
  computedBraces,
  listNotAWord,
  rawSplice,
} from '../../source/catalogue/shell.js';
import { textMessages } from '../../source/catalogue/texts.js';
import { oddBraces } from '../../syntax/tree/odd-braces.js';
import { addHole, grow, top, wordAt } from './frames.js';
import { type CommandFrame, type Lexing, report, rewrite, type ShellInterpolation } from './lexing.js';
import { isSurelyMeant, namesIn } from './odd-names.js';

/**
 * `{{name}}` looks like an escape, which exists only in other texts, and `{{ name }}` looks like a value of a template
 * language.
 */
const DOUBLED = /\{\{[ \t]*(?!(?:end|else)[ \t])[A-Za-z_][\w.[\]]*(?::[a-z]+)?[ \t]*\}\}/y;
/** `${{ … }}` is a value if a service reads the text before the shell. bash cannot read it. */
const SERVICE = /\$\{\{[^{}\n]*\}\}/y;
/** `{name}>` is how bash opens a file descriptor and stores its number in `name`. */
const DESCRIPTOR = /\{[A-Za-z_][\w.[\]]*\}(?=[<>])/y;
/** The text after `\{` that makes it our escape. `x\{2,3\}` in a regular expression is not changed. */
const INNER = '(?:[A-Za-z_†][\\w†]*(?:[.[(:?*†][^{}\\n]*)?)';
const ESCAPED = new RegExp(`\\\\\\{(?:\\{[ \\t]*${INNER}[ \\t]*\\}\\}|${INNER}\\}|(?=\\\\\\{${INNER}\\}))`, 'y');

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? text.slice(at, pattern.lastIndex) : null;
}

/** Whether a `}` follows. Cached, so that many `{` do not each search the text. */
function hasBrace(l: Lexing, at: number): boolean {
  if (l.nextBrace < at) {
    const found = l.text.indexOf('}', at);
    l.nextBrace = found < 0 ? l.text.length : found;
  }
  return l.nextBrace < l.text.length;
}

/** Classifies a `{`: an interpolation, ambiguous text (reported and kept), or a brace of the shell. */
export function findHole(l: Lexing, at: number, context: ShellContext): ShellInterpolation | { kept: string } | null {
  const { text } = l;
  if (at > 0 && text[at - 1] === '$') return serviceInQuotes(l, at);
  if (!hasBrace(l, at)) return keepOdd(l, at);
  const doubled = matchAt(DOUBLED, text, at) ?? doubledSign(l, at);
  if (doubled !== null) return keepAmbiguous(l, at, doubled, 'doubled');
  if (!/[A-Za-z_†]/.test(text[at + 1] ?? '')) return keepOdd(l, at);
  if (context === 'word') {
    const descriptor = matchAt(DESCRIPTOR, text, at);
    if (descriptor !== null) return keepAmbiguous(l, at, descriptor, 'descriptor');
  }
  return l.ask(at) ?? keepOdd(l, at);
}

/** An expression of values of the program, or what other languages write for a value. Anything else is the shell's. */
function keepOdd(l: Lexing, at: number): { kept: string } | null {
  // `${x}` and `x{a,b}` are the shell's, and so is the body of a function.
  if (/[$\\\w{]/.test(l.text[at - 1] ?? '') || l.text[at + 1] === '{') return null;
  const found = oddBraces(l.text, at, 0, (offset) => offset);
  if (found === null) return null;
  const names = namesIn(found);
  const isValue = (name: string): boolean => l.isValue(name);
  if (
    names.length === 0 ? !isSurelyMeant(found) : !(found.kind === 'broken' ? names.some(isValue) : names.every(isValue))
  )
    return null;
  const { written } = found;
  // To awk and others it may be more than a call.
  if (found.kind === 'broken' && !/[)\]]\s*\}$/.test(written)) return null;
  const isSpaced = found.kind === 'computed' && found.expression.kind === 'name';
  const value = isSpaced ? `{${found.name}}` : 'instead' in found ? found.instead : null;
  const compute = found.kind === 'other' ? (found.compute ?? '…') : undefined;
  report(l, at, at + written.length, (span) =>
    found.kind === 'broken' ? textMessages.brokenCall(span, found) : computedBraces(span, { written, value, compute }),
  );
  return { kept: written };
}

/** Reads `${{ … }}` from its `$` where the shell would expand it, and keeps the text unchanged. */
export function serviceValue(l: Lexing, at: number): string | null {
  const written = matchAt(SERVICE, l.text, at);
  if (written === null) return null;
  return keepAmbiguous(l, at, written, 'service').kept;
}

/** In single quotes it is text, as in a file for a service, unless it names a value of the program. */
function serviceInQuotes(l: Lexing, at: number): { kept: string } | null {
  const written = l.text[at + 1] === '{' ? matchAt(SERVICE, l.text, at - 1) : null;
  const root = written === null ? undefined : rootOf(written);
  if (written === null || root === undefined || !l.isValue(root)) return null;
  keepAmbiguous(l, at - 1, written, 'service');
  return { kept: written.slice(1) };
}

const rootOf = (written: string): string | undefined => /^\$?\{\{[ \t]*([A-Za-z_]\w*)/.exec(written)?.[1];

/** `{{†state.x}}`, which in other texts is the text `{†state.x}`. */
function doubledSign(l: Lexing, at: number): string | null {
  if (!l.text.startsWith('{{†', at)) return null;
  const inner = l.ask(at + 1);
  return inner !== null && l.text[inner.end] === '}' ? l.text.slice(at, inner.end + 1) : null;
}

function keepAmbiguous(l: Lexing, at: number, written: string, kind: BracesKind): { kept: string } {
  const next = l.text[at + written.length] ?? '';
  const root = rootOf(written);
  const isValue = root !== undefined && l.isValue(root);
  report(l, at, at + written.length, (span) => ambiguousBraces(span, { written, kind, next, isValue }));
  return { kept: written };
}

/** Reads an interpolation at the `{` at `l.at`. Returns false if the brace belongs to the shell. */
export function readHole(l: Lexing, context: ShellContext): boolean {
  const found = findHole(l, l.at, context);
  if (found === null) return false;
  const { commandFrame } = top(l);
  if ('kept' in found) {
    grow(wordAt(l, commandFrame), found.kept, false);
    l.at += found.kept.length;
    return true;
  }
  const begins = context === 'word' && commandFrame.word === null;
  endPrintfOptions(l, commandFrame);
  const hole = addHole(l, { start: l.at, ...found }, context);
  if (hole.list) checkList(l, hole.start, hole.end, begins);
  l.at = found.end;
  return true;
}

/**
 * Inserts `--` before a value at the beginning of a `printf` format. As `-v name[…]`, bash would evaluate the
 * subscript, including any command in the value.
 */
function endPrintfOptions(l: Lexing, frame: CommandFrame): void {
  const [first, second] = frame.command.words;
  const isPrintf = frame.command.words.length === 1 && first?.text === 'printf';
  const wrapped = frame.command.words.length === 2 && second?.text === 'printf' && WRAPPERS.has(first?.text ?? '');
  if (!(isPrintf || wrapped) || frame.redirect !== null || (frame.word !== null && frame.word.text !== '')) return;
  const start = frame.word?.start ?? l.at;
  if (l.copied <= start) rewrite(l, start, start, '-- ');
}

const WRAPPERS = new Set(['command', 'builtin', 'env']);

/** `{list*}` becomes several words, so it must be a whole word itself. */
function checkList(l: Lexing, start: number, end: number, begins: boolean): void {
  const { command, redirect } = top(l).commandFrame;
  const alone = begins && /[\s;&|)`]/.test(l.text[end] ?? ' ');
  const split = command.role === 'command' || command.role === 'array';
  const subject = command.words[0]?.text === 'case' && command.words.length === 1;
  if (!alone || redirect !== null || !split || subject || top(l).kind !== 'command')
    report(l, start, end, (span) => listNotAWord(span, { text: l.text.slice(start, end) }));
}

/** The length of the escape `\{name}` at an offset; 0 if the backslash belongs to the shell text. */
export function escapedBrace(text: string, at: number): number {
  return matchAt(ESCAPED, text, at)?.length ?? 0;
}

/**
 * Reads `\{name}` at `l.at`, which stands for the text `{name}`. `drop`: removes the backslash, because the shell would
 * keep it here.
 */
export function readEscapedBrace(l: Lexing, drop: boolean): boolean {
  const written = matchAt(ESCAPED, l.text, l.at);
  if (written === null) return false;
  if (drop) rewrite(l, l.at, l.at + 1, '');
  grow(wordAt(l, top(l).commandFrame), written.slice(1), false);
  l.at += written.length;
  return true;
}

/** Reads `raw({x})` at the `(` at `l.at`. The value is inserted as source, which is always a warning. */
export function readRaw(l: Lexing, frame: CommandFrame): boolean {
  const { text, at } = l;
  const start = at - 3;
  if (text[at + 1] !== '{' || frame.word === null || !/(?:^|[^\w-])raw$/.test(text.slice(Math.max(0, start - 1), at)))
    return false;
  const found = l.ask(at + 1);
  if (found === null || text[found.end] !== ')') return false;
  const { word } = frame;
  word.text = word.text.slice(0, -3);
  word.plain = Math.min(word.plain, word.text.length);
  const end = found.end + 1;
  word.expands = true;
  addHole(l, { start, end, hole: found.hole, list: found.list, raw: true }, 'word');
  report(l, start, end, (span) => rawSplice(span, { source: found.hole.source }));
  l.at = end;
  return true;
}
