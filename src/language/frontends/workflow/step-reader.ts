/** Reads one step of a workflow file. Its parts may be under `get` and `run`, or next to its name. */
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import { unnamedStep } from '../../source/diagnostic.js';
import type { Block, Option, StepNode } from '../../syntax/ast.js';
import type { Name } from '../../syntax/expression-nodes.js';
import type { EachTask, StepParts, StepRun } from '../../syntax/step-nodes.js';
import { gatesOf } from './read-gates.js';
import { attemptsOf, isOlderRetry, onFailure, retryOf } from './retry.js';
import { contextOf, sessionOf } from './step-get.js';
import { bashOf, HINTS } from './step-hints.js';
import { GUARD_KEYS, runOf } from './step-run.js';
import {
  isNothing,
  itemsOf,
  Members,
  nameOf,
  optionOf,
  promptOf,
  type ReaderContext,
  reportOneOf,
  spanOf,
  textOf,
  wrongShape,
} from './values.js';
import type { YamlMap, YamlMember, YamlNode, YamlScalar } from './yaml/yaml-nodes.js';

const GET_KEYS = ['prompt', 'context', 'session'];
const RUN_KEYS = ['agent', 'guard', 'workflow', 'with', 'bash'];
const OUTPUTS: Readonly<Record<string, string>> = {
  diff: 'code',
  plan: 'split',
  artifact: 'artifact',
  review: 'validate',
};
export const STEP_KEYS = [
  ...['name', 'type', 'get', 'run', 'gate', 'retry', 'each', 'parallel', 'steps', 'output', 'foreach', 'on_failure'],
  'memo',
  ...GET_KEYS,
  ...RUN_KEYS,
];

export function stepsOf(context: ReaderContext, member: YamlMember, of: string): Block {
  const { key, value } = member;
  if (isNothing(value) || (value.kind === 'list' && value.items.length === 0))
    context.diagnostics.push(words.emptySteps(key.span, { of }));
  if (value.kind === 'map' && !value.members.some((member) => STEP_KEYS.includes(member.key.text))) {
    // A file with a mapping instead of a list of steps gets one message, instead of one for each missing key.
    wrongShape(
      context,
      value,
      `\`${key.text}\``,
      'a list of steps',
      'write each step as `- name: …`, and its keys below',
    );
    return { instructions: [], inline: false, span: value.span };
  }
  const instructions = isNothing(value) ? [] : stepList(context, value);
  return { instructions, inline: false, span: value.span };
}

export function stepList(context: ReaderContext, node: YamlNode): StepNode[] {
  return itemsOf(node).flatMap((item) => {
    if (item.kind === 'map') return [stepOf(context, item)];
    wrongShape(context, item, 'a step', 'a mapping', 'write `- name: …` and its keys below');
    return [];
  });
}

export function stepOf(given: ReaderContext, map: YamlMap): StepNode {
  const context = checkIndentation(given, map);
  const members = new Members(map, context);
  const name = stepName(context, members, map);
  const type = typeOf(context, members);
  const options = memoOf(context, members);
  const get = innerMembers(context, members, 'get', GET_KEYS);
  const work = innerMembers(context, members, 'run', RUN_KEYS);
  const part = (from: Members | undefined, key: string): YamlMember | undefined =>
    takeEither(context, from, members, key);
  const prompt = part(get, 'prompt');
  const contextMember = part(get, 'context');
  const session = part(get, 'session');
  const parts = new Map(
    RUN_KEYS.flatMap((key) => {
      const member = part(work, key);
      return member === undefined ? [] : [[key, member] as const];
    }),
  );
  const gate = gateMember(context, members);
  const retry = retryMember(context, members);
  olderRun(context, members, parts);
  const below = nestedOf(context, members, parts);
  get?.reportUnknown('`get`', GET_KEYS, HINTS);
  work?.reportUnknown('`run`', RUN_KEYS, HINTS);
  members.reportUnknown('a step', STEP_KEYS, HINTS);
  const text = prompt === undefined ? undefined : promptOf(context, prompt);
  const source = session === undefined ? undefined : sessionOf(context, session, name.span.start);
  return {
    kind: 'step',
    verb: { text: 'STEP', span: name.span },
    name,
    ...omitUndefined({ type }),
    options,
    context: contextMember === undefined ? [] : contextOf(context, contextMember),
    ...omitUndefined({ prompt: text, session: source }),
    run: runOf(context, parts, below.group),
    gates: gate === undefined ? [] : gatesOf(context, gate),
    ...omitUndefined({ retry, each: below.each }),
    span: { ...map.span, end: map.members.reduce((end, member) => Math.max(end, spanOf(member).end), map.span.start) },
  };
}

/** The lines below these keys, which are empty if the lines have lost their indentation. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  get: GET_KEYS,
  run: RUN_KEYS,
  guard: GUARD_KEYS,
  session: ['from', 'reuse'],
};

/** Recognizes a step with lines that have lost their indentation. Nothing else is reported for it. */
function checkIndentation(context: ReaderContext, { members, flow }: YamlMap): ReaderContext {
  const at = members.findIndex(({ key, value }, n) => {
    const next = members[n + 1]?.key.text;
    if (flow !== null || !isNothing(value) || next === undefined) return false;
    if (key.text === 'with') return !STEP_KEYS.includes(next);
    return Object.hasOwn(BELOW, key.text) && BELOW[key.text]?.includes(next) === true;
  });
  const lost = members[at + 1];
  if (at < 0 || lost === undefined) return context;
  context.diagnostics.push(words.lostIndentation(spanOf(lost), { under: `${members[at]?.key.text}:` }));
  return { ...context, diagnostics: [] };
}

function stepName(context: ReaderContext, members: Members, map: YamlMap): Name {
  const member = members.take('name');
  const where = map.members[0]?.key.span ?? map.span;
  const other = member === undefined ? members.takeOne('id', 'step', 'title', 'label') : undefined;
  const named = other === undefined ? undefined : textOf(context, other, 'the name of the step');
  if (other !== undefined && named !== undefined) {
    const example = `name: ${nameOf(named).text}`;
    context.diagnostics.push(words.missingKey(other.key.span, { key: 'name', of: 'this step', example }));
    return nameOf(named);
  }
  const text = member === undefined ? undefined : textOf(context, member, 'the name of the step');
  if (text !== undefined) return nameOf(text);
  if (member === undefined)
    context.diagnostics.push(words.missingKey(where, { key: 'name', of: 'this step', example: '- name: build' }));
  // A unique name, so that this is the only message about names.
  return { text: unnamedStep(map.span.start), span: where };
}

/** `memo: true`, one pattern of files, or a list of them. */
function memoOf(context: ReaderContext, members: Members): readonly Option[] {
  const member = noteSign(context, members.take('memo'));
  if (member === undefined) return [];
  const { key, value } = member;
  return itemsOf(value).flatMap((item) => optionOf(context, { key, value: item }, 'memo') ?? []);
}

/** `type`, or `output` of the older dialect. */
function typeOf(context: ReaderContext, members: Members): Name | undefined {
  const type = typeMember(context, members);
  const output = members.take('output');
  if (output !== undefined) {
    context.signs.push({ dialect: 'older', text: 'output', span: output.key.span });
    const text = textOf(context, output, 'one of `diff`, `plan`, `artifact`, `review`');
    const word = text?.located.text.trim() ?? 'diff';
    const means = Object.hasOwn(OUTPUTS, word) ? OUTPUTS[word] : undefined;
    if (text !== undefined && means === undefined)
      wrongShape(context, text, '`output`', 'one of `diff`, `plan`, `artifact`, `review`', outputHelp(word));
    if (type === undefined) return { text: means ?? 'code', span: (text ?? output.value).span };
  }
  const text = type === undefined ? undefined : textOf(context, type, 'the type of the step');
  return text === undefined ? undefined : nameOf(text);
}

function outputHelp(word: string): string {
  if (/[./]/.test(word))
    return `write the answer to a file in the next step: \`bash: printf '%s' {name.output} > ${word}\``;
  const near = nearest(word, Object.keys(OUTPUTS));
  return near === undefined ? '`diff` is only for steps that change files' : `did you mean \`${near}\`?`;
}

/** A key that exists only in the current dialect. */
function noteSign(context: ReaderContext, member: YamlMember | undefined): YamlMember | undefined {
  if (member !== undefined) context.signs.push({ dialect: 'current', text: member.key.text, span: member.key.span });
  return member;
}

/** The mapping under `get` or `run`. */
function innerMembers(
  context: ReaderContext,
  members: Members,
  key: string,
  known: readonly string[],
): Members | undefined {
  const member = noteSign(context, members.take(key));
  if (member === undefined || isNothing(member.value)) return undefined;
  if (member.value.kind === 'map') return new Members(member.value, context);
  const wanted = `a mapping with ${known.map((name) => `\`${name}\``).join(', ')}`;
  wrongShape(
    context,
    member.value,
    `\`${key}\``,
    wanted,
    key === 'run' ? bashOf(member.value) : `write \`${key}: { ${known[0]}: … }\``,
  );
  return undefined;
}

/** A part that may be in its mapping or next to the name. */
function takeEither(
  context: ReaderContext,
  from: Members | undefined,
  members: Members,
  key: string,
): YamlMember | undefined {
  const sorted = from?.take(key);
  const flat = members.take(key);
  if (sorted === undefined || flat === undefined) return sorted ?? flat;
  const [first, second] = sorted.key.span.start < flat.key.span.start ? [sorted, flat] : [flat, sorted];
  const facts = { key, first: { span: first.key.span, text: 'given here first' } };
  context.diagnostics.push(words.twice(second.key.span, facts));
  return sorted;
}

interface Nested {
  readonly group?: { readonly member: YamlMember; readonly run: StepRun };
  readonly each?: EachTask;
}

/** The inner steps: once for each task, or as a group. */
function nestedOf(context: ReaderContext, members: Members, parts: Map<string, YamlMember>): Nested {
  const each = noteSign(context, members.take('each'));
  const foreach = members.take('foreach');
  const steps = members.take('steps');
  const parallel = members.take('parallel');
  if (parallel !== undefined && each === undefined && steps === undefined && foreach === undefined)
    wrongShape(
      context,
      { ...parallel.value, span: parallel.key.span },
      '`parallel`',
      'next to `each` or `steps`',
      parallel.value.kind === 'list'
        ? 'write `parallel: true`, and the steps below `steps:` next to it'
        : 'write the steps below `steps:` next to it',
    );
  if (parallel?.value.kind === 'list' && steps === undefined && each === undefined && foreach === undefined)
    return {
      group: {
        member: parallel,
        run: { kind: 'group', parallel: true, steps: stepsOf(context, parallel, 'this group') },
      },
    };
  if (foreach !== undefined) return { each: tasksOf(context, foreach, steps, parallel, parts) };
  const tasks = each === undefined ? {} : { each: eachOf(context, each, steps === undefined ? parallel : undefined) };
  if (steps === undefined) return tasks;
  if (hasFlatAgent(steps.value))
    context.signs.push({ dialect: 'older', text: 'steps', span: steps.key.span, weak: true });
  const at = atOnce(context, parallel);
  if (at.options[0] !== undefined)
    wrongShape(context, (parallel as YamlMember).value, '`parallel` of a group', '`true` or `false`');
  const run = { kind: 'group', parallel: at.parallel, steps: stepsOf(context, steps, 'this group') } as const;
  return { ...tasks, group: { member: steps, run } };
}

/** `foreach: split` of the older dialect, with steps next to it, or with a workflow for every task. */
function tasksOf(
  context: ReaderContext,
  foreach: YamlMember,
  steps: YamlMember | undefined,
  parallel: YamlMember | undefined,
  parts: Map<string, YamlMember>,
): EachTask {
  context.signs.push({ dialect: 'older', text: 'foreach', span: foreach.key.span });
  const of = textOf(context, foreach, 'the name of a step that splits');
  const { span } = foreach.key;
  const workflow = parts.get('workflow');
  if (steps === undefined && workflow === undefined)
    context.diagnostics.push(words.missingKey(span, { key: 'steps', of: 'a step with `foreach`', example: 'steps:' }));
  const nothing: Block = { instructions: [], inline: false, span };
  const called = steps === undefined && workflow !== undefined ? workflowStep(context, workflow, parts) : undefined;
  const block =
    steps !== undefined
      ? stepsOf(context, steps, 'this `foreach`')
      : { ...nothing, instructions: called === undefined ? [] : [called] };
  return {
    ...atOnce(context, parallel),
    ...omitUndefined({ of: of === undefined ? undefined : nameOf(of) }),
    steps: block,
    span,
  };
}

/** The step that runs the workflow for every task. Its name is the last word of the workflow's name. */
function workflowStep(context: ReaderContext, workflow: YamlMember, parts: Map<string, YamlMember>): StepNode {
  const run = runOf(context, parts, undefined);
  for (const key of ['workflow', 'with']) parts.delete(key);
  const text = workflow.value.kind === 'scalar' ? workflow.value.located.text.trim() : '';
  const name = { text: (text.split('/').at(-1) ?? '').replace(/\.ya?ml$/, ''), span: workflow.value.span };
  const { span } = workflow.key;
  return { kind: 'step', verb: { text: 'STEP', span }, name, options: [], context: [], run, gates: [], span };
}

/** `each:` with a list of steps, or with a mapping that contains them under `steps`. */
function eachOf(context: ReaderContext, member: YamlMember, adjacent: YamlMember | undefined): EachTask {
  const { key, value } = member;
  const { span } = key;
  if (value.kind === 'map' && value.members.some((one) => one.key.text === 'steps' || one.key.text === 'parallel')) {
    const members = new Members(value, context);
    if (!members.has('name')) {
      const steps = members.take('steps');
      const parallel = members.take('parallel') ?? adjacent;
      members.reportUnknown('`each`', ['steps', 'parallel']);
      return {
        ...atOnce(context, parallel),
        steps: stepsOf(context, steps ?? { key, value: emptyScalar(value) }, '`each`'),
        span,
      };
    }
  }
  if (value.kind === 'scalar' && !isNothing(value)) {
    wrongShape(context, value, '`each`', 'the steps that run for every task', 'write `each:` and `- name: …` below it');
    return { ...atOnce(context, adjacent), steps: { instructions: [], inline: false, span: value.span }, span };
  }
  return { ...atOnce(context, adjacent), steps: stepsOf(context, member, '`each`'), span };
}

function emptyScalar({ span }: YamlNode): YamlScalar {
  return { kind: 'scalar', span, value: null, located: { text: '', pieces: [{ at: 0, source: span.start }] } };
}

/** `parallel: true`, or the number of tasks at the same time. */
function atOnce(context: ReaderContext, member: YamlMember | undefined): Pick<EachTask, 'parallel' | 'options'> {
  if (member === undefined) return { parallel: false, options: [] };
  const { value } = member;
  if (value.kind === 'scalar' && typeof value.value === 'boolean') return { parallel: value.value, options: [] };
  const isNumber = value.kind === 'scalar' && /^\d+$/.test(value.located.text.trim());
  if (isNumber) {
    const option = optionOf(context, member, 'max');
    return { parallel: true, options: option === undefined ? [] : [option] };
  }
  wrongShape(context, value, '`parallel`', '`true`, `false`, or how many run at once');
  return { parallel: false, options: [] };
}

function hasFlatAgent(node: YamlNode): boolean {
  return itemsOf(node).some((item) => item.kind === 'map' && item.members.some(({ key }) => key.text === 'agent'));
}

/** `gates:` is read as `gate:`, so that the gates are known to the rest of the step. */
function pluralGate(context: ReaderContext, members: Members): YamlMember | undefined {
  const member = members.takeOne('gates', 'checks');
  if (member === undefined) return undefined;
  const { text: name, span } = member.key;
  context.diagnostics.push(words.unknownKey(span, { name, of: 'a step', near: 'gate', known: STEP_KEYS }));
  return member;
}

/** `gate`, or `validate` of the oldest files. */
function gateMember(context: ReaderContext, members: Members): YamlMember | undefined {
  const gate = members.take('gate') ?? pluralGate(context, members);
  const validate = members.take('validate');
  if (validate === undefined) return gate;
  context.signs.push({ dialect: 'older', text: 'validate', span: validate.key.span, oldest: true });
  if (gate !== undefined) reportOneOf(context, inOrder(gate, validate), 'this step');
  return gate ?? validate;
}

/** `retry` in either form, or `on_failure` of the older dialect. */
function retryMember(context: ReaderContext, members: Members): StepParts['retry'] {
  const retry = members.take('retry');
  const failure = members.take('on_failure');
  if (failure !== undefined) {
    context.signs.push({ dialect: 'older', text: 'on_failure', span: failure.key.span });
    if (retry === undefined) return onFailure(context, failure);
    reportOneOf(context, inOrder(retry, failure), 'this step');
  }
  if (retry === undefined) return undefined;
  if (!isOlderRetry(retry)) {
    // Files of the older dialect may contain it too.
    context.signs.push({ dialect: 'current', text: 'retry', span: retry.key.span, weak: true });
    return retryOf(context, retry);
  }
  context.signs.push({ dialect: 'older', text: 'retry.max_attempts', span: retry.key.span, oldest: true });
  return attemptsOf(context, retry);
}

/** Older keys for the work of a step: another name for `workflow`, and limits next to the agent. */
function olderRun(context: ReaderContext, members: Members, parts: Map<string, YamlMember>): void {
  const recipe = members.take('recipe');
  if (recipe !== undefined) {
    context.signs.push({ dialect: 'older', text: 'recipe', span: recipe.key.span });
    const workflow = parts.get('workflow');
    if (workflow !== undefined) reportOneOf(context, inOrder(workflow, recipe), 'this step');
    else parts.set('workflow', recipe);
  }
  for (const key of ['timeout', 'max_turns']) {
    const member = members.take(key);
    if (member !== undefined) parts.set(key, member);
  }
}

const inOrder = (...members: readonly YamlMember[]): YamlMember[] =>
  [...members].sort((a, b) => a.key.span.start - b.key.span.start);

/** In the oldest files a type can be `plan`, or repeat other keys. Then it shows nothing about the dialect. */
function typeMember(context: ReaderContext, members: Members): YamlMember | undefined {
  const type = members.take('type');
  if (type === undefined) return undefined;
  const word = type.value.kind === 'scalar' ? type.value.located.text.trim() : '';
  const { span } = type.key;
  if (word === 'foreach_task') {
    context.signs.push({ dialect: 'older', text: 'type: foreach_task', span, oldest: true });
    const help = 'write `foreach: plan`, with the name of the step that creates the tasks';
    const why = 'it does not say which step creates the tasks';
    context.diagnostics.push(words.meaningless(type.value.span, { what: '`foreach_task`', why, help }));
    return undefined;
  }
  if (word !== 'plan') {
    context.signs.push({ dialect: 'current', text: 'type', span });
    return type;
  }
  context.signs.push({ dialect: 'older', text: `type: ${word}`, span, oldest: true });
  const means = { kind: 'scalar', span: type.value.span, value: 'split' } as const;
  return {
    key: type.key,
    value: { ...means, located: { text: means.value, pieces: [{ at: 0, source: span.start }] } },
  };
}
