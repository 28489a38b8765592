/**
 * The index of a program: what every name in its text means. Lowering notes each name where it resolves it, so the index
 * knows exactly what the Machine knows, also in shell text and in programs with errors. A name may mean several things, of
 * which the run reads the first that has a value; and a line of a pattern means something else at each of its uses.
 */
import { positionAt, type SourceFile, type SourceSet, type Span } from '../source/diagnostic.js';
import type { Program } from '../syntax/ast.js';
import type { Expression } from '../syntax/expression-nodes.js';
import { ERROR_NAMES, type Unit } from './collect.js';

export type NameKind =
  | 'machine'
  | 'state'
  | 'pattern'
  | 'parameter'
  | 'input'
  | 'tracked'
  | 'local'
  | 'entry'
  | 'loop'
  | 'fact'
  | 'event'
  | 'step'
  | 'step-key'
  | 'agent'
  | 'gate'
  | 'workflow'
  | 'tool'
  | 'plan'
  | 'data-reference'
  | 'import'
  | 'function';

/** `pass`: the value of an argument goes to it. `jump`: a GOTO leads there. */
export type NameRole = 'declare' | 'bind' | 'write' | 'read' | 'jump' | 'use' | 'pass';

export interface ProgramSymbol {
  readonly kind: NameKind;
  readonly name: string;
  /** What it belongs to: the machine, `machine/STATE`, the pattern, or the place of the loop or step; empty for the file. */
  readonly owner: string;
  /** The places that declare or may bind it. If the name is not written there, as after an ASK, the span is its verb. */
  readonly declarations: readonly Span[];
  /** The comment above its first declaration, for what is declared; null if there is none. */
  readonly doc: string | null;
}

export interface Occurrence {
  /** Exactly the name. */
  readonly span: Span;
  /** Indexes of symbols, in the order in which the run looks for a value. */
  readonly symbols: readonly number[];
  readonly role: NameRole;
}

export interface ProgramIndex {
  readonly symbols: readonly ProgramSymbol[];
  /** Sorted by location. A place may have two roles, such as `x` in `GOTO: S with x`. */
  readonly occurrences: readonly Occurrence[];
  /** Names whose values name something: `next` in `GOTO {next}`, with all states that the arguments name. */
  readonly targets: readonly { readonly span: Span; readonly symbols: readonly number[] }[];
}

/** A name that lowering resolved. */
export interface Mention {
  /** The name, or a text that contains it. */
  readonly span: Span;
  readonly role: NameRole;
  readonly symbols: readonly SymbolKey[];
  /** What `check --explain` says, if it does not follow from the symbols. */
  readonly note?: string;
}

/** The kind, the owner and the name of a symbol as one text. */
export type SymbolKey = string;

const SEPARATOR = '\0';

export function symbolKey(kind: NameKind, owner: string, name: string): SymbolKey {
  return `${kind}${SEPARATOR}${owner}${SEPARATOR}${name}`;
}

/** A value that a GOTO passes to a state, or a FAIL to the handlers. `*` stands for all states of the machine. */
export function entryKey(machine: string, state: string, name: string): SymbolKey {
  if (state !== 'ERROR') return symbolKey('entry', `${machine}/${state}`, name);
  return symbolKey('fact', isContract(name) ? '' : machine, name);
}

const isContract = (name: string): boolean => (ERROR_NAMES as readonly string[]).includes(name);

/** A step, a gate or a loop, which its place identifies. */
export function locationOf({ file, start }: Span): string {
  return `${file}:${start}`;
}

function partsOfKey(key: SymbolKey): { readonly kind: NameKind; readonly owner: string; readonly name: string } {
  const [kind = '', owner = '', name = ''] = key.split(SEPARATOR);
  return { kind: kind as NameKind, owner, name };
}

const WORDS: Readonly<Partial<Record<NameKind, string>>> = {
  local: 'a local of this state',
  entry: 'an entry value',
  tracked: 'a tracked variable',
  input: 'an input',
  loop: 'the variable of FOR EACH',
  fact: 'part of the error',
  parameter: 'a parameter',
};

/** What a name that is read means, for `check --explain`; null if there is nothing to say. */
export function explainMention({ role, symbols, note }: Mention): string | null {
  if (note !== undefined) return note;
  const [first] = symbols;
  if (role !== 'read' || first === undefined) return null;
  const words = symbols.flatMap((key) => WORDS[partsOfKey(key).kind] ?? []);
  return words.length === 0 ? null : `\`${partsOfKey(first).name}\` is ${[...new Set(words)].join(', else ')}`;
}

/** The declarations of a unit. */
export type Declarations = Pick<Unit, 'machines' | 'patterns' | 'inputs' | 'key'>;

export function buildIndex(
  unit: Declarations,
  program: Program,
  mentions: Iterable<Mention>,
  sources: SourceSet,
): ProgramIndex {
  const builder = new IndexBuilder(sources);
  for (const mention of listDeclared(unit, program)) builder.add(mention);
  for (const mention of mentions) builder.add(mention);
  return builder.finish();
}

/** The names of a file by location and role. */
type FoundNames = Map<number, { readonly span: Span; readonly symbols: number[]; readonly role: NameRole }>;

/** In the order in which they are listed at one location: `with x` is short for `with x=x`. */
const ROLES: readonly NameRole[] = ['pass', 'declare', 'bind', 'write', 'read', 'jump', 'use'];

class IndexBuilder {
  private readonly ids = new Map<SymbolKey, number>();
  private readonly symbols: {
    kind: NameKind;
    name: string;
    owner: string;
    declarations: Span[];
    doc: string | null;
  }[] = [];
  private readonly declaredAt: Set<string>[] = [];
  private readonly found: FoundNames[] = [];
  private readonly targets: FoundNames[] = [];

  constructor(private readonly sources: SourceSet) {}

  add({ span, role, symbols }: Mention): void {
    const source = this.sources[span.file];
    if (source === undefined) return;
    for (const key of symbols) {
      const id = this.idOf(key);
      const { name, kind } = this.symbols[id] as ProgramSymbol;
      const exact = exactSpan(source, span, name, kind);
      if (role === 'declare' || role === 'bind' || (role === 'pass' && (kind === 'entry' || kind === 'fact')))
        this.declare(id, exact ?? span);
      if (exact !== null) put(this.found, exact, role, id);
      else if (role === 'jump') put(this.targets, span, role, id);
    }
  }

  private idOf(key: SymbolKey): number {
    let id = this.ids.get(key);
    if (id === undefined) {
      id = this.symbols.push({ ...partsOfKey(key), declarations: [], doc: null }) - 1;
      this.ids.set(key, id);
      this.declaredAt.push(new Set());
    }
    return id;
  }

  private declare(id: number, span: Span): void {
    const location = `${span.file}:${span.start}`;
    const known = this.declaredAt[id] as Set<string>;
    if (known.has(location)) return;
    known.add(location);
    this.symbols[id]?.declarations.push(span);
  }

  finish(): ProgramIndex {
    const byLocation = (a: { span: Span }, b: { span: Span }): number =>
      a.span.file - b.span.file || a.span.start - b.span.start || a.span.end - b.span.end;
    const symbols = this.symbols.map((symbol) => {
      const declarations = symbol.declarations.sort((a, b) => byLocation({ span: a }, { span: b }));
      const [first] = declarations;
      const source = first === undefined ? undefined : this.sources[first.file];
      const doc =
        first === undefined || source === undefined || !DOCUMENTED.has(symbol.kind) ? null : docAbove(source, first);
      return { ...symbol, declarations, doc };
    });
    return {
      symbols,
      occurrences: this.found
        .flatMap((names) => [...names.values()])
        .sort((a, b) => byLocation(a, b) || ROLES.indexOf(a.role) - ROLES.indexOf(b.role)),
      targets: this.targets.flatMap((names) => [...names.values()]).sort(byLocation),
    };
  }
}

/** Adds the symbol to what is known of a location, after those that were found before. */
function put(into: FoundNames[], span: Span, role: NameRole, symbol: number): void {
  let names = into[span.file];
  if (names === undefined) {
    names = new Map();
    into[span.file] = names;
  }
  // Two names that begin at one offset are the same name.
  const location = span.start * ROLES.length + ROLES.indexOf(role);
  const known = names.get(location);
  if (known === undefined) names.set(location, { span, symbols: [symbol], role });
  else if (!known.symbols.includes(symbol)) known.symbols.push(symbol);
}

const PART = /[\p{L}\p{N}_]/u;

/** The place of the name in a text; null if it is not written there, as in `ASK: …`, which binds `answer`. */
function exactSpan(source: SourceFile, span: Span, name: string, kind: NameKind): Span | null {
  const { text } = source;
  if (span.end - span.start === name.length && text.startsWith(name, span.start)) return span;
  if (name === '' || span.end <= span.start) return null;
  // A path has several spellings, such as `†state["a"]`.
  if (kind === 'data-reference' && text[span.start] === '†') return span;
  for (
    let at = text.indexOf(name, span.start);
    at >= 0 && at + name.length <= span.end;
    at = text.indexOf(name, at + 1)
  )
    if (!PART.test(text[at - 1] ?? '') && !PART.test(text[at + name.length] ?? ''))
      return { file: span.file, start: at, end: at + name.length };
  return null;
}

const DOCUMENTED: ReadonlySet<NameKind> = new Set(['machine', 'state', 'pattern', 'input', 'tracked', 'step']);

/** The comment lines directly above a line, without their signs. */
function docAbove(source: SourceFile, { start }: Span): string | null {
  const lines: string[] = [];
  for (let { line } = positionAt(source, start); line > 1; line--) {
    const text = source.text.slice(source.lineStarts[line - 2], (source.lineStarts[line - 1] as number) - 1);
    const comment = /^[ \t]*#[ \t]?(.*?)\r?$/.exec(text);
    if (comment === null) break;
    lines.unshift(comment[1] as string);
  }
  return lines.length === 0 ? null : lines.join('\n');
}

/** The name that an expression begins with: `task` of `task.id`; null if it is more than a path. */
export function rootOf(expression: Expression): Extract<Expression, { kind: 'name' }> | null {
  if (expression.kind === 'field' || expression.kind === 'index' || expression.kind === 'maybe')
    return rootOf(expression.of);
  return expression.kind === 'name' ? expression : null;
}

/** What the file itself declares. States, patterns and inputs that are declared twice count twice. */
function* listDeclared(unit: Declarations, program: Program): Generator<Mention> {
  const declare = (kind: NameKind, owner: string, { text, span }: { text: string; span: Span }): Mention => ({
    span,
    role: 'declare',
    symbols: [symbolKey(kind, owner, text)],
  });
  for (const machine of unit.machines) {
    yield declare('machine', '', { text: machine.name, span: machine.span });
    for (const state of machine.states) if (!machine.script) yield declare('state', machine.name, state.name);
  }
  for (const input of unit.inputs.values()) yield declare('input', '', input.name);
  for (const part of unit.key?.parts ?? []) {
    const root = typeof part === 'string' ? null : rootOf(part.expression);
    if (root !== null && unit.inputs.has(root.name))
      yield { span: root.span, role: 'read', symbols: [symbolKey('input', '', root.name)] };
  }
  for (const pattern of unit.patterns.values()) {
    yield declare('pattern', '', pattern.name);
    for (const parameter of pattern.parameters) yield declare('parameter', pattern.name.text, parameter.name);
  }
  for (const item of program.items)
    if (item.kind === 'import') {
      const path = item.path.parts.filter((part) => typeof part === 'string').join('');
      yield { span: item.path.span, role: 'use', symbols: [symbolKey('import', '', path)] };
    } else if (item.kind === 'title') {
      for (const part of item.text.parts) {
        const root = typeof part === 'string' ? null : rootOf(part.expression);
        if (root !== null) yield { span: root.span, role: 'read', symbols: [symbolKey('input', '', root.name)] };
      }
    }
}
