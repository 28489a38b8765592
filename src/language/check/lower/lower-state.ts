/**
 * Lowers one state of the tree to the flat code of a Machine state. Patterns are expanded in place, and blocks become
 * jumps. Every `lower…` function returns whether execution can continue after its code, so the same walk finds
 * unreachable instructions and states that fall off their end.
 */
import { ERROR_KINDS } from '../../../machine/error-kinds.js';
import type { State } from '../../../machine/machine.js';
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import { stepMessages as steps } from '../../source/catalogue/steps.js';
import type { Span } from '../../source/diagnostic.js';
import type { Argument, Block, Instruction, StateDeclaration, UseNode, WaitNode } from '../../syntax/ast.js';
import { errorNames, type PatternDeclaration } from '../collect.js';
import { freeNames } from '../free-names.js';
import { namesBoundIn, namesReadIn } from '../pattern-names.js';
import { symbolKey } from '../program-index.js';
import type { Constant, MachineScope } from '../scope.js';
import { lowerStep } from '../steps/lower-step.js';
import { suggestName } from '../suggest-name.js';
import { lowerCall } from './calls/lower-call.js';
import { lowerArgument } from './constant.js';
import { lowerCheck, lowerDo } from './effect.js';
import { condition as asCondition, lowerExpression } from './lower-expression.js';
import { lowerDetachedWait, lowerWait } from './lower-wait.js';
import type { LoweredState, LoweringSettings } from './lowered-state.js';
import { lowerForEach, lowerParallel } from './parallel.js';
import { lowerSimple } from './simple.js';
import { type LowerBlocks, StateLowering } from './state-lowering.js';
import { lowerUndo } from './undo.js';

/** Lowers one instruction. Returns true if execution can continue after it. */
function lowerInstruction(l: StateLowering, i: Instruction): boolean {
  const outer = l.action;
  l.action = i;
  const completes = lowerKind(l, i);
  l.action = outer;
  return completes;
}

function lowerKind(l: StateLowering, i: Instruction): boolean {
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
      return lowerIf(l, i);
    case 'default':
      l.diagnostics.push(say.defaultWithoutIf(i.verb.span, {}));
      return l.block(i.body);
    case 'use':
      return lowerUse(l, i);
    case 'call':
      lowerCall(l, i);
      return true;
    case 'wait':
      lowerWait(l, i);
      return true;
    case 'on-error':
      l.pendingHandlers.push({ span: i.verb.span, isInner: l.branch !== null || l.turn !== null });
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
    default:
      return lowerSimple(l, i);
  }
}

/**
 * Lowers a body together with its `ON ERROR` lines, which must be the last ones. Their code comes after the body. The
 * caller writes the code between the two (`end`): the end of a state, or a jump over the handlers.
 */
function lowerGuarded(l: StateLowering, block: Block, end: (completes: boolean) => void): boolean {
  const outer = l.pendingHandlers;
  const from = l.emitter.pc;
  const handlers = block.instructions.filter((i) => i.kind === 'on-error');
  // A handler above other instructions is reported, and then treated as if it were below them.
  const body = handlers.length === 0 ? block.instructions : block.instructions.filter((i) => i.kind !== 'on-error');
  l.pendingHandlers = [];
  const completes = lowerSequence(l, body);
  const lastOfBody = block.instructions.findLastIndex((i) => i.kind !== 'on-error' && i.kind !== 'broken');
  const [one] = handlers;
  if (one && block.instructions.indexOf(one) < lastOfBody) l.pendingHandlers.push({ span: one.verb.span });
  for (const { span, isInner } of l.pendingHandlers) l.diagnostics.push(say.misplacedHandler(span, { isInner }));
  end(completes);
  // The handlers cover the end too, because falling off is a failure like any other.
  const to = l.emitter.pc;
  for (const handler of handlers) lowerHandler(l, handler, from, to);
  l.pendingHandlers = outer;
  return completes;
}

function lowerHandler(l: StateLowering, i: Extract<Instruction, { kind: 'on-error' }>, from: number, to: number): void {
  const kind = i.errorKind?.text ?? null;
  if (kind !== null && !ERROR_KINDS.includes(kind) && i.errorKind)
    l.diagnostics.push(
      say.unknownErrorKind(i.errorKind.span, { name: kind, known: ERROR_KINDS, near: nearest(kind, ERROR_KINDS) }),
    );
  const names: Record<string, number> = {};
  for (const name of errorNames(l.shared.symbols)) names[name] = l.scope.hiddenSlot(`$${name}`);
  const passed: Record<string, number> = {};
  // A name that no FAIL has passed has its ordinary meaning in the state.
  for (const name of l.shared.symbols.states.get(l.scope.state)?.fails ?? [])
    if (!(name in names)) passed[name] = l.scope.hiddenSlot(`$${name}`);
  l.scope.push('handler', '', [
    ...Object.entries(names).map(([name, slot]) => [name, { slot }] as const),
    ...Object.entries(passed).map(([name, slot]) => [name, { slot, orElse: true as const }] as const),
  ]);
  const pc = l.emitter.pc;
  // Inner handlers (those of a pattern) come first: the first that fits wins.
  l.handlers.push({
    ...{ from, to, kind, pc, names },
    ...omitUndefined({
      passed: Object.keys(passed).length === 0 ? undefined : passed,
      frames: l.frames === 0 ? undefined : l.frames,
    }),
  });
  const completes = l.block(i.body);
  l.scope.pop();
  if (completes) {
    // Without an action, nothing can leave yet.
    if (i.body.instructions.length > 0) l.diagnostics.push(say.handlerFallsOff(i.verb.span, {}));
    l.emitter.add({ op: 'fell-off' }, i.span);
  }
}

const RECURSION: LowerBlocks = {
  instruction: lowerInstruction,
  block: (l, block) => lowerSequence(l, block.instructions),
  lowerGuarded: lowerGuarded,
};

/** Lowers a state. A script's only state returns at its end instead of falling off. */
export function lowerState(
  shared: MachineScope,
  declaration: StateDeclaration,
  settings: LoweringSettings,
  script: boolean,
): LoweredState {
  const l = new StateLowering(shared, declaration, settings, RECURSION);
  l.lowerGuarded(declaration.body, (completes) => {
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
    places: l.emitter.locations,
    explanations: shared.index ? l.facts.explanations : [],
    mentions: l.scope.mentions,
    jumps: l.facts.jumps,
    checks: l.facts.checks,
    dataUse: l.scope.dataUse,
    typeUses: l.scope.typeUses,
  };
}
type BoundName = readonly [string, { slot: number } | Constant];

/** Lowers a USE. Returns true if execution can continue after it. */
function lowerUse(l: StateLowering, i: UseNode): boolean {
  const name = i.pattern.text;
  if (l.shared.index) mentionUse(l, i);
  const pattern = l.shared.unit.patterns.get(name);
  if (pattern === undefined) {
    // A lower-case `use` is usually prose, and it is already reported as an unknown verb.
    if (i.verb.text !== 'USE') return true;
    l.diagnostics.push(
      say.unknownPattern(i.pattern.span, {
        name,
        near: suggestName(l.diagnostics, name, () => l.shared.unit.patterns.keys()),
      }),
    );
    return true;
  }
  if (l.patterns.includes(name)) {
    l.diagnostics.push(say.recursion(i.pattern.span, { path: [...l.patterns.slice(l.patterns.indexOf(name)), name] }));
    return true;
  }
  const readByDefaults = new Set<string>();
  const bound = bindArguments(l, i, pattern, readByDefaults);
  l.patterns.push(name);
  const missing = pattern.inferred ? new Map<string, Span>() : undefined;
  const scope = l.scope.push('parameters', name, bound, missing);
  const over: number[] = [];
  let completes = true;
  const before = l.diagnostics.length;
  l.inCall({ kind: 'pattern', name, span: i.span }, () => {
    completes = l.lowerGuarded(pattern.body, (bodyCompletes) => {
      if (bodyCompletes && pattern.body.instructions.some((b) => b.kind === 'on-error'))
        over.push(l.emitter.add({ op: 'jump', to: -1 }, i.span));
    });
  });
  for (const jump of over) l.emitter.patch(jump);
  l.scope.pop();
  l.patterns.pop();
  // What follows an error is not always lowered, and may read a parameter.
  const isWhole = !l.diagnostics.slice(before).some(({ severity }) => severity === 'error');
  if (missing !== undefined) reportMissing(l, i, missing);
  else if (isWhole) reportUnused(l, i, pattern, new Set([...scope.read, ...readByDefaults]));
  return completes;
}

function bindArguments(
  l: StateLowering,
  i: UseNode,
  pattern: PatternDeclaration,
  readByDefaults: Set<string>,
): BoundName[] {
  const given = new Map<string, Argument>();
  const known = parametersOf(l, pattern);
  for (const argument of i.args) {
    const name = argument.name.text;
    if (given.has(name)) l.diagnostics.push(say.duplicateArgument(argument.name.span, { name }));
    else if (!known.has(name)) {
      const names = [...known];
      l.diagnostics.push(
        say.unknownArgument(argument.name.span, {
          pattern: i.pattern.text,
          name,
          known: names,
          near: suggestName(l.diagnostics, name, () => names),
        }),
      );
    } else given.set(name, argument);
  }
  const bound: BoundName[] = [];
  for (const argument of given.values())
    bound.push(bindOne(l, argument, { span: argument.value?.span ?? argument.span, isDefault: false }));
  const missing: string[] = [];
  // A default that names another parameter means that one, and not a value of the caller.
  const own = l.scope.push('parameters', pattern.name.text, bound);
  for (const parameter of inOrder(pattern.parameters.filter(({ name }) => !given.has(name.text)))) {
    if (parameter.value === undefined) {
      missing.push(parameter.name.text);
      bound.push([parameter.name.text, { constant: null }]);
    } else bound.push(bindOne(l, { ...parameter, span: i.span }, { span: i.pattern.span, isDefault: true }));
    own.names.set(...(bound.at(-1) as BoundName));
  }
  l.scope.pop();
  for (const name of own.read) readByDefaults.add(name);
  if (missing.length > 0)
    l.diagnostics.push(say.missingArgument(i.pattern.span, { pattern: i.pattern.text, names: missing }));
  return bound;
}

/** Parameters behind those that their defaults name. Defaults that need each other give no value. */
function inOrder(parameters: readonly Argument[]): Argument[] {
  const all = new Map(parameters.map((one) => [one.name.text, one] as const));
  const begun = new Set<string>();
  const ordered = new Map<string, Argument>();
  const visit = ({ value, ...one }: Argument): void => {
    begun.add(one.name.text);
    let isCircular = false;
    for (const name of namesOf(value)) {
      const named = all.get(name);
      if (named !== undefined && !begun.has(name)) visit(named);
      isCircular ||= name !== one.name.text && begun.has(name) && !ordered.has(name);
    }
    ordered.set(one.name.text, { ...one, ...omitUndefined({ value: isCircular ? undefined : value }) });
  };
  for (const one of parameters) if (!begun.has(one.name.text)) visit(one);
  return [...ordered.values()];
}

function namesOf(value: Argument['value']): string[] {
  if (value?.kind === 'word') return [value.word.text];
  return value === undefined ? [] : freeNames(value.expression).map(({ name }) => name);
}

function mentionUse(l: StateLowering, { pattern, args }: UseNode): void {
  l.mention(pattern.span, 'use', symbolKey('pattern', '', pattern.text));
  for (const { name } of args) l.mention(name.span, 'pass', symbolKey('parameter', pattern.text, name.text));
}

/** Constants need no slot: each use of the parameter becomes the constant. */
function bindOne(
  l: StateLowering,
  { name, value, span }: Argument,
  given: Omit<NonNullable<Constant['given']>, 'written'>,
): BoundName {
  const expr = lowerArgument(l, name, value);
  if (expr.op === 'const')
    return [
      name.text,
      {
        constant: expr.value,
        ...omitUndefined({ printed: expr.printed }),
        given: { ...given, written: l.scope.whereWritten(name, value) },
      },
    ];
  const slot = l.scope.hiddenSlot(`$${name.text}`);
  l.emitter.add({ op: 'set', to: { in: 'local', slot }, name: name.text, value: expr }, span);
  return [name.text, { slot }];
}

/**
 * The declared parameters. A pattern that declares none takes what its body reads and does not bind itself, even if an
 * input or a tracked variable has the same name: an argument is nearer than those.
 */
function parametersOf(l: StateLowering, pattern: PatternDeclaration): ReadonlySet<string> {
  if (pattern.parameters.length > 0) return new Set(pattern.parameters.map((p) => p.name.text));
  const { symbols, sources } = l.shared;
  const read = namesReadIn(pattern.body, sources[pattern.span.file]?.text ?? '');
  const bound = namesBoundIn(pattern.body, symbols.resultNames);
  return new Set([...read].filter((name) => !bound.has(name)));
}

/**
 * A pattern of a Markdown heading has the names that its body reads as parameters, so an unbound name there is a
 * missing argument.
 */
function reportMissing(l: StateLowering, i: UseNode, missing: ReadonlyMap<string, Span>): void {
  if (missing.size === 0) return;
  const labels = [...missing].map(([name, span]) => ({ span, text: `\`${name}\` is read here` }));
  l.diagnostics.push(
    say.missingArgument(i.pattern.span, { pattern: i.pattern.text, names: [...missing.keys()], labels }),
  );
}

function reportUnused(l: StateLowering, i: UseNode, pattern: PatternDeclaration, read: ReadonlySet<string>): void {
  for (const { name } of pattern.parameters) {
    if (read.has(name.text)) continue;
    const argument = i.args.find((one) => one.name.text === name.text);
    l.diagnostics.push(say.unusedArgument((argument?.name ?? name).span, { pattern: i.pattern.text, name: name.text }));
  }
}

type If = Extract<Instruction, { kind: 'if' }>;
type Default = Extract<Instruction, { kind: 'default' }>;

/**
 * Lowers instructions in order and reports unreachable ones. Returns true if the end can be reached. Unreachable
 * instructions are lowered too, so that their mistakes are reported; jumps skip them.
 */
function lowerSequence(l: StateLowering, instructions: readonly Instruction[]): boolean {
  const over: number[] = [];
  let completes = true;
  let run = 0;
  const outer = l.action;
  for (let at = 0; at < instructions.length && l.expand(); at++) {
    const i = instructions[at] as Instruction;
    l.action = i;
    const previous = instructions[at - 1];
    if (!completes && previous !== undefined && i.kind !== 'on-error') {
      reportUnreachable(l, i, previous);
      over.push(l.emitter.add({ op: 'jump', to: -1 }, i.span));
      l.deadDepth++;
      completes = true;
    }
    if (i.kind === 'if') {
      if (at >= run) run = endOfIfs(instructions, at);
      const last = instructions[run];
      if (last?.kind === 'default') {
        completes = lowerIfRun(l, instructions.slice(at, run) as If[], last);
        at = run;
      } else completes = lowerIf(l, i);
    } else if (i.kind === 'undo') lowerUndo(l, i, previous ?? null);
    else if (lowerJoined(l, i, instructions[at + 1])) at++;
    else completes = l.instruction(i) && (completes || i.kind !== 'on-error');
  }
  l.action = outer;
  l.deadDepth -= over.length;
  for (const jump of over) l.emitter.patch(jump);
  return completes && over.length === 0;
}

/**
 * Lowers a PARALLEL together with the WAIT directly below it. Returns false if the instructions are not such a pair.
 */
function lowerJoined(l: StateLowering, i: Instruction, next: Instruction | undefined): boolean {
  if (next?.kind !== 'wait') return false;
  if (i.kind === 'for-each' && i.parallel && isMembersWait(next)) lowerForEach(l, i, next);
  else if (i.kind !== 'parallel') return false;
  else if (isMembersWait(next)) lowerParallel(l, i, next);
  else if (next.for.kind === 'signal') {
    lowerParallel(l, i, null);
    lowerWait(l, next);
  } else lowerDetachedWait(l, i, next);
  return true;
}

function reportUnreachable(l: StateLowering, i: Instruction, previous: Instruction): void {
  // The mistake of the line was reported; further mistakes are reported for the corrected line.
  if (i.kind === 'broken') return;
  const blame: Span = i.verb.span;
  if (previous.kind === 'use') {
    const use = { span: previous.span, text: 'always leaves the state' };
    l.diagnostics.push(say.unreachable(blame, { pattern: previous.pattern.text, use }));
  } else {
    const after = { span: previous.kind === 'broken' ? previous.span : previous.verb.span, text: 'leaves here' };
    l.diagnostics.push(say.unreachableInstruction(blame, { after }));
  }
}

/** A WAIT for the members of the PARALLEL above it. */
function isMembersWait(wait: WaitNode): boolean {
  return wait.for.kind === 'members';
}

/** The index after the row of IFs that begins at `at`. */
function endOfIfs(instructions: readonly Instruction[], at: number): number {
  let k = at;
  while (instructions[k]?.kind === 'if') k++;
  return k;
}

/** IFs in a row with a DEFAULT. A hidden flag records whether any of them matched. */
function lowerIfRun(l: StateLowering, ifs: readonly If[], last: Default): boolean {
  const slot = l.scope.hiddenSlot('$matched');
  const flag = { to: { in: 'local', slot }, name: '$matched' } as const;
  l.emitter.add({ op: 'set', ...flag, value: l.constant(false) }, (ifs[0] as If).span);
  let someArmCompletes = false;
  for (const i of ifs) someArmCompletes = lowerIfArms(l, i, slot).armCompletes || someArmCompletes;
  const read = { op: 'read', name: '$matched', places: [{ in: 'local', slot }] } as const;
  const skip = l.emitter.add(
    { op: 'unless', condition: { op: 'not', of: read }, to: -1, text: 'DEFAULT' },
    last.verb.span,
  );
  const defaultCompletes = l.block(last.body);
  l.emitter.patch(skip);
  return someArmCompletes || defaultCompletes;
}

/** One IF with its ELSE IF and ELSE. Returns true if execution can continue after it. */
function lowerIf(l: StateLowering, i: If): boolean {
  const { armCompletes, elseCompletes } = lowerIfArms(l, i, null);
  return armCompletes || elseCompletes;
}

interface Arms {
  readonly armCompletes: boolean;
  readonly elseCompletes: boolean;
  /** Whether at least one of its blocks leaves. */
  readonly leaves: boolean;
}

function lowerIfArms(l: StateLowering, i: If, matched: number | null): Arms {
  const conditions = i.arms.map(({ condition }) => condition);
  return l.missing.within(conditions, () => {
    const result = lowerArms(l, i, matched);
    return { result, leaves: result.leaves };
  });
}

function lowerArms(l: StateLowering, i: If, matched: number | null): Arms {
  const ends: number[] = [];
  let armCompletes = false;
  let leaves = false;
  i.arms.forEach((arm, at) => {
    const condition = asCondition(lowerExpression(arm.condition, l), arm.condition.span, l.scope);
    const text = l.sourceText(arm.condition.span);
    const next = l.emitter.add({ op: 'unless', condition, to: -1, text }, arm.condition.span);
    if (matched !== null)
      l.emitter.add(
        { op: 'set', to: { in: 'local', slot: matched }, name: '$matched', value: l.constant(true) },
        arm.verb.span,
      );
    const completes = l.block(arm.body);
    armCompletes ||= completes;
    leaves ||= !completes;
    const isLast = at === i.arms.length - 1 && i.otherwise === undefined;
    // Added even after an arm that leaves, where it is never executed: drawings recognize the next arm as the ELSE by
    // this jump.
    if (!isLast) ends.push(l.emitter.add({ op: 'jump', to: -1 }, arm.verb.span));
    l.emitter.patch(next);
  });
  const elseCompletes = i.otherwise === undefined || l.block(i.otherwise.body);
  for (const end of ends) l.emitter.patch(end);
  return { armCompletes, elseCompletes, leaves: leaves || !elseCompletes };
}
