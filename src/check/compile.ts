/** The pipeline from text to Machine. Every stage reports what it finds and goes on, so all mistakes come at once. */
import type { Machine } from '../machine/machine.js';
import { checkMessages as say } from '../source/catalogue/check.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../source/diagnostic.js';
import { withFixes } from '../source/repair.js';
import { inSpellingOfFiles } from '../source/reword.js';
import { type SourceFile, type SourceSet, type Span, sourceFile } from '../source/source-file.js';
import { nearest } from '../source/suggest.js';
import { type ParsedPart, parseProgram } from '../syntax/parse.js';
import { Callables, type CallSupport } from './callables.js';
import { collect, type Load, type ParseFile, type StateDeclaration } from './collect.js';
import { newExpansions } from './expansion.js';
import { withoutCascades } from './lints/cascading-errors.js';
import { lintEvents } from './lints/event-lints.js';
import { lintMachine } from './lints/machine-lints.js';
import { lintTexts } from './lints/text-lints.js';
import { checkUnusedPatterns } from './lints/unused-patterns.js';
import type { GateCommand } from './lower/effect.js';
import type { KeptStates } from './lower/kept.js';
import { lowerMachine } from './lower/machine.js';
import { type FindWorkflow, workflowsOf } from './steps/workflows.js';

export interface CompileOptions {
  /** What messages call the text; default `program.dsl`. */
  readonly name?: string;
  /** Reads the text; default is the language itself. The Markdown front end has the same shape. */
  readonly parse?: ParseFile;
  /** Names of JavaScript functions bound as commands. */
  readonly commands?: readonly string[];
  /** Finds the text of an IMPORT, relative to the file that imports. Absent: imports are errors. */
  readonly load?: Load;
  /** The machine to run; default the first. */
  readonly machine?: string;
  /** The state to start in; default the first. */
  readonly start?: string;
  /** `may-be-read-as-option` for every external program. */
  readonly strict?: boolean;
  /** Whether a program exists; absent: commands are not looked up. */
  readonly onPath?: (command: string) => boolean;
  /** Whether commands will have a variable of that name in their environment; absent: one in capitals may be there. */
  readonly environment?: (name: string) => boolean;
  /** Whether an agent is configured; absent: agents are not looked up. */
  readonly agents?: (name: string) => boolean;
  /** For suggestions beside `agents`: names that mean an agent, and what else a name may begin with. */
  readonly agentNames?: readonly string[];
  readonly agentAdapters?: readonly string[];
  /** The program that an agent needs on PATH, null for none that is known; asked for together with `onPath`. */
  readonly agentProgram?: (name: string) => string | null;
  /** The command of a gate that has a name, such as `test`; absent: nobody knows, so such gates do not pass. */
  readonly gate?: (name: string) => GateCommand | null;
  /** How long the other commands of gates may run; default ten minutes. */
  readonly gateTimeoutMs?: number;
  /** The text of a workflow that is called. Absent: there are none. */
  readonly workflow?: FindWorkflow;
  /** Whether a file of the project exists; absent: files are not looked up. */
  readonly fileExists?: (path: string) => boolean;
  /** False where there is no git repository, so that nobody can say what a step changed. */
  readonly worktree?: boolean;
  /** Tools and plans for CALL and PLAN; asked for only by programs that have such lines. */
  readonly calls?: () => CallSupport | null;
  /** The shell of DO and CHECK; default bash. */
  readonly shell?: 'bash' | 'sh';
  /** Fill `explanations`. */
  readonly explain?: boolean;
  /**
   * What an earlier state of the text was compiled to, as an editor has it after every change; null the first time.
   * The outcome is the same as without; it is there sooner, because what did not change is not read again. Nothing
   * of `previous` is changed, its other options need not be the same, and a copy of it is of no use. What the next
   * time needs is kept only where this is given: it is as large as the Compilation. With `parse`, only imports gain.
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

/** What a compilation leaves for the next one. */
interface Kept {
  /** The files as they were read. */
  readonly files: (readonly ParsedPart[])[];
  /** By the name of the machine. */
  readonly machines: Map<string, KeptStates>;
}

/** Held as long as somebody holds the Compilation, which itself stays plain data. */
const keptOf = new WeakMap<Compilation, Kept>();

/** Compiles a program. Never throws for anything a text can contain. */
export function compile(text: string, options: CompileOptions = {}): Compilation {
  const sources: SourceSet = [sourceFile(options.name ?? 'program.dsl', text)];
  const before = options.previous ? keptOf.get(options.previous) : undefined;
  const kept: Kept | null = options.previous === undefined ? null : { files: [], machines: new Map() };
  const parse: ParseFile = (file, index) => {
    const parsed = parseProgram(file, index, undefined, before?.files[index]);
    if (kept !== null) kept.files[index] = parsed.parts;
    return parsed;
  };
  const { program, diagnostics } = (options.parse ?? parse)(sources[0] as SourceFile, 0);
  const unit = collect(program, sources, diagnostics, { parse, load: options.load });
  lintEvents(unit, diagnostics);
  lintTexts(unit, diagnostics);
  const settings = {
    commands: new Set(options.commands),
    shell: options.shell ?? 'bash',
    strict: options.strict ?? false,
    onPath: options.onPath,
    environment: options.environment,
    agents: options.agents,
    agentNames: options.agentNames ?? [],
    agentAdapters: options.agentAdapters ?? [],
    agentProgram: options.agentProgram,
    gate: options.gate,
    gateTimeoutMs: options.gateTimeoutMs,
    fileExists: options.fileExists,
    worktree: options.worktree,
    workflows: workflowsOf(sources, diagnostics, options.parse ?? parse, options.workflow),
    toldAgents: new Set<string>(),
    callables: new Callables(options.calls, sources, diagnostics),
    explain: options.explain ?? false,
    anyNames: false,
    expansions: newExpansions(),
  };
  const withStates = unit.machines.filter((m) => m.states.length > 0);
  const textOf = declaredTexts(kept?.files[0] ?? []);
  const lowered = withStates.map((machine) => {
    const keeping = kept === null ? null : { previous: before?.machines.get(machine.name), textOf };
    return lowerMachine(unit, machine, sources, diagnostics, settings, keeping);
  });
  for (const machine of lowered) lintMachine(machine, sources, diagnostics);
  checkUnusedPatterns(unit, sources, diagnostics, settings);
  for (const machine of unit.machines)
    if (machine.states.length === 0) diagnostics.push(say.machineWithoutStates(machine.span, { name: machine.name }));
  if (lowered.length === 0 && !hasErrors(diagnostics)) diagnostics.push(say.nothingToRun(origin(0), {}));
  const machine = pick(
    lowered.map((l) => l.machine),
    options,
    diagnostics,
  );
  const failed = hasErrors(diagnostics);
  const { name, inputs } = machine ?? lowered[0]?.machine ?? {};
  const compilation: Compilation = {
    machine: failed ? null : machine,
    declared: name === undefined || inputs === undefined ? null : { name, inputs },
    machines: failed ? [] : lowered.map((l) => l.machine),
    diagnostics: withFixes(withoutCascades(sortDiagnostics(inSpellingOfFiles(diagnostics, sources)), sources), sources),
    sources,
    explanations: lowered
      .flatMap((l) => l.states.flatMap((s) => s.explanations))
      .sort((a, b) => a.span.file - b.span.file || a.span.start - b.span.start),
  };
  if (kept !== null) {
    for (const { unit, kept: states } of lowered) if (states !== null) kept.machines.set(unit.name, states);
    keptOf.set(compilation, kept);
  }
  return compilation;
}

/** The texts of states that are all that was read of a part. */
function declaredTexts(parts: readonly ParsedPart[]): Map<StateDeclaration, string> {
  const texts = new Map<StateDeclaration, string>();
  for (const { items, text } of parts) {
    const [only, more] = items;
    if (only?.kind === 'state' && more === undefined) texts.set(only, text);
  }
  return texts;
}

function origin(file: number): Span {
  return { file, start: 0, end: 0 };
}

/** The machine that `run` runs: the one asked for, else the first; started where asked. */
function pick(machines: readonly Machine[], options: CompileOptions, diagnostics: Diagnostic[]): Machine | null {
  const names = machines.map((m) => m.name);
  const machine = options.machine === undefined ? machines[0] : machines.find((m) => m.name === options.machine);
  if (machine === undefined) {
    if (options.machine !== undefined)
      diagnostics.push(say.unknownMachine(origin(0), { name: options.machine, names }));
    return null;
  }
  if (options.start === undefined) return machine;
  const initial = machine.states.findIndex((s) => s.name === options.start);
  if (initial >= 0) return { ...machine, initial };
  const near = nearest(
    options.start,
    machine.states.map((s) => s.name),
  );
  diagnostics.push(say.unknownStart(origin(0), { name: options.start, near }));
  return null;
}
