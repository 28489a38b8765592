/**
 * `statedsl init`: writes a first flow and everything that it needs. Existing files are never changed: if one of the
 * files exists, none is written.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { nearest } from '../../../prelude/nearest.js';
import { entryAt, makeFolder } from '../../../runtime/store/own-file.js';
import { EXIT, type ExitCode } from '../../terminal/exit-code.js';
import { stderr, stdout } from '../../terminal/streams.js';
import { usageError } from '../../terminal/usage-error.js';

interface InitFlags {
  readonly quiet?: boolean;
  readonly json?: boolean;
}

export async function initCommand(template: string | undefined, flags: InitFlags): Promise<ExitCode> {
  const name = template ?? 'flow';
  const starter = Object.hasOwn(STARTERS, name) ? STARTERS[name] : undefined;
  if (starter === undefined) {
    const names = Object.entries(STARTERS).map(([one, { about }]) => `\`${one}\` (${about})`);
    const near = nearest(name, Object.keys(STARTERS));
    const help = near === undefined ? `the templates are ${names.join(', ')}` : `did you mean \`${near}\`?`;
    return usageError(`there is no template \`${name}\``, help);
  }
  // Also a dangling link: writing through it would create a file elsewhere.
  const there = starter.files.filter(({ path }) => entryAt(path) !== null).map(({ path }) => `\`${path}\``);
  if (there.length > 0)
    return usageError(
      `${there.join(', ')} already ${there.length === 1 ? 'exists' : 'exist'}, so nothing was written`,
      'run `statedsl init` in an empty directory',
    );
  const link = starter.files.map(({ path }) => dirname(path)).find(isLink);
  if (link !== undefined)
    return usageError(
      `\`${link}\` is a symbolic link, so nothing was written`,
      'run `statedsl init` in an empty directory',
    );
  const trouble = writeAll(starter.files);
  if (trouble !== null) {
    await usageError(`cannot write the files: ${trouble}`);
    return EXIT.failed;
  }
  const paths = starter.files.map(({ path }) => path);
  if (flags.json) stdout.write(`${JSON.stringify({ template: name, files: paths, next: starter.next })}\n`);
  else if (!flags.quiet) {
    for (const path of paths) stderr.write(`wrote ${path}\n`);
    stderr.write(`next steps:\n${starter.next.map((line) => `  ${line}\n`).join('')}`);
  }
  return EXIT.returned;
}

/** Writing through a link would create files outside of this directory. */
function isLink(folder: string): boolean {
  return entryAt(folder)?.isSymbolicLink() === true;
}

/** Writes all files. If one cannot be written, removes the others again and returns the reason. */
function writeAll(files: readonly StarterFile[]): string | null {
  const written: string[] = [];
  try {
    for (const { path, text } of files) {
      const folder = dirname(path);
      if (!existsSync(folder)) makeFolder(folder);
      // `wx`: a file that was created a moment ago is not overwritten either.
      writeFileSync(path, text, { flag: 'wx' });
      written.push(path);
    }
    return null;
  } catch (cause) {
    for (const path of written) rmSync(path, { force: true });
    return (cause as Error).message;
  }
}

/**
 * The files that `statedsl init` writes: small flows that run without an agent program, because their agents follow a
 * script.
 */
interface StarterFile {
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

const STARTERS: Readonly<Record<string, Starter>> = {
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
