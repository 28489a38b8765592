/**
 * The pipeline from text to Machine, one line a stage. Every stage reports what it finds and continues, so all mistakes come
 * at once. Names are resolved only when all declarations of all files are known: a GOTO may name a state further down, and
 * what a state is entered with is known from the GOTOs of all others. Lints come last, because they read whole machines.
 */
import type { Machine } from '../machine/machine.js';
import { checkMessages as say } from '../source/catalogue/check.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../source/diagnostic.js';
import { withFixes } from '../source/repair.js';
import { inSpellingOfFiles } from '../source/reword.js';
import { type SourceFile, type SourceSet, type Span, sourceFile } from '../source/source-file.js';
import { nearest } from '../source/suggest.js';
import { Callables, type CallSupport } from './callables.js';
import { collect, type Load, type ParseFile, type Unit } from './collect.js';
import { newExpansions } from './expansion.js';
import { keepForNext, reuseFrom } from './incremental-reuse.js';
import { withoutCascades } from './lints/cascading-errors.js';
import { lintEvents } from './lints/event-lints.js';
import { lintMachine } from './lints/machine-lints.js';
import { lintTexts } from './lints/text-lints.js';
import { lintUnusedPatterns } from './lints/unused-patterns.js';
import { RepeatedCalls } from './lower/calls/repeated-calls.js';
import { type LoweredMachine, lowerMachine } from './lower/lower-machine.js';
import type { Lookups, LoweringSettings } from './lower/settings.js';
import { RepeatedTexts } from './shell/repeated-texts.js';
import { type FindWorkflow, workflowsOf } from './steps/workflows.js';

export interface CompileOptions {
  /** What messages call the text; default `program.dsl`. */
  readonly name?: string;
  /** Reads the text; default is the language itself. The Markdown front end has the same shape. */
  readonly parse?: ParseFile;
  /** Finds the text of an IMPORT, relative to the file that imports. Absent: imports are errors. */
  readonly load?: Load;
  /** The text of a workflow that is called. Absent: there are none. */
  readonly workflow?: FindWorkflow;
  /** Tools and plans for CALL and PLAN; asked for only by programs that have such lines. */
  readonly calls?: () => CallSupport | null;
  /** Names of JavaScript functions bound as commands. */
  readonly commands?: readonly string[];
  /** What the compiler may ask about the project and the machine. */
  readonly lookups?: Lookups;
  /** The shell of DO and CHECK; default bash. */
  readonly shell?: 'bash' | 'sh';
  /** The machine to run; default the first. */
  readonly machine?: string;
  /** The state to start in; default the first. */
  readonly start?: string;
  /** `may-be-read-as-option` for every external program. */
  readonly strict?: boolean;
  /** Fill `explanations`. */
  readonly explain?: boolean;
  /**
   * The compilation of an earlier text, as an editor has it after every change; null the first time. The outcome is
   * the same as without; it is there sooner, because what did not change is not read again. Nothing of `previous` is
   * changed, its other options need not be the same, and a copy of it is of no use. What the next time needs is kept
   * only where this is given: it is as large as the Compilation. With `parse`, only imports gain.
   */
  readonly previous?: Compilation | null;
}

export interface Compilation {
  /** The machine to run, null when the program has errors. */
  readonly machine: Machine | null;
  /** What the machine to run is called and takes; known also where errors leave no machine, null where nothing is declared. */
  readonly declared: Pick<Machine, 'name' | 'inputs'> | null;
  /** All machines of the file, null ones left out. */
  readonly machines: readonly Machine[];
  /** Sorted by place, none twice. */
  readonly diagnostics: readonly Diagnostic[];
  /** The program first, then what it imports: spans index this list. */
  readonly sources: SourceSet;
  /** How lines are understood: class of each DO, inferred names, what names refer to. */
  readonly explanations: readonly { readonly span: Span; readonly text: string }[];
}

/** Compiles a program. Never throws for anything a text can contain. */
export function compile(text: string, options: CompileOptions = {}): Compilation {
  const sources: SourceSet = [sourceFile(options.name ?? 'program.dsl', text)];
  const reuse = reuseFrom(options.previous);
  const parse = options.parse ?? reuse.parse;
  const { program, diagnostics } = parse(sources[0] as SourceFile, 0);
  const unit = collect(program, sources, diagnostics, { parse, load: options.load });
  lintEvents(unit, diagnostics);
  lintTexts(unit, diagnostics);
  const settings = settingsOf(options, parse, sources, diagnostics);
  const lowered = unit.machines
    .filter(({ states }) => states.length > 0)
    .map((machine) => lowerMachine(unit, machine, sources, diagnostics, settings, reuse.statesOf(machine.name)));
  for (const machine of lowered) lintMachine(machine, sources, diagnostics);
  lintUnusedPatterns(unit, sources, diagnostics, settings);
  reportNothingToRun(unit, diagnostics);
  const machine = machineToRun(lowered, options, diagnostics);
  const reported = withoutCascades(sortDiagnostics(inSpellingOfFiles(diagnostics, sources)), sources);
  const compilation = result(lowered, machine, withFixes(reported, sources), sources);
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
    explain: options.explain ?? false,
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
  for (const { name, span } of empty) diagnostics.push(say.machineWithoutStates(span, { name }));
  if (empty.length === machines.length && !hasErrors(diagnostics)) diagnostics.push(say.nothingToRun(startOf(0), {}));
}

function result(
  lowered: readonly LoweredMachine[],
  machine: Machine | null,
  diagnostics: readonly Diagnostic[],
  sources: SourceSet,
): Compilation {
  const failed = hasErrors(diagnostics);
  const declared = machine ?? lowered[0]?.machine;
  return {
    machine: failed ? null : machine,
    declared: declared === undefined ? null : { name: declared.name, inputs: declared.inputs },
    machines: failed ? [] : lowered.map((one) => one.machine),
    diagnostics,
    sources,
    explanations: lowered
      .flatMap(({ states }) => states.flatMap(({ explanations }) => explanations))
      .sort((a, b) => a.span.file - b.span.file || a.span.start - b.span.start),
  };
}

function startOf(file: number): Span {
  return { file, start: 0, end: 0 };
}

/** The machine that `run` runs: the one asked for, else the first; started where asked. */
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
