/**
 * The pipeline from text to Machine, one line per stage. Every stage reports its diagnostics and continues, so all
 * mistakes are reported at once. Names are resolved only after the declarations of all files are collected: a GOTO may
 * name a later state, and the entry values of a state follow from the GOTOs of all other states. Lints come last,
 * because they read whole machines.
 */
import type { Machine } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';
import { checkMessages as say } from '../source/catalogue/check.js';
import {
  type Diagnostic,
  hasErrors,
  type SourceFile,
  type SourceSet,
  type Span,
  sortDiagnostics,
  sourceFile,
} from '../source/diagnostic.js';
import { withFixes, withoutPreference } from '../source/repair.js';
import { inSpellingOfFiles } from '../source/reword.js';
import type { Program, StateDeclaration } from '../syntax/ast.js';
import { type ParsedPart, parseProgram } from '../syntax/parse.js';
import { Callables, type CallSupport } from './callables.js';
import type { MachineLocations } from './code-locations.js';
import { collect, type Load, type ParseFile, type Unit } from './collect.js';
import { newExpansions } from './expansion.js';
import { lintBlockNames } from './lints/block-names.js';
import { withoutCascades } from './lints/cascading-errors.js';
import { lintMachine } from './lints/machine-lints.js';
import { lintTexts } from './lints/text-lints.js';
import { lintEvents, lintFailures, lintUnusedPatterns } from './lints/tree-lints.js';
import { RepeatedCalls } from './lower/calls/repeated-calls.js';
import { type LoweredMachine, lowerMachine } from './lower/lower-machine.js';
import { finish, type ReusableStates, type StateReuse, type Stepwise } from './lower/lower-states.js';
import type { Lookups, LoweringSettings } from './lower/lowered-state.js';
import { buildIndex, type Declarations, explainMention, type Mention, type ProgramIndex } from './program-index.js';
import { RepeatedTexts } from './shell/repeated-texts.js';
import { type FindWorkflow, workflowsOf } from './steps/workflows.js';

export interface CompileOptions {
  /** The name of the text in messages; default `program.dsl`. */
  readonly name?: string;
  /** Parses the text; default is the parser of the language. The front ends have the same type. */
  readonly parse?: ParseFile;
  /** Finds the text of an IMPORT, relative to the importing file. If absent, imports are errors. */
  readonly load?: Load;
  /** Finds the text of a called workflow. If absent, there are no workflows. */
  readonly workflow?: FindWorkflow;
  /** Returns the tools and plans for CALL and PLAN. Called only for programs that have such lines. */
  readonly calls?: () => CallSupport | null;
  /** Names of JavaScript functions bound as commands. */
  readonly commands?: readonly string[];
  /** Answers the compiler's questions about the project and the computer. */
  readonly lookups?: Lookups;
  /** The shell of DO and CHECK; default bash. */
  readonly shell?: 'bash' | 'sh';
  /** The machine to run; default the first. */
  readonly machine?: string;
  /** The state to start in; default the first. */
  readonly start?: string;
  /** Reports `may-be-read-as-option` for every external program. */
  readonly strict?: boolean;
  /** Fills `explanations` in the result. */
  readonly explain?: boolean;
  /** Fills `program`, `index` and `explanations`, for editors. */
  readonly index?: boolean;
  /** Fills `places`, for debuggers. */
  readonly debug?: boolean;
  /**
   * The compilation of an earlier text, or null the first time, for editors that compile after every change. The result
   * is the same as without, but unchanged parts are not compiled again. `previous` itself is not modified and may have
   * had other options; a copy of it has no effect. Data for the next compilation, about as large as the Compilation, is
   * kept only if this option is present. With `parse`, only imports are reused.
   */
  readonly previous?: Compilation | null;
}

export interface Compilation {
  /** The machine to run; null if the program has errors. */
  readonly machine: Machine | null;
  /** The name and inputs of the machine to run, even if errors leave no machine; null if nothing is declared. */
  readonly declared: Pick<Machine, 'name' | 'inputs'> | null;
  /** All machines of the file that have no errors. */
  readonly machines: readonly Machine[];
  /** Sorted by location, without duplicates. */
  readonly diagnostics: readonly Diagnostic[];
  /** The program, then its imports. Spans refer to indexes of this list. */
  readonly sources: SourceSet;
  /**
   * How the compiler understands lines and names: the class of each DO, inferred names, what each name means. `isChoice`: the
   * text could have been understood otherwise.
   */
  readonly explanations: readonly { readonly span: Span; readonly text: string; readonly isChoice?: boolean }[];
  /** The explanations of lines alone: those of a pattern appear at each use. */
  readonly lines: readonly { readonly span: Span; readonly text: string }[];
  /** The tree of the text, and what its names mean; null without the option `index`. */
  readonly program: Program | null;
  readonly index: ProgramIndex | null;
  /** Where the instructions of the machine to run come from; null without the option `debug`. */
  readonly places: MachineLocations | null;
}

/** Compiles a program. Never throws, whatever the text contains. */
export function compile(text: string, options: CompileOptions = {}): Compilation {
  return finish(compileInSteps(text, options));
}

/** The same, so that a caller can do something else, or give it up, between its stages and between two states. */
export function* compileInSteps(text: string, options: CompileOptions): Stepwise<Compilation> {
  const sources: SourceSet = [sourceFile(options.name ?? 'program.dsl', text)];
  const reuse = reuseFrom(options.previous, options.parse);
  const { parse } = reuse;
  const { program, diagnostics, isPartial } = parse(sources[0] as SourceFile, 0);
  yield;
  const unit = collect(program, sources, diagnostics, { parse, load: options.load });
  lintEvents(unit, diagnostics);
  lintFailures(unit, diagnostics);
  lintTexts(unit, sources, diagnostics);
  yield;
  const settings = settingsOf(options, parse, sources, diagnostics);
  const lowered: LoweredMachine[] = [];
  for (const machine of unit.machines.filter(({ states }) => states.length > 0))
    lowered.push(yield* lowerMachine(unit, machine, sources, diagnostics, settings, reuse.statesOf(machine.name)));
  yield;
  for (const machine of lowered) lintMachine(machine, sources, diagnostics);
  yield;
  const unused = lintUnusedPatterns(unit, sources, diagnostics, settings);
  lintBlockNames(unit, sources, diagnostics);
  reportNothingToRun(unit, diagnostics);
  const machine = machineToRun(lowered, options, diagnostics);
  yield;
  const reported = withoutCascades(sortDiagnostics(inSpellingOfFiles(diagnostics, sources)), sources);
  yield;
  // If a part of the program is not read, its errors are not known, and a program that seems to be correct is not.
  const fixed = withFixes(reported, sources);
  const compilation = withNames(
    result(lowered, machine, isPartial === true ? fixed.map(withoutPreference) : fixed, sources),
    options,
    { unit: declarationsOf(unit), program, lowered, unused },
  );
  keepForNext(compilation, reuse, lowered);
  return compilation;
}

function settingsOf(
  options: CompileOptions,
  parse: ParseFile,
  sources: SourceSet,
  diagnostics: Diagnostic[],
): LoweringSettings {
  return {
    commands: new Set(options.commands),
    shell: options.shell ?? 'bash',
    strict: options.strict ?? false,
    index: options.index === true || options.explain === true,
    debug: options.debug === true,
    anyNames: false,
    lookups: options.lookups ?? {},
    expansions: newExpansions(),
    shellTexts: new RepeatedTexts(),
    workflows: workflowsOf(sources, diagnostics, parse, options.workflow),
    callables: new Callables(options.calls, sources, diagnostics),
    repeatedCalls: new RepeatedCalls(),
    reportedAgents: new Set(),
  };
}

function reportNothingToRun({ machines }: Unit, diagnostics: Diagnostic[]): void {
  const empty = machines.filter(({ states }) => states.length === 0);
  // A workflow file without steps has a message of its own.
  if (!diagnostics.some(({ code }) => code === 'workflow-shape'))
    for (const { name, span } of empty) diagnostics.push(say.machineWithoutStates(span, { name }));
  const isExplained = hasErrors(diagnostics) || diagnostics.some(({ code }) => code === 'unread-block');
  if (empty.length === machines.length && !isExplained) diagnostics.push(say.nothingToRun(startOf(0), {}));
}

function result(
  lowered: readonly LoweredMachine[],
  machine: Machine | null,
  diagnostics: readonly Diagnostic[],
  sources: SourceSet,
): Omit<Compilation, 'explanations' | 'lines' | 'program' | 'index' | 'places'> {
  const failed = hasErrors(diagnostics);
  const declared = machine ?? lowered[0]?.machine;
  return {
    machine: failed ? null : machine,
    declared: declared === undefined ? null : { name: declared.name, inputs: declared.inputs },
    machines: failed ? [] : lowered.map((one) => one.machine),
    diagnostics,
    sources,
  };
}

interface NamedMachine {
  readonly unit: Declarations;
  readonly program: Program;
  readonly lowered: readonly LoweredMachine[];
  /** The names of patterns that nothing uses. */
  readonly unused: readonly Mention[];
}

/** Without what read them, which knows the compilation before: an editor would keep all of them. */
function declarationsOf({ machines, patterns, inputs, key }: Unit): Declarations {
  return { machines, patterns, inputs, key };
}

/** Names are put in order when somebody asks: an editor shows messages after each change, and hovers rarely. */
function withNames(
  compiled: Omit<Compilation, 'explanations' | 'lines' | 'program' | 'index' | 'places'>,
  options: CompileOptions,
  { unit, program, lowered, unused }: NamedMachine,
): Compilation {
  const hasIndex = options.index === true;
  let index: ProgramIndex | null | undefined = hasIndex ? undefined : null;
  const isExplained = hasIndex || options.explain === true;
  let explanations: Compilation['explanations'] | undefined = isExplained ? undefined : [];
  let lines: Compilation['lines'] | undefined = isExplained ? undefined : [];
  return {
    ...compiled,
    program: hasIndex ? program : null,
    places: options.debug === true ? locationsOf(compiled.machine, lowered) : null,
    get index() {
      index = index === undefined ? buildIndex(unit, program, mentionsOf(lowered, unused), compiled.sources) : index;
      return index;
    },
    get lines() {
      lines ??= lowered.flatMap(({ states }) => states.flatMap((state) => state.explanations));
      return lines;
    },
    get explanations() {
      explanations ??= explanationsOf(lowered);
      return explanations;
    },
  };
}

function locationsOf(machine: Machine | null, lowered: readonly LoweredMachine[]): MachineLocations | null {
  const own = lowered.find((one) => one.machine.name === machine?.name);
  return machine === null || own === undefined ? null : { machine, states: own.states.map(({ places }) => places) };
}

/** The lines and names of all states, each once: a pattern is lowered at every USE. */
function explanationsOf(lowered: readonly LoweredMachine[]): Compilation['explanations'] {
  const known = new Set<string>();
  const all = lowered.flatMap(({ states, unit }) => [
    ...(unit.joined ?? []).map((span) => ({
      span,
      text: `continues the machine \`${unit.name}\`: GOTOs lead from one to the other`,
      isChoice: true,
    })),
    ...states.flatMap(({ explanations, mentions }) => [
      ...explanations,
      ...mentions.flatMap((mention) => {
        const text = explainMention(mention);
        return text === null ? [] : [{ span: mention.span, text, isChoice: text.includes(', else ') }];
      }),
    ]),
  ]);
  return all
    .filter(({ span, text }) => {
      const key = `${span.file}:${span.start}:${span.end}:${text}`;
      return !known.has(key) && known.add(key) !== undefined;
    })
    .sort((a, b) => a.span.file - b.span.file || a.span.start - b.span.start);
}

function* mentionsOf(lowered: readonly LoweredMachine[], unused: readonly Mention[]): Generator<Mention> {
  for (const { states } of lowered) for (const { mentions } of states) yield* mentions;
  yield* unused;
}

function startOf(file: number): Span {
  return { file, start: 0, end: 0 };
}

/** The machine that `run` executes: the requested or the first one, with the requested first state. */
function machineToRun(
  lowered: readonly LoweredMachine[],
  { machine: wanted, start }: CompileOptions,
  diagnostics: Diagnostic[],
): Machine | null {
  const machines = lowered.map(({ machine }) => machine);
  const machine = wanted === undefined ? machines[0] : machines.find(({ name }) => name === wanted);
  if (machine === undefined) {
    const names = machines.map(({ name }) => name);
    if (wanted !== undefined) diagnostics.push(say.unknownMachine(startOf(0), { name: wanted, names }));
    return null;
  }
  if (start === undefined) return machine;
  const states = machine.states.map(({ name }) => name);
  const initial = states.indexOf(start);
  if (initial >= 0) return { ...machine, initial };
  diagnostics.push(say.unknownStart(startOf(0), { name: start, near: nearest(start, states) }));
  return null;
}

interface Leftovers {
  /** The parts of each file, by the index of the file. */
  readonly files: (readonly ParsedPart[])[];
  /** The lowered states, by the name of the machine. */
  readonly machines: Map<string, ReusableStates>;
  /** All lowered machines, also those of a program with errors. */
  lowered: readonly LoweredMachine[];
}

const leftoversOf = new WeakMap<object, Leftovers>();

/** The data that one compilation takes from the previous one and collects for the next one. */
interface Reuse {
  /** Parses a file of the language, and reuses parts with unchanged text. */
  readonly parse: ParseFile;
  /** The reusable states of a machine; null if nothing is kept. */
  statesOf(machine: string): StateReuse | null;
  /** The data for the next compilation; null if nothing is kept. */
  readonly next: Leftovers | null;
  /** Releases the earlier compilation: what is kept refers to what parsed it, and must not keep all earlier ones. */
  forget(): void;
}

/** Prepares the reuse of an earlier compilation: null the first time, undefined if nothing is to be kept. */
function reuseFrom(
  previous: object | null | undefined,
  read: ParseFile = (file, index, parts) => parseProgram(file, index, undefined, parts),
): Reuse {
  let before = previous ? leftoversOf.get(previous) : undefined;
  const next: Leftovers | null = previous === undefined ? null : { files: [], machines: new Map(), lowered: [] };
  return {
    next,
    parse: (file, index) => {
      const parsed = read(file, index, before?.files[index] ?? (next === null ? undefined : []));
      if (next !== null) next.files[index] = parsed.parts ?? [];
      return parsed;
    },
    statesOf: (machine) =>
      next === null ? null : { previous: before?.machines.get(machine), textOf: declaredTexts(next.files[0] ?? []) },
    forget: () => {
      before = undefined;
    },
  };
}

/** The parts of the text of a compilation with `previous`. */
export function partsOf(compilation: object | null): readonly ParsedPart[] {
  return (compilation === null ? undefined : leftoversOf.get(compilation)?.files[0]) ?? [];
}

/** Keeps the parsed parts and lowered states for the next compilation. */
function keepForNext(compilation: object, { next, forget }: Reuse, lowered: readonly LoweredMachine[]): void {
  forget();
  if (next === null) return;
  next.lowered = lowered;
  for (const { unit, reusable } of lowered) if (reusable !== null) next.machines.set(unit.name, reusable);
  leftoversOf.set(compilation, next);
}

/** The texts of the states that are the only declaration of their part. */
function declaredTexts(parts: readonly ParsedPart[]): Map<StateDeclaration, string> {
  const texts = new Map<StateDeclaration, string>();
  for (const { items, text } of parts) {
    const [only, more] = items;
    if (only?.kind === 'state' && more === undefined) texts.set(only, text);
  }
  return texts;
}

/**
 * The machines of a compilation with `previous`. Those of a program with errors cannot run, but the instructions of its lines
 * without errors are as they were meant.
 */
export function loweredOf(compilation: object): readonly LoweredMachine[] {
  return leftoversOf.get(compilation)?.lowered ?? [];
}
