/**
 * Lowers CALL and PLAN. The called tool or plan is known before anything runs, so its parameters and results are
 * checked here. A plan is compiled with the program.
 */
import type { Json } from '../../../../machine/expression.js';
import type { Instruction as Code, EntryArgument } from '../../../../machine/machine.js';
import type { OutputMethod, Plan, PlanPath } from '../../../../machine/plan.js';
import { nearest } from '../../../../prelude/nearest.js';
import { omitUndefined } from '../../../../prelude/omit-undefined.js';
import { printPath } from '../../../../prelude/reference.js';
import { checkMessages as say } from '../../../source/catalogue/check.js';
import { planMessages } from '../../../source/catalogue/plan.js';
import type { Diagnostic, Span } from '../../../source/diagnostic.js';
import type { Argument, OutputPath, ToolCallNode } from '../../../syntax/ast.js';
import type { DataReference, Name, ReferenceGroup, Template } from '../../../syntax/expression-nodes.js';
import type { CallablePlan } from '../../callables.js';
import { symbolKey } from '../../program-index.js';
import { lowerArguments } from '../constant.js';
import { retriesOf } from '../limits.js';
import { constantText } from '../lower-expression.js';
import { checkOptions, durationTemplate, type OptionTable } from '../options.js';
import type { StateLowering } from '../state-lowering.js';
import { type CallParts, openArguments, planOfOneCall, toolOfPlan } from './called-tool.js';
import { KINDS, mistakeOf, pathKey } from './lower-reference.js';

type LoweredPlan = Extract<Code, { op: 'plan' }>;

const METHODS: readonly string[] = ['set', 'merge', 'push', 'concat', 'assign'];
const OPTIONS: OptionTable = { method: 'text', timeout: 'duration', retry: 'text', retry_on: 'list', once: 'flag' };

export function lowerCall(l: StateLowering, i: ToolCallNode): void {
  l.scope.dataUse.calls = true;
  if (i.bind !== undefined) l.scope.declare(i.bind, 'local');
  const found = checkOptions(l, i.options, OPTIONS, i.verb.text);
  const option = found.get('method');
  const method = option === undefined ? null : methodOf(l, option);
  const options = effectOptions(l, found);
  const parts = { args: lowerArguments(l, passableArguments(l, i.args)), output: readableOutput(l, i.output), method };
  for (const { root, path, span } of parts.output?.paths == null ? [] : pathsIn(parts.output.paths))
    noteWrite(l, [root.text, ...path], span, method);
  if (l.shared.index) mentionCall(l, i);
  const { called } = i;
  l.explain(i.span, called.kind === 'tool' ? `calls the tool \`${called.name.text}\`` : 'runs a plan');
  if (called.kind === 'tool') {
    const callable = calledTool(l, i, called.name, parts);
    if (callable?.plan == null) return;
    if (runsPlans(callable.plan)) optionsOfPlan(l, i, ['method', 'timeout']);
    add(l, i, { callable, title: `CALL ${called.name.text}`, args: openArguments(parts.args), options });
    return;
  }
  const path = planFile(l, called.file);
  if (path !== null) lowerPlan(l, i, path, parts, options);
}

function mentionCall(l: StateLowering, { called, output }: ToolCallNode): void {
  for (const { root, path, span } of output?.paths == null ? [] : pathsIn(output.paths))
    l.mention(span, 'write', pathKey([root.text, ...path]));
  if (called.kind === 'tool') l.mention(called.name.span, 'use', symbolKey('tool', '', called.name.text));
  else l.mention(called.file.span, 'use', symbolKey('plan', '', constantText(called.file) ?? ''));
}

type Options = NonNullable<LoweredPlan['call']>;

/** A plan with an output path is called like a tool. */
function lowerPlan(l: StateLowering, i: ToolCallNode, path: string, parts: CallParts, options: Options): void {
  const title = `PLAN ${path}`;
  const plan = calledPlan(l, i, path, parts.args);
  if (plan?.plan == null) return;
  optionsOfPlan(l, i, i.output === undefined ? [] : ['method', 'timeout']);
  if (parts.output === null) {
    for (const written of writtenBy(plan.plan)) noteWrite(l, written, i.span, 'set');
    add(l, i, { callable: plan, title, args: parts.args, options: null });
    return;
  }
  const from = l.shared.sources[i.span.file]?.name ?? '';
  const tool = { text: relativeTo(from, path), span: i.called.span };
  const callable = l.settings.callables.call(planOfOneCall(i, tool, parts), [toolOfPlan(tool)], i.called.span);
  if (callable === null) return;
  l.diagnostics.push(...callable.diagnostics);
  if (callable.plan !== null) add(l, i, { callable, title, args: openArguments(parts.args), options });
}

/**
 * The tools of a plan define the options of its calls, so a PLAN accepts only options that concern the plan as a whole.
 */
function optionsOfPlan(l: StateLowering, i: ToolCallNode, known: readonly string[]): void {
  // A key that is not an option of anything has a message of its own.
  for (const { key, span } of i.options)
    if (!known.includes(key.text) && Object.hasOwn(OPTIONS, key.text))
      l.diagnostics.push(say.badOption(span, { name: key.text, ...NO_OPTION }));
}

function runsPlans({ tools }: Plan): boolean {
  return Object.values(tools).some(({ calls }) => calls.kind === 'plan');
}

/** Programs have no approval, so a program must not bypass the approval of a plan. */
function approvalWanted({ plan, link: linked }: CallablePlan): string | null {
  if (
    plan === null ||
    (plan.mode !== 'lazy' && !runsPlans(plan) && plan.calls.every(({ delegate }) => delegate === null))
  )
    return null;
  return Object.entries(linked().plans).find(([, { mode }]) => mode === 'lazy')?.[0] ?? null;
}

const NO_OPTION = {
  why: 'has no effect here: the tools of a plan set it for their calls',
  help: 'set it in the tools file',
};

/** A path relative to the folder of the program, where tools are looked up. */
function relativeTo(from: string, path: string): string {
  const folder = from.includes('/') && !path.startsWith('/') ? from.slice(0, from.lastIndexOf('/') + 1) : '';
  return `${folder}${path}`;
}

function effectOptions(l: StateLowering, found: ReadonlyMap<string, ToolCallNode['options'][number]>): Options {
  const timeout = (found.get('timeout') ?? l.limit)?.value;
  if (found.size === 0 && timeout === undefined) return {};
  return {
    ...omitUndefined({ timeout: timeout === undefined ? undefined : durationTemplate(l, timeout) }),
    ...retriesOf(l, found),
    ...omitUndefined({ once: found.has('once') ? true : undefined }),
  };
}

interface Added {
  readonly callable: CallablePlan;
  readonly title: string;
  readonly args: CallParts['args'];
  /** The options of a CALL; null for a plan without an output path. */
  readonly options: Options | null;
}

function add(l: StateLowering, i: ToolCallNode, { callable, title, args, options }: Added): void {
  const text = l.shared.sources[i.span.file]?.text.slice(i.span.start, i.span.end) ?? '';
  const slot = i.bind === undefined ? (l.result ?? undefined) : l.scope.local(i.bind.text);
  const file = approvalWanted(callable);
  if (file !== null) l.diagnostics.push(say.planWantsApproval(i.called.span, { file }));
  l.emitter.add(
    {
      op: 'plan',
      plan: l.settings.callables.keep(callable, title),
      args,
      ...omitUndefined({
        call: options ?? undefined,
        bind: slot === undefined ? undefined : l.binding(slot),
      }),
      text: oneLine(text),
    },
    i.span,
  );
  l.giveResult(slot, i.span);
}

function oneLine(text: string): string {
  const line = text.replace(/\\[ \t]*\r?\n[ \t]*/g, '').trim();
  return line.length > 400 ? `${line.slice(0, 399)}…` : line;
}

function noteWrite(l: StateLowering, path: PlanPath, span: Span, method: string | null): void {
  l.scope.dataUse.writes.push({ path, span, method });
}

/** The paths that exist after a plan has ended. Instances keep their own data. */
function writtenBy(plan: Plan): PlanPath[] {
  return plan.calls.flatMap(({ arms }) => arms.flat()).filter(([kind]) => KINDS.has(kind));
}

function methodOf(l: StateLowering, option: ToolCallNode['options'][number]): OutputMethod | null {
  const text = option.value === undefined ? '' : constantText(option.value);
  if (text !== null && METHODS.includes(text)) return text as OutputMethod;
  const why = `must be one of \`${METHODS.join('`, `')}\``;
  l.diagnostics.push(say.badOption(option.span, { name: 'method', why, help: 'write `method=set`' }));
  return null;
}

/** The arguments that become parameters of a tool. */
function passableArguments(l: StateLowering, args: readonly Argument[]): readonly Argument[] {
  return args.filter(({ name }) => {
    if (!name.text.startsWith('_')) return true;
    l.diagnostics.push(say.metaParameter(name.span, { name: name.text }));
    return false;
  });
}

function calledTool(l: StateLowering, i: ToolCallNode, tool: Name, parts: CallParts): CallablePlan | null {
  const { callables, repeatedCalls } = l.settings;
  const compiled = repeatedCalls.find(tool.text, parts, () =>
    callables.call(planOfOneCall(i, tool, parts), [], tool.span),
  );
  if (compiled !== null) l.diagnostics.push(...compiled.diagnostics.map(inText));
  return compiled;
}

/** Rewords a diagnostic of a plan document for a line of a program. */
function inText(diagnostic: Diagnostic): Diagnostic {
  const facts = planMessages.outputPathNotAllowed.factsOf(diagnostic);
  return facts === null ? diagnostic : say.outputPathNotAllowed(diagnostic.span, facts);
}

/** Reports mistakes in the paths themselves. Returns null if no path can be written. */
function readableOutput(l: StateLowering, output: OutputPath | undefined): OutputPath | null {
  if (output === undefined) return null;
  if (output.problem !== undefined) {
    l.diagnostics.push(mistakeOf(output.problem));
    return null;
  }
  const paths = output.paths === null ? [] : pathsIn(output.paths);
  const wrong = paths.filter((path) => !isWritable(l, path));
  return wrong.length > 0 ? null : output;
}

function pathsIn(group: DataReference | ReferenceGroup): DataReference[] {
  return group.kind === 'data-reference' ? [group] : group.of.flatMap(pathsIn);
}

function isWritable(l: StateLowering, { root, path, span }: DataReference): boolean {
  const kind = root.text;
  const known = ['state', 'data'];
  if (!KINDS.has(kind))
    l.diagnostics.push(say.unknownKind(root.span, { name: kind, near: nearest(kind, known), known }));
  else if (!known.includes(kind))
    l.diagnostics.push(planMessages.writeReadonly(span, { path: `†${printPath([kind, ...path])}`, kind }));
  else if (path.length === 0) l.diagnostics.push(planMessages.writeRoot(span, { kind }));
  else return true;
  return false;
}

/** The path as written. Returns null after reporting that it is not a constant path. */
function planFile(l: StateLowering, file: Template): string | null {
  const path = constantText(file);
  if (path !== null && path !== '') return path;
  l.diagnostics.push(say.planFileName(file.span, {}));
  return null;
}

/** Returns null after reporting that the plan cannot be read. */
function calledPlan(
  l: StateLowering,
  i: ToolCallNode,
  path: string,
  args: readonly EntryArgument[],
): CallablePlan | null {
  const { span } = i.called;
  const compiled = l.settings.callables.plan(path, span, null);
  if (compiled === null) return null;
  l.diagnostics.push(...compiled.diagnostics, ...wronglyTyped(l, { path, span, args }));
  const errors = compiled.diagnostics.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) l.diagnostics.push(say.planIsWrong(span, { file: path, errors }));
  checkInputs(l, i, path, compiled);
  return compiled;
}

/** Checks constant inputs against the tools of the plan. */
function wronglyTyped(
  l: StateLowering,
  { path, span, args }: { path: string; span: Span; args: readonly EntryArgument[] },
): readonly Diagnostic[] {
  const constants = args.flatMap(({ name, value }) => (value.op === 'const' ? [[name, value.value] as const] : []));
  if (constants.length === 0) return [];
  const compiled = l.settings.callables.plan(path, span, Object.fromEntries<Json>(constants));
  return compiled?.diagnostics.filter(({ code }) => code === 'type-mismatch') ?? [];
}

function checkInputs(
  l: StateLowering,
  { args, called }: ToolCallNode,
  file: string,
  { signature, inputs }: CallablePlan,
): void {
  const given = new Set(args.map(({ name }) => name.text));
  for (const paths of signature) {
    const names = paths.map(inputOf);
    if (names.some((name) => name === null || name === undefined || given.has(name))) continue;
    l.diagnostics.push(say.planInput(called.span, { file, name: names[0] as string }));
  }
  if (inputs === null) return;
  for (const { name } of args)
    if (!name.text.startsWith('_') && !inputs.includes(name.text))
      l.diagnostics.push(say.planInputUnread(name.span, { name: name.text, file, near: nearest(name.text, inputs) }));
}

/** The input that a path reads: undefined if it reads all inputs, null if it reads something else. */
function inputOf(path: PlanPath): string | undefined | null {
  const own = path[0] === 'instance' ? path.slice(2) : path;
  return own[0] === 'input' ? own[1] : null;
}
