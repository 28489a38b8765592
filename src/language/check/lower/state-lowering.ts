/**
 * The context for lowering one state: the code so far, the names, and the position in the nesting of blocks. Every
 * function that lowers something takes it as its first argument. Files do not import each other to lower nested blocks:
 * they call `LowerBlocks`, which `lower-state.ts` passes in.
 */
import type { Expr, Json } from '../../../machine/expression.js';
import type { Binding, Handler } from '../../../machine/machine.js';
import type { StepLayout } from '../../../machine/step.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import { boundByOthers } from '../../source/catalogue/expressions.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { Block, Instruction, Option, StateDeclaration } from '../../syntax/ast.js';
import type { Expression, Name } from '../../syntax/expression-nodes.js';
import type { LocationCall } from '../code-locations.js';
import { locationOf, type NameRole, type SymbolKey } from '../program-index.js';
import { type MachineScope, StateScope } from '../scope.js';
import { ofSteps, type StepLowering, stepExpression } from '../steps/step-keys.js';
import { type NamedStep, type StepScope, scopeOf } from '../steps/step-names.js';
import { Emitter } from './emitter.js';
import { type ExpressionContext, lowerExpression } from './lower-expression.js';
import { codeLocationOf } from './lowered-locations.js';
import type { LoweringSettings } from './lowered-state.js';
import { LintFacts } from './lowered-state.js';
import { MayBeMissing } from './may-be-missing.js';

/** What one line of text with single spaces does not contain. Most texts are such lines, which need no copy. */
const OTHER_SPACE = /[^\S ]| {2}|^ | $/;

/** The recursive functions of lowering. Each returns true if execution can reach the end of its code. */
export interface LowerBlocks {
  instruction(l: StateLowering, i: Instruction): boolean;
  block(l: StateLowering, block: Block): boolean;
  /** Lowers a body together with its `ON ERROR` lines; `end` writes the code between the two. */
  lowerGuarded(l: StateLowering, block: Block, end: (completes: boolean) => void): boolean;
}

/** Where the code of a step begins, in how many steps, and in which branch. */
export interface StartedStep {
  readonly name: string;
  /** The step above it; null: there is none. */
  readonly above: StartedStep | null;
  readonly pc: number;
  readonly frames: number;
  readonly branch: OpenBranch | null;
  readonly step: NamedStep;
  readonly layout: StepLayout;
}

/** A branch that is being lowered. */
export interface OpenBranch {
  /** The slots of the locals that it binds itself. */
  readonly binds: ReadonlySet<number>;
  /** It is one of the turns of a loop. */
  readonly isTurn: boolean;
}

export class StateLowering implements ExpressionContext {
  readonly emitter: Emitter;
  readonly scope: StateScope;
  readonly handlers: Handler[] = [];
  /** The facts for the lints. */
  readonly facts = new LintFacts();
  /** The names of the patterns that are being expanded, outermost first. */
  readonly patterns: string[] = [];
  /** The files of the workflows that are being inlined, outermost first. */
  readonly workflows: string[] = [];
  /** The innermost branch of PARALLEL, where control flow and changes of what is outside are errors. */
  branch: OpenBranch | null = null;
  /** Where other members than the one that is being lowered bind a slot that has no value before. */
  boundByOthers: (slot: number) => Span | undefined = () => undefined;
  /** The slot for the output of the last DO, CHECK or CALL of this turn, in a FOR EACH that binds its results. */
  result: number | null = null;
  /** The turn of the innermost sequential FOR EACH, with the slot of its mark in the undo register, if something needs it. */
  turn: { mark?: number } | null = null;
  /** The time limit of the member that is being lowered, for an instruction without its own. */
  limit: Option | undefined;
  /** Above 0 in instructions that never run. */
  deadDepth = 0;
  /** Above 0 in instructions that are the work of a step, which GOTO would leave. */
  bodyDepth = 0;
  /** Above 0 in PARALLEL and FOR EACH in PARALLEL, whose members share one worktree. */
  forkDepth = 0;
  /** The number of steps and scopes that are open at run time when the next instruction runs. */
  frames = 0;
  /** The action that is being lowered, and the uses around it, for debuggers. */
  action: Instruction | null = null;
  calls: readonly LocationCall[] = [];
  /** Handlers of the body that is being lowered, and whether they stand in a turn or a member. Their code comes after it. */
  pendingHandlers: { readonly span: Span; readonly isInner?: boolean }[] = [];
  steps: StepLowering;
  /** The last step above, in this block or in one around it. */
  started: StartedStep | null = null;
  /** Names that are null if a member failed or was stopped. */
  readonly missing: MayBeMissing;
  readonly wholeResults: WholeResults;
  private readonly exitCodes: ExitCodeSlots;

  constructor(
    readonly shared: MachineScope,
    readonly declaration: StateDeclaration,
    readonly settings: LoweringSettings,
    private readonly lower: LowerBlocks,
  ) {
    this.emitter = new Emitter(shared.sources, settings.debug ? (span) => codeLocationOf(this, span) : null);
    settings.expansions.lowering.enterState();
    this.scope = new StateScope(shared, declaration.name.text);
    this.steps = stepLowering(shared, declaration);
    this.missing = new MayBeMissing(shared.diagnostics);
    this.wholeResults = new WholeResults(shared.diagnostics);
    this.exitCodes = new ExitCodeSlots(this.scope);
  }

  get diagnostics() {
    return this.shared.diagnostics;
  }

  // ---- places for debuggers ---------------------------------------------------------------------------

  /** Lowers what a pattern or a workflow consists of. */
  inCall(call: LocationCall, lower: () => void): void {
    const outer = this.calls;
    this.calls = [...outer, call];
    lower();
    this.calls = outer;
  }

  // ---- the way down -----------------------------------------------------------------------------------

  instruction(i: Instruction): boolean {
    return this.lower.instruction(this, i);
  }

  block(block: Block): boolean {
    return this.within(() => this.lower.block(this, block));
  }

  lowerGuarded(block: Block, end: (completes: boolean) => void): boolean {
    return this.within(() => this.lower.lowerGuarded(this, block, end));
  }

  /** Steps of a block are no places to start again from outside of it. */
  private within(lower: () => boolean): boolean {
    const outer = this.started;
    const completes = lower();
    this.started = outer;
    return completes;
  }

  /** Lowers the code of a branch, whose results go to `result`. */
  inBranch(branch: OpenBranch, lower: () => void, result: number | null = null): void {
    const { branch: outer, turn } = this;
    this.branch = branch;
    // A branch has its own undo register.
    this.turn = null;
    this.givingResults(result, lower);
    this.turn = turn;
    this.branch = outer;
  }

  /** Lowers a turn of a sequential FOR EACH. Returns the slot for how much could be undone when it began, if it is needed. */
  inTurn(lower: () => void): number | undefined {
    const outer = this.turn;
    const turn: { mark?: number } = {};
    this.turn = turn;
    lower();
    this.turn = outer;
    return turn.mark;
  }

  /** Where the undo register of this turn begins. */
  markOfTurn(): { readonly mark?: number } {
    if (this.turn === null) return {};
    this.turn.mark ??= this.scope.hiddenSlot('$undo');
    return { mark: this.turn.mark };
  }

  /** Lowers instructions whose results go to the slot `result`. */
  givingResults(result: number | null, lower: () => void): void {
    const outer = this.result;
    this.result = result;
    lower();
    this.result = outer;
  }

  /** Writes a value into a local slot. */
  put(slot: number, value: Expr, span: Span): void {
    this.emitter.add({ op: 'set', to: { in: 'local', slot }, name: this.scope.locals[slot] as string, value }, span);
  }

  /** The value of a local slot. The read counts: nobody needs to read the name. */
  valueOf(slot: number): Expr {
    this.scope.readSlots.add(slot);
    return { op: 'read', name: this.scope.locals[slot] as string, places: [{ in: 'local', slot }] };
  }

  /** Whether nothing else has given the name a value: `DO: hostname = hostname` runs the command. */
  isOnlyBoundBy(bind: Name | undefined, name: string): boolean {
    const { declared, visibleScopes } = this.scope;
    if (bind?.text !== name || declared.has(name) || visibleScopes.scopes.some(({ names }) => names.has(name)))
      return false;
    return this.scope.slotRefs(name).every((ref) => ref.in === 'local');
  }

  /** What an instruction has bound to `slot` is the result of this turn. */
  giveResult(slot: number | undefined, span: Span): void {
    if (this.result !== null && slot !== undefined && slot !== this.result)
      this.put(this.result, this.valueOf(slot), span);
  }

  // ---- what instructions write ------------------------------------------------------------------------

  /** Counts an instruction of a pattern. Returns false if the expansion exceeds a limit. */
  expand(): boolean {
    return this.patterns.length === 0 || this.settings.expansions.lowering.take(this.patterns.length);
  }

  /** `isChoice`: the text could have been understood otherwise. */
  explain(span: Span, text: string, isChoice = false): void {
    this.facts.explain(span, text, isChoice);
  }

  /** Notes a name that an instruction binds without writing it. */
  bindUnwritten(name: string, span: Span): void {
    this.scope.mention(span, 'bind', this.scope.localKey(name));
  }

  /** The place of a loop, as the owner of its variables. In the text of the state it is relative, since states move. */
  locationOfLoop({ file, start }: Span): string {
    const { name } = this.declaration;
    const isOwn = this.patterns.length === 0 && this.workflows.length === 0;
    return isOwn
      ? `${this.shared.machine.name}/${name.text}+${start - name.span.start}`
      : locationOf({ file, start, end: start });
  }

  mention(span: Span, role: NameRole, ...symbols: SymbolKey[]): void {
    this.scope.mention(span, role, ...symbols);
  }

  /** Records a GOTO as an edge of the state. */
  jump(target: string | null, passes: readonly string[], span: Span): void {
    this.facts.jumps.push({ target, passes, span, dead: this.deadDepth > 0 });
  }

  /** A binding with an exit code that may be read later. */
  binding(slot: number): Binding {
    return this.exitCodes.binding(slot);
  }

  expression(e: Expression): Expr {
    return lowerExpression(e, this);
  }

  constant(value: Json) {
    return { op: 'const', value } as const;
  }

  /** The text of a span, on one line. */
  sourceText({ file, start, end }: Span): string {
    const text = this.shared.sources[file]?.text.slice(start, end) ?? '';
    return OTHER_SPACE.test(text) ? text.replace(/\s+/g, ' ').trim() : text;
  }

  // ---- what expressions ask ---------------------------------------------------------------------------

  sample(source: 'now' | 'uuid' | 'random', span: Span): number {
    const slot = this.scope.hiddenSlot(`$${source}`);
    this.emitter.add({ op: 'sample', source, slot }, span);
    return slot;
  }

  exitSlot(name: string): number | null {
    return this.bindsName(name) ? this.exitCodes.slotOf(name) : null;
  }

  /** The slot of the exit code of a name, if the state keeps it. */
  keptExitSlot(name: string): number | null {
    return this.bindsName(name) ? this.exitCodes.knownSlot(name) : null;
  }

  private bindsName(name: string): boolean {
    return this.shared.symbols.states.get(this.scope.state)?.bound.has(name) === true;
  }

  noteComparison(name: string, span: Span): void {
    this.wholeResults.compare(name, span);
  }

  explainKey(span: Span, text: string, symbol: SymbolKey): void {
    this.scope.explainMention(span, 'read', text, symbol);
  }

  fieldRead(e: Extract<Expression, { kind: 'field' | 'index' }>): void {
    this.missing.checkRead(e, (name) => this.scope.parameter(name) === undefined);
  }

  nameRead(name: string, value: Expr, span: Span): void {
    const [slot, ...others] = value.op === 'read' ? value.places : [];
    const bound = slot?.in === 'local' && others.length === 0 ? this.boundByOthers(slot.slot) : undefined;
    if (bound !== undefined && !this.missing.isSparing)
      this.diagnostics.push(boundByOthers(span, { name, bound: { span: bound, text: 'bound here' } }));
  }

  sparing<T>(read: () => T): T {
    return this.missing.sparing(read);
  }

  isTask(name: string): boolean {
    return this.steps.context.task?.name === name;
  }

  isOfSteps(name: string): 'step' | 'attempt' | null {
    return ofSteps(this.steps, name);
  }

  /** The key of a step, or null if the expression is not one. */
  stepKey(e: Expression): Expr | null {
    return stepExpression(this, e);
  }
}

/**
 * Reports comparisons of a whole result with a text, for CHECKs without a written name: their JSON never equals a text.
 */
class WholeResults {
  private readonly bound = new Map<string, Span>();
  private readonly reported = new Set<string>();

  constructor(private readonly diagnostics: Diagnostic[]) {}

  /** Another CHECK binds the name. `isWhole`: it binds the whole output. */
  bind(name: string, span: Span, isWhole: boolean): void {
    if (isWhole) this.bound.set(name, span);
    else this.bound.delete(name);
  }

  /** Called when the name is compared with a text. */
  compare(name: string, span: Span): void {
    const bound = this.bound.get(name);
    if (bound === undefined || this.reported.has(name)) return;
    this.reported.add(name);
    this.diagnostics.push(say.comparesWhole(span, { name, bound: { span: bound, text: `\`${name}\` is bound here` } }));
  }
}

/** Slots for exit codes. An effect stores its exit code only if some `exit_code(x)`, before or after it, reads it. */
class ExitCodeSlots {
  private readonly bindings = new Map<number, { exitSlot?: number }[]>();
  private readonly slots = new Map<number, number>();

  constructor(private readonly scope: StateScope) {}

  /** A binding with an exit code that may be read later. */
  binding(slot: number): Binding {
    const binding: { slot: number; exitSlot?: number } = { slot };
    const exitSlot = this.slots.get(slot);
    if (exitSlot !== undefined) binding.exitSlot = exitSlot;
    const earlier = this.bindings.get(slot);
    if (earlier) earlier.push(binding);
    else this.bindings.set(slot, [binding]);
    return binding;
  }

  /** The slot for the exit code of a name, if there is one. */
  knownSlot(name: string): number | null {
    return this.slots.get(this.scope.local(name)) ?? null;
  }

  /** The slot for the exit code of a name that an effect of this state binds. */
  slotOf(name: string): number {
    const slot = this.scope.local(name);
    let exitSlot = this.slots.get(slot);
    if (exitSlot === undefined) {
      exitSlot = this.scope.hiddenSlot(`$exit:${name}`);
      this.slots.set(slot, exitSlot);
      for (const binding of this.bindings.get(slot) ?? []) binding.exitSlot = exitSlot;
    }
    return exitSlot;
  }
}

/** The unnamed state of a script. Paths of its steps do not begin with a state. */
const UNNAMED_STATE = 'MAIN';

const made = new WeakMap<MachineScope, ReadonlyMap<string, StepScope>>();

function scopesOf(shared: MachineScope): ReadonlyMap<string, StepScope> {
  const before = made.get(shared);
  if (before !== undefined) return before;
  const scopes = new Map<string, StepScope>();
  for (const { name, body } of shared.symbols.statesWithSteps) scopes.set(name.text, emptyOrFull(name.text, body));
  made.set(shared, scopes);
  return scopes;
}

function emptyOrFull(state: string, body: StateDeclaration['body'] | null): StepScope {
  const path = state === UNNAMED_STATE ? '' : `${state}/`;
  return scopeOf(body === null ? [] : [body], { level: 0, kind: 'machine', parent: null, path });
}

/** The initial context for lowering a state. */
function stepLowering(shared: MachineScope, { name }: StateDeclaration): StepLowering {
  const scopes = scopesOf(shared);
  const scope = scopes.get(name.text) ?? emptyOrFull(name.text, null);
  return {
    context: { scope, own: null, judging: false, older: shared.unit.workflow === 'older', task: null },
    machine: [...scopes.values()],
    verdict: null,
  };
}
