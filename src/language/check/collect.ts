/**
 * Collects the declarations of a program: its machines with their states, and the patterns, inputs and limits of the
 * file. Imports are followed here, so all later stages see one set of names.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { checkMessages as say } from '../source/catalogue/check.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { type SourceFile, type SourceSet, type Span, sourceFile } from '../source/diagnostic.js';
import type { Declaration, InputDeclaration, Instruction, Option, Program, StateDeclaration } from '../syntax/ast.js';
import type { Name, Template } from '../syntax/expression-nodes.js';
import type { ParsedPart } from '../syntax/parse.js';
import { namesBoundIn } from './pattern-names.js';

export type PatternDeclaration = Extract<Declaration, { kind: 'pattern' }>;

/** The result of `load` for an import: the text and its name in messages, or the reason why there is none. */
type LoadedText = { readonly name: string; readonly text: string } | { readonly error: string };
/**
 * A plain text gets its path as its name. Null means that the file does not exist. An exception also counts as a
 * reason.
 */
export type Load = (path: string, from: string) => LoadedText | string | null;
/**
 * Parses the text of a file; `index` is its position among the sources. `isPartial`: a part of the text may have been meant
 * as program, and was not read as one.
 */
export type ParseFile = (
  file: SourceFile,
  index: number,
  /** The parts of an earlier text of the file, which are not parsed again where they occur. */
  previous?: readonly ParsedPart[],
) => { program: Program; diagnostics: Diagnostic[]; isPartial?: boolean; parts?: readonly ParsedPart[] };

/** Functions that find and parse the files that a program imports. */
interface Imports {
  readonly load: Load | undefined;
  readonly parse: ParseFile;
}

export interface MachineUnit {
  readonly name: string;
  /** The location of its name; the start of the file for a machine without a `MACHINE:` line. */
  readonly span: Span;
  readonly states: StateDeclaration[];
  /** True for a script: instructions without a state form the implicit state MAIN, which returns at its end. */
  readonly script: boolean;
  /** The headings of a document that continue this machine. */
  readonly joined?: readonly Span[];
}

/** A file with everything it imports. */
export interface Unit {
  readonly machines: MachineUnit[];
  readonly patterns: ReadonlyMap<string, PatternDeclaration>;
  readonly inputs: ReadonlyMap<string, InputDeclaration>;
  readonly limits: readonly Option[];
  /** What is the same for runs that must not be executed at the same time. */
  readonly key: Template | null;
  /** The title of a run; null: the program says none. */
  readonly title: Template | null;
  /** Set if the program is a workflow file: its dialect. */
  readonly workflow: Program['workflow'];
}

/** The name of a machine that has no `MACHINE:` line: the file's base name without its extension. */
function machineNameOf(fileName: string): string {
  const base = fileName.split(/[\\/]/).pop() ?? fileName;
  const bare = base.startsWith('<') ? base.slice(1, -1) : base.replace(/\.[^.]+$/, '');
  return bare === '' ? 'main' : bare;
}

class Collector {
  readonly machines: MachineUnit[] = [];
  readonly patterns = new Map<string, PatternDeclaration>();
  readonly inputs = new Map<string, InputDeclaration>();
  /** By file: what is imported may be a tool, too. */
  private readonly tools = new Map<string, Name>();
  title: Template | null = null;
  readonly limits: Option[] = [];
  key: Template | null = null;
  workflow: Program['workflow'];
  private readonly imported = new Set<string>();
  /** The states of each machine by name. */
  private readonly declared = new Map<MachineUnit, Map<string, Name>>();

  constructor(
    private readonly sources: SourceSet,
    private readonly diagnostics: Diagnostic[],
    private readonly imports: Imports,
  ) {}

  program(program: Program): void {
    this.workflow ??= program.workflow;
    const fileName = this.sources[program.file]?.name ?? 'program';
    this.imported.add(fileName);
    const hasStates = program.items.some((item) => item.kind === 'state');
    const loose: Instruction[] = [];
    let machine: MachineUnit | null = null;
    for (const item of program.items) {
      if (item.kind === 'machine') {
        machine = this.machine(item.name.text, item.name.span, item.joined);
      } else if (item.kind === 'state') {
        machine ??= this.machine(machineNameOf(fileName), { file: program.file, start: 0, end: 0 });
        this.state(machine, item);
      } else if (!this.collectShared(item, fileName)) {
        loose.push(item as Instruction);
      }
    }
    if (!hasStates && loose.length > 0) this.script(program, fileName, loose, machine);
    else if (loose.length > 0) this.reportLoose(program.items, new Set(loose));
  }

  /** Reports instructions outside of every state: those that follow one another have one cause. */
  private reportLoose(items: Program['items'], loose: ReadonlySet<Program['items'][number]>): void {
    let state: string | undefined;
    /** The first state of the machine, as long as it is further down. */
    let first = firstStateBelow(items, 0);
    let group: Instruction[] = [];
    const report = (): void => {
      const [begin] = group;
      const steps = group.flatMap((one) => (one.kind === 'step' ? [one.name.text] : []));
      if (begin !== undefined && 'verb' in begin)
        this.diagnostics.push(
          say.outsideState(begin.verb.span, {
            ...{ count: group.length, tracks: group.every(({ kind }) => kind === 'track') },
            names: [
              ...namesBoundIn({ instructions: group, inline: false, span: begin.verb.span }, new Map()),
              ...steps,
            ],
            ...omitUndefined({ state, first, step: steps[0] }),
          }),
        );
      group = [];
    };
    items.forEach((item, at) => {
      const isHead = item.kind === 'broken' && !/^(?:ELSE|DEFAULT)$/.test(item.verb.text);
      if (!loose.has(item) || isHead) report();
      else if ('verb' in item && item.kind !== 'broken') group.push(item as Instruction);
      if (item.kind === 'state') [state, first] = [item.name.text, undefined];
      if (item.kind === 'machine') [state, first] = [undefined, firstStateBelow(items, at + 1)];
    });
    report();
  }

  /** Declarations that belong to the whole file, even if they are below a machine. */
  private collectShared(item: Program['items'][number], fileName: string): boolean {
    switch (item.kind) {
      case 'input':
        if (this.unique('input', item.name, this.inputs.get(item.name.text)?.name))
          this.inputs.set(item.name.text, item);
        return true;
      case 'limit':
        this.limits.push(...item.options);
        return true;
      case 'tool':
        if (this.unique('TOOL', item.value, this.tools.get(fileName))) this.tools.set(fileName, item.value);
        return true;
      case 'key': {
        const { raw, span } = item.text;
        const first = this.key === null ? undefined : { text: this.key.raw, span: this.key.span };
        if (this.unique('KEY', { text: raw, span }, first)) this.key = item.text;
        return true;
      }
      case 'title': {
        const name = { text: item.text.raw, span: item.text.span };
        if (this.unique('TITLE', name, this.title === null ? undefined : { text: '', span: this.title.span }))
          this.title = item.text;
        return true;
      }
      case 'import':
        this.import(item, fileName);
        return true;
      case 'pattern':
        if (this.unique('pattern', item.name, this.patterns.get(item.name.text)?.name))
          this.patterns.set(item.name.text, item);
        if (!item.inferred) this.parameters(item);
        return true;
      default:
        return false;
    }
  }

  private parameters({ parameters }: PatternDeclaration): void {
    const seen = new Set<string>();
    for (const { name } of parameters) {
      if (seen.has(name.text)) this.diagnostics.push(say.duplicateArgument(name.span, { name: name.text }));
      else if (isEngineName(name.text)) this.diagnostics.push(say.reservedName(name.span, { name: name.text }));
      seen.add(name.text);
    }
  }

  private machine(name: string, span: Span, joined?: readonly Span[]): MachineUnit {
    const first = this.machines.find((m) => m.name === name);
    if (first !== undefined)
      this.diagnostics.push(
        say.duplicate(span, { what: 'machine', name, first: { span: first.span, text: 'declared here first' } }),
      );
    const machine: MachineUnit = { name, span, states: [], script: false, ...omitUndefined({ joined }) };
    this.machines.push(machine);
    this.declared.set(machine, new Map());
    return machine;
  }

  private state(machine: MachineUnit, state: StateDeclaration): void {
    const declared = this.declared.get(machine) as Map<string, Name>;
    if (!this.unique('state', state.name, declared.get(state.name.text))) return;
    declared.set(state.name.text, state.name);
    machine.states.push(state);
  }

  private script(program: Program, fileName: string, loose: readonly Instruction[], named: MachineUnit | null): void {
    const first = loose[0] as Instruction;
    const span = { file: program.file, start: first.span.start, end: first.span.start };
    const body = { instructions: loose, inline: false, span };
    const state: StateDeclaration = { kind: 'state', name: { text: 'MAIN', span }, body, span };
    if (named !== null) this.machines.splice(this.machines.indexOf(named), 1);
    this.machines.push({
      name: named?.name ?? machineNameOf(fileName),
      span: named?.span ?? span,
      states: [state],
      script: true,
    });
  }

  private unique(what: string, name: Name, first: Name | undefined): boolean {
    if (first === undefined) return true;
    const other =
      first.span.file === name.span.file ? '' : ` in ${this.sources[first.span.file]?.name ?? 'another file'}`;
    this.diagnostics.push(
      say.duplicate(name.span, {
        what,
        name: name.text,
        first: { span: first.span, text: `declared here first${other}` },
      }),
    );
    return false;
  }

  private import(item: Extract<Declaration, { kind: 'import' }>, from: string): void {
    const path = item.path.parts.filter((p): p is string => typeof p === 'string').join('');
    const loaded = find(this.imports.load, path, from);
    if ('error' in loaded) {
      this.diagnostics.push(say.importFailed(item.path.span, { path, reason: loaded.error }));
      return;
    }
    if (this.imported.has(loaded.name)) return;
    this.imported.add(loaded.name);
    const index = this.sources.push(sourceFile(loaded.name, loaded.text)) - 1;
    const parsed = this.imports.parse(this.sources[index] as SourceFile, index);
    this.diagnostics.push(...parsed.diagnostics);
    for (const inner of parsed.program.items) {
      if (inner.kind === 'pattern' || inner.kind === 'import') this.collectShared(inner, loaded.name);
      else if (inner.kind !== 'broken') this.diagnostics.push(say.notInImport(inner.span, { what: whatIs(inner) }));
    }
  }
}

/** `load` is code of the caller and may throw. Compiling never throws. */
function find(load: Load | undefined, path: string, from: string): LoadedText {
  try {
    const found = load?.(path, from) ?? { error: 'no such file' };
    if (typeof found === 'string') return { name: path, text: found };
    return 'error' in found || typeof found.text === 'string' ? found : { error: 'it has no text' };
  } catch (cause) {
    return { error: cause instanceof Error ? cause.message : String(cause) };
  }
}

function whatIs(item: Declaration | Instruction): string {
  if (item.kind === 'state') return `state \`${item.name.text}\``;
  if (item.kind === 'input') return `input \`${item.name.text}\``;
  if (item.kind === 'machine') return `machine \`${item.name.text}\``;
  if (item.kind === 'tool') return 'a TOOL';
  if (item.kind === 'key') return 'a KEY';
  if (item.kind === 'title') return 'a TITLE';
  return item.kind === 'limit' ? 'a LIMIT' : 'an instruction';
}

/** Collects a parsed program. Appends the imported files to `sources`. */
export function collect(program: Program, sources: SourceSet, diagnostics: Diagnostic[], imports: Imports): Unit {
  const collector = new Collector(sources, diagnostics, imports);
  collector.program(program);
  return collector;
}

/** The error contract: the entry values of ERROR, which ON ERROR can read too. */
export const ERROR_NAMES = ['error_type', 'tool', 'error', 'exit_code', 'from_state', 'line', 'file'] as const;

/**
 * The contract of a machine. What it calls `file` itself is never the file of a failure, also where its own value is not
 * visible: with any other name, that is a mistake.
 */
export function errorNames({ ownsFile }: { readonly ownsFile: boolean }): readonly string[] {
  return ownsFile ? ERROR_NAMES.filter((name) => name !== 'file') : ERROR_NAMES;
}

/** Whether a program uses the name `file` for a value. What a GOTO gives to ERROR by that name replaces the contract. */
export function callsFile(
  { inputs, patterns }: Unit,
  symbols: {
    readonly tracked: ReadonlyMap<string, unknown>;
    readonly entries: ReadonlyMap<string, ReadonlySet<string>>;
    readonly binders: (name: string) => readonly unknown[];
  },
): boolean {
  return (
    [inputs, symbols.tracked].some((names) => names.has('file')) ||
    symbols.binders('file').length > 0 ||
    [...symbols.entries].some(([state, names]) => state !== 'ERROR' && names.has('file')) ||
    [...patterns.values()].some(({ parameters }) => parameters.some(({ name }) => name.text === 'file'))
  );
}

/** Words of expressions, which cannot name variables; and names that only the engine binds. */
const KEYWORDS = new Set(
  'AND OR NOT and or not in is contains exists matches starts ends with true false null empty'.split(' '),
);
// `file` is part of the contract too, but the name is too common to be reserved.
const ENGINE_NAMES = new Set<string>([...ERROR_NAMES.filter((name) => name !== 'file'), 'timed_out']);

/** Whether only the engine can bind the name. */
export function isEngineName(name: string): boolean {
  return ENGINE_NAMES.has(name);
}

export function isReserved(name: string): boolean {
  return KEYWORDS.has(name) || ENGINE_NAMES.has(name);
}

/** The first state of the machine from there on; undefined if a new one above it cannot be called `BEGIN`. */
function firstStateBelow(items: Program['items'], from: number): string | undefined {
  let first: string | undefined;
  for (let at = from; at < items.length; at++) {
    const item = items[at];
    if (item?.kind === 'machine') break;
    if (item?.kind !== 'state') continue;
    if (item.name.text === 'BEGIN') return undefined;
    first ??= item.name.text;
  }
  return first;
}
