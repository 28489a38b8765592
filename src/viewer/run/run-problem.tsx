/** Why a run, or a part of it, cannot be shown. */
import { Problem } from '../shell/problem.jsx';
import type { RunModel } from './run-model.js';

export function RunProblem({ model }: { readonly model: RunModel }) {
  const { end } = model.record.value;
  const problem = end instanceof Error ? end : model.problem.value;
  if (end === 'removed')
    return (
      <p class="problem" role="alert">
        <strong>This run was removed.</strong> What you see was read before that.
      </p>
    );
  if (problem === null) return null;
  return <Problem of={problem} />;
}
