/**
 * A Markdown document as a program: a heading with states is a machine, a heading ending in `_PATTERN` is a
 * pattern. What stands in the fences is parsed as any other program, at its place in the document.
 */
import type { Diagnostic } from '../source/diagnostic.js';
import type { SourceFile } from '../source/source-file.js';
import type { Block, Comment, Declaration, Instruction, Name, Program } from '../syntax/ast.js';
import { parseProgram } from '../syntax/parse.js';
import { type MarkdownHeading, type MarkdownRegion, markdownRegions } from './markdown-regions.js';

export { type MarkdownHeading, type MarkdownRegion, markdownRegions } from './markdown-regions.js';

type Item = Declaration | Instruction;

/** One fence, parsed. */
interface Fence {
  readonly region: MarkdownRegion;
  readonly items: readonly Item[];
  readonly comments: readonly Comment[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Parses all fences of a document into one program. Never throws. */
export function parseMarkdown(file: SourceFile, fileIndex: number): { program: Program; diagnostics: Diagnostic[] } {
  const fences = markdownRegions(file, fileIndex).regions.map((region): Fence => {
    const { program, diagnostics } = parseProgram(file, fileIndex, region);
    return { region, items: program.items, comments: program.comments, diagnostics };
  });
  const hasStates = fences.some((fence) => fence.items.some((item) => item.kind === 'state'));
  const kept = fences.filter((fence) => !isExample(fence, hasStates));
  const items = assemble(kept);
  return {
    program: { file: fileIndex, items, comments: kept.flatMap((fence) => fence.comments) },
    diagnostics: kept.flatMap((fence) => fence.diagnostics),
  };
}

/** In a document with states, an untagged fence of loose instructions only shows how something is written. */
function isExample(fence: Fence, hasStates: boolean): boolean {
  if (!hasStates || fence.region.tagged || patternHeading(fence.region) !== undefined) return false;
  return fence.items.every((item) => !isDeclaration(item));
}

const declarationKinds: ReadonlySet<string> = new Set(['machine', 'input', 'limit', 'import', 'pattern', 'state']);

function isDeclaration(item: Item): item is Declaration {
  return declarationKinds.has(item.kind);
}

/** Where the states of a machine come from, and the pattern that is being put together. */
interface Assembly {
  readonly items: Item[];
  machine?: MarkdownHeading;
  pattern?: { readonly heading: MarkdownHeading; readonly at: number };
  readonly slugs: Map<string, number>;
}

function assemble(fences: readonly Fence[]): Item[] {
  const assembly: Assembly = { items: [], slugs: new Map() };
  for (const fence of fences) {
    const pattern = patternHeading(fence.region);
    if (pattern !== undefined && isPatternBody(fence.items)) addPatternBody(assembly, pattern, fence.items);
    else addItems(assembly, fence);
  }
  return assembly.items;
}

const patternName = /(?:^|[^\w])([A-Za-z_]\w*_PATTERN)$/;

function patternHeading(region: MarkdownRegion): MarkdownHeading | undefined {
  const heading = region.headings[region.headings.length - 1];
  return heading !== undefined && patternName.test(heading.text.text) ? heading : undefined;
}

/** Loose instructions, or one state that stands for them. */
function isPatternBody(items: readonly Item[]): boolean {
  const states = items.filter((item) => item.kind === 'state').length;
  const others = items.some((item) => item.kind === 'machine' || item.kind === 'pattern');
  return !others && states <= 1;
}

function addPatternBody(assembly: Assembly, heading: MarkdownHeading, items: readonly Item[]): void {
  const body = items.flatMap((item): Instruction[] =>
    item.kind === 'state' ? [...item.body.instructions] : isDeclaration(item) ? [] : [item],
  );
  const declared = items.filter((item) => isDeclaration(item) && item.kind !== 'state');
  const open = assembly.pattern;
  const earlier = open?.heading === heading ? assembly.items[open.at] : undefined;
  if (open !== undefined && earlier?.kind === 'pattern') {
    const instructions = [...earlier.body.instructions, ...body];
    assembly.items[open.at] = { ...earlier, body: blockOf(instructions, earlier.span) };
  } else {
    assembly.pattern = { heading, at: assembly.items.length };
    const name = nameInHeading(heading);
    const span = heading.text.span;
    assembly.items.push({ kind: 'pattern', name, parameters: [], inferred: true, body: blockOf(body, span), span });
  }
  assembly.items.push(...declared);
}

function blockOf(instructions: readonly Instruction[], fallback: Block['span']): Block {
  const first = instructions[0]?.span ?? fallback;
  const last = instructions[instructions.length - 1]?.span ?? fallback;
  return { instructions, inline: false, span: { ...first, end: Math.max(first.end, last.end) } };
}

function nameInHeading(heading: MarkdownHeading): Name {
  const text = patternName.exec(heading.text.text)?.[1] ?? heading.text.text;
  const { span } = heading.text;
  const end = span.end;
  return { text, span: { ...span, start: Math.max(span.start, end - text.length), end } };
}

function addItems(assembly: Assembly, fence: Fence): void {
  const heading = fence.region.headings[fence.region.headings.length - 1];
  const firstState = fence.items.findIndex((item) => item.kind === 'state');
  const ownMachine = fence.items.findIndex((item) => item.kind === 'machine');
  const needsMachine = firstState >= 0 && (ownMachine < 0 || ownMachine > firstState);
  if (needsMachine && heading !== undefined && !continues(assembly.machine, fence.region)) {
    assembly.machine = heading;
    const span = heading.text.span;
    assembly.items.push({ kind: 'machine', name: { text: uniqueSlug(assembly, heading), span }, span });
  }
  assembly.items.push(...fence.items);
}

/** A fence below the same heading, or below a heading of a lower rank, goes on with the machine. */
function continues(machine: MarkdownHeading | undefined, region: MarkdownRegion): boolean {
  return machine !== undefined && region.headings.includes(machine);
}

function uniqueSlug(assembly: Assembly, heading: MarkdownHeading): string {
  const slug = slugOf(heading.text.text);
  const count = assembly.slugs.get(slug) ?? 0;
  assembly.slugs.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

/** A heading as it appears in a link: lower case, blanks to dashes, other signs dropped. */
export function slugOf(text: string): string {
  const slug = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  return slug === '' ? 'machine' : slug;
}
