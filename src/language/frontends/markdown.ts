/**
 * Programs in Markdown. Every fenced block is parsed at its position in the document, so locations in messages refer to
 * the document. Headings then decide whether a block is a pattern, a machine, or a part of a machine.
 */
import { declarationMessages as say } from '../source/catalogue/declarations.js';
import type { Diagnostic, Edit, SourceFile, Span } from '../source/diagnostic.js';
import type {
  Block,
  Comment,
  Declaration,
  Instruction,
  Program,
  ProgramItem,
  StateDeclaration,
} from '../syntax/ast.js';
import { childBlocks, parsedBody } from '../syntax/child-blocks.js';
import type { Name } from '../syntax/expression-nodes.js';
import { type ParsedPart, parseProgram, type Region } from '../syntax/parse.js';
import { type MarkdownHeading, type MarkdownRegion, markdownRegions } from './markdown-regions.js';
import { parseWorkflow } from './workflow/parse-workflow.js';

interface ParsedDocument {
  readonly program: Program;
  readonly diagnostics: Diagnostic[];
  readonly regions: readonly MarkdownRegion[];
  readonly isPartial: boolean;
  /** A part for each fenced block. */
  readonly parts: readonly ParsedPart[];
}

/**
 * Parses a document as a program. `regions` are its fenced blocks. Blocks that are parts of `previous`, an earlier text of the
 * document, are not parsed again. Never throws.
 */
export function parseMarkdown(file: SourceFile, index: number, previous: readonly ParsedPart[] = []): ParsedDocument {
  const { regions, unread, isPartial } = markdownRegions(file);
  const document = new Document(file, index);
  const diagnostics: Diagnostic[] = [];
  const comments: Comment[] = [];
  const fences = regions.map((region) => ({
    region,
    parsed: parseProgram(file, index, locateRegion(region, file), previous),
  }));
  const parts = fences.flatMap(({ parsed }) => parsed.parts);
  const hasStates = fences.some(({ parsed }) => parsed.program.items.some((item) => item.kind === 'state'));
  for (const { region, parsed } of fences) {
    if (hasStates && isExample(region, parsed.program.items)) continue;
    const isPrefixed = region.lines.some(({ start }) => start > 0 && file.text[start - 1] !== '\n');
    diagnostics.push(
      ...(isPrefixed ? parsed.diagnostics.map((one) => withFixInside(one, region, file)) : parsed.diagnostics),
    );
    comments.push(...parsed.program.comments);
    document.add(parsed.program.items, region.headings);
  }
  for (const { start, end, declares, headings } of unread) {
    if (hasStates && !declares && !isOfPattern(headings)) continue;
    diagnostics.push(say.unreadBlock({ file: index, start, end }, { verb: file.text.slice(start, end).toUpperCase() }));
  }
  return { program: { file: index, items: document.items(), comments }, diagnostics, regions, isPartial, parts };
}

/** In a document with states, an untagged block that contains only instructions is an example. */
function isExample({ tagged, headings }: MarkdownRegion, items: readonly ProgramItem[]): boolean {
  return !tagged && !isOfPattern(headings) && items.every((item) => 'verb' in item);
}

function isOfPattern(headings: readonly MarkdownHeading[]): boolean {
  const own = headings[headings.length - 1];
  return own !== undefined && patternName(own) !== null;
}

/**
 * The diagnostic with a fix that leaves the prefixes of lines alone, which the parser has read as indentation. A line that it
 * adds would have no prefix, so the author adds it.
 */
function withFixInside(diagnostic: Diagnostic, { lines }: MarkdownRegion, { text }: SourceFile): Diagnostic {
  const { correction } = diagnostic;
  if (correction === undefined) return diagnostic;
  let isSure = true;
  const inside = ({ span, text: inserted }: Edit): Edit => {
    const line = lines.findLast(({ start }) => text.lastIndexOf('\n', start - 1) < span.start);
    const cut = line === undefined ? 0 : Math.max(0, Math.min(line.start, span.end) - span.start);
    if (inserted.includes('\n') || text.slice(span.start, span.end).includes('\n')) isSure = false;
    return { span: { ...span, start: span.start + cut }, text: inserted.slice(Math.min(cut, inserted.length)) };
  };
  const edit = inside(correction);
  const also = correction.also?.map(inside);
  const mended = { ...correction, ...edit, ...(also === undefined ? {} : { also }) };
  return { ...diagnostic, correction: isSure ? mended : { ...mended, guess: true } };
}

/** The region for the parser, with spaces instead of the prefixes of its lines. */
function locateRegion({ start, end, lines }: MarkdownRegion, { text }: SourceFile): Region {
  if (lines.every((line) => /[\r\n]/.test(text[line.start - 1] ?? '\n'))) return { start, end };
  const pieces: string[] = [];
  let at = start;
  for (const line of lines) {
    pieces.push(text.slice(at, line.start).replace(/[^\r\n]/g, ' '), text.slice(line.start, line.end));
    at = line.end;
  }
  return { start, end, text: pieces.join('') };
}

/** The content under one heading, or under headings that continue its machine. */
interface Section {
  readonly heading: MarkdownHeading | undefined;
  readonly items: ProgramItem[];
  /** The headings after the first, if the GOTOs of several made them one machine. */
  readonly joined?: readonly MarkdownHeading[];
}

class Document {
  /** The sections in order. The first is for content without a heading. */
  private readonly sections: Section[] = [{ heading: undefined, items: [] }];
  private readonly patterns = new Map<MarkdownHeading, Instruction[]>();
  /** The headings that are machines. */
  private readonly machines = new Map<MarkdownHeading, Section>();

  constructor(
    private readonly file: SourceFile,
    private readonly index: number,
  ) {}

  add(items: readonly ProgramItem[], headings: readonly MarkdownHeading[]): void {
    const own = headings[headings.length - 1];
    if (own !== undefined && patternName(own) !== null) this.addToPattern(items, own, headings);
    else this.addToMachine(items, headings);
  }

  items(): ProgramItem[] {
    return joinHeadings(this.sections).flatMap(({ heading, items, joined }) => {
      const first = items.find((item) => item.kind === 'machine' || item.kind === 'state');
      return heading === undefined || first?.kind !== 'state' ? items : [this.machine(heading, joined), ...items];
    });
  }

  private machine(heading: MarkdownHeading, joined: Section['joined']): Declaration {
    const span = this.span(heading);
    const others = joined === undefined ? {} : { joined: joined.map((one) => this.span(one)) };
    return { kind: 'machine', name: { text: heading.slug, span }, ...others, span };
  }

  private span({ start, end }: MarkdownHeading): Span {
    return { file: this.index, start, end };
  }

  /**
   * States belong to the machine of a heading above them. A heading becomes a machine by its first states, or by a
   * MACHINE line.
   */
  private addToMachine(items: readonly ProgramItem[], headings: readonly MarkdownHeading[]): void {
    const machine = headings.find((heading) => this.machines.has(heading));
    const own = headings[headings.length - 1];
    const makesOne = items.some((item) => item.kind === 'state' || item.kind === 'machine');
    let section = machine === undefined ? undefined : this.machines.get(machine);
    if (section === undefined && own !== undefined && makesOne) {
      section = { heading: own, items: [] };
      this.sections.push(section);
      this.machines.set(own, section);
    }
    (section ?? (this.sections[0] as Section)).items.push(...items);
  }

  /**
   * The body of the pattern is the whole block or its only state, because some documents give the body a `STATE:` line
   * for the reader. A block with its own declarations is an ordinary one.
   */
  private addToPattern(
    items: readonly ProgramItem[],
    own: MarkdownHeading,
    headings: readonly MarkdownHeading[],
  ): void {
    const states = items.filter((item): item is StateDeclaration => item.kind === 'state');
    const loose = items.filter((item): item is Instruction => 'verb' in item);
    const only = states.length === 1 && loose.length === 0 && !items.some(({ kind }) => kind === 'machine');
    if (states.length > 0 && !only) return this.addToMachine(items, headings);
    const body = only ? (states[0] as StateDeclaration).body.instructions : loose;
    const others = items.filter((item) => !('verb' in item) && item.kind !== 'state');
    (this.sections[0] as Section).items.push(...others);
    if (body.length === 0 && !only) return;
    const known = this.patterns.get(own);
    if (known !== undefined) known.push(...body);
    else {
      const instructions = [...body];
      this.patterns.set(own, instructions);
      (this.sections[0] as Section).items.push(this.pattern(own, instructions));
    }
  }

  private pattern(heading: MarkdownHeading, instructions: readonly Instruction[]): Declaration {
    const text = patternName(heading) as string;
    const span = this.span(heading);
    const body: Block = { instructions, inline: false, span: bodySpan(instructions, span) };
    return { kind: 'pattern', name: this.name(heading, text), parameters: [], inferred: true, body, span };
  }

  private name({ start, end }: MarkdownHeading, text: string): Name {
    const at = this.file.text.lastIndexOf(text, end);
    const offset = at < start ? start : at;
    return { text, span: { file: this.index, start: offset, end: offset + text.length } };
  }
}

/**
 * The sections, in which headings are one machine if a GOTO leads from one to a state that only the other declares. If the
 * names of their states were not unique then, they stay apart.
 */
function joinHeadings(sections: readonly Section[]): readonly Section[] {
  const declared = sections.map(({ heading, items }) =>
    heading === undefined || items.some(({ kind }) => kind === 'machine') ? [] : items.filter(isState),
  );
  const declaredIn = new Map<string, Set<number>>();
  for (const [i, states] of declared.entries())
    for (const { name } of states) {
      const headings = declaredIn.get(name.text) ?? new Set<number>();
      declaredIn.set(name.text, headings.add(i));
    }
  /** Each heading leads to an earlier one of its machine, the first one to itself. */
  const earlier = sections.map((_, i) => i);
  const firstOf = (i: number): number => {
    let first = i;
    while (earlier[first] !== first) first = earlier[first] as number;
    earlier[i] = first;
    return first;
  };
  for (const [i, states] of declared.entries())
    for (const target of new Set(states.flatMap((state) => targetsIn(parsedBody(state).body)))) {
      const headings = declaredIn.get(target);
      if (target === 'ERROR' || headings?.size !== 1 || headings.has(i)) continue;
      const [from, to] = [firstOf(i), firstOf([...headings][0] as number)];
      earlier[Math.max(from, to)] = Math.min(from, to);
    }
  const membersOf = new Map<number, Section[]>();
  for (const [i, section] of sections.entries()) {
    const members = membersOf.get(firstOf(i)) ?? [];
    membersOf.set(firstOf(i), members);
    members.push(section);
  }
  const areUnique = new Map<Section[], boolean>();
  for (const members of membersOf.values()) {
    const names = members.flatMap(({ items }) => items.filter(isState)).map(({ name }) => name.text);
    areUnique.set(members, new Set(names).size === names.length);
  }
  return sections.flatMap((section, i) => {
    const members = membersOf.get(firstOf(i)) ?? [];
    if (members.length === 1 || areUnique.get(members) !== true) return [section];
    const joined = members.slice(1).flatMap(({ heading }) => heading ?? []);
    return members[0] === section ? [{ ...section, items: members.flatMap(({ items }) => items), joined }] : [];
  });
}

function isState(item: ProgramItem): item is StateDeclaration {
  return item.kind === 'state';
}

/** The names of all states to which a GOTO in the block leads. */
function targetsIn({ instructions }: Block): string[] {
  return instructions.flatMap((i) =>
    i.kind === 'goto' && i.target.kind === 'state' ? [i.target.name.text] : childBlocks(i).flatMap(targetsIn),
  );
}

function bodySpan(instructions: readonly Instruction[], otherwise: Span): Span {
  const first = instructions[0];
  const last = instructions[instructions.length - 1];
  return first === undefined || last === undefined ? otherwise : { ...first.span, end: last.span.end };
}

/** The pattern that a heading names with its last word, or null. */
function patternName({ text }: MarkdownHeading): string | null {
  return /(?:^|\W)([A-Za-z_]\w*_PATTERN)$/.exec(text)?.[1] ?? null;
}

/** `index` is the position of the file among the sources. Never throws. */
export function parseFile(
  file: SourceFile,
  index: number,
  previous?: readonly ParsedPart[],
): { program: Program; diagnostics: Diagnostic[]; isPartial?: boolean; parts?: readonly ParsedPart[] } {
  if (/\.ya?ml$/i.test(file.name)) return parseWorkflow(file, index, previous);
  if (/\.(md|markdown)$/i.test(file.name)) return parseMarkdown(file, index, previous);
  return parseProgram(file, index, undefined, previous);
}
