/**
 * The input `spec` of workflow files that declare no inputs. If a prompt reads it, it is an ordinary input. If none
 * does, the steps that create tasks receive it after their prompts, because "analyse this spec" refers to it.
 */
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import type { Block, Declaration, InputDeclaration, Instruction, Program, StepNode } from '../../syntax/ast.js';
import { STEP_KEYS } from './step-reader.js';
import { isNothing, type Members, type ReaderContext } from './values.js';
import { emptyText, readNames } from './workflow-inputs.js';
import type { YamlMember, YamlNode } from './yaml/yaml-nodes.js';

const SPEC = 'spec';
const SPEC_TITLE = 'Specification';

export function isUndeclared(root: YamlNode | null): boolean {
  return root?.kind !== 'map' || !root.members.some(({ key }) => key.text === 'inputs');
}

/** The inputs and steps of a file that declares no inputs. `deduced` are the inputs that its texts read. */
export function withSpec(
  steps: readonly Instruction[],
  deduced: readonly InputDeclaration[],
): (Declaration | Instruction)[] {
  if (steps.length === 0 || readsSpec(steps)) return [...deduced, ...steps];
  const [first] = steps;
  const start = first?.span.start ?? 0;
  const span = { file: first?.span.file ?? 0, start, end: start };
  // A file without a step that needs a specification runs without one.
  const own = deduced.some(({ name }) => name.text === SPEC)
    ? []
    : [{ kind: 'input', name: { text: SPEC, span }, value: emptyText(span), secret: false, span } as const];
  return [...own, ...deduced, ...steps.map(withContext)];
}

/** Whether a prompt reads it, including prompts of a retry. */
function readsSpec(steps: readonly Instruction[]): boolean {
  let found = false;
  const look = (one: Instruction): void => {
    if (one.kind !== 'step') return;
    const overrides = one.retry?.entries.flatMap((entry) => entry.overrides.filter(({ name }) => name === 'prompt'));
    readNames([one.prompt ?? [], overrides ?? []], ({ name, alone }) => {
      if (name === SPEC && alone) found = true;
    });
    for (const block of blocksIn(one)) block.instructions.forEach(look);
  };
  steps.forEach(look);
  return found;
}

function blocksIn({ run, each }: StepNode): Block[] {
  return [...(run.kind === 'group' ? [run.steps] : []), ...(each === undefined ? [] : [each.steps])];
}

function withContext(one: Instruction): Instruction {
  if (one.kind !== 'step') return one;
  const { run, each, type, context, name } = one;
  const mapSteps = (block: Block): Block => ({ ...block, instructions: block.instructions.map(withContext) });
  const { span } = name;
  const splits = type?.text === 'split' && run.kind === 'agent';
  const value = { kind: 'name', name: SPEC, span } as const;
  return {
    ...one,
    ...omitUndefined({
      context: splits ? [...context, { kind: 'value', title: SPEC_TITLE, value, span } as const] : undefined,
      run: run.kind === 'group' ? { ...run, steps: mapSteps(run.steps) } : undefined,
      each: each === undefined ? undefined : { ...each, steps: mapSteps(each.steps) },
    }),
  };
}

/** In the order of the suggestions. */
export const ROOT_KEYS = [
  'name',
  'title',
  'description',
  'tool',
  'key',
  'inputs',
  'max_budget',
  'max_timeout',
  'max_tokens',
  'steps',
] as const;

type Documentation = NonNullable<Program['documentation']>;

/** Takes the remaining keys at the root. For a file without steps, only that is reported. */
export function documentationOf(context: ReaderContext, members: Members, hasSteps: boolean): Documentation {
  const found = members.rest();
  if (!hasSteps) return [];
  for (const member of found) report(context, member);
  return found.flatMap(({ key, value }) => {
    const text = textOf(value).trim();
    return text === '' ? [] : [{ key, text }];
  });
}

function report(context: ReaderContext, { key, value }: YamlMember): void {
  const { text: name, span } = key;
  const help = helpForOlder(name, value);
  if (name === 'description' || help === null) return;
  const near = nearest(name, ROOT_KEYS);
  if (help !== undefined || near !== undefined || STEP_KEYS.includes(name)) {
    const known = ROOT_KEYS;
    const hint = help ?? (near === undefined ? `write \`${name}\` in the step that it applies to` : undefined);
    const facts = { name, of: 'a workflow', near, known, ...omitUndefined({ help: hint }) };
    context.diagnostics.push(words.unknownKey(span, facts));
    return;
  }
  context.diagnostics.push(words.unknownRootKey(span, { name }));
}

/** The suggestion for a key of the older dialect. Null if the key requests the default. */
function helpForOlder(name: string, value: YamlNode): string | null | undefined {
  if (name === 'review') {
    const gates = value.kind === 'list' ? value.items.map((item) => textOf(item)) : [textOf(value)];
    if (gates.every((gate) => gate === '')) return null;
    return `end \`steps:\` with \`- { name: review, gate: [${gates.join(', ')}] }\``;
  }
  if (name !== 'blast_radius') return undefined;
  if (textOf(value) === 'enforce') return null;
  return 'leave it out; to let a task change any file, let the split name no `files` for it';
}

function textOf(value: YamlNode): string {
  if (value.kind === 'list') return value.items.map(textOf).join(', ');
  if (value.kind === 'map') return value.members.map((one) => `${one.key.text}: ${textOf(one.value)}`).join(', ');
  return isNothing(value) ? '' : value.located.text;
}
