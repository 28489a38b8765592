/**
 * Which parts of a Markdown document are the program: its fences, under which headings, and what of each line
 * belongs to the document (the `> ` of a quote, the indentation of a list) and not to the program.
 */
import type { Code, Heading, Nodes, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { SourceFile } from '../source/source-file.js';
import type { Name } from '../syntax/ast.js';
import { holdsVerb } from '../syntax/verbs.js';

export interface MarkdownHeading {
  readonly text: Name;
  /** 1 for `#`. */
  readonly level: number;
}

export interface MarkdownRegion {
  /** From the first character of the line below the opening fence to the end of the last program line. */
  readonly start: number;
  readonly end: number;
  /** The program as long as the region: what belongs to the document is blanked. */
  readonly text: string;
  /** Tagged `dsl` or `statedsl`. */
  readonly tagged: boolean;
  /** The headings the fence stands under, the closest last. */
  readonly headings: readonly MarkdownHeading[];
}

const tags: ReadonlySet<string> = new Set(['dsl', 'statedsl']);

/** The program regions of a document in order. */
export function markdownRegions(file: SourceFile, fileIndex = 0): { regions: MarkdownRegion[] } {
  const regions: MarkdownRegion[] = [];
  let headings: MarkdownHeading[] = [];
  const visit = (nodes: readonly Nodes[]): void => {
    for (const node of nodes) {
      if (node.type === 'heading') {
        headings = [...headings.filter((above) => above.level < node.depth), heading(file, fileIndex, node)];
      } else if (node.type === 'code') {
        const region = programRegion(file, node, headings);
        if (region !== undefined) regions.push(region);
      } else if ('children' in node) visit(node.children as readonly RootContent[]);
    }
  };
  visit(fromMarkdown(withoutFrontMatter(file.text)).children);
  return { regions };
}

/** Front matter is not Markdown; blanked, so that offsets stay. */
function withoutFrontMatter(text: string): string {
  const found = /^---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(?=\r?\n|$)/.exec(text)?.[0];
  return found === undefined ? text : found.replace(/[^\r\n]/g, ' ') + text.slice(found.length);
}

function heading(file: SourceFile, fileIndex: number, node: Heading): MarkdownHeading {
  const first = node.children[0]?.position?.start.offset ?? node.position?.start.offset ?? 0;
  const last = node.children[node.children.length - 1]?.position?.end.offset ?? node.position?.end.offset ?? first;
  const span = { file: fileIndex, start: first, end: Math.min(last, file.text.length) };
  return { text: { text: plainText(node).trim(), span }, level: node.depth };
}

function plainText(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? (node.children as readonly Nodes[]).map(plainText).join('') : '';
}

function programRegion(file: SourceFile, node: Code, headings: readonly MarkdownHeading[]): MarkdownRegion | undefined {
  const position = node.position;
  if (position === undefined || !isFenced(file, position.start.offset ?? 0)) return undefined;
  const tagged = tags.has((node.lang ?? '').toLowerCase());
  if (!tagged && (typeof node.lang === 'string' || !holdsVerb(node.value))) return undefined;
  const values = node.value.split(/\r?\n/);
  const firstLine = position.start.line;
  const start = file.lineStarts[firstLine];
  if (start === undefined || node.value === '') return undefined;
  const lines = values.map((value, i) => programLine(file, firstLine + i, value));
  const text = lines.join('');
  return { start, end: start + text.length, text, tagged, headings };
}

/** An indented block of code is prose to us. */
function isFenced(file: SourceFile, offset: number): boolean {
  return file.text.startsWith('```', offset) || file.text.startsWith('~~~', offset);
}

/** A line of the file with its line end; what stands before the program's part of it becomes blanks. */
function programLine(file: SourceFile, line: number, value: string): string {
  const start = file.lineStarts[line] ?? file.text.length;
  const raw = file.text.slice(start, file.lineStarts[line + 1] ?? file.text.length);
  const content = raw.replace(/\r?\n$/, '');
  const kept = content.endsWith(value) ? value.length : 0;
  const prefix = content.slice(0, content.length - kept).replace(/[^ ]/g, ' ');
  return prefix + raw.slice(prefix.length);
}
