/**
 * The symbol table of a machine: the names that each state binds, the tracked names, and the values that every GOTO passes,
 * with patterns expanded. It is a separate pass, because lowering needs all of it for a single name: entry values come from
 * other states, and a local may be bound further down. Names of unnamed CHECKs depend on all others: a second walk finds them.
 */
import { checkMessages as say } from '../source/catalogue/check.js';
import type { Diagnostic, Span } from '../source/diagnostic.js';
import type {
  Argument,
  BareNode,
  Block,
  CheckNode,
  Instruction,
  ShellText,
  StateDeclaration,
  TextActionNode,
} from '../syntax/ast.js';
import { childBlocks, parsedBody } from '../syntax/child-blocks.js';
import type { Expression, Template } from '../syntax/expression-nodes.js';
import { blocksOf } from '../syntax/step-nodes.js';
import { callsFile, type MachineUnit, type PatternDeclaration, type Unit } from './collect.js';
import type { Expansions } from './expansion.js';
import { type FreeName, freeNames, visitTemplate } from './free-names.js';
import { allStepNames, hasSteps } from './steps/step-names.js';

/** One GOTO of a state. `target` is null if only the run knows it. */
interface Jump {
  readonly from: string;
  readonly target: string | null;
  readonly passes: readonly string[];
  readonly span: Span;
}

interface StateSymbols {
  /** The names of locals, with the location of the first binding. */
  readonly bound: Map<string, Span>;
  readonly jumps: Jump[];
  /** The names that a FAIL of the state passes. */
  readonly fails: Set<string>;
  /** Some of its instructions come from a pattern or a workflow. */
  usesPatterns: boolean;
  /** Whether the state contains ASK or WAIT, and so depends on a person or the clock. */
  waits: boolean;
}

interface Binder {
  readonly state: string;
  readonly span: Span;
}

export interface SymbolTable {
  readonly states: ReadonlyMap<string, StateSymbols>;
  /** The tracked names in the order of their first TRACK, with its expression. */
  readonly tracked: ReadonlyMap<string, { readonly span: Span; readonly value: Expression | undefined }>;
  /** The names that GOTOs pass, by target state; `*` for targets known only at run time. */
  readonly entries: ReadonlyMap<string, ReadonlySet<string>>;
  /** The states that contain a step. */
  readonly statesWithSteps: ReadonlySet<StateDeclaration>;
  /** The chosen names of unnamed CHECKs. */
  readonly resultNames: ReadonlyMap<Instruction, string>;
  /** Whether the machine calls a value of its own `file`, which then is no name of the error contract. */
  readonly ownsFile: boolean;
  /** The first states that bind a name as a local, at most two. */
  readonly binders: (name: string) => readonly Binder[];
}

/** The values of pattern parameters that name a state; null for all others. */
type StateParameters = ReadonlyMap<string, string | null>;

const NO_NAMES: ReadonlySet<string> = new Set();

class SymbolCollector {
  readonly states = new Map<string, StateSymbols>();
  readonly tracked = new Map<string, { span: Span; value: Expression | undefined }>();
  readonly entries = new Map<string, Set<string>>();
  readonly statesWithSteps = new Set<StateDeclaration>();
  readonly resultNames = new Map<Instruction, string>();
  private readonly boundIn = new Map<string, Binder[]>();
  private current!: StateSymbols;
  private state!: StateDeclaration;
  /** How far the instructions that are looked at have moved since they were parsed. */
  private by = 0;
  private targets: ReadonlySet<string> = new Set();
  private hasError = false;
  ownsFile = false;
  private readonly stepNames = new Set<string>();
  /** The names of the state that have a binding with a written name. */
  private explicit: ReadonlySet<string> = new Set();

  constructor(
    private readonly unit: Unit,
    private readonly diagnostics: Diagnostic[],
    private readonly expansions: Expansions,
  ) {}

  machine(machine: MachineUnit): void {
    for (const state of machine.states) {
      if (!hasSteps(parsedBody(state).body)) continue;
      this.statesWithSteps.add(state);
      allStepNames(state.body, this.stepNames);
    }
    this.targets = new Set(['ERROR', ...machine.states.map((state) => state.name.text)]);
    this.hasError = machine.states.some((state) => state.name.text === 'ERROR');
    for (const state of machine.states) {
      this.state = state;
      this.current = { bound: new Map(), jumps: [], fails: new Set(), usesPatterns: false, waits: false };
      this.states.set(state.name.text, this.current);
      this.expansions.symbols.enterState();
      const { body, by } = parsedBody(state);
      this.by = by;
      this.block(body, new Map(), []);
      this.by = 0;
    }
  }

  private here({ file, start, end }: Span): Span {
    return { file, start: start + this.by, end: end + this.by };
  }

  binders(name: string): readonly Binder[] {
    return this.boundIn.get(name) ?? [];
  }

  private bind(name: { text: string; span: Span } | undefined): void {
    if (name === undefined || this.current.bound.has(name.text)) return;
    const span = this.here(name.span);
    this.current.bound.set(name.text, span);
    const binders = this.boundIn.get(name.text) ?? [];
    if (binders.length === 0) this.boundIn.set(name.text, binders);
    if (binders.length < 2) binders.push({ state: this.state.name.text, span });
  }

  private block(block: Block, parameters: StateParameters, stack: readonly string[]): void {
    for (const instruction of block.instructions) {
      if (stack.length > 0 && !this.expansions.symbols.take(stack.length)) return;
      this.instruction(instruction, parameters, stack);
    }
  }

  private instruction(i: Instruction, parameters: StateParameters, stack: readonly string[]): void {
    switch (i.kind) {
      case 'do':
      case 'check':
      case 'call':
        this.bind(i.bind);
        return;
      case 'parallel':
        this.bind(i.bind);
        this.failures(i);
        this.block(i.members, parameters, stack);
        return;
      case 'for-each':
        this.ownsFile ||= i.variable.text === 'file';
        this.bind(i.bind);
        this.failures(i);
        this.block(i.body, parameters, stack);
        return;
      case 'if':
        for (const arm of i.arms) this.block(arm.body, parameters, stack);
        if (i.otherwise) this.block(i.otherwise.body, parameters, stack);
        return;
      case 'default':
      case 'on-error':
        this.block(i.body, parameters, stack);
        return;
      case 'goto':
        this.goto(i, parameters);
        return;
      case 'use':
        return this.use(i, parameters, stack);
      case 'step':
        // The code of a step depends on files and on the steps of other states.
        this.current.usesPatterns = true;
        for (const inner of blocksOf(i)) this.block(inner, parameters, stack);
        return;
      case 'wait':
        this.current.waits = true;
        this.bind({ text: 'timed_out', span: i.verb.span });
        if (i.for.kind === 'signal') this.bind(i.for.name);
        if (i.body) this.block(i.body, parameters, stack);
        return;
      case 'ask':
        this.current.waits = true;
        this.bind(i.bind ?? { text: 'answer', span: i.verb.span });
        return;
      case 'fail':
        return this.fail(i);
      case 'rollback':
        this.bind({ text: 'rollback', span: i.verb.span });
        return;
      case 'track':
        return this.track(i);
      case 'emit':
      case 'undo':
      case 'return':
      case 'increment':
      case 'set':
        return;
      default:
        i satisfies BareNode | TextActionNode;
    }
  }

  /** Binds the list of failed members. */
  private failures({ options }: Extract<Instruction, { kind: 'parallel' | 'for-each' }>): void {
    const option = options.find(({ key }) => key.text === 'on_failure');
    if (option !== undefined) this.bind({ text: 'failures', span: option.span });
  }

  private track(i: Extract<Instruction, { kind: 'track' }>): void {
    const first = this.tracked.get(i.name.text);
    if (first === undefined) {
      this.tracked.set(i.name.text, { span: this.here(i.name.span), value: i.value });
    } else if (first.span.start !== this.here(i.name.span).start && literal(first.value) !== literal(i.value)) {
      this.diagnostics.push(
        say.trackTwice(this.here(i.name.span), {
          name: i.name.text,
          first: { span: first.span, text: 'tracked here first' },
        }),
      );
    }
  }

  private goto(i: Extract<Instruction, { kind: 'goto' }>, parameters: StateParameters): void {
    const target = i.target.kind === 'state' ? i.target.name.text : (parameters.get(i.target.name.text) ?? null);
    const passes = i.args.map((a) => a.name.text);
    this.current.jumps.push({ from: this.state.name.text, target, passes, span: this.here(i.span) });
    // An undeclared state is misspelt, so the passed values may be meant for any other state.
    const key = target !== null && this.targets.has(target) ? target : '*';
    const names = this.passedTo(key);
    for (const name of passes) names.add(name);
    // Without a state ERROR this is meant as a FAIL, which is reported when the state is lowered.
    if (key === 'ERROR' && !this.hasError) for (const name of passes) this.current.fails.add(name);
  }

  /** The values of a FAIL are available in ERROR and in the handlers of its state. */
  private fail(i: Extract<Instruction, { kind: 'fail' }>): void {
    if (i.args.length === 0) return;
    const names = this.passedTo('ERROR');
    for (const { name } of i.args) {
      names.add(name.text);
      this.current.fails.add(name.text);
    }
  }

  private passedTo(state: string): Set<string> {
    let names = this.entries.get(state);
    if (names === undefined) {
      names = new Set();
      this.entries.set(state, names);
    }
    return names;
  }

  private use(i: Extract<Instruction, { kind: 'use' }>, parameters: StateParameters, stack: readonly string[]): void {
    this.current.usesPatterns = true;
    const pattern = this.unit.patterns.get(i.pattern.text);
    if (pattern === undefined || stack.includes(i.pattern.text)) return;
    const { by } = this;
    this.by = 0;
    this.block(pattern.body, wordArguments(pattern, i.args, parameters), [...stack, i.pattern.text]);
    this.by = by;
    const { exceeded } = this.expansions.symbols;
    if (exceeded !== null) this.diagnostics.push(say.expansionTooLarge(this.state.name.span, exceeded));
  }

  /** The second walk names the results of unnamed CHECKs. */
  nameResults(machine: MachineUnit): void {
    for (const state of machine.states) {
      if (!mayChooseNames(parsedBody(state).body)) continue;
      this.state = state;
      this.current = this.states.get(state.name.text) as StateSymbols;
      this.explicit = new Set(this.current.bound.keys());
      this.expansions.names.enterState();
      this.chooseResultNames(state.body, new Set(), []);
    }
  }

  private chooseResultNames(
    block: Block,
    scope: ReadonlySet<string>,
    stack: readonly string[],
    until?: Expression,
  ): void {
    block.instructions.forEach((i, at) => {
      if (stack.length > 0 && !this.expansions.names.take(stack.length)) return;
      if (i.kind === 'check' && i.bind === undefined) this.choose(i, block, at, scope, until);
      else if (i.kind === 'parallel') this.chooseResultNames(i.members, scope, stack);
      else if (i.kind === 'for-each') this.chooseResultNames(i.body, new Set([...scope, i.variable.text]), stack);
      else if (i.kind === 'if') {
        for (const arm of i.arms) this.chooseResultNames(arm.body, scope, stack);
        if (i.otherwise) this.chooseResultNames(i.otherwise.body, scope, stack);
      } else if (i.kind === 'default' || i.kind === 'on-error') this.chooseResultNames(i.body, scope, stack);
      else if (i.kind === 'step') for (const inner of blocksOf(i)) this.chooseResultNames(inner, scope, stack);
      else if (i.kind === 'wait' && i.body)
        this.chooseResultNames(i.body, scope, stack, i.for.kind === 'condition' ? i.for.condition : undefined);
      else if (i.kind === 'use') {
        const pattern = this.unit.patterns.get(i.pattern.text);
        if (pattern === undefined || stack.includes(i.pattern.text)) return;
        const names = new Set([...pattern.parameters.map((p) => p.name.text), ...i.args.map((a) => a.name.text)]);
        this.chooseResultNames(pattern.body, names, [...stack, i.pattern.text]);
      }
    });
  }

  private choose(
    check: Extract<Instruction, { kind: 'check' }>,
    block: Block,
    at: number,
    scope: ReadonlySet<string>,
    until: Expression | undefined,
  ): void {
    let name = this.resultNames.get(check);
    if (name === undefined) {
      // A name from the words of the command is bound here, even if a USE passes the same name.
      const fallback = nameFromCommand(check);
      const unboundNames = (names: readonly { name: string }[]) => [
        ...new Set(names.map((n) => n.name).filter((n) => !this.isBound(n, n === fallback ? NO_NAMES : scope))),
      ];
      const others = otherResultNames(block, check);
      let candidates: string[] = [];
      for (const names of readsBelow(block, at)) {
        const unbound = unboundNames(names);
        candidates = unbound.includes(fallback) ? [fallback] : unbound.filter((one) => !others.has(one));
        if (candidates.length > 0) break;
      }
      if (candidates.length === 0 && until !== undefined) candidates = unboundNames(freeNames(until));
      if (candidates.length > 1) {
        this.diagnostics.push(say.nameIt(check.verb.span, { names: candidates }));
        // One mistake, one message: the other names are not reported as unknown too.
        for (const other of candidates) this.bind({ text: other, span: check.verb.span });
      }
      // The other names are bound too, so that one mistake is reported once.
      for (const other of candidates.slice(1)) this.bind({ text: other, span: check.verb.span });
      name = candidates[0] ?? fallback;
      this.resultNames.set(check, name);
    }
    this.bind({ text: name, span: check.verb.span });
  }

  /** Whether something other than an unnamed CHECK binds the name here. */
  private isBound(name: string, scope: ReadonlySet<string>): boolean {
    return (
      scope.has(name) ||
      this.explicit.has(name) ||
      this.stepNames.has(name) ||
      this.tracked.has(name) ||
      this.unit.inputs.has(name) ||
      (this.entries.get(this.state.name.text)?.has(name) ?? false)
    );
  }
}

/** Whether it contains a CHECK without a name, or a pattern that may contain one. */
function mayChooseNames({ instructions }: Block): boolean {
  return instructions.some(
    (i) => (i.kind === 'check' && i.bind === undefined) || i.kind === 'use' || childBlocks(i).some(mayChooseNames),
  );
}

/** The arguments of a USE that are plain words: possible targets of `GOTO {param}`. */
function wordArguments(
  pattern: PatternDeclaration,
  args: readonly Argument[],
  outer: StateParameters,
): Map<string, string | null> {
  const words = new Map<string, string | null>();
  for (const parameter of pattern.parameters) words.set(parameter.name.text, wordOf(parameter.value, outer));
  for (const argument of args)
    words.set(
      argument.name.text,
      argument.value ? wordOf(argument.value, outer) : (outer.get(argument.name.text) ?? null),
    );
  return words;
}

function wordOf(value: Argument['value'], outer: StateParameters): string | null {
  if (value === undefined) return null;
  if (value.kind === 'word') return value.word.text;
  let e = value.expression;
  if (e.kind === 'text') {
    const [only, ...rest] = e.template.parts;
    if (rest.length > 0 || only === undefined) return null;
    if (typeof only === 'string') return only;
    e = only.expression;
  }
  return e.kind === 'name' ? (outer.get(e.name) ?? null) : null;
}

/** A literal as text, to compare two initial values. Any other expression equals only itself. */
function literal(value: Expression | undefined): string {
  if (value === undefined) return '0';
  if (value.kind === 'number') return String(value.value);
  if (value.kind === 'constant') return String(value.value);
  if (value.kind === 'text') return JSON.stringify(value.template.raw);
  return JSON.stringify(value, (key, v) => (key === 'span' ? undefined : v));
}

/** Reports mistakes that only this pass can find: TRACKs that differ, and CHECKs that need a name. */
export function buildSymbolTable(
  unit: Unit,
  machine: MachineUnit,
  diagnostics: Diagnostic[],
  expansions: Expansions,
): SymbolTable {
  const collector = new SymbolCollector(unit, diagnostics, expansions);
  collector.machine(machine);
  collector.nameResults(machine);
  collector.ownsFile ||= callsFile(unit, collector);
  return collector;
}

/** Interpreters: their first plain argument is the script that runs. */
const INTERPRETERS = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php|bash|sh|dash|zsh|env|npx|uv|uvx|poetry|pipenv|run)$/;

/** The names that each IF, SET, FOR EACH, EMIT, WAIT and RETURN below an instruction of the block reads. */
function* readsBelow(block: Block, at: number): Generator<FreeName[]> {
  for (let k = at + 1; k < block.instructions.length; k++) yield readsOf(block.instructions[k] as Instruction);
}

function readsOf(i: Instruction): FreeName[] {
  switch (i.kind) {
    case 'if':
      return i.arms.flatMap((arm) => freeNames(arm.condition));
    case 'set':
      return freeNames(i.value);
    case 'for-each':
      return freeNames(i.list);
    case 'emit':
      return [...i.fields.map(({ value }) => value), i.message].flatMap(namesInText);
    case 'wait':
      return i.for.kind === 'condition' ? freeNames(i.for.condition) : [];
    case 'return':
      return [...namesInText(i.text), ...(i.value === undefined ? [] : freeNames(i.value))];
    default:
      return [];
  }
}

function namesInText(text: Template | undefined): FreeName[] {
  const names: FreeName[] = [];
  if (text !== undefined)
    visitTemplate(text, (e) => void (e.kind === 'name' && names.push({ name: e.name, span: e.span })));
  return names;
}

/** The names that the other CHECKs of a block get from the words of their commands. */
function otherResultNames(block: Block, check: CheckNode): ReadonlySet<string> {
  const others = block.instructions.filter((i) => i.kind === 'check' && i.bind === undefined && i !== check);
  return new Set(others.map((i) => nameFromCommand(i as CheckNode)));
}

/** The base name of a path without its extension: `poll` for `lib/poll.py`. */
function stem(word: string): string {
  const base = word.split('/').pop() as string;
  return base.replace(/\.[A-Za-z0-9]+$/, '');
}

/** Commands that only prepare the actual command of a line. */
const PREPARED = /^\s*(?:cd|pushd|export|set|source|\.|umask|shopt|mkdir)[ \t][^|;&\n<>]*(?:&&|;|\n)/;

/** The words of the first actual command, without quotes; enough to name a result. */
function firstWords(shell: ShellText): string[] {
  let text = shell.text.slice(0, 2000);
  for (let prepared = PREPARED.exec(text); prepared !== null; prepared = PREPARED.exec(text))
    text = text.slice(prepared[0].length);
  const head = text.trimStart().split(/[|;&\n<>]/)[0] as string;
  return (head.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [])
    .map((w) => w.replace(/["']/g, ''))
    .filter((w, i, all) => !(/^[A-Za-z_]\w*=/.test(w) && all.slice(0, i).every((b) => /^[A-Za-z_]\w*=/.test(b))));
}

/** `<first word of the sub-command>_result`, converted to a valid name. */
function nameFromCommand(check: CheckNode): string {
  let words: string[] = [];
  if (check.performed.kind === 'shell') words = firstWords(check.performed.shell);
  else if (check.performed.kind === 'agent') words = [check.performed.agent.text.split(/[:/]/).pop() as string];
  else
    words =
      check.performed.list.kind === 'list'
        ? check.performed.list.items.map((i) =>
            i.kind === 'text' ? i.template.parts.filter((p) => typeof p === 'string').join('') : '',
          )
        : [];
  let program = 0;
  while (
    program < words.length - 1 &&
    INTERPRETERS.test(stem(words[program] as string)) &&
    !(words[program + 1] as string).startsWith('-')
  )
    program++;
  const isPlain = (w: string) => /^[A-Za-z][\w-]*$/.test(w);
  const sub = words
    .slice(program + 1)
    .find((w, i, all) => isPlain(w) && all.slice(0, i).every((b) => !b.startsWith('-') || b.includes('=')));
  const chosen = sub ?? stem(words[program] ?? 'check');
  const first = chosen.split(/[^A-Za-z0-9]+/).find((part) => part !== '') ?? 'check';
  return `${/^\d/.test(first) ? `_${first}` : first.toLowerCase()}_result`;
}
