/**
 * Where a name is declared, where it occurs, and what it leads to. Names that can mean several things at one location are
 * one class: renaming one of them renames all.
 */
import type { Compilation } from '../../language/check/compile.js';
import type { Occurrence, ProgramIndex, ProgramSymbol } from '../../language/check/program-index.js';
import type { SourceFile, Span } from '../../language/source/diagnostic.js';
import type { Program } from '../../language/syntax/ast.js';

/** An open program: its compilation with an index, and the file of the compilation that is asked about. */
export interface OpenProgram {
  readonly compilation: Compilation;
  readonly index: ProgramIndex;
  readonly tree: Program;
  readonly source: SourceFile;
}

/** Null if the compilation has no index. */
export function openProgram(compilation: Compilation): OpenProgram | null {
  const { program, sources } = compilation;
  const [source] = sources;
  if (program === null || source === undefined) return null;
  return {
    compilation,
    // Made when somebody asks: messages after each key do not wait for it.
    get index() {
      return compilation.index as ProgramIndex;
    },
    tree: program,
    source,
  };
}

export function symbolAt(index: ProgramIndex, id: number): ProgramSymbol {
  return index.symbols[id] as ProgramSymbol;
}

/** The occurrences at an offset of the program; the end of a name counts, unless another one begins there. */
export function occurrencesAt(index: ProgramIndex, offset: number, file = 0): Occurrence[] {
  const found = spansAt(index.occurrences, offset, file);
  const inside = found.filter(({ span }) => span.start <= offset && offset < span.end);
  const chosen = inside.length > 0 ? inside : found;
  // The smallest name: a key such as `build.output` is not one name.
  const least = Math.min(...chosen.map(({ span }) => span.end - span.start));
  return chosen.filter(({ span }) => span.end - span.start === least);
}

function spansAt<Item extends { readonly span: Span }>(all: readonly Item[], offset: number, file: number): Item[] {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { span } = all[middle] as Item;
    if (span.file < file || (span.file === file && span.start <= offset)) low = middle + 1;
    else high = middle;
  }
  const found: Item[] = [];
  // Names do not contain other names but for those of one path.
  for (let at = low - 1; at >= 0 && at >= low - 8; at--) {
    const one = all[at] as Item;
    if (one.span.file === file && one.span.end >= offset) found.push(one);
  }
  return found.reverse();
}

const classes = new WeakMap<ProgramIndex, readonly number[]>();

/** The class of each symbol: the lowest symbol that it is connected with. */
function classesOf(index: ProgramIndex): readonly number[] {
  const known = classes.get(index);
  if (known !== undefined) return known;
  const parents = index.symbols.map((_, id) => id);
  const rootOf = (id: number): number => {
    let root = id;
    while (parents[root] !== root) root = parents[root] as number;
    return root;
  };
  for (const { symbols } of index.occurrences)
    for (const other of symbols.slice(1)) {
      const [a, b] = [rootOf(symbols[0] as number), rootOf(other)];
      parents[Math.max(a, b)] = Math.min(a, b);
    }
  const roots = parents.map((_, id) => rootOf(id));
  classes.set(index, roots);
  return roots;
}

/** All occurrences of the names of these symbols. */
export function occurrencesOf(index: ProgramIndex, symbols: Iterable<number>): Occurrence[] {
  const roots = classesOf(index);
  const wanted = new Set([...symbols].map((id) => roots[id]));
  return index.occurrences.filter((one) => one.symbols.some((id) => wanted.has(roots[id])));
}

function symbolsAt(index: ProgramIndex, offset: number): number[] {
  return [...new Set(occurrencesAt(index, offset).flatMap(({ symbols }) => symbols))];
}

/** The places that can have bound the name at an offset, or that declare it. `GOTO {next}` also leads to its states. */
export function definitionsAt(program: OpenProgram, offset: number): Span[] {
  const { index } = program;
  const ids = [...symbolsAt(index, offset), ...targetsAt(index, offset)];
  return distinct(ids.flatMap((id) => definitionsOf(program, id)));
}

function definitionsOf({ index, compilation }: OpenProgram, id: number): readonly Span[] {
  const { kind, name, declarations } = symbolAt(index, id);
  if (declarations.length > 0) return declarations;
  // What a CALL wrote is declared where it is written.
  if (kind === 'data-reference')
    return index.occurrences
      .filter((one) => one.role === 'write' && one.symbols.some((other) => isPartOf(symbolAt(index, other).name, name)))
      .map(({ span }) => span);
  if (kind === 'step-key' || kind === 'gate') return stepOf(index, symbolAt(index, id).owner);
  const file = fileOf(compilation, kind, name);
  return file < 0 ? [] : [{ file, start: 0, end: 0 }];
}

/** Whether one path is the other, or leads to it. */
function isPartOf(written: string, read: string): boolean {
  return read === written || read.startsWith(`${written}.`) || written.startsWith(`${read}.`);
}

function stepOf(index: ProgramIndex, owner: string): readonly Span[] {
  return index.symbols
    .filter(({ kind, declarations: [first] }) => kind === 'step' && first && `${first.file}:${first.start}` === owner)
    .flatMap(({ declarations }) => declarations);
}

/** The file of the compilation that an import or a workflow names; -1 if it was not read. */
function fileOf({ sources }: Compilation, kind: string, name: string): number {
  if (kind !== 'import' && kind !== 'workflow') return -1;
  const bare = name.replace(/^(?:\.\.?\/)+/, '');
  return sources.findIndex((source, at) => {
    const path = source.name.replace(/\.(?:dsl|statedsl|ya?ml|md)$/, '');
    return at > 0 && (source.name.endsWith(bare) || path === bare || path.endsWith(`/${bare}`));
  });
}

/** The symbols that the value of a name leads to: the states of `GOTO {next}`. */
export function targetsAt(index: ProgramIndex, offset: number): number[] {
  return spansAt(index.targets, offset, 0).flatMap(({ symbols }) => symbols);
}

/** The states or patterns behind a GOTO or USE, and the workflow of a step. */
export function implementationsAt(program: OpenProgram, offset: number): Span[] {
  const { index } = program;
  const targets = targetsAt(index, offset);
  const ids = targets.length > 0 ? targets : symbolsAt(index, offset);
  return distinct(ids.flatMap((id) => definitionsOf(program, id)));
}

export function referencesAt(
  { index }: OpenProgram,
  offset: number,
  { includeDeclaration = true }: { readonly includeDeclaration?: boolean } = {},
): Occurrence[] {
  const all = occurrencesOf(index, symbolsAt(index, offset));
  const shown = includeDeclaration ? all : all.filter(({ role }) => role !== 'declare' && role !== 'bind');
  return shown.filter(
    (one, at) => one.span.start !== shown[at - 1]?.span.start || one.span.file !== shown[at - 1]?.span.file,
  );
}

const WRITES: ReadonlySet<string> = new Set(['declare', 'bind', 'write', 'pass']);

export function highlightsAt(program: OpenProgram, offset: number): { span: Span; kind: 'read' | 'write' }[] {
  return referencesAt(program, offset)
    .filter(({ span }) => span.file === 0)
    .map(({ span, role }) => ({ span, kind: WRITES.has(role) ? 'write' : 'read' }));
}

export function distinct(spans: readonly Span[]): Span[] {
  const seen = new Set<string>();
  return spans.filter(({ file, start, end }) => {
    const key = `${file}:${start}:${end}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}
