/**
 * The context for lowering one state: the code so far, the names, and the position in the nesting of blocks. Every
 * function that lowers something takes it as its first argument. Files do not import each other to lower nested blocks:
 * they call `LowerBlocks`, which `lower-state.ts` passes in.
 */
import type { Expr, Json } from '../../machine/expression.js';
import type { Binding, Handler } from '../../machine/machine.js';
import type { StepLayout } from '../../machine/step.js';
import type { Span } from '../../source/source-file.js';
import type { Block, Instruction } from '../../syntax/ast.js';
import type { Expression } from '../../syntax/expression.js';
import type { StateDeclaration } from '../collect.js';
import { type MachineScope, StateScope } from '../scope.js';
import { stepLowering } from '../steps/machine-steps.js';
import { type StepLowering, stepExpression } from '../steps/step-keys.js';
import type { NamedStep } from '../steps/step-names.js';
import { Emitter } from './emitter.js';
import { ExitCodes } from './exit-codes.js';
import { type ExpressionContext, lowerExpression } from './expression.js';
import { LintFacts } from './lowered-state.js';
import { MayBeMissing } from './may-be-missing.js';
import type { LoweringSettings } from './settings.js';
import { WholeResults } from './whole-results.js';

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
  /** Above 0 in instructions that never run. */
  deadDepth = 0;
  /** Above 0 in instructions that are the work of a step, which GOTO would leave. */
  bodyDepth = 0;
  /** Above 0 in PARALLEL and FOR EACH in PARALLEL, whose members share one worktree. */
  forkDepth = 0;
  /** The number of steps and scopes that are open at run time when the next instruction runs. */
  frames = 0;
  /** Handlers of the body that is being lowered. Their code comes after it. */
  pendingHandlers: Extract<Instruction, { kind: 'on-error' }>[] = [];
  steps: StepLowering;
  /** The steps above in this block and in those around it. */
  started: ReadonlyMap<string, StartedStep> = new Map();
  /** Names that are null if a member failed or was stopped. */
  readonly missing: MayBeMissing;
  readonly wholeResults: WholeResults;
  private readonly exitCodes: ExitCodes;

  constructor(
    readonly shared: MachineScope,
    readonly declaration: StateDeclaration,
    readonly settings: LoweringSettings,
    private readonly lower: LowerBlocks,
  ) {
    this.emitter = new Emitter(shared.sources);
    settings.expansions.lowering.enterState();
    this.scope = new StateScope(shared, declaration.name.text);
    this.steps = stepLowering(shared, declaration);
    this.missing = new MayBeMissing(shared.diagnostics);
    this.wholeResults = new WholeResults(shared.diagnostics);
    this.exitCodes = new ExitCodes(this.scope);
  }

  get diagnostics() {
    return this.shared.diagnostics;
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

  /** Lowers the code of a branch. */
  inBranch(branch: OpenBranch, lower: () => void): void {
    const outer = this.branch;
    this.branch = branch;
    lower();
    this.branch = outer;
  }

  // ---- what instructions write ------------------------------------------------------------------------

  /** Counts an instruction of a pattern. Returns false if the expansion exceeds a limit. */
  expand(): boolean {
    return this.patterns.length === 0 || this.settings.expansions.lowering.take();
  }

  explain(span: Span, text: string): void {
    this.facts.explain(span, text);
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
    const isBound = this.shared.symbols.states.get(this.scope.state)?.bound.has(name) === true;
    return isBound ? this.exitCodes.slotOf(name) : null;
  }

  noteComparison(name: string, span: Span): void {
    this.wholeResults.compare(name, span);
  }

  explainKey(span: Span, text: string): void {
    if (this.shared.explain) this.explain(span, text);
  }

  fieldRead(e: Extract<Expression, { kind: 'field' | 'index' }>): void {
    this.missing.checkRead(e, (name) => this.scope.parameter(name) === undefined);
  }

  sparing<T>(read: () => T): T {
    return this.missing.sparing(read);
  }

  isTask(name: string): boolean {
    return this.steps.context.task?.name === name;
  }

  /** The key of a step, or null if the expression is not one. */
  stepKey(e: Expression): Expr | null {
    return stepExpression(this, e);
  }
}
