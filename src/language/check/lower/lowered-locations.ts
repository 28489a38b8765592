/** Places of instructions, for debuggers, and expressions that are resolved there after the state was lowered. */
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { Instruction, StateDeclaration } from '../../syntax/ast.js';
import type { Expression } from '../../syntax/expression-nodes.js';
import type { DebugLocation, LocatedExpression, LocationCall, LocationName } from '../code-locations.js';
import type { StateScope } from '../scope.js';
import type { StepLowering } from '../steps/step-keys.js';
import { type ExpressionContext, lowerExpression } from './lower-expression.js';

/** The lowering of a state, which its places keep. */
interface PlacingState extends ExpressionContext {
  readonly action: Instruction | null;
  readonly calls: readonly LocationCall[];
  readonly declaration: StateDeclaration;
  readonly diagnostics: Diagnostic[];
  steps: StepLowering;
  keptExitSlot(name: string): number | null;
}

/** What is visible at a place. */
interface Seen {
  readonly scopes: StateScope['visibleScopes'];
  readonly steps: StepLowering;
}

export function codeLocationOf(l: PlacingState, span: Span): DebugLocation {
  const { action, calls, scope, steps, declaration } = l;
  const seen: Seen = { scopes: scope.visibleScopes, steps };
  return {
    span,
    action: action?.kind ?? 'state',
    actionSpan: action?.span ?? declaration.span,
    calls,
    names: () =>
      seen.scopes.scopes.flatMap(({ kind, names }) =>
        [...names].map(([name, at]): LocationName => ({ kind, name, at: 'constant' in at ? at : { slot: at.slot } })),
      ),
    lower: (expression) => lowerAt(l, expression, seen),
  };
}

/** Lowers an expression as if it stood at an earlier place. Nothing is added to the state. */
function lowerAt(l: PlacingState, expression: Expression, { scopes, steps }: Seen): LocatedExpression {
  const own = l.diagnostics.length;
  const outer = l.steps;
  let sampled = false;
  const refusing: PlacingState = Object.create(l, {
    sample: {
      value: () => {
        sampled = true;
        return 0;
      },
    },
    exitSlot: { value: (name: string) => l.keptExitSlot(name) },
  });
  l.steps = steps;
  const expr = l.scope.seeing(scopes, () => lowerExpression(expression, refusing));
  l.steps = outer;
  const diagnostics = l.diagnostics.splice(own).filter(({ severity }) => severity === 'error');
  return { expr: diagnostics.length > 0 || sampled ? null : expr, diagnostics };
}
