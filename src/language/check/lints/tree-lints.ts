/** Lints of the tree of states and patterns: events that contradict a GOTO, and patterns that no machine of the file uses. */
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic, SourceSet, Span } from '../../source/diagnostic.js';
import type { Argument, Block, Instruction, StateDeclaration } from '../../syntax/ast.js';
import { childBlocks, parsedBody } from '../../syntax/child-blocks.js';
import type { Expression } from '../../syntax/expression-nodes.js';
import type { MachineUnit, PatternDeclaration, Unit } from '../collect.js';
import { constantText } from '../lower/lower-expression.js';
import { lowerMachine } from '../lower/lower-machine.js';
import { finish } from '../lower/lower-states.js';
import type { LoweringSettings } from '../lower/lowered-state.js';
import { sameName } from '../lower/simple.js';
import type { Mention } from '../program-index.js';

/** Compares events that announce a transition with the GOTO that follows them in the same block. */
export function lintEvents(unit: Unit, diagnostics: Diagnostic[]): void {
  for (const machine of unit.machines) for (const state of machine.states) lintBody(state, diagnostics, lintBlock);
  for (const pattern of unit.patterns.values()) lintBlock(pattern.body, diagnostics);
}

/** Looks at the body where it was parsed, and again where it is now if there is something to report. */
function lintBody(
  state: StateDeclaration,
  diagnostics: Diagnostic[],
  lint: (body: Block, diagnostics: Diagnostic[]) => void,
): void {
  const found: Diagnostic[] = [];
  lint(parsedBody(state).body, found);
  if (found.length > 0) lint(state.body, diagnostics);
}

function lintBlock(block: Block, diagnostics: Diagnostic[]): void {
  let announced: Extract<Instruction, { kind: 'emit' }> | null = null;
  for (const i of block.instructions) {
    if (i.kind === 'emit' && i.event?.text === 'PHASE_TRANSITION') announced = i;
    else if (i.kind === 'goto') {
      if (announced !== null && i.target.kind === 'state')
        lintTransition(announced, i.target.name.text, i, diagnostics);
      announced = null;
    } else if (i.kind === 'use' || i.kind === 'return') announced = null;
    for (const inner of childBlocks(i)) lintBlock(inner, diagnostics);
  }
}

function lintTransition(
  emit: Extract<Instruction, { kind: 'emit' }>,
  target: string,
  goto: Instruction,
  diagnostics: Diagnostic[],
): void {
  const field = emit.fields.find((f) => f.name.text === 'to');
  const said = field && constantText(field.value);
  if (!field || !said || sameName(said, target)) return;
  const label = { span: goto.span, text: 'goes there' };
  diagnostics.push(
    say.eventContradicts(field.span, { field: 'to', value: said, actual: target, what: 'the next GOTO is to', label }),
  );
}

/** A RETURN whose text says that something failed, where a test of a failure has led: its run is a success. */
export function lintFailures(unit: Unit, diagnostics: Diagnostic[]): void {
  for (const machine of unit.machines)
    for (const state of machine.states)
      if (state.name.text !== 'ERROR') lintBody(state, diagnostics, (body, found) => lintReturns(body, false, found));
  for (const pattern of unit.patterns.values()) lintReturns(pattern.body, false, diagnostics);
}

const FAILURE = /^["']?(?:fail(?:ure|ed|s)?|error|gave up|giving up|could not|cannot|aborted|crashed)(?![\w-])/i;

function lintReturns(block: Block, isFailed: boolean, diagnostics: Diagnostic[]): void {
  let isBelowFailure = isFailed;
  for (const i of block.instructions) {
    const raw = i.kind === 'return' ? i.text?.raw.trim() : undefined;
    if (raw !== undefined && isBelowFailure && FAILURE.test(raw))
      diagnostics.push(say.returnsFailure(i.span, { text: raw.replace(/^(["'])(.*)\1$/, '$2') }));
    if (i.kind !== 'if') {
      const isHandler = i.kind === 'on-error';
      for (const inner of childBlocks(i)) lintReturns(inner, isHandler ? false : isBelowFailure, diagnostics);
      continue;
    }
    let isElseFailure = isBelowFailure;
    for (const arm of i.arms) {
      const outcome = outcomeOf(arm.condition);
      lintReturns(arm.body, isElseFailure || outcome === 'failure', diagnostics);
      if (outcome === 'success') isElseFailure = true;
    }
    if (i.otherwise !== undefined) lintReturns(i.otherwise.body, isElseFailure, diagnostics);
    // What follows runs if no arm has left.
    else if (i.arms.every(({ body }) => leaves(body))) isBelowFailure = isElseFailure;
  }
}

const leaves = ({ instructions }: Block): boolean =>
  /^(?:goto|return|fail)$/.test(instructions[instructions.length - 1]?.kind ?? '');

type SaidOutcome = 'success' | 'failure';
const OPPOSITE = { success: 'failure', failure: 'success' } as const;

/** What a condition says of a command, a wait or a block; null: nothing, or not only that. */
function outcomeOf(e: Expression): SaidOutcome | null {
  switch (e.kind) {
    case 'name':
      return e.name === 'timed_out' ? 'failure' : null;
    case 'not': {
      const of = outcomeOf(e.of);
      if (of !== null) return OPPOSITE[of];
      return e.of.kind === 'field' && /^(?:ok|pass|passed|success|valid)$/.test(e.of.name.text) ? 'failure' : null;
    }
    case 'logical': {
      // Each operand of `a OR b`, and one of `a AND b`, has to say so.
      const sides = [outcomeOf(e.left), outcomeOf(e.right)];
      const said = sides[0] ?? sides[1] ?? null;
      return e.operator === 'or' && sides[0] !== sides[1] ? null : said;
    }
    case 'test': {
      const isFailures = e.of.kind === 'name' && e.of.name === 'failures';
      return isFailures && e.test === 'empty' ? (e.negated ? 'failure' : 'success') : null;
    }
    case 'compare':
      return outcomeOfComparison(e);
    default:
      return null;
  }
}

function outcomeOfComparison({ operator, left, right }: Extract<Expression, { kind: 'compare' }>): SaidOutcome | null {
  const isEqual = operator === '==';
  if (!isEqual && operator !== '!=' && operator !== '>') return null;
  if (left.kind === 'call' && left.name.text === 'exit_code' && right.kind === 'number')
    return operator === '>' ? 'failure' : isEqual === (right.value === 0) ? 'success' : 'failure';
  const [of] = left.kind === 'call' && left.name.text === 'len' ? left.args : [];
  if (of?.kind === 'name' && of.name === 'failures' && right.kind === 'number')
    return isEqual === (right.value === 0) && operator !== '>' ? 'success' : 'failure';
  if (operator === '>' || right.kind !== 'text') return null;
  return /^["'](?:fail(?:ed|ure)?|error)["']$/i.test(right.template.raw) ? (isEqual ? 'failure' : 'success') : null;
}

/** Codes of messages that depend on the state that uses the pattern: names, targets, and how the state continues. */
const USER_DECIDES = new Set([
  'unknown-name',
  'unknown-name-in-text',
  'local-out-of-scope',
  'unknown-state',
  'error-undeclared',
  'event-contradicts',
  'not-tracked',
  'fixed-value',
  'goto-parameter',
  'name-the-check',
  'check-never-read',
  'exit-code-of',
  'falls-off',
  'unused-argument',
  'input-default',
  'unknown-agent',
]);

/**
 * Checks patterns that no machine of the file uses, as in a file of patterns. Their bodies are lowered in a separate
 * state, so that mistakes that do not depend on the caller are reported in the pattern.
 */
export function lintUnusedPatterns(
  unit: Unit,
  sources: SourceSet,
  diagnostics: Diagnostic[],
  settings: LoweringSettings,
): Mention[] {
  const mentions: Mention[] = [];
  if (unit.patterns.size === 0) return mentions;
  const used = new Set<string>();
  for (const machine of unit.machines)
    for (const state of machine.states) collectUses(unit, parsedBody(state).body, used);
  for (const [name, pattern] of unit.patterns) {
    if (used.has(name) || pattern.span.file !== 0) continue;
    const found: Diagnostic[] = [];
    const own = { ...unit, inputs: new Map(), limits: [] };
    const lowered = finish(lowerMachine(own, machineAround(pattern), sources, found, { ...settings, anyNames: true }));
    diagnostics.push(...found.filter((d) => !USER_DECIDES.has(d.code) && isInside(d.span, pattern)));
    if (settings.index)
      // A GOTO to a parameter leads nowhere yet.
      for (const state of lowered.states)
        mentions.push(...state.mentions.filter(({ span, role }) => role !== 'jump' && isInside(span, pattern)));
  }
  return mentions;
}

function isInside({ file, start }: Span, pattern: PatternDeclaration): boolean {
  return file === pattern.body.span.file && start >= pattern.body.span.start && start <= pattern.body.span.end;
}

/** Without calling itself: patterns may be inside each other as deep as a text is long. */
function collectUses(unit: Unit, block: Block, used: Set<string>): void {
  const blocks = [block];
  for (const { instructions } of blocks)
    for (const i of instructions) {
      blocks.push(...childBlocks(i));
      if (i.kind !== 'use' || used.has(i.pattern.text)) continue;
      used.add(i.pattern.text);
      const pattern = unit.patterns.get(i.pattern.text);
      if (pattern !== undefined) blocks.push(pattern.body);
    }
}

/** A machine with a single state that uses the pattern with all its parameters. */
function machineAround(pattern: PatternDeclaration): MachineUnit {
  const { name, span } = pattern;
  const args: Argument[] = pattern.parameters
    .filter((p) => p.value === undefined)
    .map((p) => ({ name: p.name, value: { kind: 'word', word: { text: `a ${p.name.text}`, span }, span }, span }));
  const use: Instruction = { kind: 'use', verb: { text: 'USE', span: name.span }, pattern: name, args, span };
  const body: Block = { instructions: [use], inline: false, span };
  return { name: name.text, span, states: [{ kind: 'state', name, body, span }], script: true };
}
