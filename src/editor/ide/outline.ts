/** The shape of a program: its declarations as an outline, what can be folded, and what a growing selection takes. */
import type { Span } from '../../language/source/diagnostic.js';
import { lineText, positionAt, type SourceFile } from '../../language/source/diagnostic.js';
import type { Block, Declaration, Instruction, StateDeclaration } from '../../language/syntax/ast.js';
import { childBlocks, isDeclaration, parsedBody } from '../../language/syntax/child-blocks.js';
import type { OpenProgram } from './open-program.js';

export type OutlineKind = 'machine' | 'state' | 'pattern' | 'input' | 'tracked' | 'step' | 'handler' | 'import';

export interface OutlineNode {
  readonly name: string;
  readonly kind: OutlineKind;
  readonly detail: string;
  /** Its head and its body. */
  readonly range: Span;
  /** The name. */
  readonly selection: Span;
  readonly children: OutlineNode[];
}

export function outlineOf({ tree, source, compilation }: OpenProgram): OutlineNode[] {
  const roots: OutlineNode[] = [];
  let machine: OutlineNode | null = null;
  const hasStates = tree.items.some(({ kind }) => kind === 'state');
  for (const item of tree.items) {
    if (item.span.file !== 0) continue;
    if (item.kind === 'machine') {
      machine = node(item.name.text, 'machine', '', item.span, item.name.span);
      roots.push(machine);
    } else if (item.kind === 'state' || item.kind === 'pattern') {
      const detail = item.kind === 'pattern' ? item.parameters.map(({ name }) => name.text).join(', ') : '';
      const one = node(item.name.text, item.kind, detail, wholeSpan(item), item.name.span);
      one.children.push(...(item.kind === 'state' ? stepsOf(item) : stepsIn(item.body)));
      (item.kind === 'state' && machine !== null ? machine.children : roots).push(one);
    } else if (item.kind === 'input')
      roots.push(node(item.name.text, 'input', item.type ?? '', item.span, item.name.span));
  }
  if (!hasStates) {
    const loose = tree.items.filter((item): item is Instruction => !isDeclaration(item));
    const [first] = loose;
    if (first !== undefined) roots.push(...stepsIn({ instructions: loose, inline: false, span: first.span }));
  }
  if (machine !== null || compilation.declared === null || !hasStates) return roots.map(grown);
  // States above any MACHINE belong to a machine with the name of the file.
  const states = roots.filter(({ kind }) => kind === 'state');
  const [first] = states;
  const last = states.at(-1);
  if (first === undefined || last === undefined) return roots;
  const head = { file: 0, start: first.range.start, end: first.range.start };
  const own = node(compilation.declared.name, 'machine', source.name, { ...first.range, end: last.range.end }, head);
  own.children.push(...states);
  return [...roots.filter(({ kind }) => kind !== 'state'), own];
}

function node(name: string, kind: OutlineKind, detail: string, range: Span, selection: Span): OutlineNode {
  const start = Math.min(range.start, selection.start);
  return {
    name,
    kind,
    detail,
    range: { ...range, start, end: Math.max(range.end, selection.end) },
    selection,
    children: [],
  };
}

/** A machine reaches to the end of its last state. */
function grown(one: OutlineNode): OutlineNode {
  const last = one.children.at(-1);
  return last === undefined || last.range.end <= one.range.end
    ? one
    : { ...one, range: { ...one.range, end: last.range.end } };
}

/** The span of the tree ends with the head line. */
export function wholeSpan(item: Extract<Declaration, { body: Block }>): Span {
  const { body, by } = item.kind === 'state' ? parsedBody(item) : { body: item.body, by: 0 };
  return { ...item.span, end: Math.max(item.span.end, ofBody(ends, body, endOf) + by) };
}

/** What follows from the body of a state alone, and stays the same while other lines of the program change. */
const ends = new WeakMap<Block, number>();
const steps = new WeakMap<Block, OutlineNode[]>();
const folds = new WeakMap<Block, readonly Fold[]>();

function ofBody<Value>(known: WeakMap<Block, Value>, body: Block, find: (body: Block) => Value): Value {
  let value = known.get(body);
  if (value === undefined) {
    value = find(body);
    known.set(body, value);
  }
  return value;
}

/** Makes what later answers need. A failure is theirs. */
export function prepare(program: OpenProgram): void {
  try {
    void program.index;
    outlineOf(program);
    foldsOf(program);
  } catch {}
}

function stepsOf(state: StateDeclaration): OutlineNode[] {
  const { body, by } = parsedBody(state);
  return ofBody(steps, body, stepsIn).map((one) => nodeAt(one, by));
}

function nodeAt(one: OutlineNode, by: number): OutlineNode {
  if (by === 0) return one;
  const at = ({ file, start, end }: Span): Span => ({ file, start: start + by, end: end + by });
  const { range, selection, children } = one;
  return { ...one, range: at(range), selection: at(selection), children: children.map((inner) => nodeAt(inner, by)) };
}

function endOf(block: Block): number {
  let end = block.span.end;
  for (const i of block.instructions) end = Math.max(end, endOfInstruction(i));
  return end;
}

export function endOfInstruction(i: Instruction): number {
  const end = Math.max(i.span.end, ...childBlocks(i).map(endOf));
  return i.kind === 'step' ? Math.max(end, lastOffset(i)) : end;
}

/** The end of the last section: those of a STEP are not in its span. */
function lastOffset(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const { file, end } = value as { file?: number; end?: number };
  if (typeof file === 'number' && typeof end === 'number') return end;
  return Math.max(0, ...Object.values(value).map(lastOffset));
}

function stepsIn(block: Block): OutlineNode[] {
  return block.instructions.flatMap((i): OutlineNode[] => {
    const inner = childBlocks(i).flatMap(stepsIn);
    const range = { ...i.span, end: endOfInstruction(i) };
    if (i.kind === 'step') {
      const one = node(i.name.text, 'step', i.type?.text ?? '', range, i.name.span);
      one.children.push(...inner);
      return [one];
    }
    if (i.kind === 'track') return [node(i.name.text, 'tracked', '', range, i.name.span)];
    if (i.kind === 'on-error') {
      const one = node(
        `ON ERROR${i.errorKind === undefined ? '' : ` ${i.errorKind.text}`}`,
        'handler',
        '',
        range,
        i.verb.span,
      );
      one.children.push(...inner);
      return [one];
    }
    return inner;
  });
}

/** The state or pattern that contains an offset. */
export function enclosing({ tree }: OpenProgram, offset: number): Extract<Declaration, { body: Block }> | null {
  let found: Extract<Declaration, { body: Block }> | null = null;
  for (const item of tree.items)
    if ((item.kind === 'state' || item.kind === 'pattern') && item.span.file === 0 && item.span.start <= offset)
      if (found === null || item.span.start >= found.span.start) found = item;
  return found;
}

/** The machine of an offset: that of the last MACHINE above, or the one with the name of the file. */
export function machineAt({ tree, compilation }: OpenProgram, offset: number): string {
  let name = compilation.declared?.name ?? '';
  for (const item of tree.items)
    if (item.kind === 'machine' && item.span.file === 0 && item.span.start <= offset) name = item.name.text;
  return name;
}

export interface Fold {
  /** Lines, from 1. */
  readonly start: number;
  readonly end: number;
  readonly kind?: 'comment' | 'imports' | 'region';
}

export function foldsOf({ tree, source }: OpenProgram): Fold[] {
  const found: Fold[] = [];
  for (const item of tree.items) {
    if (item.span.file !== 0) continue;
    if (item.kind === 'state' || item.kind === 'pattern') {
      found.push(...foldOf(source, item.span.start, wholeSpan(item).end));
      found.push(...(item.kind === 'state' ? foldsOfState(item, source) : foldsIn(item.body, source)));
    } else if (!isDeclaration(item)) {
      found.push(...foldOf(source, item.span.start, endOfInstruction(item)));
      for (const inner of childBlocks(item)) found.push(...foldsIn(inner, source));
    }
  }
  return distinctFolds([...found, ...foldsOfLines(source)]);
}

function foldOf(source: SourceFile, start: number, end: number): Fold[] {
  const [first, last] = [positionAt(source, start).line, positionAt(source, trimEnd(source, end)).line];
  return last > first ? [{ start: first, end: last }] : [];
}

function foldsIn(block: Block, source: SourceFile): Fold[] {
  return block.instructions.flatMap((i) => [
    ...(i.span.file === 0 ? foldOf(source, i.span.start, endOfInstruction(i)) : []),
    ...childBlocks(i).flatMap((inner) => foldsIn(inner, source)),
  ]);
}

/** Kept with lines that are counted from the head of the state. */
function foldsOfState(state: StateDeclaration, source: SourceFile): Fold[] {
  const head = positionAt(source, state.span.start).line;
  const own = ofBody(folds, parsedBody(state).body, () =>
    foldsIn(state.body, source).map(({ start, end }) => ({ start: start - head, end: end - head })),
  );
  return own.map(({ start, end }) => ({ start: start + head, end: end + head }));
}

function trimEnd({ text }: SourceFile, end: number): number {
  let at = Math.min(end, text.length);
  while (at > 0 && /\s/.test(text[at - 1] as string)) at--;
  return Math.max(0, at - 1);
}

/** Runs of comments and imports, and regions. */
function foldsOfLines(source: SourceFile): Fold[] {
  const folds: Fold[] = [];
  const regions: number[] = [];
  const count = source.lineStarts.length;
  const texts = source.lineStarts.map((_, at) => lineText(source, at + 1).trimStart());
  const kinds = texts.map((text) => (text.startsWith('#') ? 'comment' : text.startsWith('IMPORT:') ? 'imports' : null));
  const kindOf = (line: number) => kinds[line - 1] ?? null;
  for (const [at, text] of texts.entries()) {
    const line = at + 1;
    if (/^#[ \t]*region\b/.test(text)) regions.push(line);
    else if (/^#[ \t]*endregion\b/.test(text)) {
      const start = regions.pop();
      if (start !== undefined) folds.push({ start, end: line, kind: 'region' });
    }
    const kind = kindOf(line);
    if (kind === null || (line > 1 && kindOf(line - 1) === kind)) continue;
    let end = line;
    while (end < count && kindOf(end + 1) === kind) end++;
    if (end > line) folds.push({ start: line, end, kind });
  }
  return folds;
}

function distinctFolds(folds: readonly Fold[]): Fold[] {
  const seen = new Set<number>();
  return [...folds]
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ start, kind }) => kind === 'region' || (!seen.has(start) && seen.add(start) !== undefined));
}

/** What contains an offset, from the smallest to the whole file. */
export function selectionsAt({ tree, source, index }: OpenProgram, offset: number): Span[] {
  const spans: Span[] = [{ file: 0, start: 0, end: source.text.length }];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const one of value) visit(one);
      return;
    }
    const { span } = value as { span?: Span };
    if (
      span !== undefined &&
      typeof span.start === 'number' &&
      span.file === 0 &&
      span.start <= offset &&
      offset <= span.end
    )
      spans.push(span);
    for (const key in value) if (key !== 'span') visit((value as Record<string, unknown>)[key]);
  };
  const around = tree.items.filter((item) => {
    const end = isDeclaration(item) ? ('body' in item ? wholeSpan(item).end : item.span.end) : endOfInstruction(item);
    return item.span.file === 0 && item.span.start <= offset && offset <= end;
  });
  for (const item of around) {
    if ('body' in item && (item.kind === 'state' || item.kind === 'pattern')) spans.push(wholeSpan(item));
    visit(item);
  }
  for (const { span } of index.occurrences)
    if (span.file === 0 && span.start <= offset && offset <= span.end) spans.push(span);
  const sorted = spans.sort((a, b) => a.end - a.start - (b.end - b.start));
  const chain: Span[] = [];
  for (const span of sorted) {
    const last = chain.at(-1);
    if (
      last === undefined ||
      (span.start <= last.start && span.end >= last.end && span.end - span.start > last.end - last.start)
    )
      chain.push(span);
  }
  return chain;
}
