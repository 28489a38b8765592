/** Lowers EACH: the steps below a split run once for every task, one task after the other or several at once. */
import type { StepKey } from '../../../machine/expression.js';
import { stepMessages as say } from '../../source/catalogue/steps.js';
import type { StepNode } from '../../syntax/ast.js';
import type { EachTask } from '../../syntax/step-nodes.js';
import { checkOptions, numberOption } from '../lower/options.js';
import { boundIn } from '../lower/parallel.js';
import type { StateLowering } from '../lower/state-lowering.js';
import { locationOf } from '../program-index.js';
import { stepKey } from './step-keys.js';
import { lookUp, type NamedStep } from './step-names.js';

export function lowerEach(l: StateLowering, i: StepNode, step: NamedStep, each: EachTask): void {
  const { emitter, scope } = l;
  const outer = l.steps.context;
  const { below } = step;
  const of = tasksOf(l, i, each);
  if (below === null || of === null) return;
  const parent: StepKey = { level: outer.scope.level, path: i.name.text, field: '' };
  const tasks = scope.hiddenSlot('$tasks');
  const variable = scope.hiddenSlot('$task');
  const name = outer.older ? 'item' : 'task';
  // Files of an even older form use `task` here too.
  const names = outer.older ? ['item', 'task'] : ['task'];
  const list = { op: 'read', name: 'tasks', places: [{ in: 'local', slot: tasks }] } as const;
  emitter.add({ op: 'tasks', of, slot: tasks }, each.span);
  const enterTask = (): void => {
    scope.push(
      'loop',
      locationOf(each.span),
      names.map((one) => [one, { slot: variable }] as const),
    );
    l.steps.context = { ...outer, scope: below, own: null, judging: false, task: { name, slot: variable } };
    l.frames++;
    l.block(each.steps);
    l.frames--;
    l.steps.context = outer;
    scope.pop();
  };
  if (!each.parallel) {
    checkOptions(l, each.options, {}, 'EACH');
    const items = scope.hiddenSlot('$items');
    const index = scope.hiddenSlot('$index');
    emitter.add({ op: 'each', list, items, index }, each.span);
    const head = emitter.add({ op: 'next', items, index, variable, exit: -1 }, each.span);
    emitter.add({ op: 'task-enter', parent, slot: variable, parallel: false }, each.span);
    enterTask();
    emitter.add({ op: 'task-leave', parallel: false, slot: null }, each.span);
    emitter.add({ op: 'jump', to: head }, each.span);
    emitter.patch(head, 'exit');
    return;
  }
  const max = numberOption(l, checkOptions(l, each.options, { max: 'number' }, 'EACH').get('max'));
  const end = scope.hiddenSlot('$end');
  const fork = emitter.add({ op: 'jump', to: -1 }, each.span);
  const body = emitter.pc;
  emitter.add({ op: 'task-enter', parent, slot: variable, parallel: true }, each.span);
  l.inBranch({ binds: new Set(boundIn(l, each.steps.instructions).keys()), isTurn: true }, enterTask);
  emitter.add({ op: 'task-leave', parallel: true, slot: end }, each.span);
  emitter.add({ op: 'branch-end' }, each.span);
  const join = emitter.pc;
  emitter.replace(fork, {
    ...{ op: 'fork-each', list, variable, body, collect: [end], join, max, agents: true, quorum: null, wait: null },
  });
  emitter.add({ op: 'tasks-merge', slot: end }, each.span);
}

/** The output of the split: of the step itself, or of the step that `foreach` names. */
function tasksOf(l: StateLowering, i: StepNode, { of }: EachTask): StepKey | null {
  const { scope } = l.steps.context;
  if (of === undefined) return { level: scope.level, path: i.name.text, field: 'output' };
  const found = lookUp(scope, of.text);
  if (found === null) {
    l.diagnostics.push(say.unknownStep(of.span, { key: of.text }));
    return null;
  }
  l.mention(of.span, 'use', stepKey(found.step));
  if (found.step.type !== 'split') {
    l.diagnostics.push(say.eachWithoutSplit(of.span, { name: of.text, older: l.steps.context.older }));
    return null;
  }
  if (found.step.progress !== 'done') {
    l.diagnostics.push(say.forwardStep(of.span, { key: `${of.text}.output`, step: of.text }));
    return null;
  }
  return { level: found.scope.level, path: of.text, field: 'output' };
}
