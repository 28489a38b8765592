/** Why a run, or a part of it, cannot be shown. */
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
  return (
    <p class="problem" role="alert">
      <strong>{problem.message}</strong> {problem.help ?? ''}
    </p>
  );
}
