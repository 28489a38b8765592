/**
 * The files that `statedsl init` writes: small flows that run without an agent program, because their agents follow a
 * script.
 */

export interface StarterFile {
  readonly path: string;
  readonly text: string;
  readonly executable?: true;
}

interface Starter {
  readonly about: string;
  readonly files: readonly StarterFile[];
  /** The commands that a person can type next. */
  readonly next: readonly string[];
}

const CONFIGURATION = `# The agents that flows may call, by name. This one follows a script, so it costs nothing and needs no network.
# To use a real agent, write for example:  writer: { adapter: claude, model: haiku }
agents:
  writer: { adapter: fake, model: agents/writer.yaml }
`;

const SCRIPT = `# The answers of the stand-in agent, one for each call.
- Let me look again.
- "OK: a small and tidy folder."
`;

const FLOW = `# A first flow: a command counts the files here, an agent describes the directory, and the flow decides when the answer is good enough.
#   statedsl run flow.dsl
#   statedsl run flow.dsl -i limit=1

INPUT: limit = 20 (number)

STATE: LOOK
  # A command. Its output becomes a value; if it fails, the run fails.
  CHECK: files = ls | wc -l
  IF: files > limit → EMIT: MANY files={files}
  GOTO: DESCRIBE with files

STATE: DESCRIBE
  # A tracked variable keeps its value across states, crashes and \`statedsl resume\`.
  TRACK: tries
  IF: tries >= 3 → FAIL: no usable answer after {tries} tries
  INCREMENT: tries
  # An agent: statedsl.config.yaml says what \`writer\` is.
  DO [timeout=5m retry=2/1s..30s]: answer = Task(writer) "Describe a directory of {files} files in one line. Begin with OK when you are sure."
  IF: answer starts with "OK" → RETURN: {answer}
  GOTO: DESCRIBE with files
`;

const WORKFLOW = `# A first workflow: an agent writes a poem, a gate checks it, and a failed attempt is repeated with the gate's message.
#   statedsl run workflow.yaml
#   statedsl run workflow.yaml -i topic=gardens
name: first
inputs:
  topic: walking
steps:
  - name: poem
    type: artifact
    get:
      prompt: |
        Write two lines about {topic}. The second must end with a full stop.
    run:
      agent: writer
    gate:
      - bash: "printf '%s' {poem.output} | tail -n 1 | grep -q '[.]$'"
    retry:
      - exit: 3
`;

const POEM = `# The answers of the stand-in agent, one for each call.
- "One foot, and then the other"
- "One foot, and then the other,\\nand the hill is behind us."
`;

/** The test prints both results, because the shell alone would not say what is wrong. */
const test = (program: string, wanted: string, mock: string): string => `#!/bin/sh
# Tests ${program} with the answers in ${mock}: no agent is called. Run it after each change.
set -eu
cd "$(dirname "$0")"
store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
got=$(\${STATEDSL:-statedsl} run ${program} --quiet --dir "$store" --mock ${mock})
wanted=${wanted}
[ "$got" = "$wanted" ] || { echo "failed: the run returned \\\`$got\\\` instead of \\\`$wanted\\\`" >&2; exit 1; }
echo passed
`;

export const STARTERS: Readonly<Record<string, Starter>> = {
  flow: {
    about: 'states with a command, an agent and a bounded loop',
    files: [
      { path: 'flow.dsl', text: FLOW },
      { path: 'statedsl.config.yaml', text: CONFIGURATION },
      { path: 'agents/writer.yaml', text: SCRIPT },
      { path: 'flow.mock.yaml', text: 'agents:\n  writer: ["Not yet.", "OK: from the mock"]\n' },
      { path: 'flow.test.sh', text: test('flow.dsl', "'OK: from the mock'", 'flow.mock.yaml'), executable: true },
    ],
    next: ['statedsl run flow.dsl', 'sh flow.test.sh'],
  },
  workflow: {
    about: 'a workflow file: an agent with a gate and retries',
    files: [
      { path: 'workflow.yaml', text: WORKFLOW },
      { path: 'statedsl.config.yaml', text: CONFIGURATION },
      { path: 'agents/writer.yaml', text: POEM },
      { path: 'workflow.mock.yaml', text: 'agents:\n  writer: ["No", "Yes."]\n' },
      { path: 'workflow.test.sh', text: test('workflow.yaml', "''", 'workflow.mock.yaml'), executable: true },
    ],
    next: ['statedsl run workflow.yaml --worktree=off', 'sh workflow.test.sh'],
  },
};
