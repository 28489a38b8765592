/** What the check asks about the project, and what each answer changes in the messages and in the instructions. */
import { expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import type { Lookups } from '../../src/language/check/lower/lowered-state.js';
import { disassemble } from '../../src/views/disassemble.js';

const PROGRAM = `STATE: A
  CHECK: home = make $HOME $MODE $low
  DO: ./tools/build.sh {home}
  DO: cat docs/plan.md
  DO: said = Task(claude) "Say {home}."
  DO: other = Task(reviewer) "Look at {said}."
  DO: usual = Task() "Repeat {other}."
  IF: usual == "x" → GOTO: B
  RETURN: {home}
STATE: B
  STEP: build
    PROMPT: "Build it."
    AGENT: claude
    CONTEXT: file="docs/plan.md", file="../secret.md"
    GATE:
      - compile
      - test
      - bash "./check.sh" as own
      - untouched "docs/**"
    RETRY:
      ATTEMPT 2 → AGENT: reviewer, SESSION new
      EXIT 3
  RETURN: {build.diff}
`;

const traits = { adapter: 'command', takesText: false, sessions: { fork: false, elsewhere: false } };
const agents = (known: readonly string[], more: Partial<NonNullable<Lookups['agents']>> = {}): Lookups => ({
  agents: { isKnown: (name) => name.startsWith('codex') || known.includes(name), ...more },
});

/** The messages, and the instructions. */
function told(lookups: Lookups): string[] {
  const { diagnostics, machines } = compile(PROGRAM, { lookups: { usualAgent: 'codex', ...lookups } });
  const said = diagnostics.map(({ code, message, help }) => `${code}: ${message} · ${help}`);
  return [...said, ...machines.map(disassemble).join('\n').split('\n')];
}

const ANSWERS: readonly (readonly [string, Lookups])[] = [
  ['every program is there', { onPath: () => true }],
  ['no program is there', { onPath: () => false }],
  ['commands have one variable', { environment: (name) => name === 'HOME' }],
  ['no file is there', { fileExists: () => false }],
  ['every file is there', { fileExists: () => true }],
  ['a file is refused', { fileRefused: (path) => (path.startsWith('..') ? 'it is outside' : null) }],
  ['there is no repository', { worktree: false }],
  ['no agent is known', agents([])],
  ['one agent is known', agents(['claude'], { names: ['claude', 'reviewers'], adapters: ['codex'] })],
  [
    'agents are not installed',
    { ...agents(['claude', 'reviewer', 'codex'], { program: (name) => `bin-${name}` }), onPath: () => false },
  ],
  ['agents take commands', agents(['claude', 'reviewer', 'codex'], { traits: () => traits })],
  ['there is another usual agent', { usualAgent: 'claude' }],
  ['gates have commands', { gate: (name) => ({ command: `make ${name}`, timeoutMs: 5000 }) }],
  ['gates have none', { gate: () => null }],
  ['gates are refused', { gate: (name) => ({ refused: `\`${name}\` is no target` }) }],
  ['gates take a minute', { gateTimeoutMs: 60_000 }],
];

test('each answer changes these lines', () => {
  const before = told({});
  const changes = ANSWERS.map(([title, lookups]) => {
    const after = told(lookups);
    const isRefused = after.length < before.length / 2;
    const gone = isRefused
      ? ['  - all instructions']
      : before.filter((line) => !after.includes(line)).map((line) => `  - ${line.trim()}`);
    return [title, ...gone, ...after.filter((line) => !before.includes(line)).map((line) => `  + ${line.trim()}`)].join(
      '\n',
    );
  });
  expect(changes.join('\n')).toMatchInlineSnapshot(`
    "every program is there
    no program is there
      + command-not-found: the program \`make\` is not on PATH · install it, or check the spelling
      + command-not-found: the file \`./tools/build.sh\` does not exist yet · make sure that an earlier instruction creates it
      + command-not-found: the program \`cat\` is not on PATH · install it, or check the spelling
    commands have one variable
    no file is there
    every file is there
    a file is refused
      - all instructions
      + missing-context: the file \`../secret.md\` of the context cannot be read: it is outside · name a file of the project
    there is no repository
      - all instructions
      + needs-worktree: \`untouched\` needs a git repository, because it looks at changes · run it in a repository with \`--worktree\`
    no agent is known
      - all instructions
      + unknown-agent: there is no agent \`claude\` · describe it in statedsl.config.yaml: \`agents: { claude: { adapter: claude } }\`
      + unknown-agent: there is no agent \`reviewer\` · describe it in statedsl.config.yaml: \`agents: { reviewer: { adapter: claude } }\`
    one agent is known
      - all instructions
      + unknown-agent: there is no agent \`reviewer\` · did you mean \`reviewers\`?
    agents are not installed
      + command-not-found: the program \`make\` is not on PATH · install it, or check the spelling
      + command-not-found: the file \`./tools/build.sh\` does not exist yet · make sure that an earlier instruction creates it
      + command-not-found: the program \`cat\` is not on PATH · install it, or check the spelling
      + command-not-found: the program \`bin-claude\` is not on PATH · install it, or check the spelling
      + command-not-found: the program \`bin-reviewer\` is not on PATH · install it, or check the spelling
      + command-not-found: the program \`bin-codex\` is not on PATH · install it, or check the spelling
    agents take commands
    there is another usual agent
      - 5  line     7  agent agent="codex" args=[] bind={"slot":3} ok=[0] prompt=["Repeat ",{"value":{"op":"read","name":"other","places":["local[2] other"],"boundAt":6},"source":"{other}"},"."] reading="do" text="Task() \\"Repeat {other}.\\""
      + 5  line     7  agent agent="claude" args=[] bind={"slot":3} ok=[0] prompt=["Repeat ",{"value":{"op":"read","name":"other","places":["local[2] other"],"boundAt":6},"source":"{other}"},"."] reading="do" text="Task() \\"Repeat {other}.\\""
    gates have commands
      - 6  line    16  gate-check check={"kind":"unknown","why":"the gate \`compile\` has no command"} gate={"name":"compile","kind":"compile"}
      - 7  line    17  gate-check check={"kind":"unknown","why":"the gate \`test\` has no command"} gate={"name":"test","kind":"test"}
      + 6  line    16  gate-command gate={"name":"compile","kind":"compile"} shell="default" strict="script" template={"parts":["make compile"],"source":"make compile"} text="make compile" timeoutMs=5000
      + 7  line    17  gate-command gate={"name":"test","kind":"test"} shell="default" strict="script" template={"parts":["make test"],"source":"make test"} text="make test" timeoutMs=5000
    gates have none
      - all instructions
      + gate-without-command: the gate \`compile\` has no command · write the command here, \`bash "command" as compile\`, or add \`gates: {compile: "command"}\` to statedsl.config.yaml
      + gate-without-command: the gate \`test\` has no command · write the command here, \`bash "command" as test\`, or add \`gates: {test: "command"}\` to statedsl.config.yaml
    gates are refused
      - all instructions
      + gate-without-command: the gate \`compile\` has no command: \`compile\` is no target · write the command here, \`bash "command" as compile\`, or add \`gates: {compile: "command"}\` to statedsl.config.yaml
      + gate-without-command: the gate \`test\` has no command: \`test\` is no target · write the command here, \`bash "command" as test\`, or add \`gates: {test: "command"}\` to statedsl.config.yaml
    gates take a minute
      - 8  line    18  gate-command gate={"name":"own","kind":"bash"} shell="default" strict="script" template={"parts":["./check.sh"],"source":"./check.sh"} text="./check.sh" timeoutMs=600000
      + 8  line    18  gate-command gate={"name":"own","kind":"bash"} shell="default" strict="script" template={"parts":["./check.sh"],"source":"./check.sh"} text="./check.sh" timeoutMs=60000"
  `);
});
