/**
 * Lowers groups, steps that are the work of another step: one after the other, or in parallel, each in its own
 * worktree.
 */
import type { Branch } from '../../machine/machine.js';
import type { StepRun } from '../../syntax/step.js';
import { boundIn } from '../lower/parallel.js';
import type { StateLowering } from '../lower/state-lowering.js';
import { type StepNode, setProgress } from './step-names.js';

export function lowerGroup(l: StateLowering, i: StepNode, run: Extract<StepRun, { kind: 'group' }>): void {
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
