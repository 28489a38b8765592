/** Lowers RETRY: the changes for later attempts, and the number of attempts. */
import type { RetryEntryLayout, RetryLayout, StepLayout } from '../../../machine/step.js';
import { nearest } from '../../../prelude/nearest.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { stepMessages as say } from '../../source/catalogue/steps.js';
import type { StepNode } from '../../syntax/ast.js';
import type { Expression } from '../../syntax/expression-nodes.js';
import type { Override, RetryCondition, RetryEntry } from '../../syntax/step-nodes.js';
import { constantOf } from '../lower/constant.js';
import { constantText, lowerTemplate } from '../lower/lower-expression.js';
import { lowerAgentName, reportPrompt } from '../lower/report-agent.js';
import type { StartedStep, StateLowering } from '../lower/state-lowering.js';
import { locationOf, symbolKey } from '../program-index.js';
import { needsGit } from './lower-gates.js';
import { lowerWorkflow } from './lower-workflow.js';
import { stepKey } from './step-keys.js';
import type { NamedStep } from './step-names.js';

type ValidateCondition = Extract<RetryCondition, { kind: 'validate' }>;

interface PreparedRetry {
  readonly layout: RetryLayout;
  /** Validators that run before a retry is decided, with the slots of their answers. */
  readonly asked: readonly { readonly condition: ValidateCondition; readonly slot: number }[];
  /** The earlier steps with which a retry begins. */
  readonly restarts: readonly { readonly step: string; readonly to: number }[];
}

export function prepareRetry(l: StateLowering, i: StepNode, step: NamedStep): PreparedRetry | null {
  const { retry } = i;
  if (retry === undefined) return null;
  const asked: { condition: ValidateCondition; slot: number }[] = [];
  let exit: number | null = null;
  let last: RetryEntry | null = null;
  const entries: RetryEntryLayout[] = [];
  for (const entry of retry.entries) {
    if (last !== null) l.diagnostics.push(say.afterExit(entry.span, {}));
    const prepared = prepareEntry(l, i, step, entry, asked);
    entries.push(prepared.layout);
    if (prepared.exit === undefined) continue;
    exit ??= prepared.exit;
    last = entry;
  }
  if (last === null) l.diagnostics.push(say.noExit(retry.span, {}));
  retry.entries.forEach((entry, index) => {
    const when = entries[index]?.when;
    if (exit !== null && when?.kind === 'attempt' && when.number > exit)
      l.diagnostics.push(say.retryNeverReached(entry.span, { number: when.number, exit }));
  });
  const restarts = [...new Set(entries.flatMap(({ restart }) => restart ?? []))].map((step) => ({
    step,
    to: startedStep(l, step)?.pc ?? -1,
  }));
  return { layout: { entries, exit: exit ?? 1 }, asked, restarts };
}

interface PreparedEntry {
  readonly layout: RetryEntryLayout;
  /** The number of attempts that EXIT allows. */
  readonly exit?: number;
}

function prepareEntry(
  l: StateLowering,
  i: StepNode,
  step: NamedStep,
  entry: RetryEntry,
  asked: { condition: ValidateCondition; slot: number }[],
): PreparedEntry {
  const [condition] = entry.conditions;
  if (entry.conditions.length !== 1)
    l.diagnostics.push(say.retryCondition(entry.span, { count: entry.conditions.length }));
  const overrides = prepareOverrides(l, i, entry);
  if (condition === undefined) return { layout: { when: { kind: 'exit' }, ...overrides } };
  if (condition.kind === 'exit') {
    if (entry.overrides.length > 0) l.diagnostics.push(say.exitOverride(entry.span, {}));
    return { layout: { when: { kind: 'exit' } }, exit: numberOf(l, condition.number, 'EXIT') };
  }
  if (entry.overrides.length === 0) l.diagnostics.push(say.retryNothing(entry.span, {}));
  switch (condition.kind) {
    case 'attempt':
      return { layout: { when: { kind: 'attempt', number: numberOf(l, condition.number, 'ATTEMPT') }, ...overrides } };
    case 'not':
      return { layout: { when: { kind: 'not', gate: gateOf(l, step, condition) }, ...overrides } };
    case 'validate': {
      const slot = l.scope.hiddenSlot('$asked');
      asked.push({ condition, slot });
      return { layout: { when: { kind: 'validate', slot }, ...overrides } };
    }
    default:
      return unreachable(condition);
  }
}

function numberOf(l: StateLowering, expression: Expression, word: 'ATTEMPT' | 'EXIT'): number {
  const value = constantOf(expression);
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value;
  if (expression.kind !== 'broken') l.diagnostics.push(say.retryNumber(expression.span, { word }));
  return 1;
}

/** The gate in `gate.test`. */
function gateOf(l: StateLowering, step: NamedStep, { gate }: Extract<RetryCondition, { kind: 'not' }>): string {
  const written = gate.text;
  // That the name is missing has been reported.
  if (written === '') return written;
  if (!written.startsWith('gate.')) {
    l.diagnostics.push(say.retryGate(gate.span, { written }));
    return written;
  }
  const name = written.slice('gate.'.length);
  l.mention(gate.span, 'read', symbolKey('gate', locationOf(step.span), name));
  const known = [...step.gates];
  if (!step.gates.has(name))
    l.diagnostics.push(say.unknownGate(gate.span, { gate: name, step: step.name, known, near: nearest(name, known) }));
  return name;
}

function prepareOverrides(l: StateLowering, i: StepNode, entry: RetryEntry): Omit<RetryEntryLayout, 'when'> {
  const layout: ChangedLayout = {};
  const seen = new Set<string>();
  for (const override of entry.overrides) {
    const { name, word } = override;
    if (name === null || seen.has(name)) {
      l.diagnostics.push(
        say.retryOverride(word.span, { word: word.text, problem: name === null ? 'unknown' : 'twice' }),
      );
      continue;
    }
    seen.add(name);
    if (name === 'agent') layout.agent = lowerAgentName(l, override.value);
    else if (name === 'restart_from') prepareRestart(l, i, override, layout);
    else if (name === 'replan') prepareReplan(l, i, override, layout);
    else if (name === 'prompt') {
      layout.prompt = lowerTemplate(override.value, l, 'prompt');
      if (i.run.kind === 'agent') reportPrompt(l, constantText(i.run.agent), override.value);
    } else if (takesWord(l, override, name === 'session' ? 'new' : 'reset')) {
      if (name === 'session') layout.session = 'new';
      else layout.worktree = 'reset';
    }
  }
  if (i.run.kind === 'agent') warnOfSession(l, i, entry, layout);
  else warnOfMissingAgent(l, entry);
  if (entry.overrides.some(({ name }) => name === 'worktree') && layout.worktree === 'reset')
    needsGit(l, 'WORKTREE reset', entry.span);
  return layout;
}

type ChangedLayout = { -readonly [K in keyof Omit<RetryEntryLayout, 'when'>]: RetryEntryLayout[K] };

/** The step with which the retry begins: one above in the same list, or the first one of the step itself. */
function prepareRestart(l: StateLowering, i: StepNode, { value }: Override, layout: ChangedLayout): void {
  const name = constantText(value)?.trim() ?? '';
  const { each, run } = i;
  const inside = run.kind === 'group' ? run.steps : run.kind === 'none' && each?.of !== undefined ? each.steps : null;
  const [first] = inside?.instructions ?? [];
  if (first?.kind === 'step' && first.name.text === name) {
    // Its own retry begins there anyway.
    layout.worktree = 'reset';
    return;
  }
  const found = startedStep(l, name);
  const isHere = found !== null && found.frames === l.frames && found.branch === l.branch;
  if (isHere && found.step.progress === 'done') {
    (found.layout as { restarts?: true }).restarts = true;
    l.mention(value.span, 'use', stepKey(found.step));
    layout.restart = name;
    return;
  }
  const known: string[] = [];
  for (let one = l.started; one !== null; one = one.above)
    if (one.frames === l.frames && one.branch === l.branch && one.step.progress === 'done') known.unshift(one.name);
  const names = [...known, ...(first?.kind === 'step' ? [first.name.text] : [])];
  l.diagnostics.push(say.restartStep(value.span, { name, known: names, near: nearest(name, names) }));
}

function startedStep({ started }: StateLowering, name: string): StartedStep | null {
  for (let one = started; one !== null; one = one.above) if (one.name === name) return one;
  return null;
}

/** An agent makes a plan: the tasks of a split anew, or tasks for what another step did not achieve. */
function prepareReplan(
  l: StateLowering,
  { type, run }: StepNode,
  { value, word }: Override,
  layout: ChangedLayout,
): void {
  if (run.kind !== 'agent' || value.raw === '') return;
  const agent = lowerAgentName(l, value);
  if (type?.text === 'validate') l.diagnostics.push(say.replanOfVerdict(word.span, {}));
  else if (type?.text === 'split') {
    layout.agent = agent;
    layout.session = 'new';
  } else layout.replan = agent;
}

/** SESSION and WORKTREE each take one word. */
function takesWord(l: StateLowering, { value, word }: Override, expected: 'new' | 'reset'): boolean {
  if (constantText(value)?.trim() === expected) return true;
  l.diagnostics.push(say.retryOverride(value.span, { word: word.text, problem: `only-${expected}` }));
  return false;
}

/** Reports changes that only an agent could use, in a step without an agent. */
function warnOfMissingAgent(l: StateLowering, { overrides }: RetryEntry): void {
  for (const { name, word } of overrides)
    if (name !== null && name !== 'worktree' && name !== 'restart_from')
      l.diagnostics.push(say.retryWithoutAgent(word.span, { word: name.toUpperCase() }));
}

function warnOfSession(l: StateLowering, i: StepNode, entry: RetryEntry, layout: Omit<RetryEntryLayout, 'when'>): void {
  if (layout.session === 'new' || layout.restart !== undefined) return;
  const agent = entry.overrides.find(({ name }) => name === 'agent');
  const declared = i.run.kind === 'agent' ? constantText(i.run.agent)?.trim() : undefined;
  const other = agent === undefined ? null : constantText(agent.value)?.trim();
  if (agent !== undefined && other !== undefined && other !== declared && other !== '')
    l.diagnostics.push(say.forcedSession(agent.span, { agent: other ?? agent.value.raw }));
  else if (layout.worktree === 'reset') l.diagnostics.push(say.resetKeepsSession(entry.span, {}));
}

/**
 * Runs the validators, then decides. A step without RETRY has this code too, because a resumed run gives it one more
 * attempt.
 */
export function emitRetry(
  l: StateLowering,
  i: StepNode,
  layout: StepLayout,
  retry: PreparedRetry | null,
  again: number,
): void {
  for (const { condition, slot } of retry?.asked ?? []) lowerWorkflow(l, condition.call, { at: 'retry', slot });
  const restarts = retry === null || retry.restarts.length === 0 ? {} : { restarts: retry.restarts };
  l.emitter.add({ op: 'step-retry', plan: layout, again, ...restarts }, i.retry?.span ?? i.span);
}
