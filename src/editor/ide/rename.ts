/**
 * Renames a name. The edited texts are compiled before the answer: their names must mean what they meant, so a rename never
 * changes what a program does.
 */
import { isReserved } from '../../language/check/collect.js';
import type { Compilation } from '../../language/check/compile.js';
import type { ProgramIndex, ProgramSymbol } from '../../language/check/program-index.js';
import type { Edit, Span } from '../../language/source/diagnostic.js';
import { applyEdits } from '../../language/source/fix-text.js';
import { type OpenProgram, occurrencesAt, occurrencesOf, symbolAt } from './open-program.js';

export type RenameRefusal = { readonly refused: string };

interface Renamable {
  readonly span: Span;
  readonly name: string;
  /** The symbols that are renamed together. */
  readonly symbols: readonly number[];
}

const NEVER: Readonly<Partial<Record<ProgramSymbol['kind'], string>>> = {
  function: 'functions belong to the language',
  agent: 'the configuration names agents',
  tool: 'the tools file names tools',
  plan: 'it is a file',
  workflow: 'it is a file',
  import: 'it is a file',
  'data-reference': 'tools and plans read data by this path',
  'step-key': 'the engine names the keys of steps',
};

const PLAIN = /^[A-Za-z_]\w*$/;
const DASHED = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;

/** The name at an offset, or why it cannot be renamed. */
export function renamableAt({ index, compilation }: OpenProgram, offset: number): Renamable | RenameRefusal {
  const found = occurrencesAt(index, offset);
  // `GOTO: S with x` reads `x` and passes `x`: the one that is read is meant.
  const one = found.find(({ role }) => role === 'read') ?? found[0];
  const [first] = one?.symbols ?? [];
  if (one === undefined || first === undefined) return { refused: 'there is no name here' };
  const { kind, name } = symbolAt(index, first);
  const never = NEVER[kind];
  if (never !== undefined) return { refused: `\`${name}\` cannot be renamed: ${never}` };
  if (kind === 'state' && name === 'ERROR') return { refused: 'ERROR is a name of the language' };
  if (isReserved(name)) return { refused: `\`${name}\` is a name of the engine` };
  const all = occurrencesOf(index, one.symbols);
  const symbols = [...new Set(all.flatMap((each) => each.symbols))];
  for (const id of one.symbols) {
    const { declarations } = symbolAt(index, id);
    for (const span of declarations) {
      const source = compilation.sources[span.file];
      if (source?.name.startsWith('std/') === true) return { refused: `\`${name}\` is declared in ${source.name}` };
      if (source?.text.slice(span.start, span.end) !== name)
        return { refused: `\`${name}\` is not written where it is bound: write the name there first` };
    }
  }
  return { span: one.span, name, symbols };
}

/** Compiles the program with other texts of its files, by the index of the file. */
export type Recompile = (texts: ReadonlyMap<number, string>) => Compilation;

export function renameAt(
  program: OpenProgram,
  offset: number,
  to: string,
  recompile: Recompile,
): { readonly edits: readonly Edit[] } | RenameRefusal {
  const renamable = renamableAt(program, offset);
  if ('refused' in renamable) return renamable;
  const { index, compilation } = program;
  const { name, symbols } = renamable;
  const { kind } = symbolAt(index, symbols[0] as number);
  if (to === name) return { edits: [] };
  const isDashed = kind === 'machine' || kind === 'step' || kind === 'gate';
  if (!(isDashed ? DASHED : PLAIN).test(to)) return { refused: `\`${to}\` is not a name` };
  if (isReserved(to) || (kind === 'state' && to === 'ERROR')) return { refused: `\`${to}\` is a name of the language` };
  const edits = editsFor(index, symbols, to);
  const texts = new Map<number, string>();
  for (const file of new Set(edits.map(({ span }) => span.file)))
    texts.set(
      file,
      applyEdits(
        compilation.sources[file]?.text ?? '',
        edits.filter(({ span }) => span.file === file),
      ),
    );
  const after = recompile(texts);
  const why = difference(compilation, after, { name, to });
  return why === null ? { edits } : { refused: why };
}

function editsFor(index: ProgramIndex, symbols: readonly number[], to: string): Edit[] {
  const wanted = new Set(symbols);
  const isRenamed = (ids: readonly number[]): boolean => ids.some((id) => wanted.has(id));
  const edits = new Map<string, Edit>();
  for (const { span, symbols: ids } of index.occurrences) {
    if (!isRenamed(ids)) continue;
    edits.set(`${span.file}:${span.start}`, { span, text: to });
  }
  // `with x` is short for `with x={x}`: if only one of the two is renamed, both must be written.
  const { occurrences } = index;
  for (let at = 1; at < occurrences.length; at++) {
    const [a, b] = [occurrences[at - 1], occurrences[at]];
    if (a === undefined || b === undefined || a.span.start !== b.span.start || a.span.file !== b.span.file) continue;
    const pass = a.role === 'pass' ? a : b.role === 'pass' ? b : null;
    const read = pass === a ? b : a;
    if (pass === null || read.role !== 'read' || isRenamed(pass.symbols) === isRenamed(read.symbols)) continue;
    const was = (index.symbols[read.symbols[0] as number] as ProgramSymbol).name;
    const text = isRenamed(pass.symbols) ? `${to}={${was}}` : `${was}={${to}}`;
    edits.set(`${a.span.file}:${a.span.start}`, { span: a.span, text });
  }
  return [...edits.values()].sort((x, y) => x.span.file - y.span.file || x.span.start - y.span.start);
}

/** Why the edited program is not the same program with another name; null if it is. */
function difference(
  before: Compilation,
  after: Compilation,
  { name, to }: { readonly name: string; readonly to: string },
): string | null {
  const taken = `\`${to}\` means something else here: renaming \`${name}\` would change what the program does`;
  if (before.index === null || after.index === null) return taken;
  if (!haveSameNames(before.index, after.index)) return taken;
  const codes = ({ diagnostics }: Compilation): string =>
    diagnostics.map(({ code, severity }) => `${severity} ${code}`).join('\n');
  if (codes(before) !== codes(after)) return taken;
  if (before.machines.length !== after.machines.length) return taken;
  return before.machines.every((machine, at) => isAlike(machine, after.machines[at], '')) ? null : taken;
}

/** Every occurrence means the symbol that it meant. */
function haveSameNames(before: ProgramIndex, after: ProgramIndex): boolean {
  if (before.symbols.length !== after.symbols.length || before.occurrences.length !== after.occurrences.length)
    return false;
  const meant = new Map<number, number>();
  return before.occurrences.every(({ role, symbols, span }, at) => {
    const other = after.occurrences[at];
    if (other === undefined || other.role !== role || other.symbols.length !== symbols.length) return false;
    if (other.span.file !== span.file) return false;
    return symbols.every((id, order) => {
      const now = other.symbols[order] as number;
      const known = meant.get(id);
      if (known === undefined) meant.set(id, now);
      return known === undefined || known === now;
    });
  });
}

/** Texts differ by the name, and offsets in them by its length. */
function isAlike(a: unknown, b: unknown, key: string): boolean {
  if (key === 'holes') return true;
  if (typeof a === 'string') return typeof b === 'string';
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b;
  const [ours, theirs] = [Object.entries(a), Object.entries(b)];
  return ours.length === theirs.length && ours.every(([inner, value], at) => isAlike(value, theirs[at]?.[1], inner));
}
