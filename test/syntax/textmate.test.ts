/** The grammar for editors: what is a verb, a name, a value or shell text is marked as such. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import oniguruma from 'vscode-oniguruma';
import textmate, { type IGrammar } from 'vscode-textmate';

const grammarFile = fileURLToPath(new URL('../../grammar/statedsl.tmLanguage.json', import.meta.url));
/** Represents the shell grammar of editors. */
const shell = JSON.stringify({
  scopeName: 'source.shell',
  patterns: [
    { match: '\\b(?:echo|git|printf|if|then|fi)\\b', name: 'support.function.shell' },
    { begin: '"', end: '"', name: 'string.quoted.double.shell' },
  ],
});

let grammar: IGrammar;

beforeAll(async () => {
  const wasm = readFileSync(createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) as ArrayBuffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      if (scope === 'source.shell') return textmate.parseRawGrammar(shell, 'shell.json');
      return textmate.parseRawGrammar(readFileSync(grammarFile, 'utf8'), grammarFile);
    },
  });
  grammar = (await registry.loadGrammar('source.statedsl')) as IGrammar;
});

/** The scopes of the first occurrence of `part` in `text`. */
function scopesOf(text: string, part: string): string {
  let stack = textmate.INITIAL;
  for (const line of text.split('\n')) {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    const at = line.indexOf(part);
    const token = result.tokens.find((t) => at >= t.startIndex && at < t.endIndex);
    if (at >= 0 && token !== undefined) return token.scopes.join(' ');
  }
  return '';
}

test.each([
  ['# hello', 'hello', 'comment.line'],
  ['TESTS: "./a.dsl" machine=m', 'TESTS', 'keyword.declaration'],
  ["TEST: it's done  # why", 'done', 'entity.name.section'],
  ["TEST: it's done  # why", 'why', 'comment.line'],
  ['  MOCK: BUILD/"make *" → exit 1 "no", …', 'BUILD', 'entity.name.section'],
  ['  MOCK: BUILD/"make *" → exit 1 "no", …', 'make', 'string.quoted.double'],
  ['  MOCK: BUILD/"make *" → exit 1 "no", …', 'exit', 'keyword.other.test'],
  ['  MOCK: BUILD/"make *" → exit 1 "no", …', '…', 'keyword.operator.repeat'],
  ['MOCK: Task(a-b) → "x" cost 0.1', 'a-b', 'entity.name.function'],
  ['PROPERTY: nothing without consent', 'nothing without consent', 'entity.name.section'],
  ['  AT MOST: 2 run Task(a-b)', 'AT MOST', 'keyword.control.test'],
  ['  NEVER: state A WHEN n > 2 UNLESS event B', 'UNLESS', 'keyword.other.test'],
  ['  EXPECT: states A, B', 'states', 'keyword.other.test'],
  ['  EXPECT: n == 1 AND x is empty', 'AND', 'keyword.operator.logical'],
  ['  EXPECT [always]: once "make *"', '[always]', 'keyword.other.test'],
  ['  EXPECT [always]: once "make *"', 'once', 'keyword.other.test'],
  ['  CASSETTE: "./a.yaml" drift=warn', 'CASSETTE', 'keyword.control.test'],
  ['  CASSETTE: "./a.yaml" drift=warn', 'a.yaml', 'string.quoted.double'],
  ['  CASSETTE: "./a.yaml" drift=warn', 'drift', 'keyword.other.test'],
  ['  AT: 2h', '2h', 'constant.numeric.duration'],
  ['STATE: BUILD (a note)', 'STATE', 'keyword.declaration'],
  ['STATE: BUILD (a note)', 'BUILD', 'entity.name.section'],
  ['PATTERN: RETRY with times=3', 'RETRY', 'entity.name.section'],
  ['INPUT: limit = 20', '20', 'constant.numeric'],
  ['  EMIT: STATE_ENTRY state=A', 'STATE_ENTRY', 'entity.name.tag.event'],
  ['  EMIT: "n is {n}"', 'n is', 'string.quoted.double'],
  ['  EMIT: "n is {n}"', 'n}', 'meta.interpolation'],
  ['  CALL: build with a=†state.x || 1 → †state.ok', 'build', 'entity.name.function'],
  ['  CALL [method=push]: x = build', 'build', 'entity.name.function'],
  ['  IF: a → CALL build → †state["a b"].c, RETURN', 'a b', 'variable.other.reference'],
  ['  PLAN: "a.json" with k=v → x', 'PLAN', 'keyword.control'],
  ['  PLAN: "a.json" with k=v → x', 'a.json', 'string.quoted.double'],
  ['  DO: echo {n}', 'echo', 'source.shell support.function.shell'],
  ['  DO: echo {n}', 'n}', 'source.shell meta.interpolation'],
  ['  DO [timeout=30s]: echo x', 'timeout', 'variable.parameter.option'],
  ['  DO [timeout=30s]: echo x', 'echo', 'support.function.shell'],
  ['  DO: x = echo a', 'x', 'variable.other.assignment'],
  ['  DO:\n    echo a\n    # no comment of ours', 'echo', 'source.shell support.function.shell'],
  ['  DO:\n    echo a\n  GOTO: B', 'GOTO', 'keyword.control.flow'],
  ['  CHECK: git status', 'git', 'support.function.shell'],
  ['  IF: n > 3 AND x is empty → EMIT: A, GOTO B', 'AND', 'keyword.operator.logical'],
  ['  IF: n > 3 AND x is empty → EMIT: A, GOTO B', 'is empty', 'keyword.operator.word'],
  ['  IF: n > 3 AND x is empty → EMIT: A, GOTO B', '→', 'keyword.operator.arrow'],
  ['  IF: n > 3 → DO: echo a, GOTO B', 'echo', 'source.shell support.function.shell'],
  ['  IF: n > 3 → DO: echo a, GOTO B', 'GOTO', 'keyword.control.flow'],
  ['  UNDO: git tag -d {x}', 'git', 'source.shell support.function.shell'],
  ['  UNDO [timeout=3s]:\n    echo a', 'echo', 'source.shell support.function.shell'],
  ['  UNDO: CALL build with a=1', 'UNDO', 'keyword.control'],
  ['  UNDO: CALL build with a=1', 'build', 'entity.name.function'],
  ['  IF: a → DO echo x, ROLLBACK, FAIL "no {y}" with z=1', 'ROLLBACK', 'keyword.control'],
  ['  IF: a → DO echo x, ROLLBACK, FAIL "no {y}" with z=1', 'FAIL', 'keyword.control'],
  ['  IF: a → DO echo x, ROLLBACK, FAIL "no {y}" with z=1', 'y}', 'meta.interpolation'],
  ['  DO: Task(reviewer) "look at {x}"', 'reviewer', 'entity.name.function.agent'],
  ['  DO: Task(reviewer) "look at {x}"', 'look', 'string.quoted.double'],
  ['  DO: Start 4x in PARALLEL [max=4]:', 'in PARALLEL', 'keyword.control.parallel'],
  ['    - echo a', 'echo', 'source.shell support.function.shell'],
  ['  FOR EACH: t in tasks', 'FOR EACH', 'keyword.control.loop'],
  ['  WAIT: x.done OR timeout=30s', '30s', 'constant.numeric.duration'],
  ['  GOTO: B  # why', 'why', 'comment.line'],
  ['  SET: x = len(xs)', 'len', 'support.function'],
  ['  STEP: build-it type=code', 'STEP', 'keyword.control.step'],
  ['  STEP: build-it type=code', 'build-it', 'entity.name.section'],
  ['    PROMPT:\n      # a title {x}\n    AGENT: a', 'title', 'string.unquoted.block.prompt'],
  ['    PROMPT:\n      # a title {x}\n    AGENT: a', 'x}', 'meta.interpolation'],
  ['    PROMPT: |\n      words\n    AGENT: claude-opus', 'claude-opus', 'entity.name.function.agent'],
  ['    PROMPT: "words"', 'words', 'string.quoted.double'],
  ['    GATE: compile, bash "git log" as unit', 'compile', 'support.function.gate'],
  ['    GATE: compile, bash "git log" as unit', 'git', 'source.shell'],
  ['    GATE: compile, bash "git log" as unit', 'unit', 'entity.name.tag.gate'],
  ['      ATTEMPT 2 → AGENT claude-opus, SESSION new', 'ATTEMPT', 'keyword.control.section'],
  ['      ATTEMPT 2 → AGENT claude-opus, SESSION new', 'claude-opus', 'entity.name.function.agent'],
  ['      ATTEMPT 2 → PROMPT\n        words\n      EXIT 6', 'words', 'string.unquoted.block.prompt'],
  ['      ATTEMPT 2 → PROMPT\n        words\n      EXIT 6', 'EXIT', 'keyword.control.section'],
])('%s: %s is %s', (text, part, wanted) => {
  const scopes = scopesOf(text, part);
  const found = wanted.split(' ').every((scope) => scopes.includes(scope));
  expect(found, scopes).toBe(true);
});

test.each([
  ['  DO: echo {a,b}', 'a,b', 'meta.interpolation'],
  ['  DO: echo $' + '{HOME}', 'HOME', 'meta.interpolation'],
  ['  EMIT: "{{x}}"', 'x', 'meta.interpolation'],
  ['  IF: n > 3 → DO: echo a, GOTO B', 'GOTO', 'source.shell'],
])('%s: %s is not %s', (text, part, unwanted) => {
  expect(scopesOf(text, part)).not.toContain(unwanted);
});
