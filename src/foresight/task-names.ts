/** What a program says about the answers that steps get. */
import type { Machine } from '../machine/machine.js';

/** The names of tasks that a program mentions, as in `{plan/login/build.diff}`: tasks of a split have these names first. */
export function taskNamesIn({ states }: Machine): readonly string[] {
  const splits = new Set<string>();
  for (const { code } of states)
    for (const one of code) if (one.op === 'step-collect' && one.plan.type === 'split') splits.add(one.plan.name);
  const names = new Set<string>();
  if (splits.size === 0) return [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { path } = value as { readonly path?: unknown };
    if (typeof path === 'string') {
      const parts = path.split('/');
      parts.forEach((part, at) => {
        if (at + 1 < parts.length && splits.has(parts[at - 1] ?? '')) names.add(part);
      });
    }
    for (const inner of Object.values(value)) collect(inner);
  };
  for (const { code } of states) collect(code);
  return [...names];
}

/** Whether it may read the comments of a validation, and the files of a task: only then there are answers with them. */
export function lookedAt({ states }: Machine): { readonly comments: boolean; readonly files: boolean } {
  const code = JSON.stringify(states.map((state) => state.code));
  return { comments: /\.?comments"/.test(code), files: code.includes('"name":"files"') };
}
