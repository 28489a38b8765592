/** The plan that a PLAN names: compiles it with the program, and checks its inputs. */
import type { Json } from '../../../../machine/expression.js';
import type { EntryArgument } from '../../../../machine/machine.js';
import type { PlanPath } from '../../../../machine/plan.js';
import { nearest } from '../../../../prelude/nearest.js';
import { checkMessages as say } from '../../../source/catalogue/check.js';
import type { Diagnostic, Span } from '../../../source/diagnostic.js';
import type { ToolCallNode } from '../../../syntax/ast.js';
import type { Template } from '../../../syntax/expression-nodes.js';
import type { CallablePlan } from '../../callables.js';
import { constantText } from '../lower-expression.js';
import type { StateLowering } from '../state-lowering.js';

/** The path as written. Returns null after reporting that it is not a constant path. */
export function planFile(l: StateLowering, file: Template): string | null {
  const path = constantText(file);
  if (path !== null && path !== '') return path;
  l.diagnostics.push(say.planFileName(file.span, {}));
  return null;
}

/** Returns null after reporting that the plan cannot be read. */
export function calledPlan(
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
