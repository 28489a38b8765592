/**
 * The input `spec` of workflow files that declare no inputs. If a prompt reads it, it is an ordinary input. If none
 * does, the steps that create tasks receive it after their prompts, because "analyse this spec" refers to it.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Block, Declaration, Instruction } from '../../syntax/ast.js';
import { emptyText, readNames } from './inputs.js';
import type { YamlNode } from './yaml/yaml-nodes.js';

type Step = Extract<Instruction, { kind: 'step' }>;
type Input = Extract<Declaration, { kind: 'input' }>;

const SPEC = 'spec';
const SPEC_TITLE = 'Specification';

export function isUndeclared(root: YamlNode | null): boolean {
  return root?.kind !== 'map' || !root.members.some(({ key }) => key.text === 'inputs');
}

/** The inputs and steps of a file that declares no inputs. `deduced` are the inputs that its texts read. */
export function withSpec(steps: readonly Instruction[], deduced: readonly Input[]): (Declaration | Instruction)[] {
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

function blocksIn({ run, each }: Step): Block[] {
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
