/**
 * The files that `statedsl init` writes: small flows that run without an agent program, because their agents follow a
 * script.
 */

export interface StarterFile {
  readonly path: string;
  readonly text: string;
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

const FLOW_TESTS = `# Tests of flow.dsl: its commands and agents are answered here, so nothing is started and nothing costs money.
#   statedsl test
TESTS: "./flow.dsl"

MOCK: "ls | wc -l" → 3

TEST: the second answer is good enough
  MOCK: Task(writer) → "Not yet.", "OK: from the test"
  EXPECT: states LOOK, DESCRIBE, DESCRIBE
  EXPECT: returned "OK: from the test"

TEST: it gives up after three answers
  MOCK: Task(writer) → "Not yet.", …
  EXPECT: calls Task(writer) == 3
  EXPECT: failed

TEST: many files are reported
  GIVEN: limit=2
  MOCK: Task(writer) → "OK"
  EXPECT: event MANY files=3
`;

const WORKFLOW_TESTS = `# Tests of workflow.yaml: its agent and its gate are answered here, so nothing is started and nothing costs money.
#   statedsl test
TESTS: "./workflow.yaml"

TEST: a poem that fails its gate is written again
  MOCK: Task(writer) → "No", "Yes."
  MOCK: "printf *" → exit 1, exit 0
  EXPECT: calls Task(writer) == 2
  EXPECT: returned

TEST: three attempts are the most
  MOCK: Task(writer) → "No", …
  MOCK: "printf *" → exit 1, …
  EXPECT: failed gate_failed
`;

export const STARTERS: Readonly<Record<string, Starter>> = {
  flow: {
    about: 'states with a command, an agent and a bounded loop',
    files: [
      { path: 'flow.dsl', text: FLOW },
      { path: 'statedsl.config.yaml', text: CONFIGURATION },
      { path: 'agents/writer.yaml', text: SCRIPT },
      { path: 'flow.test.dsl', text: FLOW_TESTS },
    ],
    next: ['statedsl run flow.dsl', 'statedsl test'],
  },
  workflow: {
    about: 'a workflow file: an agent with a gate and retries',
    files: [
      { path: 'workflow.yaml', text: WORKFLOW },
      { path: 'statedsl.config.yaml', text: CONFIGURATION },
      { path: 'agents/writer.yaml', text: POEM },
      { path: 'workflow.test.dsl', text: WORKFLOW_TESTS },
    ],
    next: ['statedsl run workflow.yaml --worktree=off', 'statedsl test'],
  },
};
