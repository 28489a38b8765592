/**
 * Here-documents. In a body only `$`, backticks and backslashes are special, or nothing if its delimiter is quoted. A
 * quoted body with values is rewritten to an unquoted one with these characters escaped.
 */
import { listNotAWord, substitutionInHeredoc, unclosedHeredoc } from '../../source/catalogue/shell.js';
import { addRedirect, endWord } from './frames.js';
import { escapedBrace, findHole, serviceValue } from './holes.js';
import { type CommandFrame, type Lexing, type PendingHeredoc, report, rewrite } from './lexing.js';
import type { LexedHole, Zone } from './tree.js';
import { noteVariable } from './variables.js';

const DELIMITER = /[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\[^\n]|[^\s;&|<>()'"\\`])+)/y;

/** Reads `<<EOF` at `l.at`. Returns false if no delimiter follows. */
export function readHeredocStart(l: Lexing, frame: CommandFrame): boolean {
  const strip = l.text[l.at + 2] === '-';
  const start = l.at + (strip ? 3 : 2);
  DELIMITER.lastIndex = start;
  const match = DELIMITER.exec(l.text);
  if (match === null) return false;
  endWord(l, frame);
  const written = match[1] as string;
  const end = DELIMITER.lastIndex;
  const pending: PendingHeredoc = {
    delimiter: written.replace(
      /'([^']*)'|"([^"]*)"|\\(.)/g,
      (_, single, double, escaped) => single ?? double ?? escaped,
    ),
    quoted: /['"\\]/.test(written),
    strip,
    start: l.at,
    end,
    written: { text: written },
    holes: [],
    reads: [],
  };
  rewrite(l, end - written.length, end, pending.written);
  addRedirect(l, frame, { operator: '<<', holes: pending.holes, reads: pending.reads, start: pending.start, end });
  frame.heredocs.push(pending);
  l.at = end;
  return true;
}

/** Reads the bodies of the here-documents that began on the previous line. */
export function readHeredocs(l: Lexing, frame: CommandFrame): void {
  for (const pending of frame.heredocs.splice(0)) {
    const start = l.at;
    const close = findClose(l.text, start, pending);
    if (close === null) {
      const oneLine = !l.text.trimEnd().includes('\n');
      report(l, pending.start, pending.end, (span) => unclosedHeredoc(span, { delimiter: pending.delimiter, oneLine }));
      l.at = l.text.length;
      return;
    }
    readBody(l, pending, start, close.start);
    const { text } = pending.written;
    if (text.startsWith(RENAMED)) rewrite(l, close.start, close.end, text);
    l.at = Math.min(close.end + 1, l.text.length);
  }
}

const RENAMED = '__sd_end';

/** A delimiter that requires quotes cannot be unquoted, so the body gets another one. */
function unquotedDelimiter(delimiter: string, body: string): string {
  if (/^[\w.-]+$/.test(delimiter)) return delimiter;
  let renamed = RENAMED;
  while (body.includes(renamed)) renamed += '_';
  return renamed;
}

function findClose(text: string, from: number, pending: PendingHeredoc): { start: number; end: number } | null {
  let at = from;
  while (at < text.length) {
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found;
    let start = at;
    if (pending.strip) while (text[start] === '\t') start++;
    if (end - start === pending.delimiter.length && text.startsWith(pending.delimiter, start)) return { start, end };
    at = end + 1;
  }
  return null;
}

/**
 * The values and escapes of a body. They are found before anything is written, because a quoted body changes from its
 * first character on.
 */
interface HeredocBody {
  readonly holes: { start: number; found: NonNullable<ReturnType<Lexing['ask']>>; zone: Zone | null }[];
  /** Backslashes of `\{name}`. */
  readonly dropped: Set<number>;
  substitution: number;
}

function readBody(l: Lexing, pending: PendingHeredoc, start: number, end: number): void {
  const body = scanBody(l, pending, start, end);
  if (body.holes.length === 0 && body.dropped.size === 0) return;
  const unquote = pending.quoted && body.holes.length > 0;
  if (unquote) pending.written.text = unquotedDelimiter(pending.delimiter, l.text.slice(start, end));
  if (!pending.quoted && body.holes.length > 0 && body.substitution >= 0)
    report(l, body.substitution, body.substitution + (l.text[body.substitution] === '`' ? 1 : 2), (span) =>
      substitutionInHeredoc(span, {}),
    );
  let next = 0;
  const special = /[$`\\{]/g;
  special.lastIndex = start;
  for (let match = special.exec(l.text); match !== null && match.index < end; match = special.exec(l.text)) {
    const at = match.index;
    const hole = body.holes[next];
    if (hole?.start === at) {
      next++;
      addBodyHole(l, pending, hole);
      special.lastIndex = hole.found.end;
    } else if (body.dropped.has(at)) rewrite(l, at, at + 1, '');
    else if (unquote && match[0] !== '{') rewrite(l, at, at, '\\');
  }
}

function scanBody(l: Lexing, { quoted, reads }: PendingHeredoc, start: number, end: number): HeredocBody {
  const body: HeredocBody = { holes: [], dropped: new Set(), substitution: -1 };
  const special = /[$`\\{}\]]/g;
  let zone: { kind: Zone; close: string } | null = null;
  special.lastIndex = start;
  for (let match = special.exec(l.text); match !== null && match.index < end; match = special.exec(l.text)) {
    const at = match.index;
    const next = l.text[at + 1];
    if (!quoted && match[0] === '$') noteRead(l, at, reads);
    if (match[0] === '\\') {
      const length = escapedBrace(l.text, at);
      if (length > 0) body.dropped.add(at);
      special.lastIndex = at + (length > 0 ? length : quoted ? 1 : 2);
    } else if (match[0] === '{') {
      const found = findHole(l, at, 'heredoc');
      if (found === null) continue;
      if ('kept' in found) special.lastIndex = at + found.kept.length;
      else {
        body.holes.push({ start: at, found, zone: zone?.kind ?? null });
        special.lastIndex = found.end;
      }
    } else if (quoted) {
      // In a quoted body nothing else is special.
    } else if (match[0] === '`' || (match[0] === '$' && next === '(')) {
      if (body.substitution < 0) body.substitution = at;
    } else if (match[0] === '$' && /[A-Za-z_]/.test(next ?? '')) noteVariable(l, at, zone?.kind ?? null);
    else if (match[0] === '$' && next === '{') {
      const service = serviceValue(l, at);
      if (service !== null) {
        special.lastIndex = at + service.length;
        continue;
      }
      noteVariable(l, at, zone?.kind ?? null);
      zone = { kind: 'parameter', close: '}' };
      special.lastIndex = at + 2;
    } else if (match[0] === '$' && next === '[' && l.bash) zone = { kind: 'arithmetic', close: ']' };
    else if (match[0] === zone?.close) zone = null;
  }
  return body;
}

const READ = /\$\{?([A-Za-z_]\w*|[\d@*])/y;

function noteRead(l: Lexing, at: number, reads: string[]): void {
  READ.lastIndex = at;
  const name = READ.exec(l.text)?.[1];
  if (name !== undefined) reads.push(name);
}

function addBodyHole(l: Lexing, pending: PendingHeredoc, { start, found, zone }: HeredocBody['holes'][number]): void {
  const hole: LexedHole = {
    start,
    end: found.end,
    hole: found.hole,
    list: found.list,
    raw: false,
    context: 'heredoc',
    zone,
    offset: 0,
    reported: false,
    word: undefined,
  };
  l.holes.push(hole);
  pending.holes.push(hole);
  if (l.backtick >= 0) (l.frames[l.backtick] as CommandFrame).value ??= hole;
  rewrite(l, start, found.end, hole);
  if (found.list) {
    const text = l.text.slice(start, found.end);
    report(l, start, found.end, (span) => listNotAWord(span, { text }));
  }
}
