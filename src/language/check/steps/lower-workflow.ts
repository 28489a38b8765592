/**
 * Inlines a called workflow: its steps become code of the caller, in a separate scope that sees only the passed values.
 * So a workflow needs no support at run time, and cannot call itself.
 */
import type { StepKey } from '../../../machine/expression.js';
import type { WorkflowLimits } from '../../../machine/step.js';
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { stepMessages as say } from '../../source/catalogue/steps.js';
import type { InputDeclaration, Instruction, Program, StepNode } from '../../syntax/ast.js';
import type { WorkflowCall } from '../../syntax/step-nodes.js';
import { constantExpr, lowerArguments } from '../lower/constant.js';
import { lowerLimits } from '../lower/limits.js';
import { namesOfFiles } from '../lower/lower-expression.js';
import type { StateLowering } from '../lower/state-lowering.js';
import { symbolKey } from '../program-index.js';
import type { Constant } from '../scope.js';
import { type StepScope, scopeOf, typeOf } from './step-names.js';

interface CallSite {
  readonly at: 'run' | 'gate' | 'context' | 'retry';
  /** The slot for the answer of a retry condition, or for the output of a context. */
  readonly slot: number | null;
  readonly gate?: string;
}

/** Names that can be passed to a workflow without a declaration: the values of a retry. */
const ALWAYS_TAKEN: ReadonlySet<string> = new Set(['error', 'diff', 'attempt']);

export function lowerWorkflow(l: StateLowering, call: WorkflowCall, where: CallSite): void {
  const name = call.name.text;
  const from = l.shared.sources[call.name.span.file]?.name ?? '';
  const found = l.settings.workflows.find(name, from);
  l.mention(call.name.span, 'use', symbolKey('workflow', '', name));
  // The passed values are lowered even if the workflow is unknown, so that their mistakes are reported.
  if ('tried' in found) {
    bindGiven(l, call);
    // That the name is missing has been reported.
    if (name !== '')
      l.diagnostics.push(say.unknownWorkflow(call.name.span, { name, tried: found.tried, near: found.near }));
    return;
  }
  if (l.workflows.includes(found.file)) {
    bindGiven(l, call);
    const path = [...l.workflows.slice(l.workflows.indexOf(found.file)), found.file];
    l.diagnostics.push(say.workflowCycle(call.name.span, { path }));
    return;
  }
  const { program } = found;
  const inputs = program.items.filter((item): item is InputDeclaration => item.kind === 'input');
  const steps = program.items.filter((item): item is StepNode => item.kind === 'step');
  const verdict = verdictOf(l, call, where, steps);
  l.emitter.add(
    { op: 'workflow-enter', name, at: where.at, ...gateOf(where), limits: limitsOf(l, program) },
    call.span,
  );
  // The values after `with` belong to the gate: if they fail, the validator says no.
  const start = l.emitter.pc;
  for (const input of l.shared.index ? inputs : [])
    l.mention(input.name.span, 'declare', symbolKey('input', found.file, input.name.text));
  for (const argument of l.shared.index ? call.args : [])
    l.mention(argument.name.span, 'pass', symbolKey('input', found.file, argument.name.text));
  const bound = checkInputs(l, call, { inputs, takesAny: program.takesAny === true }, bindGiven(l, call));
  const level = lowerCallee(l, program, steps, { file: found.file, call, bound, verdict, where });
  leaveWorkflow(l, call, where, { start, verdict, level, last: steps.at(-1) });
}

const gateOf = ({ gate }: CallSite) => (gate === undefined ? {} : { gate });

/** The values of `with`, each in its own slot. */
function bindGiven(l: StateLowering, call: WorkflowCall): Map<string, number> {
  const slots = new Map<string, number>();
  for (const { name, value: lowered } of lowerArguments(l, call.args)) {
    const slot = l.scope.hiddenSlot(`$${name}`);
    const given = call.args.find((argument) => argument.name.text === name)?.value;
    const value = given?.kind === 'expression' ? namesOfFiles(lowered, given.expression, l) : lowered;
    l.emitter.add({ op: 'set', to: { in: 'local', slot }, name: `$${name}`, value }, call.span);
    slots.set(name, slot);
  }
  return slots;
}

type BoundParameter = readonly [string, { readonly slot: number } | Constant];

/** The passed values, and the defaults of the others. */
function checkInputs(
  l: StateLowering,
  call: WorkflowCall,
  { inputs, takesAny }: { readonly inputs: readonly InputDeclaration[]; readonly takesAny: boolean },
  given: ReadonlyMap<string, number>,
): BoundParameter[] {
  const workflow = call.name.text;
  const known = inputs.map(({ name }) => name.text);
  const bound: BoundParameter[] = [];
  for (const [name, slot] of given) {
    bound.push([name, { slot }]);
    if (known.includes(name) || ALWAYS_TAKEN.has(name)) continue;
    const span = call.args.find((argument) => argument.name.text === name)?.name.span ?? call.span;
    const near = nearest(name, known);
    const problem = say.workflowInput(span, { workflow, name, known, near });
    l.diagnostics.push(takesAny && near === undefined ? { ...problem, severity: 'warning' } : problem);
  }
  const missing: string[] = [];
  for (const { name, value } of inputs) {
    if (given.has(name.text)) continue;
    if (value === undefined) missing.push(name.text);
    // A missing value is reported once, and not again at each read.
    const known = value === undefined ? undefined : constantExpr(value);
    const constant = value === undefined ? '' : (known?.value ?? null);
    bound.push([name.text, { constant, ...omitUndefined({ printed: known?.printed }) }]);
  }
  if (missing.length > 0) l.diagnostics.push(say.missingInput(call.name.span, { workflow, names: missing }));
  return bound;
}

/** The verdict of a workflow is that of its last validation. */
function verdictOf(
  l: StateLowering,
  call: WorkflowCall,
  { at }: CallSite,
  steps: readonly StepNode[],
): StepNode | null {
  if (at !== 'gate' && at !== 'retry') return null;
  const last = steps.findLast((step) => typeOf(step) === 'validate');
  if (last === undefined) l.diagnostics.push(say.noVerdict(call.name.span, { workflow: call.name.text }));
  return last ?? null;
}

function limitsOf(l: StateLowering, program: Program): WorkflowLimits {
  const options = program.items.flatMap((item) => (item.kind === 'limit' ? item.options : []));
  const { cost, tokens, timeMs } = lowerLimits(options, l.diagnostics);
  return omitUndefined({ cost, tokens, timeMs });
}

interface Callee {
  readonly file: string;
  readonly call: WorkflowCall;
  readonly bound: readonly BoundParameter[];
  readonly verdict: StepNode | null;
  readonly where: CallSite;
}

/** Lowers the steps in a scope that sees nothing of the caller. Returns the level of that scope. */
function lowerCallee(
  l: StateLowering,
  program: Program,
  steps: readonly StepNode[],
  { file, call, bound, verdict, where }: Callee,
): number {
  const outer = l.steps;
  const { scope: around, own } = outer.context;
  const first = steps[0]?.span ?? call.span;
  const block = { instructions: steps as readonly Instruction[], inline: false, span: first };
  const scope: StepScope = scopeOf([block], { level: around.level + 1, kind: 'workflow', parent: around, path: '' });
  if (own !== null && where.at === 'run') own.below = scope;
  l.scope.push('workflow', file, bound);
  l.workflows.push(file);
  l.frames++;
  l.steps = {
    machine: [],
    verdict,
    context: { scope, own: null, judging: false, older: program.workflow === 'older', task: null },
  };
  l.inCall({ kind: 'workflow', name: file, span: call.span }, () => l.block(block));
  l.steps = outer;
  l.frames--;
  l.workflows.pop();
  l.scope.pop();
  return scope.level;
}

/** The code after the steps passes their answer to the caller. A validator that fails says no, with the reason. */
function leaveWorkflow(
  l: StateLowering,
  call: WorkflowCall,
  { at, slot }: CallSite,
  {
    start,
    verdict,
    level,
    last,
  }: { start: number; verdict: StepNode | null; level: number; last: StepNode | undefined },
): void {
  const { emitter } = l;
  const key = (step: StepNode): StepKey => ({ level, path: step.name.text, field: 'output' });
  const judge = verdict === null ? null : key(verdict);
  const output = at === 'context' && last !== undefined ? key(last) : null;
  const to = emitter.pc;
  emitter.add({ op: 'workflow-leave', verdict: judge, output, slot }, call.span);
  if (at !== 'gate' && at !== 'retry') return;
  const over = emitter.add({ op: 'jump', to: -1 }, call.span);
  l.handlers.push({ from: start, to, kind: null, pc: emitter.pc, names: {}, frames: l.frames + 1, step: true });
  emitter.add({ op: 'workflow-leave', verdict: judge, output, slot, failed: true }, call.span);
  emitter.patch(over);
}
