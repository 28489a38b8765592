/**
 * Parses a workflow file to the tree of a program: its name, limits and inputs become declarations, its steps become
 * instructions without a state. All nodes have their location in the YAML. Never throws.
 */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import type { Diagnostic, SourceFile } from '../../source/diagnostic.js';
import type { Block, Comment, Declaration, Instruction, Option, Program, StepNode } from '../../syntax/ast.js';
import type { ParsedPart } from '../../syntax/parse.js';
import { allSteps, type StepRun } from '../../syntax/step-nodes.js';
import { documentationOf, isUndeclared, ROOT_KEYS, withSpec } from './specification.js';
import { STEP_KEYS, stepList, stepOf, stepsOf } from './step-reader.js';
import {
  type Dialect,
  flagOf,
  isNothing,
  Members,
  nameOf,
  optionOf,
  type ReaderContext,
  type Sign,
  spanOf,
  templateOf,
  textOf,
  wrongShape,
} from './values.js';
import { declaredInputs, deducedInputs, type ReadName, readNames } from './workflow-inputs.js';
import { partsOfWorkflow } from './workflow-parts.js';
import { brokenYaml, readYaml, type YamlMap, type YamlMember, type YamlNode } from './yaml/yaml-nodes.js';

/** The limits of a workflow, with their names in other dialects. */
const LIMITS: Readonly<Record<string, string>> = { max_budget: 'cost', max_timeout: 'time', max_tokens: 'tokens' };

interface ParsedWorkflow {
  readonly program: Program;
  readonly diagnostics: Diagnostic[];
  /** The steps that can be taken over into a later text. */
  readonly parts: readonly ParsedPart[];
}

/** Steps that are parts of `previous`, an earlier text of the file, are not read again. */
export function parseWorkflow(file: SourceFile, index: number, previous?: readonly ParsedPart[]): ParsedWorkflow {
  const read = previous === undefined ? null : partsOfWorkflow(file, index, previous);
  if (read === null || 'mistake' in read) {
    const { root, comments, diagnostics } = read === null ? readYaml(file, index) : brokenYaml(read.mistake);
    const context: ReaderContext = { file: index, diagnostics, signs: [], reused: new Set() };
    const found = root === null || isNothing(root) ? NOTHING : rootOf(context, file, root, stepsBelow);
    const names: ReadName[] = [];
    readNames(found.steps, (name) => names.push(name));
    // Parts outlive a text with a mistake, which is often a line that is being typed.
    return { ...workflowOf(context, root, found, { comments, names }), parts: previous ?? [] };
  }
  const { root, steps } = read;
  const context: ReaderContext = { file: index, diagnostics: [], signs: [], reused: new Set() };
  const found = rootOf(context, file, root, () => {
    for (const { diagnostics, signs, reused } of steps) {
      context.diagnostics.push(...diagnostics);
      context.signs.push(...signs);
      for (const offset of reused) context.reused.add(offset);
    }
    return steps.flatMap(({ items }) => items as readonly Instruction[]);
  });
  const names = steps.flatMap((part) => part.names);
  const comments = [...read.comments, ...steps.flatMap((part) => part.comments)];
  return { ...workflowOf(context, root, found, { comments, names }), parts: steps };
}

function stepsBelow(context: ReaderContext, steps: YamlMember): readonly Instruction[] {
  return stepsOf(context, steps, 'this workflow').instructions;
}

function workflowOf(
  context: ReaderContext,
  root: YamlNode | null,
  { head, steps, documentation }: WorkflowRoot,
  { comments, names: readOnes }: { readonly comments: readonly Comment[]; readonly names: readonly ReadName[] },
): Omit<ParsedWorkflow, 'parts'> {
  const { file: index, diagnostics } = context;
  const inputs = new Set(head.flatMap((item) => (item.kind === 'input' ? [item.name.text] : [])));
  const workflow = dialectOf(context, readOnes, inputs);
  const typed = workflow === 'older' ? withReusedSessions(steps, context.reused).map(changesFiles) : steps;
  const names = new Set([...inputs, ...allSteps(typed).map(({ name }) => name.text)]);
  const deduced = deducedInputs(readOnes, names);
  const undeclared = isUndeclared(root);
  const items = undeclared && !names.has('spec') ? withSpec(typed, deduced) : [...deduced, ...typed];
  const documented = documentation.length === 0 ? {} : { documentation };
  // Other messages would be unreliable if lines are misplaced.
  const lost = diagnostics.some(({ code }) => code === 'lost-indentation');
  const all = lost ? [] : [...head, ...items];
  const taken = undeclared ? ({ takesAny: true } as const) : {};
  return { program: { file: index, items: all, comments, workflow, ...taken, ...documented }, diagnostics };
}

/** Steps of the older dialect with an agent and without `output` change files. */
function changesFiles(one: Instruction): Instruction {
  if (one.kind !== 'step') return one;
  const { type, run, each } = one;
  const mapSteps = (block: Block): Block => ({ ...block, instructions: block.instructions.map(changesFiles) });
  return {
    ...one,
    ...omitUndefined({
      type: type === undefined && run.kind === 'agent' ? { text: 'code', span: one.name.span } : undefined,
      run: run.kind === 'group' ? { ...run, steps: mapSteps(run.steps) } : undefined,
      each: each === undefined ? undefined : { ...each, steps: mapSteps(each.steps) },
    }),
  };
}

/** Keys of a step that are next to its dash, and so after `steps` in the mapping around it. */
function lostAfterSteps({ text }: SourceFile, { members }: YamlMap): Diagnostic | null {
  const at = members.findIndex(({ key }) => key.text === 'steps');
  const list = members[at]?.value;
  const next = members[at + 1];
  if (list?.kind !== 'list' || next === undefined || !STEP_KEYS.includes(next.key.text)) return null;
  if ((ROOT_KEYS as readonly string[]).includes(next.key.text)) return null;
  const item = list.items.at(-1);
  if (item?.kind !== 'map' || item.members.length > 1) return null;
  const start = text.lastIndexOf('\n', item.span.start) + 1;
  const end = text.indexOf('\n', start);
  const under = text.slice(start, end < 0 ? text.length : end);
  // A dash that is deeper than the key has its own keys below it.
  if (!under.startsWith('-')) return null;
  return words.lostIndentation(spanOf(next), { under: under.trim() });
}

interface WorkflowRoot {
  readonly head: Declaration[];
  readonly steps: readonly Instruction[];
  readonly documentation: NonNullable<Program['documentation']>;
}

/** `tool: true`: agents get the workflow as a tool of its own. */
function toolOf(context: ReaderContext, member: YamlMember): Declaration {
  const { span } = member.value;
  return { kind: 'tool', value: { text: flagOf(context, member) ? 'yes' : 'no', span }, span };
}

const NOTHING: WorkflowRoot = { head: [], steps: [], documentation: [] };

/** A mapping with `steps`, a list of steps, or one step. */
function rootOf(
  context: ReaderContext,
  file: SourceFile,
  root: YamlNode,
  readSteps: (context: ReaderContext, steps: YamlMember) => readonly Instruction[],
): WorkflowRoot {
  if (root.kind === 'list') return { head: [], steps: stepList(context, root), documentation: [] };
  if (root.kind === 'scalar') {
    wrongShape(context, root, 'a workflow', 'a mapping with `steps`', 'write `steps:` and `- name: …` below it');
    return { head: [], steps: [], documentation: [] };
  }
  const foreign = root.members.some(({ key }) => key.text === 'steps') ? null : foreignFile(root);
  if (foreign !== null) {
    context.diagnostics.push(foreign);
    return NOTHING;
  }
  const lost = lostAfterSteps(file, root);
  if (lost !== null) {
    context.diagnostics.push(lost);
    return NOTHING;
  }
  const members = new Members(root, context);
  const keys = root.members.map(({ key }) => key.text);
  if (
    !members.has('steps') &&
    keys.some((key) => STEP_KEYS.includes(key) && !(ROOT_KEYS as readonly string[]).includes(key))
  )
    return { head: [], steps: [stepOf(context, root)], documentation: [] };
  const head: Declaration[] = [];
  const name = members.take('name');
  const text = name === undefined ? undefined : textOf(context, name, 'the name of the workflow');
  if (text !== undefined) head.push({ kind: 'machine', name: nameOf(text), span: text.span });
  const limits = Object.entries(LIMITS).flatMap(([key, limit]): Option[] => {
    const member = members.take(key);
    return member === undefined ? [] : ((optionOf(context, member, limit) ?? []) as Option[]);
  });
  const [first] = limits;
  if (first !== undefined) head.push({ kind: 'limit', options: limits, span: first.span });
  const tool = members.take('tool');
  if (tool !== undefined) head.push(toolOf(context, tool));
  const key = members.take('key');
  const keyText = key === undefined ? undefined : templateOf(context, key);
  if (keyText !== undefined) head.push({ kind: 'key', text: keyText, span: keyText.span });
  const title = members.take('title');
  const titled = title === undefined ? undefined : templateOf(context, title);
  if (titled !== undefined) head.push({ kind: 'title', text: titled, span: titled.span });
  const inputs = members.take('inputs');
  if (inputs !== undefined) head.push(...declaredInputs(context, file, inputs));
  const steps = members.take('steps');
  const documentation = documentationOf(context, members, steps !== undefined);
  const read = steps === undefined ? [] : readSteps(context, steps);
  if (steps === undefined) {
    const renamed = root.members.find(({ key }) =>
      /^(?:steps?|tasks?|jobs?|stages?|nodes|workflow|pipeline|actions|phases)$/i.test(key.text),
    );
    if (renamed === undefined) wrongShape(context, root, 'a workflow', 'a mapping with `steps`', 'write `steps:`');
    else
      wrongShape(
        context,
        { ...renamed.value, span: renamed.key.span, kind: 'scalar' } as YamlNode,
        'a workflow',
        'a mapping with `steps`',
        `write \`steps:\` for \`${renamed.key.text}:\`${renamed.value.kind === 'map' ? ', and each step as `- name: …`' : ''}`,
      );
  }
  return {
    head,
    steps: read,
    documentation,
  };
}

const OWN = 'a workflow of statedsl has `steps:`, each with a `name`, an `agent` and a `prompt` or a `bash` command';

/** The kind of the file, with the key that shows it; null if it could be a workflow. */
function foreignFile(root: YamlMap): Diagnostic | null {
  const at = (name: string): YamlMember | undefined => root.members.find(({ key }) => key.text === name);
  const refuse = (member: YamlMember, what: string, help = OWN) => words.foreignFile(member.key.span, { what, help });
  const jobs = at('jobs');
  if (jobs !== undefined && (at('on') !== undefined || at('true') !== undefined || hasBelow(jobs, 'runs-on')))
    return refuse(jobs, 'a GitHub Actions workflow', `write its \`run:\` lines as \`bash:\` of steps: ${OWN}`);
  const runs = at('runs');
  if (runs !== undefined) return refuse(runs, 'an action of GitHub Actions');
  const stages = at('stages') ?? root.members.find((member) => hasKey(member, 'script'));
  if (stages !== undefined)
    return refuse(stages, 'a GitLab CI file', `write its \`script:\` lines as \`bash:\` of steps: ${OWN}`);
  const services = at('services');
  if (services !== undefined) return refuse(services, 'a Compose file');
  const other = FOREIGN_ROOTS.find(([keys]) => keys.every((key) => at(key) !== undefined));
  const sign = other === undefined ? undefined : at(other[0][0] as string);
  if (other !== undefined && sign !== undefined) return refuse(sign, other[1]);
  const kind = at('apiVersion');
  if (kind !== undefined) return refuse(kind, 'a Kubernetes manifest');
  const agents = at('agents') ?? at('gates');
  if (agents !== undefined)
    return refuse(agents, 'a configuration', 'name it `statedsl.config.yaml`; commands find it there by themselves');
  return null;
}

/** The keys of files of other tools. */
const FOREIGN_ROOTS: readonly (readonly [readonly string[], string])[] = [
  [['workflows', 'version'], 'a CircleCI file'],
  [['tasks', 'version'], 'a Taskfile'],
  [['prompts', 'providers'], 'a configuration of promptfoo'],
  [['nodes', 'connections'], 'a workflow of n8n'],
  [['pipeline'], 'a file of another CI'],
  [['StartAt'], 'a state machine of Step Functions'],
];

function hasKey({ value }: YamlMember, name: string): boolean {
  return value.kind === 'map' && value.members.some(({ key }) => key.text === name);
}

function hasBelow({ value }: YamlMember, name: string): boolean {
  return value.kind === 'map' && value.members.some((member) => hasKey(member, name));
}

/** The first names of keys that exist only in one dialect. */
const ROOTS: Readonly<Record<string, Dialect>> = {
  steps: 'older',
  item: 'older',
  run: 'older',
  task: 'current',
  gate: 'current',
  prev: 'current',
};

/**
 * Forms of both dialects are a mistake, and the message shows both locations. A file without such forms is in the
 * current dialect.
 */
function dialectOf(context: ReaderContext, names: readonly ReadName[], inputs: ReadonlySet<string>): Dialect {
  const oldest = context.signs.some((sign) => sign.oldest === true);
  const tasks = oldest || context.signs.some(({ text }) => text === 'foreach');
  const signs: Sign[] = context.signs.filter(({ text }) => !oldest || text !== 'type');
  for (const { name, alone, span } of names) {
    const dialect = Object.hasOwn(ROOTS, name) && !alone && !inputs.has(name) ? ROOTS[name] : undefined;
    // Below `foreach` a task has both names.
    if (dialect !== undefined && !(tasks && name === 'task')) signs.push({ dialect, text: `{${name}.`, span });
  }
  const first = (dialect: Dialect, weak: boolean): Sign | undefined =>
    signs
      .filter((sign) => sign.dialect === dialect && (weak || sign.weak !== true))
      .sort((a, b) => a.span.start - b.span.start)[0];
  const older = first('older', false);
  const current = first('current', false);
  if (older !== undefined && current !== undefined) {
    const [before, after] = older.span.start < current.span.start ? [older, current] : [current, older];
    const label = {
      span: before.span,
      text: `this belongs to the ${before.dialect === 'older' ? 'older' : 'current'} one`,
    };
    context.diagnostics.push(words.dialects(after.span, { older: older.text, current: current.text, first: label }));
  }
  if (older !== undefined) return 'older';
  return current === undefined && first('older', true) !== undefined ? 'older' : 'current';
}

/** The last step for each kind of agent, which is the first word of its name: `claude` in `claude-opus`. */
type Last = ReadonlyMap<string, string>;

interface Around {
  /** The steps with `reuse`, by the offsets of their names. */
  readonly asked: ReadonlySet<number>;
  readonly last: Last;
  readonly inherited: boolean;
}

/**
 * Resolves `session: reuse` of the older dialects: a step continues the session of the last earlier step with an agent
 * of the same kind, and a group passes the setting on to its steps. The result names that step.
 */
function withReusedSessions(steps: readonly Instruction[], asked: ReadonlySet<number>): Instruction[] {
  return asked.size === 0 ? [...steps] : list(steps, { asked, last: new Map(), inherited: false });
}

function list(steps: readonly Instruction[], around: Around, parallel = false): Instruction[] {
  const last = new Map(around.last);
  return steps.map((one) => {
    if (one.kind !== 'step') return one;
    const step = withSession(one, { ...around, last: parallel ? around.last : last });
    const kind = kindOf(step.run);
    if (kind !== null) last.set(kind, step.name.text);
    return step;
  });
}

function withSession(step: StepNode, around: Around): StepNode {
  const wishes = around.asked.has(step.name.span.start) || (around.inherited && step.session === undefined);
  const inner = { ...around, inherited: wishes };
  const mapSteps = (block: Block, inside: Around, parallel: boolean): Block => ({
    ...block,
    instructions: list(block.instructions, inside, parallel),
  });
  const { run, each } = step;
  const kind = kindOf(run);
  const from = kind === null || !wishes ? undefined : around.last.get(kind);
  const { span } = step.name;
  return {
    ...step,
    ...omitUndefined({
      session: from === undefined ? undefined : ({ kind: 'from', step: { text: from, span }, span } as const),
      run: run.kind === 'group' ? { ...run, steps: mapSteps(run.steps, inner, run.parallel) } : undefined,
      // Every task begins without a session to continue.
      each:
        each === undefined ? undefined : { ...each, steps: mapSteps(each.steps, { ...inner, last: new Map() }, false) },
    }),
  };
}

/** Null if the agent is not known before the run. */
function kindOf(run: StepRun): string | null {
  if (run.kind !== 'agent') return null;
  const [name, more] = run.agent.parts;
  return typeof name === 'string' && more === undefined ? (name.trim().split('-', 1)[0] as string) : null;
}
