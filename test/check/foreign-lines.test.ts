/** What people write who come from other languages: one message says how it is written here, and its fix does it. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are programs
import { describe, expect, test } from 'vitest';
import { type Compilation, compile } from '../../src/language/check/compile.js';
import { parseFile } from '../../src/language/frontends/markdown.js';
import { applyEdits, fixText } from '../../src/language/source/fix-text.js';
import { rememberingCompiler } from './author-program.js';

const onPath = (program: string) => /^[a-z]/.test(program) && !/[ :]/.test(program);
const options = { lookups: { agents: { isKnown: () => true }, onPath } };
const compiled = rememberingCompiler(options);
const check = async (text: string) => compiled(text);
const errorsOf = (text: string) => compiled(text).diagnostics.filter(({ severity }) => severity === 'error');

/** The text after the fixes that messages offer. */
function corrected(text: string, from: (text: string) => Compilation = compiled): string {
  const { diagnostics } = from(text);
  const edits = diagnostics.flatMap(({ code, severity, fixes = [] }) =>
    severity !== 'error' && code !== 'command-not-found' ? [] : (fixes[0]?.edits ?? []),
  );
  return edits.length === 0 ? text : corrected(applyEdits(text, edits), from);
}

/** Programs, and what `--fix` makes of them. */
const fixed: readonly (readonly [string, string])[] = [
  ['TRACK: x\nWAIT: x == 1 OR timout=5s\n', 'TRACK: x\nWAIT: x == 1 OR timeout=5s\n'],
  ['TRACK: x\nWAIT: x == 1 OR tmeout=5s evry=1s\n', 'TRACK: x\nWAIT: x == 1 OR timeout=5s every=1s\n'],
  ['TRACK: x\nWAIT: x == 1 OR TIMEUOT=5s\n', 'TRACK: x\nWAIT: x == 1 OR timeout=5s\n'],
  ['// a comment\nDO: true\n', '# a comment\nDO: true\n'],
  ['/* a comment */\nDO: true\n', '# a comment\nDO: true\n'],
  ['TRACK: x = 1;\nRETURN: {x}\n', 'TRACK: x = 1\nRETURN: {x}\n'],
  ['DO\u2009[timeout=5s]: true\n', 'DO [timeout=5s]: true\n'],
  ['DO \u200b[timeout=5s]: true\n', 'DO [timeout=5s]: true\n'],
  ['DO:\u00a0true\nIF:\u200b 1 == 1 → RETURN\n', 'DO: true\nIF: 1 == 1 → RETURN\n'],
  ['IF: 1 == 1 →\n\tDO:\n\t\ttrue\n\t\tls\n', 'IF: 1 == 1 →\n  DO:\n    true\n    ls\n'],
  [
    'STATE: A\n  DO: false\n  ON ERROR GOTO B\nSTATE: B\n  RETURN\n',
    'STATE: A\n  DO: false\n  ON ERROR: → GOTO: B\nSTATE: B\n  RETURN\n',
  ],
  [
    'STATE: A\n  TRACK: x = 1\n  if x = 1 then\n    RETURN: one\n  fi\n  RETURN\n',
    'STATE: A\n  TRACK: x = 1\n  IF: x == 1 →\n    RETURN: one\n  RETURN\n',
  ],
  [
    'TRACK: x = 1\nif x == 1:\n  RETURN: one\nelse:\n  RETURN: other\n',
    'TRACK: x = 1\nIF: x == 1 →\n  RETURN: one\nELSE →\n  RETURN: other\n',
  ],
  [
    'STATE: A\n  TRACK: x = 1\n  IF: x == 1 →\n    RETURN: one\n  ENDIF\n  RETURN\n',
    'STATE: A\n  TRACK: x = 1\n  IF: x == 1 →\n    RETURN: one\n  RETURN\n',
  ],
  [
    'STATE: A\n  for x in [1,2]:\n    DO: echo {x}\n  RETURN\n',
    'STATE: A\n  FOR EACH: x in [1,2]:\n    DO: echo {x}\n  RETURN\n',
  ],
  ...[
    'FOR EACH: x in [1,2], in PARALLEL [max=2]:',
    'FOR EACH: x in [1,2], in PARALLEL [max=2]',
    'FOR EACH x in [1,2], in PARALLEL [max=2]:',
    'FOR EACH: x in [1,2] PARALLEL [max=2]:',
    'FOR EACH: x in [1,2], PARALLEL [max=2]:',
    'FOR EACH: x in [1,2]; in PARALLEL; [max=2]:',
    'FOR EACH: x in [1,2] [max=2] in PARALLEL:',
  ].map((line): [string, string] => [
    `${line}\n  DO: echo {x}\n`,
    'FOR EACH: x in [1,2] in PARALLEL [max=2]:\n  DO: echo {x}\n',
  ]),
  ['FOR EACH: x in [1,2], in PARALLEL:\n  DO: echo {x}\n', 'FOR EACH: x in [1,2] in PARALLEL:\n  DO: echo {x}\n'],
  [
    'DO: FOR EACH x in [1,2], in PARALLEL [max=2]:\n  DO: echo {x}\n',
    'DO: FOR EACH x in [1,2] in PARALLEL [max=2]:\n  DO: echo {x}\n',
  ],
  [
    'STATE: A\n  PARALLEL:\n    - echo 1\n    - echo 2\n  RETURN\n',
    'STATE: A\n  DO: in PARALLEL\n    - echo 1\n    - echo 2\n  RETURN\n',
  ],
  ['PARALLEL\n  DO: echo 1\n  DO: echo 2\n', 'DO: in PARALLEL\n  DO: echo 1\n  DO: echo 2\n'],
  ['DO: PARALLEL\n  - echo 1\n  - echo 2\n', 'DO: in PARALLEL\n  - echo 1\n  - echo 2\n'],
  ['DO in PARALLEL:\n  - echo 1\n  - echo 2\n', 'DO: in PARALLEL\n  - echo 1\n  - echo 2\n'],
  [
    'PATTERN: deploy with env\n  DO: echo {env}\nUSE: deploy env=prod\n',
    'PATTERN: deploy with env\n  DO: echo {env}\nUSE: deploy with env=prod\n',
  ],
  ['STATE: A:\n  DO: true\n  RETURN\n', 'STATE: A\n  DO: true\n  RETURN\n'],
  ['TRACK: x: 0\n', 'TRACK: x = 0\n'],
  ['INPUT: n: number\nRETURN: {n}\n', 'INPUT: n (number)\nRETURN: {n}\n'],
  ['INPUT: n number\nRETURN: {n}\n', 'INPUT: n (number)\nRETURN: {n}\n'],
  ['INPUT: n (number) = 3\nRETURN: {n}\n', 'INPUT: n = 3 (number)\nRETURN: {n}\n'],
  ['INPUT: a (required)\nRETURN: {a}\n', 'INPUT: a\nRETURN: {a}\n'],
  ['LIMIT: cost=$5\nDO: true\n', 'LIMIT: cost=5\nDO: true\n'],
  ['DO: Task claude "write the readme"\n', 'DO: Task(claude) "write the readme"\n'],
  ['ASK: "continue?"\n', 'ASK user: "continue?"\n'],
  ['WAIT: 5 seconds\n', 'WAIT: 5s\n'],
  ['DO (timeout=30s): true\n', 'DO [timeout=30s]: true\n'],
  [
    'STATE: A\n  CHECK: x = echo ok\n  IF: x == “ok” → RETURN: done\n  RETURN\n',
    'STATE: A\n  CHECK: x = echo ok\n  IF: x == "ok" → RETURN: done\n  RETURN\n',
  ],
  [
    'STATE: A\n  TRACK: x = "a"\n  IF: $x == "a" → RETURN: one\n  RETURN\n',
    'STATE: A\n  TRACK: x = "a"\n  IF: x == "a" → RETURN: one\n  RETURN\n',
  ],
  [
    'TRACK: x = 1\nIF: 0 < x < 3 → RETURN: y\nRETURN: n\n',
    'TRACK: x = 1\nIF: 0 < x AND x < 3 → RETURN: y\nRETURN: n\n',
  ],
  ['INPUT: l = [1]\nFOR EACH: x in l do\n  DO: echo {x}\n', 'INPUT: l = [1]\nFOR EACH: x in l:\n  DO: echo {x}\n'],
  ['INPUT: l = [1]\nFOR EACH: x OF l\n  DO: echo {x}\n', 'INPUT: l = [1]\nFOR EACH: x in l:\n  DO: echo {x}\n'],
  ['INPUT: l = [1]\nFOR EACH: x in l: DO: echo {x}\n', 'INPUT: l = [1]\nFOR EACH: x in l:\n  DO: echo {x}\n'],
  ['DO in PARALLEL\n  - echo 1\n  - echo 2\n', 'DO: in PARALLEL\n  - echo 1\n  - echo 2\n'],
  ['DO in PARALLEL [max=2]:\n  - echo 1\n  - echo 2\n', 'DO: in PARALLEL [max=2]:\n  - echo 1\n  - echo 2\n'],
  [
    'TRACK: x = "a"\nIF: x matches /^a$/ → RETURN: y\nRETURN: n\n',
    'TRACK: x = "a"\nIF: x matches "^a$" → RETURN: y\nRETURN: n\n',
  ],
  ['TRACK: x = 1\nIF: x is not 1 → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x != 1 → RETURN: y\nRETURN: n\n'],
  ['TRACK: x = 1\nIF: x not equal 1 → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x != 1 → RETURN: y\nRETURN: n\n'],
  ['TRACK: x = 1\nIF: x is 1 → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x == 1 → RETURN: y\nRETURN: n\n'],
  ['TRACK: x = 1\nIF: x equals 1 → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x == 1 → RETURN: y\nRETURN: n\n'],
  ['TRACK: x = 1\nIF: x -eq 1 → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x == 1 → RETURN: y\nRETURN: n\n'],
  ['TRACK: x\nINCREMENT: x 2\n', 'TRACK: x\nINCREMENT: x by 2\n'],
  ['TRACK: x\nINCREMENT: x + 2\n', 'TRACK: x\nINCREMENT: x by 2\n'],
  ['TRACK: x\nINCREMENT: x += 2\n', 'TRACK: x\nINCREMENT: x by 2\n'],
  ['DO in PARALLEL\n  - echo 1\n', 'DO: in PARALLEL\n  - echo 1\n'],
  ['WAIT [timeout=5s]: signal go\nRETURN: {go}\n', 'WAIT: signal go OR timeout=5s\nRETURN: {go}\n'],
  ['WAIT: 5 minutes\n', 'WAIT: 5m\n'],
];

/** Programs with a fix that is only offered, because it adds something, drops something or chooses a name or a value. */
const offered: readonly (readonly [string, string])[] = [
  // The text of the RETURN ends with `;` too, and only the author knows whether it is meant to.
  ['TRACK: x = 1;\nRETURN: {x};\n', 'TRACK: x = 1\nRETURN: {x};\n'],
  ['INPUT: v = “a b”\nDO: printf %s “x” {v}\n', 'INPUT: v = "a b"\nDO: printf %s “x” {v}\n'],
  // A tab behind the margin of a script is a part of it.
  ['DO:\n\tif true; then\n\t\tls\n\tfi\n', 'DO:\n  if true; then\n  \tls\n  fi\n'],
  ['INPUT: f\nDO: awk "{print $f}" x\n', 'INPUT: f\nDO: awk "{print {f}}" x\n'],
  ['STATE: A\n  echo hello\n  RETURN\n', 'STATE: A\n  DO: echo hello\n  RETURN\n'],
  ['DO: ls\n| wc -l\n', 'DO: ls\nDO: | wc -l\n'],
  ['DO: |\n  echo 1\n  echo 2\n', 'DO:\n  echo 1\n  echo 2\n'],
  ['DO: "echo hello"\n', 'DO: echo hello\n'],
  ['DO: echo 1; DO: echo 2\n', 'DO: echo 1\nDO: echo 2\n'],
  ['-- a comment\nDO: true\n', '# a comment\nDO: true\n'],
  [
    'STATE: A\n  CHECK: x = echo 1\n  IF: x == 1 → STOP\n  RETURN\n',
    'STATE: A\n  CHECK: x = echo 1\n  IF: x == 1 → RETURN\n  RETURN\n',
  ],
  ['STATE: A\n  DO: true\n  EXIT: 1\n', 'STATE: A\n  DO: true\n  FAIL: exit code 1\n'],
  ['STATE: A\n  GOTO STATE B\nSTATE: B\n  RETURN\n', 'STATE: A\n  GOTO B\nSTATE: B\n  RETURN\n'],
  ['STATE: A\n  DO: true\n  GOTO: next\nSTATE: B\n  RETURN\n', 'STATE: A\n  DO: true\n  GOTO: B\nSTATE: B\n  RETURN\n'],
  [
    'STATE: A\n  IF: 1 == 1 ➔ GOTO: B\n  ➔ B\nSTATE: B\n  RETURN\n',
    'STATE: A\n  IF: 1 == 1 → GOTO: B\n  GOTO: B\nSTATE: B\n  RETURN\n',
  ],
  ['DO: Task(claude) "x" → plan\nRETURN: {plan}\n', 'DO: plan = Task(claude) "x"\nRETURN: {plan}\n'],
  ['ASK: "Go?" [yes/no]\nRETURN: {go}\n', 'ASK user: "Go?" → go choices=yes,no\nRETURN: {go}\n'],
  ['FOR EACH: [1] as i:\n  DO: echo {i}\n', 'FOR EACH: i in [1]:\n  DO: echo {i}\n'],
  ['FOR EACH: (const i of [1]):\n  DO: echo {i}\n', 'FOR EACH: i in [1]:\n  DO: echo {i}\n'],
  ['FOR EACH: i in 1, 2:\n  DO: echo {i}\n', 'FOR EACH: i in [1, 2]:\n  DO: echo {i}\n'],
  ['FOR EACH: i from 1 to 3\n  DO: echo {i}\n', 'FOR EACH: i in range(1, 4):\n  DO: echo {i}\n'],
  ['REPEAT 3 times:\n  DO: true\n', 'FOR EACH: i in range(3):\n  DO: true\n'],
  ['INPUT: l = [1]\nFOR EACH: l:\n  DO: echo {item}\n', 'INPUT: l = [1]\nFOR EACH: item in l:\n  DO: echo {item}\n'],
  ['DO: in PARALLEL\n  - a: echo 1\n  - b: DO: ls\n', 'DO: in PARALLEL\n  - a = echo 1\n  - DO: b = ls\n'],
  ['DO: x := echo 1\nRETURN: {x}\n', 'DO: x = echo 1\nRETURN: {x}\n'],
  ['CHECK [timeout=5s]: let x = echo 1\nRETURN: {x}\n', 'CHECK [timeout=5s]: x = echo 1\nRETURN: {x}\n'],
  ['DO [register=x]: echo 1\nRETURN: {x}\n', 'DO: x = echo 1\nRETURN: {x}\n'],
  ['DO [timeout=2 minutes]: true\n', 'DO [timeout=2m]: true\n'],
  ['TRACK: let x = 1\nSET: x := 2\n', 'TRACK: x = 1\nSET: x = 2\n'],
  ['EMIT: E with n: 1, m=2\n', 'EMIT: E n=1 m=2\n'],
  [
    'STATE: A\n  GOTO: B with n: 1, m: "x"\nSTATE: B\n  RETURN: {n} {m}\n',
    'STATE: A\n  GOTO: B with n=1, m="x"\nSTATE: B\n  RETURN: {n} {m}\n',
  ],
  [
    'STATE: A\n  GOTO: B with {n: 1}\nSTATE: B\n  RETURN: {n}\n',
    'STATE: A\n  GOTO: B with n=1\nSTATE: B\n  RETURN: {n}\n',
  ],
  ['STATE: A\n  DO: true\n  GOTO: END\n', 'STATE: A\n  DO: true\n  RETURN\n'],
  [
    'STATE: A\n  TRACK: x = 1\n  GOTO: B if x == 1\nSTATE: B\n  RETURN\n',
    'STATE: A\n  TRACK: x = 1\n  IF: x == 1 → GOTO: B\nSTATE: B\n  RETURN\n',
  ],
  ['STATE: A\n  DO: true\n  → B\nSTATE: B\n  RETURN\n', 'STATE: A\n  DO: true\n  GOTO: B\nSTATE: B\n  RETURN\n'],
  [
    'STATE: A\n  CHECK: x = echo 1\n  IF: x == 1 → B\n  RETURN\nSTATE: B\n  RETURN\n',
    'STATE: A\n  CHECK: x = echo 1\n  IF: x == 1 → GOTO: B\n  RETURN\nSTATE: B\n  RETURN\n',
  ],
  ['STATE: A\n  DO: true\n  NEXT: B\nSTATE: B\n  RETURN\n', 'STATE: A\n  DO: true\n  GOTO: B\nSTATE: B\n  RETURN\n'],
  [
    'STATE: A\n  DO: true\n  ON SUCCESS → B\nSTATE: B\n  RETURN\n',
    'STATE: A\n  DO: true\n  GOTO: B\nSTATE: B\n  RETURN\n',
  ],
  [
    'FOR EACH: f in ls *.txt\n  DO: echo {f}\n',
    'DO: f_list = ls *.txt\nFOR EACH: f in lines(f_list):\n  DO: echo {f}\n',
  ],
  ['FOR EACH: i in 1..3\n  DO: echo {i}\n', 'FOR EACH: i in range(1, 4):\n  DO: echo {i}\n'],
  ...(
    [
      ['FOR EACH: i IN 1...n', 'range(1, n + 1)'],
      ['FOR EACH: i in [1..n]', 'range(1, n + 1)'],
      ['FOR EACH: i in {1..3}', 'range(1, 4)'],
      ['FOR EACH: i in (0..<n)', 'range(0, n)'],
      ['FOR EACH: i in 0..=n-1', 'range(0, n)'],
      ['FOR EACH: i in n-3..n - 2:', 'range(n-3, n - 1)'],
      ['FOR EACH: i in 1..n+1', 'range(1, n + 2)'],
      ['FOR EACH: i from 1 to {n}', 'range(1, n + 1)'],
      ['FOR EACH: i in 1 through 3', 'range(1, 4)'],
      ['FOR EACH: i in 3 times', 'range(3)'],
      ['for i = 0 to len(l) - 1:', 'range(0, len(l))'],
      ['for i in range(1..n):', 'range(1, n + 1)'],
      ['for (let i = 1; i <= n; i++) {', 'range(1, n + 1)'],
      ['FOR EACH: (i = 0; i < n; i += 1)', 'range(0, n)'],
    ] as const
  ).map(([line, list]): readonly [string, string] => {
    const head = 'INPUT: n = 3\nINPUT: l = [1]\n';
    return [`${head}${line}\n  DO: echo {i} {n} {l}\n`, `${head}FOR EACH: i in ${list}:\n  DO: echo {i} {n} {l}\n`];
  }),
  [
    'INPUT: n = 3\nDO: FOR EACH i in 1..n in PARALLEL [max=2]\n  DO: echo {i}\n',
    'INPUT: n = 3\nDO: FOR EACH i in range(1, n + 1) in PARALLEL [max=2]:\n  DO: echo {i}\n',
  ],
  ['FUNCTION: deploy(env)\n  DO: echo {env}\n', 'PATTERN: deploy with env\n  DO: echo {env}\n'],
  [
    'PATTERN: deploy with env\n  DO: echo {env}\nUSE: deploy with "prod"\n',
    'PATTERN: deploy with env\n  DO: echo {env}\nUSE: deploy with env="prod"\n',
  ],
  ['STATE: fetch data\n  GOTO: fetch data\n', 'STATE: fetch_data\n  GOTO: fetch_data\n'],
  ['STATE: A\n  TRACK: x\n  x++\n  RETURN\n', 'STATE: A\n  TRACK: x\n  INCREMENT: x\n  RETURN\n'],
  ['STATE: A\n  TRACK: x\n  x += 1\n  RETURN\n', 'STATE: A\n  TRACK: x\n  SET: x += 1\n  RETURN\n'],
  ['STATE: A\n  x = 5\n  EMIT: X x={x}\n  RETURN\n', 'STATE: A\n  TRACK: x = 5\n  EMIT: X x={x}\n  RETURN\n'],
  ['LET: x = 5\nEMIT: X x={x}\n', 'TRACK: x = 5\nEMIT: X x={x}\n'],
  ['TRACK: x, y, z\n', 'TRACK: x\nTRACK: y\nTRACK: z\n'],
  ['TRACK: x\nDECREMENT: x\n', 'TRACK: x\nINCREMENT: x by -1\n'],
  ['INPUT: a, b\nRETURN: {a}\n', 'INPUT: a\nINPUT: b\nRETURN: {a}\n'],
  ['LIMIT: 10\nDO: true\n', 'LIMIT: transitions=10\nDO: true\n'],
  ['VERSION: 1\nDO: true\n', '# VERSION: 1\nDO: true\n'],
  ['STATE: A\n  print("hello")\n  RETURN\n', 'STATE: A\n  EMIT: "hello"\n  RETURN\n'],
  ['PRINT: hello\n', 'EMIT: "hello"\n'],
  ['TRACK: n = 1\nEMIT: "n is " + n\n', 'TRACK: n = 1\nEMIT: "n is {n}"\n'],
  ['AGENT: claude "write it"\n', 'DO: Task(claude) "write it"\n'],
  ['ASK: continue? → x\n', 'ASK user: "continue?" → x\n'],
  ['x = ASK: "continue?"\n', 'ASK user: "continue?" → x\n'],
  ['ASK user: "continue?" (yes/no) → x\n', 'ASK user: "continue?" → x choices=yes,no\n'],
  ['ASK user: "continue?" options=yes,no → x\n', 'ASK user: "continue?" choices=yes,no → x\n'],
  ['input("name?")\n', 'ASK user: "name?" → answer\n'],
  ['SLEEP: 5\n', 'WAIT: 5s\n'],
  ['DO timeout=30: true\n', 'DO [timeout=30s]: true\n'],
  ['DO [retries=3]: true\n', 'DO [retry=3]: true\n'],
  [
    'STATE: A\n  CHECK: x = echo 1\n  IF: x == 1 → python3 x.py\n  RETURN\n',
    'STATE: A\n  CHECK: x = echo 1\n  IF: x == 1 → DO: python3 x.py\n  RETURN\n',
  ],
  [
    'CHECK: x = cat f 2>/dev/null\nIF: x not found → RETURN: none\nRETURN\n',
    'CHECK: x = cat f 2>/dev/null\nIF: x is empty → RETURN: none\nRETURN\n',
  ],
  [
    'STATE: A\n  CHECK: r = false\n  IF: r exit_code == 0 → RETURN: ok\n  RETURN: bad\n',
    'STATE: A\n  CHECK: r = false\n  IF: exit_code(r) == 0 → RETURN: ok\n  RETURN: bad\n',
  ],
  [
    'STATE: A\n  CHECK: r = npm test\n  IF: exit_code == 0 → RETURN: ok\n  RETURN: bad\n',
    'STATE: A\n  CHECK: r = npm test\n  IF: exit_code(r) == 0 → RETURN: ok\n  RETURN: bad\n',
  ],
  [
    'STATE: A\n  CHECK: status = echo ok\n  IF: status == ok → RETURN: fine\n  RETURN: bad\n',
    'STATE: A\n  CHECK: status = echo ok\n  IF: status == "ok" → RETURN: fine\n  RETURN: bad\n',
  ],
  ['TRACK: x = "abc"\nRETURN: {length(x)}\n', 'TRACK: x = "abc"\nRETURN: {len(x)}\n'],
  ['TRACK: x = "abc"\nSET: x = x.upper()\n', 'TRACK: x = "abc"\nSET: x = upper(x)\n'],
  ['TRACK: x = [1]\nSET: x = x.push(2)\n', 'TRACK: x = [1]\nSET: x = x + [2]\n'],
  ['TRACK: x = 1\nSET: x = x == 1 ? 2 : 3\n', 'TRACK: x = 1\nIF: x == 1 → SET: x = 2\nELSE → SET: x = 3\n'],
  ['TRACK: n = 1\nTRACK: m = f"n is {n}"\n', 'TRACK: n = 1\nTRACK: m = "n is {n}"\n'],
  [
    'TRACK: x = null\nIF: x == None → RETURN: y\nIF: x == nil → RETURN: y\n',
    'TRACK: x = null\nIF: x == null → RETURN: y\nIF: x == null → RETURN: y\n',
  ],
  ['FOR EACH: f in *.txt\n  DO: echo {f}\n', 'DO: f_list = ls *.txt\nFOR EACH: f in lines(f_list):\n  DO: echo {f}\n'],
  ['FOR EACH: f in $(ls -a)\n  DO: echo {f}\n', 'DO: f_list = ls -a\nFOR EACH: f in lines(f_list):\n  DO: echo {f}\n'],
  [
    'INPUT: l = [1]\nDO: FOR EACH l as x in PARALLEL:\n  DO: echo {x}\n',
    'INPUT: l = [1]\nDO: FOR EACH x in l in PARALLEL:\n  DO: echo {x}\n',
  ],
  ['for i = 1 to 3\n  DO: echo {i}\n', 'FOR EACH: i in range(1, 4):\n  DO: echo {i}\n'],
  ['for i in 1..3:\n  DO: echo {i}\n', 'FOR EACH: i in range(1, 4):\n  DO: echo {i}\n'],
  ['FOR EACH: i of 1 to 3\n  DO: echo {i}\n', 'FOR EACH: i in range(1, 4):\n  DO: echo {i}\n'],
  [
    'TRACK: x = "a"\nIF: x =~ /^a$/ → RETURN: y\nRETURN: n\n',
    'TRACK: x = "a"\nIF: x matches "^a$" → RETURN: y\nRETURN: n\n',
  ],
  ['TRACK: x = 1\nIF: x -ge 1 → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x >= 1 → RETURN: y\nRETURN: n\n'],
  ['TRACK: x = 1\nIF: x lt 1 → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x < 1 → RETURN: y\nRETURN: n\n'],
  ['TRACK: x = 1\nIF: x ne 1 → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x != 1 → RETURN: y\nRETURN: n\n'],
  [
    'TRACK: x = "ab"\nIF: x startswith "a" → RETURN: y\nRETURN: n\n',
    'TRACK: x = "ab"\nIF: x starts with "a" → RETURN: y\nRETURN: n\n',
  ],
  [
    'TRACK: x = "ab"\nIF: x ends_with "a" → RETURN: y\nRETURN: n\n',
    'TRACK: x = "ab"\nIF: x ends with "a" → RETURN: y\nRETURN: n\n',
  ],
  [
    'TRACK: x = "ab"\nIF: x includes "a" → RETURN: y\nRETURN: n\n',
    'TRACK: x = "ab"\nIF: x contains "a" → RETURN: y\nRETURN: n\n',
  ],
  [
    'TRACK: x = "ab"\nIF: x has "a" → RETURN: y\nRETURN: n\n',
    'TRACK: x = "ab"\nIF: x contains "a" → RETURN: y\nRETURN: n\n',
  ],
  ['TRACK: x = 1\nIF: exists x → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x exists → RETURN: y\nRETURN: n\n'],
  [
    'TRACK: x = 1\nIF: NOT defined x → RETURN: y\nRETURN: n\n',
    'TRACK: x = 1\nIF: NOT x exists → RETURN: y\nRETURN: n\n',
  ],
  ['TRACK: x = 1\nIF: if x == 1 → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x == 1 → RETURN: y\nRETURN: n\n'],
  ['TRACK: x = 1\nIF: x == 1 then → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x == 1 → RETURN: y\nRETURN: n\n'],
  ['TRACK: x = 1\nIF: x == 1; → RETURN: y\nRETURN: n\n', 'TRACK: x = 1\nIF: x == 1 → RETURN: y\nRETURN: n\n'],
  [
    'TRACK: x = 2\nIF: x in 1..3 → RETURN: y\nRETURN: n\n',
    'TRACK: x = 2\nIF: x >= 1 AND x <= 3 → RETURN: y\nRETURN: n\n',
  ],
  [
    'TRACK: x = 2\nIF: x between 1 and 3 → RETURN: y\nRETURN: n\n',
    'TRACK: x = 2\nIF: x >= 1 AND x <= 3 → RETURN: y\nRETURN: n\n',
  ],
  [
    'TRACK: x = "ab"\nIF: contains(x, "a") → RETURN: y\nRETURN: n\n',
    'TRACK: x = "ab"\nIF: x contains "a" → RETURN: y\nRETURN: n\n',
  ],
  [
    'TRACK: x = "ab"\nIF: startsWith(x, "a") → RETURN: y\nRETURN: n\n',
    'TRACK: x = "ab"\nIF: x starts with "a" → RETURN: y\nRETURN: n\n',
  ],
  [
    'TRACK: x = "ab"\nIF: x.includes("a") → RETURN: y\nRETURN: n\n',
    'TRACK: x = "ab"\nIF: x contains "a" → RETURN: y\nRETURN: n\n',
  ],
  [
    'TRACK: x = "ab"\nIF: x.ends_with("a") → RETURN: y\nRETURN: n\n',
    'TRACK: x = "ab"\nIF: x ends with "a" → RETURN: y\nRETURN: n\n',
  ],
  ['TRACK: x = "a,b"\nSET: x = x.split(",")\n', 'TRACK: x = "a,b"\nSET: x = split(x, ",")\n'],
  ['TRACK: x = ["a"]\nSET: x = x.join(",")\n', 'TRACK: x = ["a"]\nSET: x = join(x, ",")\n'],
  ['TRACK: x = ""\nIF: is_empty(x) → RETURN: y\nRETURN: n\n', 'TRACK: x = ""\nIF: x is empty → RETURN: y\nRETURN: n\n'],
  ['TRACK: x = ""\nIF: empty x → RETURN: y\nRETURN: n\n', 'TRACK: x = ""\nIF: x is empty → RETURN: y\nRETURN: n\n'],
  ['TRACK: x = ""\nIF: x == empty → RETURN: y\nRETURN: n\n', 'TRACK: x = ""\nIF: x is empty → RETURN: y\nRETURN: n\n'],
  ['TRACK: x = ""\nIF: exists(x) → RETURN: y\nRETURN: n\n', 'TRACK: x = ""\nIF: x exists → RETURN: y\nRETURN: n\n'],
  ['TRACK: n = [1]\nTRACK: x = {[1, 2]}\n', 'TRACK: n = [1]\nTRACK: x = [1, 2]\n'],
  [
    'STATE: A\n  GOTO: B with l={[1, 2]}\nSTATE: B\n  RETURN: {l}\n',
    'STATE: A\n  GOTO: B with l=[1, 2]\nSTATE: B\n  RETURN: {l}\n',
  ],
  ['STATE: A\n  GOTO: "B"\nSTATE: B\n  RETURN\n', 'STATE: A\n  GOTO: B\nSTATE: B\n  RETURN\n'],
  ['STATE: A\n  DO: true\n  ROLLBACK: to start\n', 'STATE: A\n  DO: true\n  ROLLBACK\n'],
  [
    'STATE: A\n  IF: 1 == 1 → DO: true; GOTO: B\n  RETURN\nSTATE: B\n  RETURN\n',
    'STATE: A\n  IF: 1 == 1 → DO: true, GOTO: B\n  RETURN\nSTATE: B\n  RETURN\n',
  ],
  [
    'STATE: A\n  IF: 1 == 1 → EMIT: X and then GOTO: B\n  RETURN\nSTATE: B\n  RETURN\n',
    'STATE: A\n  IF: 1 == 1 → EMIT: X, GOTO: B\n  RETURN\nSTATE: B\n  RETURN\n',
  ],
  ['STATE: A\n  TRACK: x; GOTO: B\nSTATE: B\n  RETURN\n', 'STATE: A\n  TRACK: x\n  GOTO: B\nSTATE: B\n  RETURN\n'],
  ['STATE: A\n  TRACK: x and then RETURN: y\n', 'STATE: A\n  TRACK: x\n  RETURN: y\n'],
  ['PATTERN: p\n  DO: true\nSTATE: A\n  RUN p\n  RETURN\n', 'PATTERN: p\n  DO: true\nSTATE: A\n  USE: p\n  RETURN\n'],
  ['STATE: A\n  DO: true\n  END\n', 'STATE: A\n  DO: true\n'],
  ['STATE: A\n  DO: true\n  STOP: done\n', 'STATE: A\n  DO: true\n  RETURN: done\n'],
  ['STATE: A\n  DO: true\n  exit 0\n', 'STATE: A\n  DO: true\n  RETURN\n'],
  ['STATE: A\n  DO: true\n  exit(0)\n', 'STATE: A\n  DO: true\n  RETURN\n'],
  ['STATE: A\n  IF: 1 == 1 → exit\n  RETURN\n', 'STATE: A\n  IF: 1 == 1 → RETURN\n  RETURN\n'],
  ['STATE: A\n  DO: true\n  die "no disk"\n', 'STATE: A\n  DO: true\n  FAIL: "no disk"\n'],
  ['STATE: A\n  DO: true\n  panic\n', 'STATE: A\n  DO: true\n  FAIL: failed\n'],
  ['STATE: A\n  IF: 1 == 1 → exit 3\n  RETURN\n', 'STATE: A\n  IF: 1 == 1 → FAIL: exit code 3\n  RETURN\n'],
  [
    'STATE: A\n  DO: true\n  ON FAILURE: B\nSTATE: B\n  RETURN\n',
    'STATE: A\n  DO: true\n  ON ERROR: → GOTO: B\nSTATE: B\n  RETURN\n',
  ],
  [
    'STATE: A\n  DO: true\n  ON FAIL → GOTO: B\nSTATE: B\n  RETURN\n',
    'STATE: A\n  DO: true\n  ON ERROR: → GOTO: B\nSTATE: B\n  RETURN\n',
  ],
  ['STATE: A\n  DO: true\n  ON FAILURE → EMIT: BAD\n', 'STATE: A\n  DO: true\n  ON ERROR: → EMIT: BAD\n'],
  ['STATE: A\n  DO: true\n  ON TIMEOUT → EMIT: BAD\n', 'STATE: A\n  DO: true\n  ON ERROR timeout: → EMIT: BAD\n'],
  [
    'STATE: A\n  DO: true\n  ON ERROR timeout or limit: → EMIT: BAD\n',
    'STATE: A\n  DO: true\n  ON ERROR timeout: → EMIT: BAD\n  ON ERROR limit: → EMIT: BAD\n',
  ],
  ['DO: x = Task(claude, "write it")\nRETURN: {x}\n', 'DO: x = Task(claude) "write it"\nRETURN: {x}\n'],
  ['DO: Task(claude): "write it"\n', 'DO: Task(claude) "write it"\n'],
  ['DO: x = Task(claude) prompt="write it"\nRETURN: {x}\n', 'DO: x = Task(claude) "write it"\nRETURN: {x}\n'],
  ['DO: Task(claude)[timeout=5m] "write it"\n', 'DO [timeout=5m]: Task(claude) "write it"\n'],
  ['DO: Task(claude) write it\n', 'DO: Task(claude) "write it"\n'],
  ['ASK user: "go?" → x timeout=5m\nRETURN: {x}\n', 'ASK user: "go?" → x deadline=5m default="…"\nRETURN: {x}\n'],
  ['TRACK: x\nDECREMENT: x by 2\n', 'TRACK: x\nINCREMENT: x by -2\n'],
  ['TRACK: x\nx--\n', 'TRACK: x\nINCREMENT: x by -1\n'],
  ['DO: x = let y = echo 1\nRETURN: {x}\n', 'DO: x = echo 1\nRETURN: {x}\n'],
  ['RETURN = 5\n', 'RETURN: 5\n'],
  ['EMIT = X\n', 'EMIT: X\n'],
  ['INPUTS: a, b\nRETURN: {a} {b}\n', 'INPUT: a\nINPUT: b\nRETURN: {a} {b}\n'],
  ['TRACK: x\nSET: x++\n', 'TRACK: x\nINCREMENT: x\n'],
  ['TRACK: x\nSET: x--\n', 'TRACK: x\nINCREMENT: x by -1\n'],
  ['TRACK: x\nSET: x to 3\n', 'TRACK: x\nSET: x = 3\n'],
  ['STATE: A\n  TRACK: x\n  x = 5\n  RETURN: {x}\n', 'STATE: A\n  TRACK: x\n  SET: x = 5\n  RETURN: {x}\n'],
  ['TRACK: x: int = 3\nRETURN: {x}\n', 'TRACK: x = 3\nRETURN: {x}\n'],
  ['TRACK: x := 3\nRETURN: {x}\n', 'TRACK: x = 3\nRETURN: {x}\n'],
  [
    'TRACK: a = 1\nTRACK: x = "b" if a == 1 else "c"\nRETURN: {x}\n',
    'TRACK: a = 1\nTRACK: x\nIF: a == 1 → SET: x = "b"\nELSE → SET: x = "c"\nRETURN: {x}\n',
  ],
  [
    'TRACK: a = 1\nTRACK: x\nSET: x = "b" if a == 1 else "c"\nRETURN: {x}\n',
    'TRACK: a = 1\nTRACK: x\nIF: a == 1 → SET: x = "b"\nELSE → SET: x = "c"\nRETURN: {x}\n',
  ],
  ['INPUT: a = null\nTRACK: x = a or "b"\nRETURN: {x}\n', 'INPUT: a = null\nTRACK: x = default(a, "b")\nRETURN: {x}\n'],
  ['INPUT: n? : int\nRETURN: {n}\n', 'INPUT: n = null (number)\nRETURN: {n}\n'],
  ['INPUT: n?\nRETURN: {n}\n', 'INPUT: n = null\nRETURN: {n}\n'],
  ['INPUT: n: int = 3\nRETURN: {n}\n', 'INPUT: n = 3 (number)\nRETURN: {n}\n'],
  ['INPUT: n: str = abc\nRETURN: {n}\n', 'INPUT: n = "abc" (string)\nRETURN: {n}\n'],
  ['INPUT: n: bool = True\nRETURN: {n}\n', 'INPUT: n = true (boolean)\nRETURN: {n}\n'],
  ['INPUT: n: dict = None\nRETURN: {n}\n', 'INPUT: n = null (object)\nRETURN: {n}\n'],
  ['INPUT: n: 3\nRETURN: {n}\n', 'INPUT: n = 3\nRETURN: {n}\n'],
  ['INPUT: int n = 3\nRETURN: {n}\n', 'INPUT: n = 3 (number)\nRETURN: {n}\n'],
  ['INPUT: str n\nRETURN: {n}\n', 'INPUT: n (string)\nRETURN: {n}\n'],
  ['INPUT: n default abc\nRETURN: {n}\n', 'INPUT: n = "abc"\nRETURN: {n}\n'],
  ['INPUT: n defaults to 3\nRETURN: {n}\n', 'INPUT: n = 3\nRETURN: {n}\n'],
  ['INPUT: n default: 3\nRETURN: {n}\n', 'INPUT: n = 3\nRETURN: {n}\n'],
  ['INPUT: n default to abc\nRETURN: {n}\n', 'INPUT: n = "abc"\nRETURN: {n}\n'],
  ['INPUT: n || 3\nRETURN: {n}\n', 'INPUT: n = 3\nRETURN: {n}\n'],
  ['TRACK: x\nIF: x == empty → RETURN: y\nRETURN: n\n', 'TRACK: x\nIF: x is empty → RETURN: y\nRETURN: n\n'],
  ['TRACK: x\nIF: x != empty → RETURN: y\nRETURN: n\n', 'TRACK: x\nIF: x is not empty → RETURN: y\nRETURN: n\n'],
  ['INPUT: A = null\nCHECK: x = A || "b"\nRETURN: {x}\n', 'INPUT: A = null\nDO: x = default(A, "b")\nRETURN: {x}\n'],
  ['INPUT: A = null\nDO: x = A ?? "b"\nRETURN: {x}\n', 'INPUT: A = null\nDO: x = default(A, "b")\nRETURN: {x}\n'],
  ['INPUT: A = 1\nCHECK: x = A + 1\nRETURN: {x}\n', 'INPUT: A = 1\nDO: x = A + 1\nRETURN: {x}\n'],
  ['STATE: A\n  RUN: B\nSTATE: B\n  RETURN\n', 'STATE: A\n  GOTO: B\nSTATE: B\n  RETURN\n'],
  ['STATE: A\n  GOTO: B, then RETURN\nSTATE: B\n  RETURN\n', 'STATE: A\n  GOTO: B\n  RETURN\nSTATE: B\n  RETURN\n'],
  [
    'STATE: A\n  TRACK: x\n  SET: x = 1; GOTO: B\nSTATE: B\n  RETURN\n',
    'STATE: A\n  TRACK: x\n  SET: x = 1\n  GOTO: B\nSTATE: B\n  RETURN\n',
  ],
  ['SHELL: ls\n', 'DO: ls\n'],
  ['ECHO: hello\n', 'EMIT: "hello"\n'],
  ['ERROR: no disk\n', 'FAIL: no disk\n'],
  ['RESULT: done\n', 'RETURN: done\n'],
  ['CONFIRM: "go?"\n', 'ASK user: "go?" → go choices=yes,no\n'],
  ['TASK: claude: "write"\n', 'DO: Task(claude) "write"\n'],
  ['EMIT: E(n=1, m=2)\n', 'EMIT: E n=1 m=2\n'],
  ['EMIT: E {x}\n', 'EMIT: E x={x}\n'],
  ['TRACK: x\nEMIT: E {x}\n', 'TRACK: x\nEMIT: E x={x}\n'],
  ['ASK: "Go?" → x (yes|no)\nRETURN: {x}\n', 'ASK user: "Go?" → x choices=yes,no\nRETURN: {x}\n'],
  ['TRACK: x = 1\nIF: x == 1 { RETURN: y }\nRETURN: n\n', 'TRACK: x = 1\nIF: x == 1 → RETURN: y\nRETURN: n\n'],
  ['KEEP everything\n', 'KEEP\n'],
  ['DO [ignore_errors=true]: false\n', 'DO [ok=any]: false\n'],
  ['DO [env FOO=1]: ls\n', 'DO [env.FOO=1]: ls\n'],
  ['DO [retry=3, delay=5s]: ls\n', 'DO [retry=3/5s]: ls\n'],
  ['DO [timeout: 5s]: ls\n', 'DO [timeout=5s]: ls\n'],
  ['DO: in PARALLEL [jobs=2]\n  - ls\n  - ls\n', 'DO: in PARALLEL [max=2]\n  - ls\n  - ls\n'],
  ['DO: in PARALLEL [fail_fast=false]\n  - ls\n  - ls\n', 'DO: in PARALLEL [on_failure=keep]\n  - ls\n  - ls\n'],
  ['DO: in PARALLEL [keep_going]\n  - ls\n  - ls\n', 'DO: in PARALLEL [on_failure=keep]\n  - ls\n  - ls\n'],
  ['EMIT: "say "hi" to x"\n', 'EMIT: "say \\"hi\\" to x"\n'],
  ['WAIT: for signal "go"\nRETURN: {go}\n', 'WAIT: signal go\nRETURN: {go}\n'],
  ['WAIT: go OR timeout=5s\nRETURN: {go}\n', 'WAIT: signal go OR timeout=5s\nRETURN: {go}\n'],
  ['WAIT: x = signal go\nRETURN: {go}\n', 'WAIT: signal go\nRETURN: {go}\n'],
  ['WAIT: signal go → x timeout=5s\nRETURN: {go}\n', 'WAIT: signal go OR timeout=5s\nRETURN: {go}\n'],
  ['ASK bob: "go?"\nRETURN: {answer}\n', 'ASK user: "go?"\nRETURN: {answer}\n'],
  ['ASK user: "go?" → x choices=(yes, no)\nRETURN: {x}\n', 'ASK user: "go?" → x choices=yes,no\nRETURN: {x}\n'],
  ['SLEEP 5 ms\n', 'WAIT: 5ms\n'],
  ['pause: 2h\n', 'WAIT: 2h\n'],
  ['delay 3d\n', 'WAIT: 3d\n'],
  [
    'INPUT: l = [1]\nFOR EACH: i of 1 to 3 :\n  DO: echo {i}\n',
    'INPUT: l = [1]\nFOR EACH: i in range(1, 4):\n  DO: echo {i}\n',
  ],
  // Two verbs are one letter away.
  ['WAIL: 5s\n', 'WAIT: 5s\n'],
];

/** Programs that need their author: the line of the one error, and its help. */
const helped: readonly (readonly [string, number, string])[] = [
  [
    'FOR EACH: i IN items\n  DO: echo {i}\n',
    1,
    'bind it with CHECK, DO or TRACK, declare it with `INPUT:`, or pass it with `GOTO … with`',
  ],
  [
    'DO: x = echo 1\nif [ "$x" = 1 ]; then\n  echo yes\nfi\n',
    2,
    'write `DO:` on a line of its own and all of this code below it, indented deeper',
  ],
  [
    'for f in *.txt; do\n  echo $f\ndone\n',
    1,
    'write `DO:` on a line of its own and all of this code below it, indented deeper',
  ],
  [
    'while true; do\n  sleep 1\ndone\n',
    1,
    'write `DO:` on a line of its own and all of this code below it, indented deeper',
  ],
  ['DO: true\nEXIT 1\n', 2, 'write `FAIL: exit code 1`'],
  [
    'INPUT: l = [1]\nFOR EACH: i, v in l:\n  DO: echo {v}\n',
    2,
    'write `FOR EACH: i in range(len(l)):` for a list, `FOR EACH: i in keys(l):` for an object, and `{l[i]}` for `v`',
  ],
  [
    'DO [background]: sleep 3\n',
    1,
    'write `DO: in PARALLEL`, and below it `- sleep 3` and a member for what runs at the same time',
  ],
  ['DO [when=true]: true\n', 1, 'write `IF: true → DO: true`'],
  ['DO: export X = 1\n', 1, 'write `DO [env.X=1]: …` for the command that reads it'],
  [
    'STATE: A\n  DO: true\n  GOTO: B, C\nSTATE: B\n  RETURN\nSTATE: C\n  RETURN\n',
    3,
    'name one state, or run members at the same time with `DO: in PARALLEL`',
  ],
  [
    'FOR EACH: x in [1,2]\n  IF: x == 1 → BREAK\n  DO: echo {x}\n',
    2,
    'FOR EACH goes through the whole list: shorten the list before it, or leave with `GOTO:` or `RETURN`',
  ],
  [
    'FOR EACH: x in [1,2]:\n  IF: x == 1 → CONTINUE\n  DO: echo {x}\n',
    2,
    'write `IF: x != 1 →`, and the rest of the turn below it, indented deeper',
  ],
  [
    'STATE: A\n  TRACK: n\n  WHILE: n < 3\n    INCREMENT: n\n  RETURN\n',
    3,
    'a loop is a state: write `STATE: LOOP`, below it `IF: n >= 3 → GOTO: AFTER`, the lines of the loop and `GOTO: LOOP`, and put the rest into `STATE: AFTER`; its names are passed with `with`',
  ],
  [
    'STATE: A\n  LOOP:\n    DO: true\n',
    2,
    'loop over states: count with `TRACK: n` and `INCREMENT: n`, and repeat with `IF: … → GOTO: STATE`; for a list write `FOR EACH:`',
  ],
  ['SWITCH: x\n  CASE 1: DO: true\n', 1, 'write `IF: x == 1 → DO: true`'],
  ['SWITCH: x\n  CASE 1 to 3\n', 1, 'write one `IF: x == … → …` for each case, and `DEFAULT: …` after them'],
  [
    'STATE: A\n  TRACK: number of retries so far\n  RETURN\n',
    2,
    'make it a comment, `# TRACK: number of retries so far`, or name the variable: `TRACK: name`',
  ],
  ['TRACK: n = 50%\n', 1, 'write `"50%"` for the text, or a fraction for a number'],
  ['WAIT: UNTIL x == 1\n', 1, 'write `WAIT: x == 1 OR timeout=60s`'],
  ['TRACK: x\nWAIT: x == 1 OR deadline=5s\n', 2, 'write `WAIT: x == 1 OR timeout=5s`'],
  [
    'STATE: A\n  DO: false\n  IF: error → GOTO: B\n  RETURN\nSTATE: B\n  RETURN\n',
    3,
    'a command that fails ends the state: handle it at the end of the state with `ON ERROR: → GOTO: …`, or read `exit_code(x)` of a CHECK',
  ],
  ['DO:\necho 1\necho 2\n', 1, 'write the command after it, or the script on the lines below it, indented deeper'],
  [
    'TRY:\n  DO: false\nCATCH:\n  DO: echo failed\n',
    1,
    'handle failures at the end of the state, with `ON ERROR: → GOTO: …`',
  ],
  ['USE: retry with times=3\n', 1, 'add `IMPORT: "std/retry"` at the top and use `RETRY_PATTERN`'],
  [
    'TRACK: o = {"a": 1}\nSET: o.a = 2\n',
    2,
    'build the new value and set `o`: a list grows by `o + [x]`, and pairs are a list of `{"key": …, "value": …}`',
  ],
  [
    'INPUT: l = [1]\nFOR EACH: (i, v) in enumerate(l):\n  DO: echo {v}\n',
    2,
    'write `FOR EACH: i in range(len(l)):`, and `{l[i]}` for `v`',
  ],
  [
    'INPUT: o = {"a": 1}\nDO: FOR EACH k, v in o.items() in PARALLEL:\n  DO: echo {v}\n',
    2,
    'write `DO: FOR EACH k in keys(o) in PARALLEL:`, and `{o[k]}` for `v`',
  ],
  [
    'IF: file exists README.md → RETURN: y\nRETURN: n\n',
    1,
    'write `CHECK: found = test -e README.md`, then `IF: exit_code(found) == 0 → RETURN: y`',
  ],
  [
    'IF: not the file a.txt exists → RETURN: y\nRETURN: n\n',
    1,
    'test it with a command: `CHECK: found = test -f FILE && echo yes || echo no`, then `IF: found == "yes" → …`',
  ],
  ['TRACK: x = $HOME\n', 1, 'write `DO: home = echo "$HOME"` above, and use `home` here'],
  [
    'STATE: A\n  DO: true\n  ON SUCCESS → EMIT: OK\n',
    3,
    'write these actions as the next lines of the state: they run only if nothing above failed',
  ],
  [
    'STATE: A\n  DO: true\n  ON OK: EMIT: OK, GOTO: B\nSTATE: B\n  RETURN\n',
    3,
    'write these actions as the next lines of the state: they run only if nothing above failed',
  ],
  ['STATE: A\n  TRACK: x\n  x = y z\n  RETURN: {x}\n', 3, 'write `SET: x = …` for a value, `DO: x = …` for a command'],
  ['STATE: A\n  TRACK: x\n  SET: x = 1; y\n  RETURN\n', 3, 'remove it, or put the text in quotes'],
  [
    'POLL: curl x\n',
    1,
    'write `WAIT: status == "done" OR timeout=5m every=10s`, and in the block below it `CHECK: status = curl x`',
  ],
  [
    'MODEL: opus\nDO: ls\n',
    1,
    'an agent has a model: write `agents: { NAME: { adapter: claude, model: … } }` in statedsl.config.yaml, and `DO: Task(NAME) "…"` here',
  ],
  [
    'MCP_SERVERS: x\nDO: ls\n',
    1,
    'describe the server in `statedsl.config.yaml`: `mcp: { NAME: { run: ["program"] } }`; agents with `adapter: model` name it in `tools: [NAME/*]`, plans in `tools.yaml`',
  ],
  [
    'STATE: A\n  GOTO: B, and then C\nSTATE: B\n  RETURN\nSTATE: C\n  RETURN\n',
    2,
    'name one state, or run members at the same time with `DO: in PARALLEL`',
  ],
  // A command is none of these conditions and values.
  ...[
    'DO: Compare a -lt b',
    'DO: Compare a is "b"',
    'DO: Compare a is not "b"',
    'DO: Look x has y',
    'DO: See a in 1..3',
    'DO: See n.upper()',
    'DO: See n.split(x)',
    'DO: See n.push(x)',
  ].map((line): [string, number, string] => [`${line}\n`, 1, 'write `DO: Task(AGENT) "…"` to give it to an agent']),
];

/** Programs that may be meant as they are, or that only their authors can correct. */
const untouched: readonly string[] = [
  'INPUT: dir\nDO: export $(cat .env); echo $dir\n',
  'INPUT: dir\nDO: = read dir; echo $dir\n',
  'INPUT: dir\nDO: . ./env.sh && echo $dir\n',
  'DO - mkdir -p sub\n',
  'EMIT - HELLO\n',
  'FOR EACH: i in [1, 2]: do\n  DO: echo {i}\n',
  'STATE: A\n  RETURN: “x”\n',
];

describe('a line of another language', () => {
  test.each(untouched)('%j is left alone', async (program) => {
    expect((await fixText(program, check)).text).toBe(program);
  });

  test.each(fixed)('%j is mended', async (before, after) => {
    const { text } = await fixText(before, check);
    expect(text).toBe(after);
    expect(errorsOf(text)).toEqual([]);
  });

  test.each(offered)('%j is mended by the author', async (before, after) => {
    expect((await fixText(before, check)).text).toBe(before);
    const text = corrected(before);
    expect(text).toBe(after);
    expect(errorsOf(text)).toEqual([]);
  });

  test.each(helped)('%j has one message', (program, line, help) => {
    const [first] = errorsOf(program);
    expect(program.slice(0, first?.span.start).split('\n').length).toBe(line);
    expect(first?.help).toBe(help);
  });
});

/** As on a machine on which no program has the name of a value. */
const withFewPrograms = { lookups: { ...options.lookups, onPath: (name: string) => /^(?:echo|ls)$/.test(name) } };

/** A program in which the line stands: with values, a pattern, and another state. */
function inState(line: string, rest = ''): string {
  const indented = line.replace(/^/gm, '  ');
  return `INPUT: n = 3
INPUT: mode = "fast"
INPUT: items = ["a", "b"]
INPUT: obj = {"a": 1}
PATTERN: NOTIFY with who
  DO: echo {who}
STATE: A
  TRACK: tries
  DO: out = echo hi
${indented}${rest}
STATE: B
  RETURN: b
`;
}

/** Lines of a state, heads of a block and last lines of a state, and the line that was meant. */
const lines: readonly (readonly [string, string])[] = [
  ['IF n > 3 THEN GOTO B', 'IF: n > 3 → GOTO B'],
  ['IF n > 3 THEN GOTO: B', 'IF: n > 3 → GOTO: B'],
  ['if n > 3: goto B', 'IF: n > 3 → GOTO B'],
  ['if (n > 3) { GOTO: B }', 'IF: (n > 3) → GOTO: B'],
  ['IF n > 3: GOTO B', 'IF: n > 3 → GOTO B'],
  ['IF: n > 3 → goto B', 'IF: n > 3 → GOTO B'],
  ['IF: n > 3 → GOTO(B)', 'IF: n > 3 → GOTO: B'],
  ['IF: n > 3 → GOTO: #B', 'IF: n > 3 → GOTO: B'],
  ['IF: n > 3 → STATE: B', 'IF: n > 3 → GOTO: B'],
  ['IF: n > 3 → jump B', 'IF: n > 3 → GOTO: B'],
  ['IF: n > 3 → NEXT: B', 'IF: n > 3 → GOTO: B'],
  ['IF: n > 3 → next B', 'IF: n > 3 → GOTO: B'],
  ['IF: n > 3 → transition to B', 'IF: n > 3 → GOTO: B'],
  ['IF: n > 3 → EMIT: X → GOTO: B', 'IF: n > 3 → EMIT: X, GOTO: B'],
  ['IF: n > 3 → EMIT: X GOTO: B', 'IF: n > 3 → EMIT: X, GOTO: B'],
  ['IF: n > 3 ? GOTO: B : GOTO: A', 'IF: n > 3 → GOTO: B\nELSE → GOTO: A'],
  ['IF: n > 3 → GOTO: B ELSE GOTO: A', 'IF: n > 3 → GOTO: B\nELSE → GOTO: A'],
  ['IF: n > 3 → GOTO: B ELSE → GOTO: A', 'IF: n > 3 → GOTO: B\nELSE → GOTO: A'],
  ['IF: n > 3 → GOTO: B, ELSE → GOTO: A', 'IF: n > 3 → GOTO: B\nELSE → GOTO: A'],
  ['IF: n > 3 → GOTO: B else: GOTO: A', 'IF: n > 3 → GOTO: B\nELSE → GOTO: A'],
  ['IF: n > 3 → GOTO: B\nelif n > 2: GOTO: B', 'IF: n > 3 → GOTO: B\nELSE IF: n > 2 → GOTO: B'],
  ['IF: n > 3 → GOTO: B\nELSIF n > 2 → GOTO: B', 'IF: n > 3 → GOTO: B\nELSE IF: n > 2 → GOTO: B'],
  ['IF: n > 3 → GOTO: B\nOTHERWISE → GOTO: B', 'IF: n > 3 → GOTO: B\nELSE → GOTO: B'],
  ['UNLESS: n > 3 → GOTO: B', 'IF: NOT (n > 3) → GOTO: B'],
  ['IF NOT: n > 3 → GOTO: B', 'IF: NOT (n > 3) → GOTO: B'],
  ['IF: [ $n -gt 3 ] → GOTO: B', 'IF: n > 3 → GOTO: B'],
  ['IF: [[ $mode == "fast" ]] → GOTO: B', 'IF: mode == "fast" → GOTO: B'],
  ['IF: {{n}} > 3 → GOTO: B', 'IF: n > 3 → GOTO: B'],
  ['IF: ${{ inputs.n > 3 }} → GOTO: B', 'IF: n > 3 → GOTO: B'],
  ['IF: n is greater than 3 → GOTO: B', 'IF: n > 3 → GOTO: B'],
  ['IF: n is at least 3 → GOTO: B', 'IF: n >= 3 → GOTO: B'],
  ['IF: n in (1, 2, 3) → GOTO: B', 'IF: n in [1, 2, 3] → GOTO: B'],
  ['IF: n in {1, 2} → GOTO: B', 'IF: n in [1, 2] → GOTO: B'],
  ['IF: mode =~ "fa.*" → GOTO: B', 'IF: mode matches "fa.*" → GOTO: B'],
  ['IF: items empty → GOTO: B', 'IF: items is empty → GOTO: B'],
  ['IF: obj.z is None → GOTO: B', 'IF: obj.z is null → GOTO: B'],
  ['IF: obj.get("a") == 1 → GOTO: B', 'IF: obj.a? == 1 → GOTO: B'],
  ['IF: out succeeded → GOTO: B', 'IF: exit_code(out) == 0 → GOTO: B'],
  ['IF: out failed → GOTO: B', 'IF: exit_code(out) != 0 → GOTO: B'],
  ['IF: tries > 3 times → GOTO: B', 'IF: tries > 3 → GOTO: B'],
  ['IF: DO: test -f x → GOTO: B', 'CHECK: tested = test -f x && echo yes || echo no\nIF: tested == "yes" → GOTO: B'],
  ['IF: test -f x → GOTO: B', 'CHECK: tested = test -f x && echo yes || echo no\nIF: tested == "yes" → GOTO: B'],
  ['IF: `test -f x` → GOTO: B', 'CHECK: tested = test -f x && echo yes || echo no\nIF: tested == "yes" → GOTO: B'],
  ['IF: $(test -f x) → GOTO: B', 'CHECK: tested = test -f x && echo yes || echo no\nIF: tested == "yes" → GOTO: B'],
  ['IF: CHECK: test -f x → GOTO: B', 'CHECK: tested = test -f x && echo yes || echo no\nIF: tested == "yes" → GOTO: B'],
  ['IF: n > 3 → tries = 5', 'IF: n > 3 → SET: tries = 5'],
  ['IF: n > 3 → tries++', 'IF: n > 3 → INCREMENT: tries'],
  ['IF: n > 3 → pass', 'IF: n > 3 → PROCEED'],
  ['IF: n > 3 → nothing', 'IF: n > 3 → PROCEED'],
  ['IF: n > 3 → do nothing', 'IF: n > 3 → PROCEED'],
  ['IF: n > 3 → log "x"', 'IF: n > 3 → EMIT: "x"'],
  ['IF: n > 3 → print("x")', 'IF: n > 3 → EMIT: "x"'],
  ['IF: n > 3 → sleep 5', 'IF: n > 3 → WAIT: 5s'],
  ['IF: n > 3 → NOTIFY(who="x")', 'IF: n > 3 → USE: NOTIFY with who="x"'],
  ['IF: n > 3 → GOTO: B, x=1', 'IF: n > 3 → GOTO: B with x=1'],
  ['IF: n > 3 → GOTO: B passing x=1', 'IF: n > 3 → GOTO: B with x=1'],
  ['IF: n > 3 → GOTO: B with (out)', 'IF: n > 3 → GOTO: B with out'],
  ['IF: n > 3 → GOTO: B [out={out}]', 'IF: n > 3 → GOTO: B with out={out}'],
  ['IF: n > 3 → GOTO: B if mode == "fast"', 'IF: n > 3 AND (mode == "fast") → GOTO: B'],
  ['GOTO: B unless n > 3', 'IF: NOT (n > 3) → GOTO: B'],
  ['TRACK: tries2 0', 'TRACK: tries2 = 0'],
  ['TRACK: tries2 (0)', 'TRACK: tries2 (starts at 0)'],
  ['TRACK: tries2 starts at 0', 'TRACK: tries2 = 0'],
  ['TRACK: tries2 as counter', 'TRACK: tries2'],
  ['TRACK: counter tries2', 'TRACK: tries2'],
  ['TRACK: int tries2 = 0', 'TRACK: tries2 = 0'],
  ['TRACK: - a', 'TRACK: a'],
  ['TRACK: {a}', 'TRACK: a'],
  ['TRACK: $a', 'TRACK: a'],
  ['a := 0', 'TRACK: a = 0'],
  ['SET: tries = $((n + 1))', 'SET: tries = n + 1'],
  ['SET: {tries} = 5', 'SET: tries = 5'],
  ['SET: $tries = 5', 'SET: tries = 5'],
  ['TRACK: l = []\nSET: l.append("x")', 'TRACK: l = []\nSET: l = l + ["x"]'],
  ['TRACK: l = []\nSET: l = [...l, "x"]', 'TRACK: l = []\nSET: l = l + ["x"]'],
  ['TRACK: l = []\nAPPEND: l "x"', 'TRACK: l = []\nSET: l = l + ["x"]'],
  ['TRACK: l = []\nAPPEND: "x" to l', 'TRACK: l = []\nSET: l = l + ["x"]'],
  ['TRACK: l = []\nPUSH: l, "x"', 'TRACK: l = []\nSET: l = l + ["x"]'],
  ['TRACK: l = []\nl.append("x")', 'TRACK: l = []\nSET: l = l + ["x"]'],
  ['TRACK: l = []\nl.push("x")', 'TRACK: l = []\nSET: l = l + ["x"]'],
  ['INCREMENT: {tries}', 'INCREMENT: tries'],
  ['INCR: tries', 'INCREMENT: tries'],
  ['++tries', 'INCREMENT: tries'],
  ['RESET: tries', 'SET: tries = 0'],
  ['CLEAR: tries', 'SET: tries = 0'],
  ['DO: tries += 1', 'SET: tries += 1'],
  ['DO: x = $((n + 1))', 'DO: x = n + 1'],
  ['DO: x <- echo {n}', 'DO: x = echo {n}'],
  ['DO: x, y = echo hi', 'DO: x = echo hi'],
  ['DO: [x] = echo hi', 'DO: x = echo hi'],
  ['DO: {x} = echo hi', 'DO: x = echo hi'],
  ['DO: x = mode.upper()', 'DO: x = upper(mode)'],
  ['DO: x = mode.toUpperCase()', 'DO: x = upper(mode)'],
  ['DO: x = JSON.parse(out)', 'DO: x = parse_json(out)'],
  ['DO: x = json.loads(out)', 'DO: x = parse_json(out)'],
  ['DO: x = JSON.stringify(obj)', 'DO: x = json(obj)'],
  ['DO: x = out | json', 'DO: x = json(out)'],
  ['DO: x = out | upper', 'DO: x = upper(out)'],
  ['DO: x = out.trim()', 'DO: x = trim(out)'],
  ['DO: x = out.strip()', 'DO: x = trim(out)'],
  ['DO: x = out.split(",")[0]', 'DO: x = split(out, ",")[0]'],
  ['DO: x = items.join(", ")', 'DO: x = join(items, ", ")'],
  ['DO: x = join(", ", items)', 'DO: x = join(items, ", ")'],
  ['DO: x = ", ".join(items)', 'DO: x = join(items, ", ")'],
  ['DO: x = n // 2', 'DO: x = floor(n / 2)'],
  ['DO: x = n ** 2', 'DO: x = n * n'],
  ['DO: x = not true', 'DO: x = NOT true'],
  ['DO: x = True', 'DO: x = true'],
  ['DO: x = None', 'DO: x = null'],
  ['DO: x = env.HOME', 'DO: x = printenv HOME'],
  ['DO: x = ENV["HOME"]', 'DO: x = printenv HOME'],
  ['DO: x = process.env.HOME', 'DO: x = printenv HOME'],
  ['DO: x = os.environ["HOME"]', 'DO: x = printenv HOME'],
  ['DO: x = input("name?")', 'ASK user: "name?" → x'],
  ['DO: x = read_file("a.txt")', 'DO: x = cat a.txt'],
  ['DO: x = open("a.txt").read()', 'DO: x = cat a.txt'],
  ['DO: x = file("a.txt")', 'DO: x = cat a.txt'],
  ['DO: x = 1..n', 'DO: x = range(1, n + 1)'],
  ['DO: x = Task(agent=claude) "hi {n}"', 'DO: x = Task(claude) "hi {n}"'],
  ['DO: x = Task(claude): hi {n}', 'DO: x = Task(claude) "hi {n}"'],
  ['DO: x = Task(claude) "hi" timeout=5m', 'DO [timeout=5m]: x = Task(claude) "hi"'],
  ['DO: x = Task(claude) "hi" [timeout=5m]', 'DO [timeout=5m]: x = Task(claude) "hi"'],
  ['DO [timeout 5m]: x = echo hi', 'DO [timeout=5m]: x = echo hi'],
  ['DO [timeout=5min]: x = echo hi', 'DO [timeout=5m]: x = echo hi'],
  ['DO [retry=3 times]: x = echo hi', 'DO [retry=3]: x = echo hi'],
  ['DO [max_retries=3]: x = echo hi', 'DO [retry=3]: x = echo hi'],
  ['DO [ok=*]: x = echo hi', 'DO [ok=any]: x = echo hi'],
  ['DO [ok=0-2]: x = echo hi', 'DO [ok=0,1,2]: x = echo hi'],
  ['DO [ok=[0,1]]: x = echo hi', 'DO [ok=0,1]: x = echo hi'],
  ['DO [ok=true]: x = echo hi', 'DO [ok=any]: x = echo hi'],
  ['DO [dir=/tmp]: x = echo hi', 'DO [cwd=/tmp]: x = echo hi'],
  ['DO [A=1]: x = echo hi', 'DO [env.A=1]: x = echo hi'],
  ['DO [once=true]: echo hi', 'DO [once]: echo hi'],
  ['DO [once=false]: echo hi', 'DO: echo hi'],
  ['DO once: echo hi', 'DO [once]: echo hi'],
  ['DO ONCE: echo hi', 'DO [once]: echo hi'],
  ['cmd: echo hi', 'DO: echo hi'],
  ['command: echo hi', 'DO: echo hi'],
  ['sh: echo hi', 'DO: echo hi'],
  ['$ echo hi', 'DO: echo hi'],
  ['`echo hi`', 'DO: echo hi'],
  ['!echo hi', 'DO: echo hi'],
  ["DO: 'echo hi'", 'DO: echo hi'],
  ['DO: bash("echo hi")', 'DO: echo hi'],
  ['DO: shell("echo hi")', 'DO: echo hi'],
  ['DO: exec("echo hi")', 'DO: echo hi'],
  ['CHECK: n > 3', 'IF: NOT (n > 3) → FAIL: "not n > 3"'],
  ['CHECK: n > 3 → GOTO: B', 'IF: n > 3 → GOTO: B'],
  ['ASSERT: n > 3', 'IF: NOT (n > 3) → FAIL: "not n > 3"'],
  ['VERIFY: n > 3', 'IF: NOT (n > 3) → FAIL: "not n > 3"'],
  ['ASK: user "ok?"', 'ASK user: "ok?"'],
  ['ASK "ok?"', 'ASK user: "ok?"'],
  ['ASK user: "ok?" => go', 'ASK user: "ok?" → go'],
  ['ASK user: "ok?" as go', 'ASK user: "ok?" → go'],
  ['ASK user: go = "ok?"', 'ASK user: "ok?" → go'],
  ['ASK: go = "ok?"', 'ASK user: "ok?" → go'],
  ['ASK user: "ok?" → {go}', 'ASK user: "ok?" → go'],
  ['ASK user: "ok?" → $go', 'ASK user: "ok?" → go'],
  ['DO: go = ASK user: "ok?"', 'ASK user: "ok?" → go'],
  ['DO: go = ask("ok?")', 'ASK user: "ok?" → go'],
  ['DO: ask "ok?"', 'ASK user: "ok?"'],
  ['go = ask "ok?"', 'ASK user: "ok?" → go'],
  ['APPROVAL: "ok?" → go', 'ASK user: "ok?" → go choices=yes,no'],
  ['CONFIRM: "ok?" → go', 'ASK user: "ok?" → go choices=yes,no'],
  ['HUMAN: "ok?"', 'ASK user: "ok?" → go choices=yes,no'],
  ['WAIT: n seconds', 'WAIT: {n}s'],
  ['WAIT: ${n}s', 'WAIT: {n}s'],
  ['WAIT UNTIL: n > 3', 'WAIT: n > 3 OR timeout=60s'],
  ['WAIT FOR: signal go', 'WAIT: signal go'],
  ['WAIT: n > 3, timeout=5s', 'WAIT: n > 3 OR timeout=5s'],
  ['EMIT: HELLO n', 'EMIT: HELLO n={n}'],
  ['EMIT: HELLO {n: n}', 'EMIT: HELLO n={n}'],
  ['EMIT: HELLO {"n": n}', 'EMIT: HELLO n={n}'],
  ['EMIT: HELLO with n={n}', 'EMIT: HELLO n={n}'],
  ['EMIT: HELLO with n', 'EMIT: HELLO n={n}'],
  ['EMIT: HELLO: {n}', 'EMIT: HELLO n={n}'],
  ['EMIT: HELLO, {n}', 'EMIT: HELLO n={n}'],
  ['EMIT: hello world', 'EMIT: "hello world"'],
  ['log.info("hello")', 'EMIT: "hello"'],
  ['EVENT: HELLO', 'EMIT: HELLO'],
  ['USE: NOTIFY(n)', 'USE: NOTIFY with who={n}'],
  ['USE: NOTIFY {n}', 'USE: NOTIFY with who={n}'],
  ['USE: NOTIFY n', 'USE: NOTIFY with who={n}'],
  ['USE: NOTIFY with n', 'USE: NOTIFY with who={n}'],
  ['USE: NOTIFY with {n}', 'USE: NOTIFY with who={n}'],
  ['USE: NOTIFY with who: {n}', 'USE: NOTIFY with who={n}'],
  ['USE: NOTIFY [who={n}]', 'USE: NOTIFY with who={n}'],
  ['USE: NOTIFY with (who={n})', 'USE: NOTIFY with who={n}'],
  ['USE: NOTIFY with {who: n}', 'USE: NOTIFY with who={n}'],
  ['USE: NOTIFY, who={n}', 'USE: NOTIFY with who={n}'],
  ['USE: x = NOTIFY with who={n}', 'USE: NOTIFY with who={n}'],
  ['DO: x = USE NOTIFY with who={n}', 'USE: NOTIFY with who={n}'],
  ['DO: NOTIFY with who={n}', 'USE: NOTIFY with who={n}'],
  ['NOTIFY with who={n}', 'USE: NOTIFY with who={n}'],
  ['UNDO: DO: ./x.sh', 'UNDO: ./x.sh'],
  ['DO: echo {inputs.n}', 'DO: echo {n}'],
  ['IF: inputs.n > 3 → GOTO: B', 'IF: n > 3 → GOTO: B'],
  ['IF: vars.tries > 3 → GOTO: B', 'IF: tries > 3 → GOTO: B'],
  ['SET: tries = self.tries + 1', 'SET: tries = tries + 1'],
  ['head = 5', 'TRACK: head = 5'],
  ['go = 3', 'TRACK: go = 3'],
  ['IF: n > 3 → pass', 'IF: n > 3 → PROCEED'],
  ['IF: n > 3 → do nothing', 'IF: n > 3 → PROCEED'],
  ['EMIT: HELLO {n: n}', 'EMIT: HELLO n={n}'],
  ['USE: NOTIFY with {who: n}', 'USE: NOTIFY with who={n}'],
  ['TRACK: k (5)', 'TRACK: k (starts at 5)'],
  ['DO: x = mode.upper()', 'DO: x = upper(mode)'],
  ['CHECK: x = mode.upper()', 'DO: x = upper(mode)'],
];
const heads: readonly (readonly [string, string])[] = [
  ['for i in 1 .. n:', 'FOR EACH: i in range(1, n + 1):'],
  ['for i in range(1, n):', 'FOR EACH: i in range(1, n):'],
  ['FOR EACH: x in items[1:]', 'FOR EACH: x in slice(items, 1)'],
  ['foreach (x in items)', 'FOR EACH: x in items:'],
  ['foreach x in items', 'FOR EACH: x in items:'],
  ['FOREACH: x in items', 'FOR EACH: x in items:'],
  ['FOR EACH: x : items', 'FOR EACH: x in items:'],
  ['FOR ALL: x in items', 'FOR EACH: x in items:'],
  ['FOR EACH ITEM: x in items', 'FOR EACH: x in items:'],
  ['FOR EACH: x in $items', 'FOR EACH: x in items'],
  ['FOR EACH: x in ${items}', 'FOR EACH: x in items'],
  ['FOR EACH: x in {{ items }}', 'FOR EACH: x in items'],
  ['FOR EACH [max=2]: x in items in PARALLEL', 'FOR EACH: x in items in PARALLEL [max=2]:'],
  ['FOR EACH [parallel=2]: x in items', 'FOR EACH: x in items in PARALLEL [max=2]:'],
  ['FOR EACH: x in (1, 2, 3)', 'FOR EACH: x in [1, 2, 3]'],
  ['FOR EACH: x in [1..5]', 'FOR EACH: x in range(1, 6):'],
  ['FOR EACH: i from 0 to n - 1', 'FOR EACH: i in range(0, n):'],
  ['FOR EACH: i = 0; i < n; i++', 'FOR EACH: i in range(0, n):'],
  ['FOR EACH: i in 0..<n', 'FOR EACH: i in range(0, n):'],
  ['FOR EACH: x in obj.keys()', 'FOR EACH: x in keys(obj)'],
  ['FOR EACH: x in Object.keys(obj)', 'FOR EACH: x in keys(obj)'],
  ['DO: FOR EACH x of items', 'FOR EACH: x in items:'],
  ['DO: FOR x in items', 'FOR EACH: x in items:'],
  ['LOOP: x in items', 'FOR EACH: x in items:'],
  ['DO: loop 3 times', 'FOR EACH: i in range(3):'],
  ['FOR EACH: i in seq 1 5', 'DO: i_list = seq 1 5\nFOR EACH: i in lines(i_list):'],
  ['FOR EACH: f in "*.txt"', 'DO: f_list = ls *.txt\nFOR EACH: f in lines(f_list):'],
  ['FOR EACH: f in $(ls)', 'DO: f_list = ls\nFOR EACH: f in lines(f_list):'],
  ['FOR EACH: f in `ls`', 'DO: f_list = ls\nFOR EACH: f in lines(f_list):'],
  ['FOR EACH: f in glob("*.txt")', 'DO: f_list = ls *.txt\nFOR EACH: f in lines(f_list):'],
  ['**FOR EACH:** x in items', 'FOR EACH: x in items'],
  ['`FOR EACH: x in items`', 'FOR EACH: x in items'],
  ['for each item in items do', 'FOR EACH: item in items:'],
  ['FOR EACH: x in items:{', 'FOR EACH: x in items:'],
  ['FOR EACH: x in items do', 'FOR EACH: x in items:'],
  ['FOR EACH: x in items →', 'FOR EACH: x in items:'],
  ['FOR EACH: x in items → DO: echo {x}', 'FOR EACH: x in items:\n  DO: echo {x}'],
  ['FOR EACH: x in items DO: echo {x}', 'FOR EACH: x in items:\n  DO: echo {x}'],
  ['each: x in items', 'FOR EACH: x in items:'],
  ['MAP: x in items', 'FOR EACH: x in items:'],
  ['FOR x IN items DO', 'FOR EACH: x in items:'],
];
const lastLines: readonly (readonly [string, string])[] = [
  ['RETURN(ok)', 'RETURN: ok'],
  ['RETURN: {items.0}', 'RETURN: {items[0]}'],
  ['RETURN: {items | length} items', 'RETURN: {len(items)} items'],
  ['RETURN: {n|json}', 'RETURN: {json(n)}'],
  ['RETURN: {inputs.n}', 'RETURN: {n}'],
  ['RETURN: {input.n}', 'RETURN: {n}'],
  ['SUCCESS', 'RETURN'],
  ['SUCCEED: ok', 'RETURN: ok'],
  ['GOTO(B)', 'GOTO: B'],
  ['=> GOTO: B', 'GOTO: B'],
  ['→ GOTO: B', 'GOTO: B'],
  ['go to B', 'GOTO: B'],
  ['GOTO: [B]', 'GOTO: B'],
  ['GOTO: `B`', 'GOTO: B'],
  ['GOTO: **B**', 'GOTO: B'],
  ['GOTO: B // next', 'GOTO: B  # next'],
  ['GOTO: B -- next', 'GOTO: B  # next'],
  ['GOTO: ${B}', 'GOTO: B'],
  ['RETURN: {items.0}', 'RETURN: {items[0]}'],
  ['RETURN: {items[1:]} x', 'RETURN: {slice(items, 1)} x'],
  ['RETURN: {items[0:2]}', 'RETURN: {slice(items, 0, 2)}'],
  ['RETURN: {items | length} items', 'RETURN: {len(items)} items'],
  ['RETURN: {n|json}', 'RETURN: {json(n)}'],
  ['RETURN: {inputs.n} is it', 'RETURN: {n} is it'],
];

describe('a line as in another language, in a state', () => {
  test.each([
    ...lines.map(([written, meant]) => [written, meant, '\n  RETURN: ok'] as const),
    ...heads.map(([written, meant]) => [written, meant, '\n    DO: echo body\n  RETURN: ok'] as const),
    ...lastLines.map(([written, meant]) => [written, meant, ''] as const),
  ])('%j means %j', (written, meant, rest) => {
    const program = corrected(inState(written, rest), rememberingCompiler(withFewPrograms));
    expect(program).toBe(inState(meant, rest));
    expect(errorsOf(program)).toEqual([]);
  });
});

describe('a long line', () => {
  const units = [' ', '; ', 'a.', 'a ', 'a=1, ', '→ ', `${' '.repeat(20)}a`];
  // The rules would otherwise divide what is repeated in all ways, which took minutes.
  test.each(['IF: n > 3 → EMIT: X', 'ON ERROR', 'FOR EACH: x in l', 'SET: x =', 'TRACK: a = 0,'])(
    '%s … ends',
    (head) => {
      for (const unit of units) {
        const line = `${head} ${unit.repeat(500)}`.slice(0, 490);
        expect(compile(`INPUT: n = 3\n${line}!\n`, withFewPrograms).diagnostics).not.toEqual([]);
      }
    },
  );
});

describe('a document', () => {
  const inDocument = async (text: string) => compile(text, { ...options, name: 'a.md', parse: parseFile });

  test.each([
    [
      '> ```dsl\n> STATE: A\n>   if: 1 = 1 → RETURN\n>   RETURN\n> ```\n',
      '> ```dsl\n> STATE: A\n>   IF: 1 == 1 → RETURN\n>   RETURN\n> ```\n',
    ],
    [
      '> ```dsl\n> STATE: A\n>   GOTO: B\n>   STATE: B\n>     RETURN\n> ```\n',
      '> ```dsl\n> STATE: A\n>   GOTO: B\n> STATE: B\n>   RETURN\n> ```\n',
    ],
    [
      '- x\n\n  ```dsl\n  STATE: A\n    GOTO: B\n    STATE: B\n      RETURN\n  ```\n',
      '- x\n\n  ```dsl\n  STATE: A\n    GOTO: B\n  STATE: B\n    RETURN\n  ```\n',
    ],
  ])('%j keeps what is before its lines', async (before, after) => {
    const { text } = await fixText(before, inDocument);
    expect(text).toBe(after);
    expect((await fixText(text, inDocument)).text).toBe(after);
  });

  test.each([
    '> ```dsl\n> STATE: A\n>   INPUT: x\n>   RETURN: {x}\n> ```\n',
    // The first block is not read, so the program would lack a state.
    '```\nstate: A\n  goto: B\n```\n\n```dsl\nstate: B\n  return: b\n```\n',
  ])('%j is left alone', async (text) => {
    expect((await fixText(text, inDocument)).text).toBe(text);
  });
});
