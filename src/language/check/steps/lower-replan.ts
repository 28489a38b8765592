/**
 * Lowers REPLAN: an agent divides a step that did not pass into tasks, and the agent of the step does one after the other.
 * Both are ordinary steps below it: a split `replan`, and a step for every task. Gates judge all of it.
 */
import type { Expr, Template as LoweredTemplate } from '../../../machine/expression.js';
import type { StepLayout } from '../../../machine/step.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { StepNode } from '../../syntax/ast.js';
import type { Expression, Interpolation, Template } from '../../syntax/expression-nodes.js';
import type { StepRun } from '../../syntax/step-nodes.js';
import type { StateLowering } from '../lower/state-lowering.js';
import { type NamedStep, scopeOf } from './step-names.js';

/** Values of the step that the prompts of its tasks contain, in local slots. */
const VALUES = ['$goal', '$why', '$changed', '$planner', '$worker'] as const;
type StepValue = (typeof VALUES)[number];

export type ReplanSlots = Readonly<Record<StepValue, number>>;

/** The slots of a step that a retry may divide; null for all others. */
export function replanSlots(l: StateLowering, { retry }: StepLayout): ReplanSlots | null {
  if (retry?.entries.some(({ replan }) => replan !== undefined) !== true) return null;
  return Object.fromEntries(VALUES.map((name) => [name, l.scope.hiddenSlot(name)])) as ReplanSlots;
}

interface Divided {
  readonly run: Extract<StepRun, { kind: 'agent' }>;
  readonly own: NamedStep;
  readonly slots: ReplanSlots;
  /** The prompt of the step, in the place of a value: its names mean what they mean in the step. */
  readonly prompt: LoweredTemplate | null;
}

export function lowerReplan(l: StateLowering, i: StepNode, { run, own, slots, prompt }: Divided): void {
  const { emitter, scope } = l;
  const { span } = run;
  const outer = l.steps.context;
  const keep = (name: StepValue, value: Expr): void =>
    void emitter.add({ op: 'set', to: { in: 'local', slot: slots[name] }, name, value }, span);
  keep('$goal', prompt === null ? l.constant('') : { op: 'template', template: prompt });
  keep('$why', { op: 'retry-key', field: 'error' });
  keep('$changed', { op: 'retry-key', field: 'diff' });
  const plan = planStep(i, run);
  const below = scopeOf([{ instructions: [plan], inline: false, span }], {
    level: outer.scope.level + 1,
    kind: 'group',
    parent: outer.scope,
    path: `${outer.scope.path}${own.name}/`,
  });
  own.below = below;
  emitter.add({ op: 'group-enter' }, span);
  l.frames++;
  l.steps.context = { ...outer, scope: below, own: null, judging: false };
  scope.push(
    'loop',
    '',
    VALUES.map((name) => [name, { slot: slots[name] }] as const),
  );
  l.instruction(plan);
  scope.pop();
  l.steps.context = outer;
  l.frames--;
  emitter.add({ op: 'group-leave' }, span);
}

function planStep(i: StepNode, run: Divided['run']): StepNode {
  const { span, guards } = run;
  const value = (name: StepValue): Expression => ({ kind: 'name', name, span });
  const task = (field: string): Expression => ({
    kind: 'field',
    of: { kind: 'name', name: 'task', span },
    name: { text: field, span },
    span,
  });
  const text = (...parts: readonly (string | Expression)[]): Template => ({
    parts: parts.map((part): string | Interpolation =>
      typeof part === 'string' ? part : { expression: part, list: false, span: { ...span, end: span.start } },
    ),
    quote: 'none',
    raw: '',
    span,
  });
  const by = (agent: StepValue): StepNode['run'] => ({ kind: 'agent', agent: text(value(agent)), guards, span });
  const common = {
    kind: 'step',
    verb: { text: 'STEP', span },
    options: [],
    context: i.context,
    gates: [],
    span,
  } as const;
  const work: StepNode = {
    ...common,
    name: { text: i.name.text, span },
    ...omitUndefined({ type: i.type }),
    prompt: text(
      ...[
        `Do this task, which is one part of the step \`${i.name.text}\`: `,
        task('name'),
        '\n\n',
        task('description'),
      ],
      ...['\n\nOther tasks do the rest. The whole step is:\n\n', value('$goal')],
    ),
    run: by('$worker'),
  };
  return {
    ...common,
    name: { text: 'replan', span },
    type: { text: 'split', span },
    prompt: text(
      `The step \`${i.name.text}\` did not pass. Divide what is still to be done for it into smaller tasks, which are done in their order.`,
      ...['\n\n## The step\n\n', value('$goal'), '\n\n## What went wrong\n\n', value('$why')],
      ...['\n\n## What was changed by then\n\n', value('$changed')],
    ),
    run: by('$planner'),
    each: { parallel: false, options: [], steps: { instructions: [work], inline: false, span }, span },
  };
}
