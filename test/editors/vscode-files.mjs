/** The programs that the extension is asked about. */
const LONG = `INPUT: dir\n${Array.from({ length: 1250 }, (_, at) => `STATE: S${at}\n  DO: n = ls -- {dir}\n  IF: n == "" → GOTO: S${(at + 1) % 1250}\n  RETURN: {n}\n`).join('')}`;

export const FILES = {
  'flow.dsl': `INPUT: dir
STATE: A
  DO: n = ls -- {dir}
  IFF: n == "" → GOTO: B with n=1
  GOTO:   B with n
STATE: B
  RETURN: {n}
`,
  'empty.dsl': '',
  'gone.dsl': 'RETURN: {nothing}\n',
  'long.dsl': LONG,
  'other.dsl': 'workspace {\n  model {\n    user = person "User"\n  }\n}\n',
  'page.md': '# A page\n\n```dsl\nRETURN: {nothing}\n```\n',
  'workflows/wrong.yaml': 'name: wrong\nsteps:\n  - nonsense: 1\n',
  'loop.dsl': `INPUT: top = 3

STATE: A
  TRACK: seen = 0
  CHECK: x = echo {top}
  SET: seen = seen + 1
  IF: seen < top → GOTO: A
  RETURN: {seen}
`,
  'fails.dsl': `STATE: A
  CHECK: word = echo hello
  DO: false
  RETURN: {word}
`,
  'hello.test.dsl': `TESTS: "./hello.dsl"

TEST: it greets
  MOCK: "echo*" → "hi"
  EXPECT: returned "hi"

TEST: it is wrong
  MOCK: "echo*" → "hi"
  EXPECT: returned "ho"
`,
  'hello.dsl': 'CHECK: greeting = echo hello\nRETURN: {greeting}\n',
};
