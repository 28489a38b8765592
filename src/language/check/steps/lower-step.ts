/**
 * Lowers a STEP to instructions for its context, work, gates and retries. Facts that are known before it runs are in
 * its layout, which all these instructions share.
 */
import type { Template as LoweredTemplate } from '../../../machine/expression.js';
import type { Branch } from '../../../machine/machine.js';
import type { ContextLayout, StepLayout } from '../../../machine/step.js';
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { declarationMessages as wrong } from '../../source/catalogue/declarations.js';
import { stepMessages as say } from '../../source/catalogue/steps.js';
import type { SourceFile } from '../../source/diagnostic.js';
import type { StepNode } from '../../syntax/ast.js';
import type { StepRun } from '../../syntax/step-nodes.js';
import { memoOf } from '../lower/effect.js';
import { constantText, lowerTemplate } from '../lower/lower-expression.js';
import { boundIn } from '../lower/parallel.js';
import { lowerAgentName, reportPrompt } from '../lower/report-agent.js';
import type { StateLowering } from '../lower/state-lowering.js';
import { lowerContext, lowerGiven, sessionOf } from './lower-context.js';
import { lowerEach } from './lower-each.js';
import { emitGates, prepareGates } from './lower-gates.js';
import { lowerGuards } from './lower-guards.js';
import { lowerReplan, type ReplanSlots, replanSlots } from './lower-replan.js';
import { emitRetry, prepareRetry } from './lower-retry.js';
import { lowerWorkflow } from './lower-workflow.js';
import { stepKey } from './step-keys.js';
import { declareStep, type NamedStep, setProgress, typeOf } from './step-names.js';

/** Lowers a STEP with the steps of its tasks. Execution always continues after it. */
export function lowerStep(l: StateLowering, i: StepNode): boolean {
  checkHead(l, i);
  if (l.forkDepth > 0) l.diagnostics.push(say.stepInParallel(i.verb.span, {}));
  const step = ownName(l, i);
  if (step !== null && isWritten(l, i)) l.mention(i.name.span, 'declare', stepKey(step));
  if (step === null) return true;
  if (isBare(i)) {
    // The step only contains steps for the tasks of another step.
    step.progress = 'done';
    if (i.each !== undefined) lowerEach(l, i, step, i.each);
    return true;
  }
  step.progress = 'running';
  lowerWork(l, i, step);
  step.progress = 'done';
  if (i.each !== undefined && !doesTasks(i)) {
    if (typeOf(i) !== 'split' && i.each.of === undefined)
      l.diagnostics.push(say.eachWithoutSplit(i.each.span, { name: i.name.text, older: l.steps.context.older }));
    lowerEach(l, i, step, i.each);
  }
  return true;
}

/** Whether the tasks of another step are the work of this one, which its gates judge and its RETRY repeats. */
function doesTasks({ each, run }: StepNode): boolean {
  return each?.of !== undefined && run.kind === 'none';
}

const isBare = (i: StepNode): boolean => doesTasks(i) && i.gates.length === 0 && i.retry === undefined;

/**
 * The step in its scope. Steps of a pattern are declared when it is used. Null if the name is a duplicate, which has
 * been reported.
 */
function ownName(l: StateLowering, i: StepNode): NamedStep | null {
  const { scope } = l.steps.context;
  const name = i.name.text;
  const known = scope.steps.get(name);
  if (known === undefined) return declareStep(i, scope);
  const { file, start } = known.span;
  const isSame = file === i.name.span.file && start === i.name.span.start;
  if (isSame && (known.progress === 'ahead' || known.progress === 'parallel')) return known;
  const path = scope.path + name;
  const first = { span: known.span, text: 'declared here first' };
  l.diagnostics.push(
    isSame ? say.repeatedStep(i.name.span, { name, path }) : say.duplicateStep(i.name.span, { name, path, first }),
  );
  return null;
}

/** The steps of a REPLAN have no name in the text: it has their place. */
function isWritten(l: StateLowering, { name: { text, span } }: StepNode): boolean {
  const written = l.shared.sources[span.file]?.text.slice(span.start, span.end) ?? '';
  return written === text || written.slice(1, -1) === text;
}

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;

function checkHead(l: StateLowering, i: StepNode): void {
  const name = i.name.text;
  if (!NAME.test(name)) l.diagnostics.push(say.stepName(i.name.span, { name }));
  if (i.type !== undefined && typeOf(i) === 'none') {
    const near = nearest(i.type.text, ['code', 'split', 'validate', 'artifact']);
    l.diagnostics.push(say.stepType(i.type.span, { type: i.type.text, near }));
  }
  for (const option of i.options)
    if (option.key.text !== 'memo')
      l.diagnostics.push(say.stepOption(option.key.span, { name: option.key.text, value: option.value?.raw ?? '' }));
  if (i.run.kind === 'none' && i.gates.length === 0 && i.each === undefined && !isReportedByParser(l, i))
    l.diagnostics.push(say.emptyStep(i.name.span, { name }));
}

/** The parser reports a STEP of a program with nothing below it. This check is for workflow files. */
function isReportedByParser(l: StateLowering, { context, prompt, session, retry, verb }: StepNode): boolean {
  const isBare = context.length === 0 && prompt === undefined && session === undefined && retry === undefined;
  return isBare && !/\.ya?ml$/i.test(l.shared.sources[verb.span.file]?.name ?? '');
}

/** The patterns of the files that count for what the step is asked; undefined: it is not remembered. */
function stepMemo(l: StateLowering, i: StepNode): readonly LoweredTemplate[] | undefined {
  const options = i.options.filter(({ key }) => key.text === 'memo');
  const memos = options.map((option) => memoOf(l, option)).filter((memo) => memo !== undefined);
  const [option] = options;
  if (option === undefined || memos.length === 0) return undefined;
  const report = (why: string, help: string): void =>
    void l.diagnostics.push(wrong.badOption(option.span, { name: 'memo', why, help }));
  if (i.run.kind !== 'agent')
    report(
      'needs a step with an agent',
      'remember commands and agents one by one, as in `DO [memo]: …`, or leave it out',
    );
  else if (i.session?.kind === 'from')
    report(
      'cannot be used with a session that continues another',
      'the conversation is part of the question: leave one of them out',
    );
  return memos.flat();
}

const WORKS = { agent: 'agent', body: 'body', workflow: 'steps', group: 'steps', none: 'none' } as const;

function lowerWork(l: StateLowering, i: StepNode, step: NamedStep): void {
  const outer = l.steps.context;
  const inStep = (judging: boolean) => ({ ...outer, own: step, judging });
  const gates = prepareGates(l, i, step, outer.task);
  const { emitter } = l;
  l.steps.context = inStep(false);
  const retry = prepareRetry(l, i, step);
  const layout: StepLayout = {
    name: step.name,
    type: step.type,
    gates: gates.map((gate) => gate.layout),
    retry: retry === null ? null : retry.layout,
    work: doesTasks(i) ? 'steps' : WORKS[i.run.kind],
    ...omitUndefined({ verdict: l.steps.verdict === i ? true : undefined, older: outer.older ? true : undefined }),
    ...omitUndefined({ memo: stepMemo(l, i) }),
  };
  const slots = replanSlots(l, layout);
  const agent = i.run.kind === 'agent' ? lowerAgentName(l, i.run.agent) : null;
  const { frames, branch } = l;
  l.started = { name: i.name.text, above: l.started, pc: emitter.pc, frames, branch, step, layout };
  emitter.add({ op: 'step-begin', plan: layout }, i.verb.span);
  l.frames++;
  const replan = slots === null ? undefined : { planner: slots.$planner, worker: slots.$worker };
  const session = sessionOf(l, i, step);
  const attempt = emitter.add(
    { op: 'step-attempt', plan: layout, agent, session, ...omitUndefined({ replan }) },
    i.verb.span,
  );
  const from = emitter.pc;
  const context = lowerContext(l, i.context);
  lowerRun(l, i, layout, context, { own: step, slots });
  const to = emitter.pc;
  const collect = emitter.add({ op: 'step-collect', plan: layout, otherwise: -1 }, i.verb.span);
  l.handlers.push({ from, to, kind: null, pc: collect, names: {}, frames: l.frames, step: true });
  l.steps.context = inStep(true);
  emitGates(l, gates);
  emitter.patch(collect, 'otherwise');
  const verdict = emitter.add({ op: 'step-verdict', plan: layout, done: -1 }, i.verb.span);
  l.steps.context = inStep(false);
  emitRetry(l, i, layout, retry, attempt);
  emitter.patch(verdict, 'done');
  l.frames--;
  l.steps.context = outer;
}

interface Dividable {
  readonly own: NamedStep;
  /** Null if no retry divides the step into tasks. */
  readonly slots: ReplanSlots | null;
}

function lowerRun(
  l: StateLowering,
  i: StepNode,
  layout: StepLayout,
  context: readonly ContextLayout[],
  { own, slots }: Dividable,
): void {
  const { run, each } = i;
  switch (run.kind) {
    case 'agent': {
      const prompt = i.prompt === undefined ? null : lowerTemplate(i.prompt, l, 'prompt');
      if (i.prompt !== undefined) reportPrompt(l, constantText(run.agent), i.prompt);
      const values = prompt === null && i.session?.kind !== 'from' ? lowerGiven(l, i.context, run.agent.span) : [];
      if (prompt === null && i.session?.kind !== 'from' && context.length + values.length === 0)
        l.diagnostics.push(say.noPrompt(run.agent.span, { name: i.name.text }));
      const guards = lowerGuards(l, run.guards);
      l.explain(i.verb.span, `step of agent \`${constantText(run.agent) ?? run.agent.raw}\``);
      const call = l.emitter.add(
        {
          op: 'step-agent',
          plan: layout,
          prompt,
          context: [...context, ...values],
          guards,
          ...answersOf(l, i),
          ...answerSchemaOf(i),
          ...(slots === null ? {} : { replan: slots.$planner, to: -1 }),
        },
        run.span,
      );
      if (slots === null) return;
      const over = l.emitter.add({ op: 'jump', to: -1 }, run.span);
      l.emitter.patch(call);
      lowerReplan(l, i, { run, own, slots, prompt });
      l.emitter.patch(over);
      return;
    }
    case 'body':
      l.explain(i.verb.span, 'step of instructions');
      l.bodyDepth++;
      l.block(run.body);
      l.bodyDepth--;
      return;
    case 'workflow':
      l.explain(i.verb.span, `step of the workflow \`${run.call.name.text}\``);
      lowerWorkflow(l, run.call, { at: 'run', slot: null });
      return;
    case 'group':
      lowerGroup(l, i, run);
      return;
    case 'none':
      if (each !== undefined && doesTasks(i)) lowerEach(l, i, own, each);
      return;
    default:
      return unreachable(run);
  }
}

/** A folder for answers in the project, which the prompts of some workflow files name. */
const ANSWER_FOLDER = '.gump/out';

/** Whether a file names the folder. Cached for each file, because the search reads the whole text. */
const namesAnswerFolder = new WeakMap<SourceFile, boolean>();

function answersOf(l: StateLowering, { verb }: StepNode): { answerFolder?: string } {
  const file = l.shared.sources[verb.span.file];
  if (file === undefined) return {};
  let isNamed = namesAnswerFolder.get(file);
  if (isNamed === undefined) {
    isNamed = file.text.includes(`${ANSWER_FOLDER}/`);
    namesAnswerFolder.set(file, isNamed);
  }
  return isNamed ? { answerFolder: ANSWER_FOLDER } : {};
}

/** A schema with values in its path is read only by its gate. */
function answerSchemaOf({ type, gates }: StepNode): { answerSchemaFile?: string } {
  const gate = gates.find((entry) => entry.kind === 'schema' && entry.path !== undefined);
  if (gate?.kind !== 'schema' || gate.path === undefined || !['artifact', undefined].includes(type?.text)) return {};
  const path = constantText(gate.path);
  return path === null ? {} : { answerSchemaFile: path };
}

/**
 * Lowers groups, steps that are the work of another step: one after the other, or in parallel, each in its own
 * worktree.
 */
function lowerGroup(l: StateLowering, i: StepNode, run: Extract<StepRun, { kind: 'group' }>): void {
  const outer = l.steps.context;
  const below = outer.own?.below;
  if (below === undefined || below === null) return;
  l.emitter.add({ op: 'group-enter' }, i.verb.span);
  l.frames++;
  l.steps.context = { ...outer, scope: below, own: null, judging: false };
  if (run.parallel) lowerMembers(l, i, run);
  else l.block(run.steps);
  l.steps.context = outer;
  l.frames--;
  l.emitter.add({ op: 'group-leave' }, i.verb.span);
}

function lowerMembers(l: StateLowering, i: StepNode, run: Extract<StepRun, { kind: 'group' }>): void {
  const { emitter, scope } = l;
  // The level of the scope that contains the group. The scope of the group is one level deeper, and its members another
  // one.
  const level = (l.steps.context.scope.level ?? 2) - 2;
  const parent = { level, path: i.name.text, field: '' };
  const fork = emitter.add({ op: 'jump', to: -1 }, i.verb.span);
  const branches: Branch[] = [];
  const ends: number[] = [];
  const members = [...l.steps.context.scope.steps.values()];
  for (const named of members) named.progress = 'parallel';
  for (const member of run.steps.instructions) {
    if (member.kind !== 'step') continue;
    const end = scope.hiddenSlot('$end');
    ends.push(end);
    branches.push({ pc: emitter.pc, collect: [end] });
    emitter.add({ op: 'task-enter', parent, slot: null, name: member.name.text, parallel: true }, member.span);
    l.frames++;
    l.inBranch({ binds: new Set(boundIn(l, [member]).keys()), isTurn: false }, () => l.instruction(member));
    l.frames--;
    const named = l.steps.context.scope.steps.get(member.name.text);
    if (named !== undefined) setProgress(named, 'parallel');
    emitter.add({ op: 'task-leave', parallel: true, slot: end }, member.span);
    emitter.add({ op: 'branch-end' }, member.span);
  }
  for (const named of members) setProgress(named, 'done');
  const join = emitter.pc;
  emitter.replace(fork, { op: 'fork', branches, join, max: null, agents: true, quorum: null, wait: null });
  const all = scope.hiddenSlot('$ends');
  const items = ends.map((slot) => ({ op: 'read', name: '$end', places: [{ in: 'local', slot }] }) as const);
  emitter.add({ op: 'set', to: { in: 'local', slot: all }, name: '$ends', value: { op: 'list', items } }, i.verb.span);
  emitter.add({ op: 'tasks-merge', slot: all }, i.verb.span);
}
