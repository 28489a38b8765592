/**
 * Finds the fenced blocks of a document that contain programs, with their headings. The prefix that a quote or a list
 * puts before each line is recorded, so that offsets in a block can be mapped to the document.
 */
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { SourceFile } from '../source/diagnostic.js';
import { actionVerbs, branchVerbs, declarationVerbs, lineOnlyVerbs } from '../syntax/tokens/verbs.js';

export interface MarkdownHeading {
  /** The level, from 1 to 6. */
  readonly level: number;
  readonly text: string;
  /** The anchor for links to the heading. Headings with the same text get numbers. */
  readonly slug: string;
  /** The text of the heading in the document. */
  readonly start: number;
  readonly end: number;
}

export interface MarkdownRegion {
  /** The offsets of the program in the document, from the line below the opening fence to the end of the last line. */
  readonly start: number;
  readonly end: number;
  /** The program's part of each line, without the prefix of a quote or a list. */
  readonly lines: readonly { readonly start: number; readonly end: number }[];
  /** Whether the block is tagged as a program; otherwise it was recognized by its verbs. */
  readonly tagged: boolean;
  /** The headings above the region, from the outermost to the nearest. */
  readonly headings: readonly MarkdownHeading[];
}

/** A block without a word whose lines begin with verbs in other letters, so that it is not a program. */
export interface UnreadBlock {
  /** The first of its verbs. */
  readonly start: number;
  readonly end: number;
  /** Whether it has a state or another declaration. */
  readonly declares: boolean;
  readonly headings: readonly MarkdownHeading[];
}

interface FoundRegions {
  readonly regions: readonly MarkdownRegion[];
  readonly unread: readonly UnreadBlock[];
  readonly isPartial: boolean;
}

/** What was found in the document that was read last: an editor asks about the same one after each key. */
let last: { readonly text: string; readonly found: FoundRegions } | null = null;

/** The programs of a document in order. `isPartial`: another block may have been meant as one, with its verbs in other letters. */
export function markdownRegions(file: SourceFile): FoundRegions {
  const found = (last === null ? null : afterEdit(last, file.text)) ?? readRegions(file);
  last = { text: file.text, found };
  return found;
}

/**
 * The regions after an edit of lines inside of one tagged block that is in no quote and no list: there Markdown changes
 * nothing before the line that closes the block. Null if the edit is another one.
 */
function afterEdit(before: { readonly text: string; readonly found: FoundRegions }, text: string): FoundRegions | null {
  const { found } = before;
  if (before.text === text) return found;
  const most = Math.min(before.text.length, text.length);
  let same = 0;
  while (same < most && before.text[same] === text[same]) same++;
  let end = 0;
  while (end < most - same && before.text[before.text.length - 1 - end] === text[text.length - 1 - end]) end++;
  const [from, to] = [lineStartOf(before.text, same), lineEndOf(before.text, before.text.length - end)];
  const by = text.length - before.text.length;
  const at = found.regions.findIndex(({ start, end: last }) => start <= from && to <= last);
  const region = found.regions[at];
  // A line that begins far to the right can be the end of another kind of block, and carriage returns end lines of their own.
  if (region === undefined || !region.tagged || text.includes('\r')) return null;
  const opening = before.text[lineStartOf(before.text, region.start - 1)];
  const isAtMargin = opening === '`' || opening === '~';
  const isPlain = isAtMargin && region.lines.every(({ start }) => start === 0 || before.text[start - 1] === '\n');
  const changed = `${before.text.slice(from, to)}\n${text.slice(from, to + by)}`;
  if (!isPlain || /`{3}|~{3}/.test(changed) || text.slice(region.start, region.end + by).trim() === '') return null;
  return regionsAfterEdit(found, at, by, text);
}

function regionsAfterEdit(
  { regions, unread, isPartial }: FoundRegions,
  at: number,
  by: number,
  text: string,
): FoundRegions {
  const edited = regions[at] as MarkdownRegion;
  const rebased = new Map<MarkdownHeading, MarkdownHeading>();
  const headingsOf = (headings: readonly MarkdownHeading[]): readonly MarkdownHeading[] =>
    headings.map((heading) => {
      if (heading.start < edited.start) return heading;
      const known = rebased.get(heading) ?? { ...heading, start: heading.start + by, end: heading.end + by };
      rebased.set(heading, known);
      return known;
    });
  const end = edited.end + by;
  const lines = text
    .slice(edited.start, end)
    .split('\n')
    .reduce<{ start: number; end: number }[]>((all, line) => {
      const start = all.length === 0 ? edited.start : (all.at(-1)?.end as number) + 1;
      all.push({ start, end: start + line.length });
      return all;
    }, []);
  return {
    isPartial,
    regions: regions.map((region, number) => {
      if (number < at) return region;
      if (number === at) return { ...region, end, lines };
      const shifted = region.lines.map((line) => ({ start: line.start + by, end: line.end + by }));
      const headings = headingsOf(region.headings);
      return { ...region, start: region.start + by, end: region.end + by, lines: shifted, headings };
    }),
    unread: unread.map((one) => {
      if (one.start < edited.start) return one;
      return { ...one, start: one.start + by, end: one.end + by, headings: headingsOf(one.headings) };
    }),
  };
}

function readRegions(file: SourceFile): FoundRegions {
  const text = readableText(file.text);
  const tree = fromMarkdown(text, { extensions: [{ disable: { null: inlineConstructs } }] });
  const regions: MarkdownRegion[] = [];
  const unread: UnreadBlock[] = [];
  const slugs = new Map<string, number>();
  let headings: readonly MarkdownHeading[] = [];
  let isPartial = false;
  for (const node of inOrder(tree)) {
    if (node.type === 'heading') {
      const heading = headingOf(node, file, slugs);
      headings = [...headings.filter((above) => above.level < heading.level), heading];
    } else if (node.type === 'code') {
      const region = regionOf(node, file, headings);
      if (region !== null) regions.push(region);
      else if (isUntagged(node) && holdsVerb(node.value, verbLineInAnyLetters)) {
        isPartial = true;
        if (isFenced(node, file.text)) unread.push(...unreadBlock(node, file, headings));
      }
    }
  }
  return { regions, unread, isPartial };
}

/** Inline Markdown does not affect fences and is slow to parse, so it is disabled. */
const inlineConstructs = [
  ...['attention', 'autolink', 'characterEscape', 'characterReference', 'codeText', 'hardBreakEscape', 'htmlText'],
  ...['labelEnd', 'labelStartImage', 'labelStartLink'],
];

/** Quotes and lists nested deeper than any person writes, opened on one line or one per line. */
const container = '(?:[-+*]|\\d{1,9}[.)])(?=[ \\t])';
const tooManyContainers = new RegExp(`^(?:(?:[ \\t]*(?:>|${container})){32}|[ \\t>]{64,}${container}).*$`, 'gm');

/**
 * The text for the Markdown parser, with unchanged offsets. Front matter is replaced by spaces, because Markdown would
 * find a heading in it. So are lines inside dozens of lists and quotes, for which the parser takes exponential time.
 */
function readableText(text: string): string {
  const front = frontMatterEnd(text);
  const rest = text.slice(0, front).replace(/[^\r\n]/g, ' ') + text.slice(front);
  return rest.replace(tooManyContainers, (line) => 'x'.repeat(line.length));
}

/** The end of the lines between two `---` at the very start; 0 if there are none. */
function frontMatterEnd(text: string): number {
  const opening = /^---[ \t]*\r?\n/.exec(text);
  if (opening === null) return 0;
  const closing = /^(?:---|\.\.\.)[ \t]*\r?$/gm;
  closing.lastIndex = opening[0].length;
  return closing.test(text) ? closing.lastIndex : 0;
}

// ---- the tree ---------------------------------------------------------------------------------------

type MarkdownRoot = ReturnType<typeof fromMarkdown>;
type MarkdownNode = MarkdownRoot | MarkdownRoot['children'][number];
type Code = Extract<MarkdownNode, { type: 'code' }>;
type Heading = Extract<MarkdownNode, { type: 'heading' }>;

/** All nodes in the order of the text, without recursion, because a document can nest containers deeply. */
function* inOrder(tree: MarkdownRoot): Generator<MarkdownNode> {
  const open: MarkdownNode[] = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    if ('children' in node && node.type !== 'heading' && node.type !== 'paragraph')
      for (let i = node.children.length - 1; i >= 0; i--) open.push(node.children[i] as MarkdownNode);
  }
}

function headingOf(node: Heading, file: SourceFile, slugs: Map<string, number>): MarkdownHeading {
  const first = node.children[0]?.position?.start.offset ?? node.position?.start.offset ?? 0;
  const end = node.children[node.children.length - 1]?.position?.end.offset ?? node.position?.end.offset ?? first;
  const text = plainText(file.text.slice(first, end));
  return { level: node.depth, text, slug: uniqueSlug(text, slugs), start: first, end };
}

/** The displayed text of a heading: without the targets of links, and without signs of emphasis or code. */
function plainText(raw: string): string {
  return raw
    .replace(/<[^<>]*>/g, '')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function uniqueSlug(text: string, slugs: Map<string, number>): string {
  const slug =
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-') || 'machine';
  const count = slugs.get(slug) ?? 0;
  slugs.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

// ---- fences -----------------------------------------------------------------------------------------

/**
 * `PLAN:` and `CALL:` also begin notes, so the text after them must look like a call. `FAIL:` begins lines in the
 * output of many tests, so it does not count.
 */
const alsoWords: ReadonlySet<string> = new Set(['CALL', 'PLAN', 'FAIL']);
const spelt = [...declarationVerbs, ...branchVerbs, ...actionVerbs, ...lineOnlyVerbs]
  .filter((verb) => !alsoWords.has(verb))
  .map((verb) => verb.replace(' ', '[ \\t]+'));
const options = '(?:[ \\t]*\\[[^\\]]*\\])?';
/** A verb with its colon, or a verb that needs none if the text after it cannot be prose. */
const verbLine = new RegExp(
  [
    `^(?:${spelt.join('|')}|ASK[ \\t]+user|ON[ \\t]+ERROR[ \\t]+\\w+)${options}[ \\t]*:(?=\\s|$)`,
    `^PLAN${options}[ \\t]*:[ \\t]*(?:\\w+[ \\t]*=[ \\t]*)?"[^"]+"[ \\t]*(?:with\\b|→|->|$)`,
    `^CALL${options}[ \\t]*:[ \\t]*(?:\\w+[ \\t]*=[ \\t]*)?[\\w./-]+[ \\t]*(?:with\\b|→|->|$)`,
    ...['^(?:RETURN|PROCEED)[ \\t]*$', '^RETURN[ \\t]+with\\b', '^GOTO[ \\t]+[A-Z{]', '^FOR EACH[ \\t]'],
  ].join('|'),
);

const verbLineInAnyLetters = new RegExp(verbLine.source, 'i');

/** Whether one of the outermost lines begins with a verb. A fenced block may be indented as a whole. */
function holdsVerb(value: string, verb = verbLine): boolean {
  return outermostLines(value).some((line) => verb.test(line));
}

function outermostLines(value: string): string[] {
  const lines = value.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  const margin = Math.min(...lines.slice(0, mostMarginLines).map((line) => line.length - line.trimStart().length));
  return lines.filter((line) => line.slice(0, margin).trim() === '').map((line) => line.slice(margin));
}

/** If each of the outermost lines begins with a verb: other blocks may be prose, or of another language. */
function unreadBlock(node: Code, file: SourceFile, headings: readonly MarkdownHeading[]): UnreadBlock[] {
  const lines = outermostLines(node.value).filter((line) => /^[^\s#]/.test(line));
  const verb = /^[a-z]+/i.exec(lines[0] ?? '')?.[0];
  if (verb === undefined || !lines.every((line) => verbLineInAnyLetters.test(line))) return [];
  const start = file.text.indexOf(verb, lineEndOf(file.text, node.position?.start.offset ?? 0));
  const declares = lines.some((line) => /^(?:machine|state|pattern|input|limit|import)\b/i.test(line));
  return [{ start, end: start + verb.length, declares, headings }];
}

/** The first lines are enough to find the margin of a fenced block. */
const mostMarginLines = 1000;

function regionOf(node: Code, file: SourceFile, headings: readonly MarkdownHeading[]): MarkdownRegion | null {
  if (!isProgram(node) || node.value.trim() === '') return null;
  const opening = node.position?.start.offset ?? 0;
  const lines = programLines(file.text, opening, node.value.split(/\r\n|\n|\r/));
  const first = lines[0];
  const last = lines[lines.length - 1];
  if (first === undefined || last === undefined || !isFenced(node, file.text)) return null;
  return {
    start: lineStartOf(file.text, first.start),
    end: last.end,
    lines,
    tagged: typeof node.lang === 'string',
    headings,
  };
}

/** Indented code is never a program. */
const isFenced = ({ position }: Code, text: string): boolean => /[`~]/.test(text[position?.start.offset ?? 0] ?? '');

const isUntagged = ({ lang }: Code): boolean => lang === null || lang === undefined;

function isProgram({ lang, value }: Code): boolean {
  if (lang === null || lang === undefined) return holdsVerb(value);
  return lang.toLowerCase() === 'dsl' || lang.toLowerCase() === 'statedsl';
}

/** The lines below the opening fence, each from the beginning of its program text. */
function programLines(text: string, opening: number, values: readonly string[]): { start: number; end: number }[] {
  let at = lineEndOf(text, opening);
  return values.map((value) => {
    const start = afterLineEnd(text, at);
    const end = lineEndOf(text, start);
    at = end;
    return { start: Math.max(start, end - value.length), end };
  });
}

function lineEndOf(text: string, at: number): number {
  let end = at;
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end++;
  return end;
}

function afterLineEnd(text: string, end: number): number {
  return text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : Math.min(end + 1, text.length);
}

function lineStartOf(text: string, at: number): number {
  let start = at;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start--;
  return start;
}
