/** Keys that other tools and older files have at a step, and the next step of a person who knows those. */
import type { Hints } from './reading.js';
import type { YamlNode } from './yaml/yaml-nodes.js';

const wordOf = (value: YamlNode): string => (value.kind === 'scalar' ? value.placed.text.trim() : '');

export const HINTS: Hints = {
  worktree: (value) => {
    const word = wordOf(value);
    if (word === 'read-write') return 'leave it out: an agent may change the files of its step';
    if (word === 'none' || word === 'read-only') return 'write `guard: { no_write: true }` next to `agent`';
    return 'a worktree is set back by an entry of `retry:`, as `- { attempt: 2, worktree: reset }`';
  },
  hitl: [
    'a workflow file asks nobody; print it as a program with `statedsl convert`, and ask there:',
    'ASK user: "Is this right?" → answer choices=yes,no',
    'IF: answer != "yes" → ERROR',
  ].join('\n'),
  max_budget: (value) =>
    `limit each attempt of an agent with \`guard: { max_budget: ${wordOf(value)} }\`, or the run with \`max_budget\` at the root`,
  restart_from: 'put the steps that are done again below a step with `retry: [{ exit: 3 }]`',
  strategy: 'write `retry: [{ attempt: 3, agent: claude-opus, session: new }, { exit: 4 }]`',
  max_retries: 'write `retry: [{ exit: 3 }]`',
  model: 'name the model with the agent: `agent: claude-opus`',
};
