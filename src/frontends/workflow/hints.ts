/** Keys of a step in other tools and older files, each with a suggestion for this dialect. */
import type { Hints } from './reader-context.js';
import type { YamlNode } from './yaml/yaml-nodes.js';

const wordOf = (value: YamlNode): string => (value.kind === 'scalar' ? value.located.text.trim() : '');

const bashOf = (value: YamlNode): string => `write \`bash: ${wordOf(value) || '…'}\``;

/** Limits that do not apply to a single attempt. */
export const GUARD_HINTS: Hints = {
  max_tokens: (value) => `limit the tokens of the whole run: write \`max_tokens: ${wordOf(value)}\` at the root`,
  tokens: (value) => `limit the tokens of the whole run: write \`max_tokens: ${wordOf(value)}\` at the root`,
};

export const HINTS: Hints = {
  worktree: (value) => {
    const word = wordOf(value);
    if (word === 'read-write') return 'leave it out: an agent may change the files of its step';
    if (word === 'none' || word === 'read-only') return 'write `guard: { no_write: true }` next to `agent`';
    return 'reset the worktree with an entry of `retry:`, such as `- { attempt: 2, worktree: reset }`';
  },
  hitl: [
    'leave it out: a workflow file cannot ask questions; a program can, after a step that runs the workflow:',
    'ASK user: "Is this right?" → answer choices=yes,no',
    'IF: answer != "yes" → FAIL: a person said no',
  ].join('\n'),
  max_budget: (value) =>
    `limit each attempt of an agent with \`guard: { max_budget: ${wordOf(value)} }\`, or the run with \`max_budget\` at the root`,
  restart_from: (value) =>
    `let the retry begin there: \`retry: [{ attempt: 2, restart_from: ${wordOf(value) || 'tests'} }, { exit: 3 }]\``,
  strategy: 'write `retry: [{ attempt: 3, agent: claude-opus, session: new }, { exit: 4 }]`',
  max_retries: 'write `retry: [{ exit: 3 }]`',
  if: 'steps run in order: for conditions, print the file as a program with `statedsl convert`, and use `IF:`',
  when: 'steps run in order: for conditions, print the file as a program with `statedsl convert`, and use `IF:`',
  needs: 'leave it out: a step runs after the steps above it, unless they are `parallel`',
  depends_on: 'leave it out: a step runs after the steps above it, unless they are `parallel`',
  on_error: 'leave it out: a failed step ends the run; allow more attempts with `retry: [{ exit: 3 }]`',
  uses: 'name a workflow file with `workflow`, or a command with `bash`',
  env: 'set variables in the command: `bash: NAME=value command`',
  script: (value) => bashOf(value),
  command: (value) => bashOf(value),
  cmd: (value) => bashOf(value),
  shell: (value) => bashOf(value),
  exec: (value) => bashOf(value),
  model: 'name the model with the agent: `agent: claude-opus`',
};
