/**
 * What lowering one state needs at hand: the code so far, the names, and where in the nesting of blocks the next
 * instruction is. Every file that lowers something takes it first and imports no other that lowers blocks: blocks contain
 * blocks, and the way down into one is `LowerBlocks`, which `lower-state.ts` hands in.
 */
import type { Expr, Json } from '../../machine/expression.js';
import type { Binding, Handler } from '../../machine/machine.js';
import type { Span } from '../../source/source-file.js';
import type { Block, Expression, Instruction } from '../../syntax/ast.js';
import type { StateDeclaration } from '../collect.js';
import { type MachineScope, StateScope } from '../scope.js';
import { stepLowering } from '../steps/machine-steps.js';
import { type StepLowering, stepExpression } from '../steps/step-keys.js';
import { Emitter } from './emitter.js';
import { ExitCodes } from './exit-codes.js';
import { type ExpressionContext, lowerExpression } from './expression.js';
import { LintFacts } from './lowered-state.js';
import { MayBeMissing } from './may-be-missing.js';
import type { LoweringSettings } from './settings.js';
import { WholeResults } from './whole-results.js';

/** The recursion of lowering. Each is true when execution can reach the end of what it lowered. */
export interface LowerBlocks {
  instruction(l: StateLowering, i: Instruction): boolean;
  block(l: StateLowering, block: Block): boolean;
  /** A body together with its `ON ERROR` lines; `end` writes what is between the body and their code. */
  lowerGuarded(l: StateLowering, block: Block, end: (completes: boolean) => void): boolean;
}

export class StateLowering implements ExpressionContext {
  readonly emitter: Emitter;
  readonly scope: StateScope;
  readonly handlers: Handler[] = [];
  /** What the lints read afterwards. */
  readonly facts = new LintFacts();
  /** Names of the patterns being expanded, outermost first. */
  readonly patterns: string[] = [];
  /** Files of the workflows being written out, outermost first. */
  readonly workflows: string[] = [];
  /** Above 0 inside branches of PARALLEL, where control flow and tracked changes are errors. */
  branchDepth = 0;
  /** Above 0 in instructions that never run. */
  deadDepth = 0;
  /** Above 0 in instructions that are the work of a step, which GOTO would leave. */
  bodyDepth = 0;
  /** Above 0 in PARALLEL and FOR EACH in PARALLEL, whose members share one worktree. */
  forkDepth = 0;
  /** Steps and their scopes that are open at run time when the next instruction runs. */
  frames = 0;
  /** Handler blocks found in the body that is being lowered; their code comes after it. */
  pendingHandlers: Extract<Instruction, { kind: 'on-error' }>[] = [];
  steps: StepLowering;
  /** Names that are null where a member did not end well. */
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
    return this.lower.block(this, block);
  }

  lowerGuarded(block: Block, end: (completes: boolean) => void): boolean {
    return this.lower.lowerGuarded(this, block, end);
  }

  // ---- what instructions write ------------------------------------------------------------------------

  /** Counts an instruction of a pattern. False when patterns have grown beyond a limit. */
  expand(): boolean {
    return this.patterns.length === 0 || this.settings.expansions.lowering.take();
  }

  explain(span: Span, text: string): void {
    this.facts.explain(span, text);
  }

  /** Adds GOTO to the state's edges. */
  jump(target: string | null, passes: readonly string[], span: Span): void {
    this.facts.jumps.push({ target, passes, span, dead: this.deadDepth > 0 });
  }

  /** A binding whose exit code may be asked for later. */
  binding(slot: number): Binding {
    return this.exitCodes.binding(slot);
  }

  expression(e: Expression): Expr {
    return lowerExpression(e, this);
  }

  constant(value: Json) {
    return { op: 'const', value } as const;
  }

  /** What a span covers, on one line. */
  sourceText({ file, start, end }: Span): string {
    const text = this.shared.sources[file]?.text.slice(start, end) ?? '';
    return text.replace(/\s+/g, ' ').trim();
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

  /** A key of a step, or null where the expression is not one. */
  stepKey(e: Expression): Expr | null {
    return stepExpression(this, e);
  }
}
