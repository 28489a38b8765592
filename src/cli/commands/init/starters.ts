/**
 * The files that `statedsl init` writes: small flows that run without an agent program, because their agents follow a
 * script.
 */
export interface StarterFile {
  readonly path: string;
  readonly text: string;
}

export interface Starter {
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

const RELEASE = `# A release: builds, asks a person, publishes, and takes back what it published if a later step fails.
#   statedsl run release.dsl -i version=1.0.0
#   statedsl answer go=yes

INPUT: version = "0.1.0"
LIMIT: transitions=50 time=2d

STATE: BUILD
  # Any exit code but 0 is a failure; two more attempts, with growing pauses.
  DO [timeout=10m retry=2/1s..10s]: built = echo "notes of {version}"
  GOTO: APPROVE with built

STATE: APPROVE
  # The run waits on disk until somebody answers; nobody has to keep a process alive.
  ASK user: "Publish {version}? {built}" → go choices=yes,no default=no deadline=24h
  IF: go == "no" → RETURN: "{version} was not published"
  GOTO: PUBLISH

STATE: PUBLISH
  DO [once]: mkdir -p -- released/{version}
  UNDO: rmdir -- released/{version}
  # What people will see. If it fails, ERROR takes the release back.
  DO [ok=0,1]: seen = test -d released/{version}
  IF: exit_code(seen) != 0 → FAIL: "{version} cannot be seen"
  EMIT: PUBLISHED version={version}
  RETURN: published {version}

# Receives every failure that nothing else handles.
STATE: ERROR
  ROLLBACK
  FAIL: {error}
`;

const RELEASE_TESTS = `# Tests of release.dsl, and a rule that no run may break.
#   statedsl test
#   statedsl verify release.test.dsl
TESTS: "./release.dsl"

MOCK: "echo *" → "notes"

PROPERTY: nothing is published without consent
  NEVER: run "mkdir *" UNLESS answered go == "yes"

TEST: a person agrees
  GIVEN: version="1.0.0"
  ANSWER: go → "yes"
  MOCK: "mkdir *" → ""
  MOCK: "test *" → ""
  EXPECT: returned "published 1.0.0"

TEST: nobody answers for a day
  EXPECT: time == 86400
  EXPECT: returned "0.1.0 was not published"

TEST: what nobody can see is taken back
  ANSWER: go → "yes"
  MOCK: "mkdir *" → ""
  MOCK: "test *" → exit 1
  MOCK: "rmdir *" → ""
  EXPECT: calls "rmdir *" == 1
  EXPECT: failed
`;

const AGENTS = `# Agents in parallel: three reviewers look at a change, two of them have to agree, and an author corrects it until they do.
#   statedsl run agents.dsl
#   statedsl run agents.dsl -i task="a shorter greeting"

INPUT: task = "a greeting"
LIMIT: transitions=50 time=2h cost=5.00

STATE: WRITE
  TRACK: rounds
  TRACK: last = ""
  IF: rounds >= 3 → FAIL: no agreement after {rounds} rounds
  INCREMENT: rounds
  DO [timeout=10m retry=1]: draft = Task(author) "Write {task}. This was not good enough:" with last
  SET: last = draft
  GOTO: REVIEW with draft

STATE: REVIEW
  # A reviewer that fails gives no answer and does not end the others: its place in the list is null.
  FOR EACH: view in ["correct", "clear", "short"] in PARALLEL [max=3 on_failure=keep]:
    DO [timeout=5m]: review = Task(reviewer) "Is it {view}? Answer yes or no." with draft
  TRACK: agreed
  SET: agreed = 0
  FOR EACH: one in review:
    IF: one is null → EMIT: NO_ANSWER
    ELSE IF: string(one) == "yes" → INCREMENT: agreed
  IF: agreed >= 2 → RETURN: {draft}
  GOTO: WRITE
`;

const AGENTS_CONFIGURATION = `# The agents that flows may call, by name. These follow scripts, so they cost nothing and need no network.
# To use real agents, write for example:  author: { adapter: claude, model: sonnet }
agents:
  author: { adapter: fake, model: agents/author.yaml }
  reviewer: { adapter: fake, model: agents/reviewer.yaml }
`;

const AUTHOR = `# The answers of the stand-in author, one for each call.
- Good morning to everybody who may read this.
- Hello!
`;

const REVIEWER = `# The answers of the stand-in reviewer: three for each round.
- "yes"
- "no"
- "no"
- "yes"
- "yes"
- "yes"
`;

const AGENTS_TESTS = `# Tests of agents.dsl: its agents are answered here, so nothing is started and nothing costs money.
#   statedsl test
TESTS: "./agents.dsl"

MOCK: Task(author) → "Hello!", …

TEST: two of three are enough
  MOCK: Task(reviewer) → "yes", "no", "yes"
  EXPECT: returned "Hello!"

TEST: a reviewer that fails is not a no
  MOCK: Task(reviewer) → "yes", fails tool_failure "no network", "yes"
  EXPECT: event NO_ANSWER
  EXPECT: returned "Hello!"

TEST: three rounds are the most
  MOCK: Task(reviewer) → "no", …
  EXPECT: calls Task(author) == 3
  EXPECT: failed
`;

const TESTED = `# A flow with tests: it waits until a server is ready, and asks a person what to do if it is not.
#   statedsl test
#   statedsl verify flow.test.dsl

INPUT: minutes = 5 (number)

STATE: START
  DO: : > started
  UNDO: rm -f started
  GOTO: POLL

STATE: POLL
  WAIT: state == "ready" OR timeout="{minutes}m" [every=30s]
    CHECK: state = if test -e ready; then echo ready; else echo starting; fi
  IF: NOT timed_out → RETURN: ready
  ASK user: "Not ready after {minutes} minutes. Wait again?" → again choices=yes,no
  IF: again == "yes" → GOTO: POLL
  EMIT: GAVE_UP
  FAIL: the server did not start

STATE: ERROR
  ROLLBACK
  FAIL: {error}
`;

const TESTED_TESTS = `# Tests answer for commands, agents and people, in virtual time: nothing is started, and five minutes pass at once.
# A mock is chosen by the text of a command, in which * is any text. Answers come in order; … repeats the last one.
TESTS: "./flow.dsl"

MOCK: ": *" → "", …
MOCK: "rm *" → "", …

# Rules about all runs, which \`statedsl verify\` proves, or breaks with an example.
PROPERTY: nothing is stopped that was not started
  NEVER: run "rm -f started" UNLESS run ": > started"

PROPERTY: it gives up only with consent
  NEVER: event GAVE_UP UNLESS answered again == "no"

TEST: ready at the third look
  MOCK: "if test*" → "starting", "starting", "ready"
  EXPECT: time == 60
  EXPECT: returned "ready"

TEST: a person waits once more
  GIVEN: minutes=1
  MOCK: "if test*" → "starting", "starting", "starting", "ready"
  ANSWER: again → "yes"
  EXPECT: states START, POLL, POLL
  EXPECT: returned

TEST: a person gives up
  MOCK: "if test*" → "starting", …
  ANSWER: again → "no"
  EXPECT: calls "rm *" == 1
  EXPECT: failed
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
  release: {
    about: 'a build, an approval, and a publication that is taken back if it fails',
    files: [
      { path: 'release.dsl', text: RELEASE },
      { path: 'release.test.dsl', text: RELEASE_TESTS },
    ],
    next: ['statedsl run release.dsl -i version=1.0.0', 'statedsl test'],
  },
  agents: {
    about: 'agents in parallel that have to agree',
    files: [
      { path: 'agents.dsl', text: AGENTS },
      { path: 'statedsl.config.yaml', text: AGENTS_CONFIGURATION },
      { path: 'agents/author.yaml', text: AUTHOR },
      { path: 'agents/reviewer.yaml', text: REVIEWER },
      { path: 'agents.test.dsl', text: AGENTS_TESTS },
    ],
    next: ['statedsl run agents.dsl', 'statedsl test'],
  },
  tests: {
    about: 'a flow that waits and asks, with tests and properties',
    files: [
      { path: 'flow.dsl', text: TESTED },
      { path: 'flow.test.dsl', text: TESTED_TESTS },
    ],
    next: ['statedsl test', 'statedsl verify flow.test.dsl'],
  },
};
