/**
 * One state of the tree becomes the flat code of a Machine state. Patterns are expanded in place; blocks become
 * jumps. Every `lower…` tells whether execution can go on behind what it wrote: that is how unreachable
 * instructions and states that fall off their end are found, in the same walk.
 */
import type { Expr, Json } from '../../machine/expression.js';
import type { Binding, Handler, State } from '../../machine/machine.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import { stepMessages as steps } from '../../source/catalogue/steps.js';
import type { Span } from '../../source/source-file.js';
import { nearest } from '../../source/suggest.js';
import type { Block, Expression, Instruction } from '../../syntax/ast.js';
import type { StateDeclaration } from '../collect.js';
import { type DaggerUse, ERROR_NAMES, type MachineScope, StateScope, type TypeUse } from '../scope.js';
import { lowerStep } from '../steps/lower-step.js';
import { stepLowering } from '../steps/machine-steps.js';
import { type StepLowering, stepExpression } from '../steps/step-keys.js';
import { lowerCall } from './calls/call.js';
import type { EffectSettings } from './effect.js';
import { lowerCheck, lowerDo } from './effect.js';
import { Emitter } from './emitter.js';
import { type ExpressionContext, lowerExpression } from './expression.js';
import { lowerIf, lowerSequence } from './flow.js';
import { MayBeMissing } from './may-be-missing.js';
import { lowerForEach, lowerParallel } from './parallel.js';
import { lowerUse } from './pattern.js';
import { lowerSimple } from './simple.js';
import { lowerUndo } from './undo.js';
import { lowerWait } from './wait.js';

/** What the caller needs to know about a lowered state, besides its code. */
export interface LoweredState {
  readonly state: State;
  /** First read of each entry value that nothing else in scope could give. */
  readonly entryReads: ReadonlyMap<string, Span>;
  /** Local slots that some expression reads. */
  readonly readSlots: ReadonlySet<number>;
  /** The text each instruction came from, by pc. */
  readonly spans: readonly Span[];
  readonly explanations: readonly Explanation[];
  readonly jumps: readonly LoweredJump[];
  readonly checks: StateLowering['checks'];
  /** What is read and written of the data that need not be there. */
  readonly dagger: DaggerUse;
  /** What its expressions ask of the types of values. */
  readonly typeUses: readonly TypeUse[];
}

export interface Explanation {
  readonly span: Span;
  readonly text: string;
}

/** A GOTO as it was lowered: the target is null when only the run knows it. */
export interface LoweredJump {
  readonly target: string | null;
  readonly passes: readonly string[];
  readonly span: Span;
  /** It stands where nothing comes to, behind a GOTO or RETURN. */
  readonly dead: boolean;
}

/** The state of lowering one state. The other files of this folder take it as their first argument. */
export class StateLowering implements ExpressionContext {
  readonly emitter: Emitter;
  readonly scope: StateScope;
  readonly handlers: Handler[] = [];
  readonly explanations: Explanation[] = [];
  readonly jumps: LoweredJump[] = [];
  /** Names of the patterns being expanded, outermost first. */
  readonly patterns: string[] = [];
  /** Above 0 inside branches of PARALLEL, where control flow and tracked changes are errors. */
  branchDepth = 0;
  /** Above 0 in instructions that never run. */
  deadDepth = 0;
  /** Handler blocks found in the body that is being lowered; their code comes behind it. */
  pendingHandlers: Extract<Instruction, { kind: 'on-error' }>[] = [];
  /** Steps and their scopes that are open at run time where the next instruction stands. */
  frames = 0;
  /** Above 0 in instructions that are the work of a step, which GOTO would leave. */
  bodyDepth = 0;
  /** Above 0 in PARALLEL and FOR EACH in PARALLEL, whose members share one worktree. */
  forkDepth = 0;
  /** Files of the workflows being written out, outermost first. */
  readonly workflows: string[] = [];
  steps: StepLowering;
  /** Names that are null where a member did not end well. */
  readonly missing: MayBeMissing;
  private readonly bindings = new Map<number, { exitSlot?: number }[]>();
  private readonly exitSlots = new Map<number, number>();
  private readonly comparedNames = new Set<string>();

  constructor(
    readonly shared: MachineScope,
    readonly declaration: StateDeclaration,
    readonly settings: EffectSettings,
  ) {
    this.emitter = new Emitter(shared.sources);
    settings.expansions.lowering.enterState();
    this.scope = new StateScope(shared, declaration.name.text);
    this.steps = stepLowering(shared, declaration);
    this.missing = new MayBeMissing(shared.diagnostics);
  }

  get diagnostics() {
    return this.shared.diagnostics;
  }

  /** Counts an instruction of a pattern. False when patterns have grown beyond a limit. */
  expand(): boolean {
    return this.patterns.length === 0 || this.settings.expansions.lowering.take();
  }

  explain(span: Span, text: string): void {
    this.explanations.push({ span, text });
  }

  sample(source: 'now' | 'uuid' | 'random', span: Span): number {
    const slot = this.scope.hidden(`$${source}`);
    this.emitter.add({ op: 'sample', source, slot }, span);
    return slot;
  }

  /** A binding whose exit code may be asked for later. */
  binding(slot: number): Binding {
    const binding: { slot: number; exitSlot?: number } = { slot };
    const exitSlot = this.exitSlots.get(slot);
    if (exitSlot !== undefined) binding.exitSlot = exitSlot;
    const known = this.bindings.get(slot);
    if (known) known.push(binding);
    else this.bindings.set(slot, [binding]);
    return binding;
  }

  exitSlot(name: string): number | null {
    if (!this.shared.survey.states.get(this.scope.state)?.bound.has(name)) return null;
    const slot = this.scope.local(name);
    let exitSlot = this.exitSlots.get(slot);
    if (exitSlot === undefined) {
      exitSlot = this.scope.hidden(`$exit:${name}`);
      this.exitSlots.set(slot, exitSlot);
      for (const binding of this.bindings.get(slot) ?? []) binding.exitSlot = exitSlot;
    }
    return exitSlot;
  }

  /** What each CHECK binds, for `check-never-read`. */
  readonly checks: { readonly slot: number; readonly name: string; readonly span: Span }[] = [];

  /** CHECKs without a written name that print JSON; comparing the whole of it with a text never holds. */
  readonly wholeResults = new Map<string, Span>();

  compared(name: string, span: Span): void {
    const bound = this.wholeResults.get(name);
    if (bound === undefined || this.comparedNames.has(name)) return;
    this.comparedNames.add(name);
    this.diagnostics.push(say.comparesWhole(span, { name, bound: { span: bound, text: `\`${name}\` is bound here` } }));
  }

  explainKey(span: Span, text: string): void {
    if (this.shared.explain) this.explain(span, text);
  }

  fieldRead(e: Extract<Expression, { kind: 'field' | 'index' }>): void {
    this.missing.read(e, (name) => this.scope.parameter(name) === undefined);
  }

  sparing<T>(read: () => T): T {
    return this.missing.sparing(read);
  }

  isTask(name: string): boolean {
    return this.steps.place.task?.name === name;
  }

  /** A key of a step, or null where the expression is none. */
  stepKey(e: Expression): Expr | null {
    return stepExpression(this, e);
  }

  /** Adds GOTO to the state's edges. */
  jump(target: string | null, passes: readonly string[], span: Span): void {
    this.jumps.push({ target, passes, span, dead: this.deadDepth > 0 });
  }

  expression(e: Expression): Expr {
    return lowerExpression(e, this);
  }

  constant(value: Json) {
    return { op: 'const', value } as const;
  }
}

/** Lowers the instructions of a block in order. True when execution can reach its end. */
export function lowerBlock(l: StateLowering, block: Block): boolean {
  return lowerSequence(l, block.instructions);
}

/** Lowers one instruction. True when execution can go on behind it. */
export function lowerInstruction(l: StateLowering, i: Instruction): boolean {
  switch (i.kind) {
    case 'do':
      lowerDo(l, i);
      return true;
    case 'check':
      lowerCheck(l, i);
      return true;
    case 'parallel':
      lowerParallel(l, i, null);
      return true;
    case 'for-each':
      lowerForEach(l, i);
      return true;
    case 'if':
      return lowerIf(l, i, null);
    case 'default':
      l.diagnostics.push(say.defaultWithoutIf(i.verb.span, {}));
      return lowerBlock(l, i.body);
    case 'use':
      return lowerUse(l, i);
    case 'call':
      lowerCall(l, i);
      return true;
    case 'wait':
      lowerWait(l, i);
      return true;
    case 'on-error':
      l.pendingHandlers.push(i);
      return true;
    case 'step':
      return lowerStep(l, i);
    case 'undo':
      lowerUndo(l, i, null);
      return true;
    case 'goto':
    case 'return':
      if (l.bodyDepth > 0) l.diagnostics.push(steps.leavesStep(i.verb.span, { verb: i.verb.text }));
      return lowerSimple(l, i);
    case 'emit':
    case 'fail':
    case 'proceed':
    case 'rollback':
    case 'track':
    case 'increment':
    case 'set':
    case 'ask':
    case 'broken':
      return lowerSimple(l, i);
  }
}

/**
 * Lowers a body together with its `ON ERROR` lines, which must be the last ones. Their code is written behind
 * the body, so the caller decides what stands between (`end`): the end of a state, or a jump over it.
 */
export function lowerGuarded(l: StateLowering, block: Block, end: (completes: boolean) => void): boolean {
  const outer = l.pendingHandlers;
  const from = l.emitter.pc;
  const handlers = block.instructions.filter((i) => i.kind === 'on-error');
  // A handler above other instructions is told, and then taken as if it stood below them.
  const body = handlers.length === 0 ? block.instructions : block.instructions.filter((i) => i.kind !== 'on-error');
  l.pendingHandlers = [];
  const completes = lowerSequence(l, body);
  const lastOfBody = block.instructions.findLastIndex((i) => i.kind !== 'on-error' && i.kind !== 'broken');
  const [first] = handlers;
  if (first !== undefined && block.instructions.indexOf(first) < lastOfBody) l.pendingHandlers.push(first);
  for (const handler of l.pendingHandlers) l.diagnostics.push(say.handlerPlace(handler.verb.span, {}));
  end(completes);
  // Behind the end, because falling off it is a failure like any other.
  const to = l.emitter.pc;
  for (const handler of handlers) lowerHandler(l, handler, from, to);
  l.pendingHandlers = outer;
  return completes;
}

const ERROR_KINDS = [
  'tool_failure',
  'timeout',
  'not_json',
  'bad_value',
  'value_too_large',
  'in_doubt',
  'fell_off',
  'limit',
  'gate_failed',
  'cancelled',
  'failed',
  'plan_failed',
  'unresolved',
  'denied',
];

function lowerHandler(l: StateLowering, i: Extract<Instruction, { kind: 'on-error' }>, from: number, to: number): void {
  const kind = i.errorKind?.text ?? null;
  if (kind !== null && !ERROR_KINDS.includes(kind) && i.errorKind)
    l.diagnostics.push(
      say.unknownErrorKind(i.errorKind.span, { name: kind, known: ERROR_KINDS, near: nearest(kind, ERROR_KINDS) }),
    );
  const names: Record<string, number> = {};
  for (const name of ERROR_NAMES) names[name] = l.scope.hidden(`$${name}`);
  const passed: Record<string, number> = {};
  // What no FAIL has passed to it is what it is elsewhere in the state.
  for (const name of l.shared.survey.states.get(l.scope.state)?.fails ?? [])
    if (!(name in names)) passed[name] = l.scope.hidden(`$${name}`);
  l.scope.push('handler', [
    ...Object.entries(names).map(([name, slot]) => [name, { slot }] as const),
    ...Object.entries(passed).map(([name, slot]) => [name, { slot, orElse: true as const }] as const),
  ]);
  const pc = l.emitter.pc;
  // Inner handlers (those of a pattern) come first: the first that fits wins.
  l.handlers.push({
    ...{ from, to, kind, pc, names },
    ...(Object.keys(passed).length === 0 ? {} : { passed }),
    ...(l.frames === 0 ? {} : { frames: l.frames }),
  });
  const completes = lowerBlock(l, i.body);
  l.scope.pop();
  if (completes) {
    // Without an action there is nothing yet that could leave.
    if (i.body.instructions.length > 0) l.diagnostics.push(say.handlerFallsOff(i.verb.span, {}));
    l.emitter.add({ op: 'fell-off' }, i.span);
  }
}

/** Lowers a state. A script's only state returns at its end instead of falling off. */
export function lowerState(
  shared: MachineScope,
  declaration: StateDeclaration,
  settings: EffectSettings,
  script: boolean,
): LoweredState {
  const l = new StateLowering(shared, declaration, settings);
  lowerGuarded(l, declaration.body, (completes) => {
    if (script && completes) l.emitter.add({ op: 'return', value: null, failed: false }, declaration.span);
    else {
      if (completes) l.diagnostics.push(say.fallsOff(declaration.name.span, { name: declaration.name.text }));
      l.emitter.add({ op: 'fell-off' }, declaration.name.span);
    }
  });
  const { exceeded } = settings.expansions.lowering;
  if (exceeded !== null) l.diagnostics.push(say.expansionTooLarge(declaration.name.span, exceeded));
  const state: State = {
    name: declaration.name.text,
    locals: l.scope.locals,
    entry: [...(shared.entrySlots.get(declaration.name.text)?.keys() ?? [])],
    code: l.emitter.code,
    handlers: l.handlers,
  };
  return {
    state,
    entryReads: l.scope.entryReads,
    readSlots: l.scope.readSlots,
    spans: l.emitter.spans,
    explanations: shared.explain ? [...l.explanations, ...l.scope.references] : [],
    jumps: l.jumps,
    checks: l.checks,
    dagger: l.scope.dagger,
    typeUses: l.scope.typeUses,
  };
}
