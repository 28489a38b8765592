/**
 * Lines as people write them who know other languages, each in a program that is right without it: what is said about it, and
 * what it becomes by the fix. The longer programs of `foreign-lines.test.ts` show what several of them together become.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are programs
import { expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import { ACTIONS, GATES, HANDLERS, INSTRUCTIONS, MARGIN, options, RETRIES, STEP, said } from './said.js';

test('without such a line there is no mistake', () => {
  for (const place of [INSTRUCTIONS, ACTIONS, HANDLERS, MARGIN, STEP, RETRIES, GATES]) {
    const text = place.replace(/^.*@\n/m, '');
    expect(
      compile(text, options).diagnostics.filter(({ severity }) => severity === 'error'),
      text,
    ).toEqual([]);
  }
});

test('instructions of other languages', () => {
  const lines = [
    'P',
    'SET: n = git rev-parse HEAD',
    'TRACK: m = git rev-parse HEAD',
    'SET: text = n || 5',
    'SET: text = r ?? "none"',
    'DO: m = n or 3',
    'CHECK: m = len(items)',
    'CHECK: m = n + 2',
    'CHECK: m = r * 2',
    'SET: n = $((n + 1))',
    'DO: m = $(( $n * 2 ))',
    'CHECK: m = $((${n} - 1))',
    'SET: let n = 2',
    'SET: var n := 2',
    'TRACK: const m = 2',
    'SET: n = 1, text = b',
    'SET: n = 1; text = b',
    'TRACK: m = 1; k = 2',
    'RESET: n',
    'CLEAR: n to 5',
    'ZERO: unknown',
    'INCREMENT: n, r',
    'SET: ++n',
    'SET: --n',
    'INCREMENT: n = n + 1',
    'INCREMENT: n = n + 3',
    'INCREMENT: n = n - 2',
    'INCREMENT(n)',
    'INCREMENT[n]: 4',
    'DEC: n',
    'SUBTRACT n',
    'COUNT: n',
    'BUMP n',
    'BUMP unknown',
    'UNSET: text',
    'DELETE text',
    'APPEND: 5 to items',
    'PUSH n onto items',
    'ADD 5 to unknown',
    'VAR: m = 3',
    'VARIABLE n = 3',
    'REMEMBER: m = "x"',
    'SET: items = append(items, 4)',
    'SET: items = push(items, n)',
    'SET: items = concat(items, [4])',
    'DO: m = extend(items, items)',
    'set_fact: n = 4',
    'set_output: m = 4',
    'vars: m: 4',
    'vars:\n    m: 4',
    'env:\n    n=4',
    'register: m = 5',
    'SET: items = items.map(x => x + 1)',
    'SET: m = [x for x in items]',
    'TRACK: m = [x for x in items]',
    'SET: items += 4',
    'DO: m = text.startswith("a")',
    'SET: n = n ** 2',
    'SET: n = n ^ 3',
    'SET: n = r ** n',
    'SET: text = text.upper()',
    'SET: text = text.nothing()',
    'SET: n = pow(n, 2)',
    'm = CALL: P a=1',
    'm = CALL deploy',
    'DO: CALL deploy x=1',
    'DO: m = CALL deploy',
    'm = FOR EACH x in items',
    'DO: Task(claude) "a "quoted" word"',
    'DO: m = Task(claude) "say "{n}" and "x""',
    'DO [schema=./s.json]: m = Task(claude) "Work."',
    'DO [format=json]: m = Task(claude) "Work."',
    'DO [model=opus]: m = Task(claude) "Work."',
    'DO [model="claude-opus-4"]: m = Task(claude-x) "Work."',
    'DO: m = Task(claude) "Work." as json',
    'DO: m = Task(claude) "Work." | jq .',
    'DO [ok=0,1; 2]: ls',
    'DO [ok=0/1]: ls',
    'CHECK [ok=0|2]: m = ls',
    'DO [on_error=B]: ls',
    'DO [timeout=5s on_fail=B]: ls',
    'DO [stdin=text]: cat',
    'CHECK [input={text}]: m = wc -l',
    'DO: m = |',
    'DO: m = >-',
    'CHECK [timeout=5s]: m = |',
    'DO: |',
    'DO: {',
    'DO: ```bash',
    'EMIT: "build done" n={n}',
    'EMIT "done" n=1',
    'EMIT: done, n',
    'EMIT: {"n": n, "t": "x"}',
    'EMIT: build({n})',
    'USE: lib/p.dsl',
    'USE "./p.md"',
    'USE P a',
    'USE: P 5',
    'USE: P(5)',
    'USE: P a:5',
    'WARN: "low"',
    'DEBUG: n = 5',
    'STATUS low on space',
    'PROGRESS: n=5',
    'PAUSE',
    'PAUSE: 5m',
    'WAIT: event go',
    'WAIT: webhook "go" timeout=5m',
    'WAIT: signal: go',
    'WAIT: port 8080',
    'WAIT: service web timeout=1m',
    'WAIT: ./ready.sh',
    'WAIT: curl -f localhost timeout=1m',
    'WAIT: n == 1 poll=5s OR timeout=1m',
    'WAIT: n == 1, interval=5s OR timeout=1m',
    'POLL: n == 1',
    'AWAIT n > 5',
    'WAIT: n minutes',
    'WAIT: n s',
    'WAIT: n milliseconds',
    'WAIT: 2 weeks',
    'WAIT: 1w',
    'WAIT: 3 wks',
    'WAIT: /tmp/x exists',
    'WAIT: text exists timeout=5s',
    'READ: "Name?"',
    'read -p "Name? " name',
    "read -r -p 'Name?' name",
    'input("Name?")',
    'ASK user [choices=a,b]: "Go?" → m',
    'ASK [timeout=5m] "Go?"',
    'ASK user: "Go?" → "m"',
    'ASK "Go?" → \'m\'',
    'ASK user: "Go?" → m choices=a/b',
    'ASK user: "Go?" → m choices=a, b',
    'ASK ann: "Go?" → m',
    'ASK user: "Go?" → m timeout=5m',
    'ASK user: "Go?" → m [yes/no]',
    'FORK: ls',
    'SPAWN',
    'ASYNC ls -l',
    'JOIN',
    'WAIT ALL',
    'GATHER: all',
    'ACTION: ls -l',
    'EXECUTE ./x.sh',
    'VERIFY: git diff',
    'ERROR: bad thing',
    'THROW "bad"',
    'FINALLY: rm -rf x',
    'CLEANUP:\n    ls',
    'ALWAYS\n    DO: ls',
    '@make',
    '@echo hello',
    'ELIF n > 1:',
    'ELSIF n > 1 then',
    'OTHERWISE IF n > 1',
    'UNLESS n > 1:\n    DO: ls',
    'UNLESS n > 1 → GOTO: B',
    'for x in items where n > 1:\n    DO: ls {x}',
    'FOR EACH: x in items if x > 1:\n    DO: ls {x}',
    'FOR EACH: x in items parallel=3:\n    DO: ls {x}',
    'FOR EACH: x in items, max 3:\n    DO: ls {x}',
    'FOR EACH: line in items:\n    DO: ls {line}',
    'REPEAT: 3\n    DO: ls',
    'LOOP 3 times:\n    DO: ls',
    'DO: for i in range(3):\n    DO: ls',
    'IF: n ok → GOTO: B',
    'IF: r ok → GOTO: B',
    'IF: r is broken → GOTO: B',
    'IF: exit_code(r) → GOTO: B',
    'IF: NOT exit_code(r) → GOTO: B',
    'IF: n > 0 AND exit_code(r) → GOTO: B',
    'IF: -f x.txt → GOTO: B',
    'IF: ! -d "x" → GOTO: B',
    'IF: NOT -e {text} → GOTO: B',
    'ELSE IF: -s x → GOTO: B',
    'IF: len items > 1 → GOTO: B',
    'DO: m = upper text',
    'IF: text like "a%" → GOTO: B',
    'IF: text LIKE "%a" → GOTO: B',
    'IF: text NOT LIKE "%a%" → GOTO: B',
    'IF: text =~ /a.c/ → GOTO: B',
    'IF: text =~ "^a" → GOTO: B',
    'IF: text starts "a" → GOTO: B',
    'IF: text begins with "a" → GOTO: B',
    "IF: text doesn't exist → GOTO: B",
    'IF: text does not equal "a" → GOTO: B',
    'IF: text does not contain "a" → GOTO: B',
    'IF: text does not match "a" → GOTO: B',
    'IF: text does not start with "a" → GOTO: B',
    'IF: text does not begin with "a" → GOTO: B',
    'IF: text does not end with "a" → GOTO: B',
    'IF: text does not exist → GOTO: B',
    'DO: m = ls | trim',
    'DO: m = ls | len',
    'DO: m = ls | sort',
    'IF: text is not empty → GOTO: B',
    'IF: n between 1 and 5 → GOTO: B',
    'IF: n in 1..5 → GOTO: B',
    'IF: n divisible by 2 → GOTO: B',
    'IF: n % 2 == 0 → GOTO: B',
    'IF: n is odd → GOTO: B',
    'IF: all items > 1 → GOTO: B',
    'IF: any(x > 1 for x in items) → GOTO: B',
    'IF: head(items) == 1 → GOTO: B',
    'IF: tail(items) == [] → GOTO: B',
    'DO: m = take(items, 2)',
    'DO: m = drop(items)',
    'DO: m = skip(items, 3)',
    'DO: m = last(items, 2)',
    'IF: n == 1 and text == "a" or n == 2 → GOTO: B',
    'IF: n == 1 && text == "a" || n == 2 → GOTO: B',
    'IF: cost > 5 → GOTO: B',
    'IF: tokens > 5 → GOTO: B',
    'IF: elapsed > 5m → GOTO: B',
    'IF: elapsed > 300 → GOTO: B',
    'IF: n == 1 → GOTO: B if text == "a"',
    'IF: n == 1 → GOTO B unless text == "a"',
    'result = items[0]',
    'a, b = ls',
    'DO: {a, b} = ls',
    'DO: x: ls',
    '- x: ls',
    'RETRY: 3',
    'steps:',
    'uses: actions/checkout@v4',
    '- uses: some/action',
    'export A=1',
    'source env.sh',
    'env: A=1',
    'env:\n    A: 1',
    'DO: in PARALLEL:\n    - ls\n    - `npm test`',
    'DO: in PARALLEL:\n    - a = ls\n      b = pwd',
    'DO: in PARALLEL:\n    - ls\n      pwd',
    'CHECKPOINT',
    'LABEL: x',
    'RESUME',
  ];
  expect(lines.map((line) => said(INSTRUCTIONS, line)).join('\n')).toMatchInlineSnapshot(`
    "P
      not-an-instruction: \`P\` is a pattern, and USE inserts it · write \`USE: P with a="…"\`
    SET: n = git rev-parse HEAD
      unknown-name: \`SET\` computes, and runs no command · write \`DO: printed = git rev-parse HEAD\`, then \`SET: n = printed\`
      → DO: printed = git rev-parse HEAD ⏎ SET: n = printed
    TRACK: m = git rev-parse HEAD
      unknown-name: nothing binds \`git\` in state \`A\` · write \`TRACK: m = "git rev-parse HEAD"\` for the text, or bind \`git\` above
      → TRACK: m = "git rev-parse HEAD"
    SET: text = n || 5
      operator-spelling: \`n\` is a value here: what counts if it is missing is the second argument of \`default\` · write \`SET: text = default(n, 5)\`
      → SET: text = default(n, 5)
    SET: text = r ?? "none"
      unexpected-text: \`r\` is a value here: what counts if it is missing is the second argument of \`default\` · write \`SET: text = default(r, "none")\`
      → SET: text = default(r, "none")
    DO: m = n or 3
      not-a-command: \`n\` is a value here: what counts if it is missing is the second argument of \`default\` · write \`DO: m = default(n, 3)\`
      → DO: m = default(n, 3)
    CHECK: m = len(items)
      not-a-command: CHECK runs a command, and this is an expression · write \`DO: m = len(items)\`
      → DO: m = len(items)
    CHECK: m = n + 2
      not-a-command: CHECK runs a command, and this is an expression · write \`DO: m = n + 2\`
      → DO: m = n + 2
    CHECK: m = r * 2
      command-not-found: CHECK runs a command, and this is an expression · write \`DO: m = r * 2\`
      → DO: m = r * 2
    SET: n = $((n + 1))
      bad-character: a value is computed without the signs of the shell · write \`SET: n = n + 1\`
      → SET: n = n + 1
    DO: m = $(( $n * 2 ))
      shell-variable: \`$n\` is a shell variable, but \`n\` is a value of the program · write \`{n}\` for the value
      → DO: m = $(( {n} * 2 ))
    CHECK: m = $((\${n} - 1))
      check-never-read: the result \`m\` of this CHECK is never read · read it in an IF, or use \`DO:\` when only the effect matters
      shell-variable: \`\${n}\` is a shell variable, but \`n\` is a value of the program · write \`{n}\` for the value
      → CHECK: m = $(({n} - 1))
    SET: let n = 2
      unexpected-text: a name has no signs around it here · write \`SET: n = 2\`
      → SET: n = 2
    SET: var n := 2
      unexpected-text: \`n\` is unexpected here · write \`SET: n = 2\`
      → SET: n = 2
    TRACK: const m = 2
      bad-name: \`const m\` cannot be the name of a variable · write \`TRACK: m = 2\`
      → TRACK: m = 2
    SET: n = 1, text = b
      unexpected-text: a line sets one name · write \`SET: n = 1\`, then \`SET: text = b\`
      → SET: n = 1 ⏎ SET: text = b
    SET: n = 1; text = b
      bad-character: a line sets one name · write \`SET: n = 1\`, then \`SET: text = b\`
      → SET: n = 1 ⏎ SET: text = b
    TRACK: m = 1; k = 2
      bad-character: a line sets one name · write \`TRACK: m = 1\`, then \`TRACK: k = 2\`
      → TRACK: m = 1 ⏎ TRACK: k = 2
    RESET: n
      unknown-verb: \`RESET\` is not a verb · write \`SET: n = 0\`
      → SET: n = 0
    CLEAR: n to 5
      unknown-verb: \`CLEAR\` is not a verb · write \`SET: n = 5\`
      → SET: n = 5
    ZERO: unknown
      unknown-verb: \`ZERO\` is not a verb · begin the line with a verb such as \`DO:\`, \`EMIT:\` or \`GOTO:\`, or make it a comment with \`# \`
    INCREMENT: n, r
      unexpected-text: \`,\` is unexpected here · write \`INCREMENT: n\`, then \`INCREMENT: r\`
      → INCREMENT: n ⏎ INCREMENT: r
    SET: ++n
      unexpected-text: \`+\` is unexpected here · write \`INCREMENT: n\`
      → INCREMENT: n
    SET: --n
      bad-name: \`--n\` cannot be the name of a variable · write \`INCREMENT: n by -1\`
      → INCREMENT: n by -1
    INCREMENT: n = n + 1
      unexpected-text: \`=\` is unexpected here · write \`INCREMENT: n\`
      → INCREMENT: n
    INCREMENT: n = n + 3
      unexpected-text: \`=\` is unexpected here · write \`INCREMENT: n by 3\`
      → INCREMENT: n by 3
    INCREMENT: n = n - 2
      unexpected-text: \`=\` is unexpected here · write \`INCREMENT: n by -2\`
      → INCREMENT: n by -2
    INCREMENT(n)
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`INCREMENT: n\`
      → INCREMENT: n
    INCREMENT[n]: 4
      unexpected-text: \`[\` is unexpected here · write \`INCREMENT: n by 4\`
      → INCREMENT: n by 4
    DEC: n
      unknown-verb: \`DEC\` is not a verb · write \`INCREMENT: n by -1\`
      → INCREMENT: n by -1
    SUBTRACT n
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`INCREMENT: n by -1\`
      → INCREMENT: n by -1
    COUNT: n
      unknown-verb: \`COUNT\` is not a verb · write \`INCREMENT: n\`
      → INCREMENT: n
    BUMP n
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`INCREMENT: n\`
      → INCREMENT: n
    BUMP unknown
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`DO: \` before a command, or make the line a comment with \`# \`
    UNSET: text
      unknown-verb: \`UNSET\` is not a verb · write \`SET: text = null\`
      → SET: text = null
    DELETE text
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`SET: text = null\`
      → SET: text = null
    APPEND: 5 to items
      unknown-verb: \`APPEND\` is not a verb · write \`SET: items = items + [5]\`
      → SET: items = items + [5]
    PUSH n onto items
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`SET: items = items + [n]\`
      → SET: items = items + [n]
    ADD 5 to unknown
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`DO: \` before a command, or make the line a comment with \`# \`
    VAR: m = 3
      unknown-verb: \`VAR\` is not a verb · write \`TRACK: m = 3\`
      → TRACK: m = 3
    VARIABLE n = 3
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`SET: n = 3\`
      → SET: n = 3
    REMEMBER: m = "x"
      unknown-verb: \`REMEMBER\` is not a verb · write \`TRACK: m = "x"\`
      → TRACK: m = "x"
    SET: items = append(items, 4)
      unknown-function: there is no function \`append\` · write \`SET: items = items + [4]\`
      → SET: items = items + [4]
    SET: items = push(items, n)
      unknown-function: there is no function \`push\` · write \`SET: items = items + [n]\`
      → SET: items = items + [n]
    SET: items = concat(items, [4])
      unknown-function: there is no function \`concat\` · write \`SET: items = items + [4]\`
      → SET: items = items + [4]
    DO: m = extend(items, items)
      unknown-function: there is no function \`extend\` · write \`DO: m = items + items\`
      → DO: m = items + items
    set_fact: n = 4
      unknown-verb: \`set_fact\` is not a verb · write \`SET: n = 4\`
      → SET: n = 4
    set_output: m = 4
      unknown-verb: \`set_output\` is not a verb · write \`TRACK: m = 4\`
      → TRACK: m = 4
    vars: m: 4
      unknown-verb: \`vars\` is not a verb · write \`TRACK: m = 4\`
      → TRACK: m = 4
    vars:
        m: 4
      unknown-verb: each value has a line of its own · write \`TRACK: m = 4\`
    env:
        n=4
      unknown-verb: each value has a line of its own · write \`SET: n = 4\`
    register: m = 5
      unknown-verb: \`register\` is not a verb · write \`TRACK: m = 5\`
      → TRACK: m = 5
    SET: items = items.map(x => x + 1)
      unexpected-text: no expression goes through a list · write \`DO: items = FOR EACH x in items:\`, and below it, indented deeper, \`DO: value = x + 1\`
    SET: m = [x for x in items]
      unknown-name: no expression goes through a list · write \`DO: m = FOR EACH x in items:\`, and below it, indented deeper, \`DO: value = x\`
    TRACK: m = [x for x in items]
      unknown-name: no expression goes through a list · write \`DO: m = FOR EACH x in items:\`, and below it, indented deeper, \`DO: value = x\`
    SET: items += 4
      wrong-type: \`+\` adds two numbers, two texts or two lists, and this is a number · write \`[4]\` to add it to the list
    DO: m = text.startswith("a")
      not-a-command: \`text.startswith\` is not a command · write \`DO: m = text starts with "a"\`
      → DO: m = text starts with "a"
    SET: n = n ** 2
      missing-part: \`**\` is not an operator here · write \`SET: n = n * n\`
      → SET: n = n * n
    SET: n = n ^ 3
      bad-character: the character \`^\` has no meaning here · remove it, or put the text in quotes
    SET: n = r ** n
      missing-part: a value is missing after \`*\` · write a value there, or remove \`*\`
    SET: text = text.upper()
      unexpected-text: \`(\` is unexpected here · write \`SET: text = upper(text)\`
      → SET: text = upper(text)
    SET: text = text.nothing()
      unexpected-text: \`(\` is unexpected here · remove it, or quote it if it belongs to a text
    SET: n = pow(n, 2)
      unknown-function: there is no function \`pow\` · write \`n * n\`
    m = CALL: P a=1
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`CALL: m = P a=1\`
      → CALL: m = P a=1
    m = CALL deploy
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`CALL: m = deploy\`
      → CALL: m = deploy
    DO: CALL deploy x=1
      not-a-command: \`CALL\` is not a command · write \`CALL: deploy x=1\`
    DO: m = CALL deploy
      not-a-command: \`CALL\` is not a command · write \`CALL: m = deploy\`
      → CALL: m = deploy
    m = FOR EACH x in items
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`DO: m = FOR EACH x in items\`
      → DO: m = FOR EACH x in items
    DO: Task(claude) "a "quoted" word"
      unexpected-text: a quote inside of a prompt ends it · write \`DO: Task(claude) "a \\"quoted\\" word"\`
      → DO: Task(claude) "a \\"quoted\\" word"
    DO: m = Task(claude) "say "{n}" and "x""
      unexpected-text: a quote inside of a prompt ends it · write \`DO: m = Task(claude) "say \\"{n}\\" and \\"x\\""\`
      → DO: m = Task(claude) "say \\"{n}\\" and \\"x\\""
    DO [schema=./s.json]: m = Task(claude) "Work."
      unknown-option: the prompt says what an agent answers · write the JSON that it must answer into the prompt, and test its fields with an \`IF:\`
    DO [format=json]: m = Task(claude) "Work."
      unknown-option: the prompt says what an agent answers · write the JSON that it must answer into the prompt, and test its fields with an \`IF:\`
    DO [model=opus]: m = Task(claude) "Work."
      unknown-option: the name of an agent says its model · write \`DO: m = Task(claude-opus) "Work."\`
      → DO: m = Task(claude-opus) "Work."
    DO [model="claude-opus-4"]: m = Task(claude-x) "Work."
      unknown-option: the name of an agent says its model · write \`DO: m = Task(claude-opus-4) "Work."\`
      → DO: m = Task(claude-opus-4) "Work."
    DO: m = Task(claude) "Work." as json
      unexpected-text: an answer that is a JSON object or list is one · write \`DO: m = Task(claude) "Work."\`, and say in the prompt: Answer only JSON
      → DO: m = Task(claude) "Work."
    DO: m = Task(claude) "Work." | jq .
      bad-character: an answer that is a JSON object or list is one · write \`DO: m = Task(claude) "Work."\`, and say in the prompt: Answer only JSON
      → DO: m = Task(claude) "Work."
    DO [ok=0,1; 2]: ls
      unexpected-text: \`2\` is unexpected here · write \`DO [ok=0,1,2]: ls\`
      → DO [ok=0,1,2]: ls
    DO [ok=0/1]: ls
      bad-option: option \`ok\` must be a list of exit codes from 0 to 255 · write \`DO [ok=0,1]: ls\`
      → DO [ok=0,1]: ls
    CHECK [ok=0|2]: m = ls
      unknown-option: CHECK accepts every exit code · write \`CHECK: m = ls\`
      → CHECK: m = ls
    DO [on_error=B]: ls
      unknown-option: a state handles its failures in its last lines · write \`DO: ls\`, and at the end of the state \`ON ERROR: → GOTO: B\`
    DO [timeout=5s on_fail=B]: ls
      unknown-option: a state handles its failures in its last lines · write \`DO [timeout=5s]: ls\`, and at the end of the state \`ON ERROR: → GOTO: B\`
    DO [stdin=text]: cat
      unknown-option: a command gets its input from a pipe · write \`DO: printf '%s' text | cat\`
      → DO: printf '%s' text | cat
    CHECK [input={text}]: m = wc -l
      unknown-option: a command gets its input from a pipe · write \`CHECK: m = printf '%s' {text} | wc -l\`
      → CHECK: m = printf '%s' {text} | wc -l
    DO: m = |
      missing-part: a script is below its \`=\`, indented deeper · write \`DO: m =\` alone
    DO: m = >-
    CHECK [timeout=5s]: m = |
      missing-part: a script is below its \`=\`, indented deeper · write \`CHECK [timeout=5s]: m =\` alone
    DO: |
      missing-part: a command is missing after \`|\` · write a command there, or remove \`|\`
    DO: {
    DO: \`\`\`bash
      unclosed-substitution: a block of commands begins with \`DO:\` alone · write \`DO:\` alone, and remove the line that closes the block
      → DO:
    EMIT: "build done" n={n}
      unexpected-text: an event with values has a name · write \`EMIT: BUILD_DONE n={n}\`
      → EMIT: BUILD_DONE n={n}
    EMIT "done" n=1
      missing-colon: an event with values has a name · write \`EMIT: DONE n=1\`
      → EMIT: DONE n=1
    EMIT: done, n
      unexpected-text: a text is in double quotes · write \`EMIT: "done, n"\`
      → EMIT: "done, n"
    EMIT: {"n": n, "t": "x"}
      unexpected-text: \`"n"\` is unexpected here · write \`name=value\`, or quote the whole text: \`EMIT: "…"\`
    EMIT: build({n})
      bad-name: \`build({n})\` cannot be the name of an event · write \`build_n_\`
      → EMIT: build_n_
    USE: lib/p.dsl
      bad-name: the patterns of a file are imported at the margin · write \`IMPORT: "./lib/p.dsl"\` at the margin, and \`USE:\` with the name of a pattern
    USE "./p.md"
      missing-colon: the patterns of a file are imported at the margin · write \`IMPORT: "./p.md"\` at the margin, and \`USE:\` with the name of a pattern
    USE P a
      missing-argument: pattern \`P\` needs \`a\` · write \`USE: P with a=a\`
      → USE: P with a=a
    USE: P 5
      missing-argument: pattern \`P\` needs \`a\` · write \`USE: P with a=5\`
      → USE: P with a=5
    USE: P(5)
      missing-argument: pattern \`P\` needs \`a\` · write \`USE: P with a=5\`
      → USE: P with a=5
    USE: P a:5
      missing-argument: pattern \`P\` needs \`a\` · write \`USE: P with a=5\`
      → USE: P with a=5
    WARN: "low"
      unknown-verb: \`WARN\` is not a verb · write \`EMIT: "low"\`
      → EMIT: "low"
    DEBUG: n = 5
      unknown-verb: \`DEBUG\` is not a verb · write \`EMIT: DEBUG n=5\`
      → EMIT: DEBUG n=5
    STATUS low on space
      unknown-verb: \`STATUS\` is not a verb · write \`EMIT: "low on space"\`
      → EMIT: "low on space"
    PROGRESS: n=5
      unknown-verb: \`PROGRESS\` is not a verb · write \`EMIT: PROGRESS n=5\`
      → EMIT: PROGRESS n=5
    PAUSE
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`WAIT: 5m\` for a time, \`ASK user: "Continue?" → answer\` for a person, or \`WAIT: signal NAME\` for something from outside
    PAUSE: 5m
      unknown-verb: \`PAUSE\` is not a verb · write \`WAIT: 5m\`
      → WAIT: 5m
    WAIT: event go
      unknown-name: what comes from outside is \`signal\` and its name · write \`WAIT: signal go\`
      → WAIT: signal go
    WAIT: webhook "go" timeout=5m
      unknown-name: what comes from outside is \`signal\` and its name · write \`WAIT: signal go OR timeout=5m\`
      → WAIT: signal go OR timeout=5m
    WAIT: signal: go
      unknown-name: what comes from outside is \`signal\` and its name · write \`WAIT: signal go\`
      → WAIT: signal go
    WAIT: port 8080
      unknown-name: a WAIT looks at values, and a command in its block gets them · write \`WAIT: exit_code(ready) == 0 OR timeout=5m every=5s\`, and below it, indented deeper, \`CHECK: ready = …\` with a command that tests 8080
    WAIT: service web timeout=1m
      unknown-name: a WAIT looks at values, and a command in its block gets them · write \`WAIT: exit_code(ready) == 0 timeout=1m every=5s\`, and below it, indented deeper, \`CHECK: ready = …\` with a command that tests web
    WAIT: ./ready.sh
      bad-character: a WAIT looks at values, and a command in its block gets them · write \`WAIT: exit_code(ready) == 0 OR timeout=5m every=5s\`, and below it, indented deeper, \`CHECK: ready = ./ready.sh\`
    WAIT: curl -f localhost timeout=1m
      unknown-name: a WAIT looks at values, and a command in its block gets them · write \`WAIT: exit_code(ready) == 0 timeout=1m every=5s\`, and below it, indented deeper, \`CHECK: ready = curl -f localhost\`
    WAIT: n == 1 poll=5s OR timeout=1m
      unexpected-text: \`poll\` is unexpected here · write \`WAIT: n == 1 every=5s OR timeout=1m\`
      → WAIT: n == 1 every=5s OR timeout=1m
    WAIT: n == 1, interval=5s OR timeout=1m
      unexpected-text: \`,\` is unexpected here · write \`WAIT: n == 1 every=5s OR timeout=1m\`
      → WAIT: n == 1 every=5s OR timeout=1m
    POLL: n == 1
      unknown-verb: \`POLL\` is not a verb · write \`WAIT: n == 1\`
      → WAIT: n == 1
    AWAIT n > 5
      unknown-verb: \`AWAIT\` is not a verb · write \`WAIT: n > 5\`
      → WAIT: n > 5
    WAIT: n minutes
      unexpected-text: \`minutes\` is unexpected here · write \`WAIT: {n}m\`
      → WAIT: {n}m
    WAIT: n s
      unexpected-text: \`s\` is unexpected here · write \`WAIT: {n}s\`
      → WAIT: {n}s
    WAIT: n milliseconds
      unexpected-text: \`milliseconds\` is unexpected here · write \`WAIT: {n}ms\`
      → WAIT: {n}ms
    WAIT: 2 weeks
      not-a-condition: this is a value, not a condition · compare it with something, as in \`x == …\`
      unexpected-text: \`weeks\` is unexpected here · join conditions with \`AND\` or \`OR\`, or quote the words if they are a text
    WAIT: 1w
      bad-duration: \`1w\` is not a duration · write \`WAIT: 7d\`
      → WAIT: 7d
    WAIT: 3 wks
      not-a-condition: this is a value, not a condition · compare it with something, as in \`x == …\`
      unexpected-text: \`wks\` is unexpected here · join conditions with \`AND\` or \`OR\`, or quote the words if they are a text
    WAIT: /tmp/x exists
      unexpected-text: a condition looks at no files · write \`WAIT: exit_code(found) == 0 OR timeout=5m every=5s\`, and below it, indented deeper, \`CHECK: found = test -e /tmp/x\`
    WAIT: text exists timeout=5s
    READ: "Name?"
      unknown-verb: \`READ\` is not a verb · begin the line with a verb such as \`DO:\`, \`EMIT:\` or \`GOTO:\`, or make it a comment with \`# \`
    read -p "Name? " name
      not-an-instruction: a run has no terminal: it asks with ASK · write \`ASK user: "Name?" → name\`
      → ASK user: "Name?" → name
    read -r -p 'Name?' name
      not-an-instruction: a run has no terminal: it asks with ASK · write \`ASK user: "Name?" → name\`
      → ASK user: "Name?" → name
    input("Name?")
      unknown-verb: \`input\` is not a verb · write \`ASK user: "Name?" → answer\`
      → ASK user: "Name?" → answer
    ASK user [choices=a,b]: "Go?" → m
    ASK [timeout=5m] "Go?"
      missing-part: the options of an ASK stand behind its name · write \`ASK user: "Go?" → answer deadline=5m\`
      → ASK user: "Go?" → answer deadline=5m
    ASK user: "Go?" → "m"
      missing-part: the name of an answer has no quotes · write \`ASK user: "Go?" → m\`
      → ASK user: "Go?" → m
    ASK "Go?" → 'm'
      missing-part: the name of an answer has no quotes · write \`ASK user: "Go?" → m\`
      → ASK user: "Go?" → m
    ASK user: "Go?" → m choices=a/b
      one-choice: \`a/b\` is one choice, because commas separate choices · write \`choices=a,b\`
      → ASK user: "Go?" → m choices=a,b
    ASK user: "Go?" → m choices=a, b
      unexpected-text: \`,\` is unexpected here · write \`ASK user: "Go?" → m choices=a,b\`
      → ASK user: "Go?" → m choices=a,b
    ASK ann: "Go?" → m
      missing-part: \`user\` is missing after \`ASK\` · write \`ASK user: "Go?" → m\`; who may answer is \`approvers:\` of the configuration
      → ASK user: "Go?" → m
    ASK user: "Go?" → m timeout=5m
      unknown-option: ASK has no option \`timeout\` · write \`ASK user: "Go?" → m deadline=5m\`
      → ASK user: "Go?" → m deadline=5m
    ASK user: "Go?" → m [yes/no]
      bad-character: the character \`/\` has no meaning here · write \`ASK user: "Go?" → m choices=yes,no\`
      → ASK user: "Go?" → m choices=yes,no
    FORK: ls
      unknown-verb: what runs at the same time is in one PARALLEL · write \`DO: in PARALLEL:\`, and below it \`- ls\` and one member for each other command
    SPAWN
      not-an-instruction: what runs at the same time is in one PARALLEL · write \`DO: in PARALLEL:\`, and below it \`- …\` and one member for each other command
    ASYNC ls -l
      not-an-instruction: what runs at the same time is in one PARALLEL · write \`DO: in PARALLEL:\`, and below it \`- ls -l\` and one member for each other command
    JOIN
      not-an-instruction: this line is not an instruction: it does not begin with a verb · remove it: what stands below a \`DO: in PARALLEL:\` runs when all members have ended
      → (nothing)
    WAIT ALL
      missing-colon: \`WAIT\` is not followed by a colon · remove it: what stands below a \`DO: in PARALLEL:\` runs when all members have ended
      → (nothing)
    GATHER: all
      unknown-verb: \`GATHER\` is not a verb · remove it: what stands below a \`DO: in PARALLEL:\` runs when all members have ended
      → (nothing)
    ACTION: ls -l
      unknown-verb: \`ACTION\` is not a verb · write \`DO: ls -l\`
      → DO: ls -l
    EXECUTE ./x.sh
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`DO: ./x.sh\`
      → DO: ./x.sh
    VERIFY: git diff
      unknown-verb: \`VERIFY\` is not a verb · write \`DO: git diff\`
      → DO: git diff
    ERROR: bad thing
      unknown-verb: \`ERROR\` is not a verb · write \`FAIL: bad thing\`
      → FAIL: bad thing
    THROW "bad"
      unknown-verb: \`THROW\` is not a verb · write \`FAIL\`
      → FAIL: "bad"
    FINALLY: rm -rf x
      unknown-verb: what cleans up belongs to the command that it cleans up after · write \`UNDO: rm -rf x\` below that command, and \`ROLLBACK\` before each end of the run, also in \`STATE: ERROR\`
    CLEANUP:
        ls
      unknown-verb: what cleans up belongs to the command that it cleans up after · write \`UNDO: …\` below that command, and \`ROLLBACK\` before each end of the run, also in \`STATE: ERROR\`
    ALWAYS
        DO: ls
      not-an-instruction: what cleans up belongs to the command that it cleans up after · write \`UNDO: …\` below that command, and \`ROLLBACK\` before each end of the run, also in \`STATE: ERROR\`
    @make
      not-an-instruction: a command has no \`@\` before it · write \`DO: make\`
      → DO: make
    @echo hello
      not-an-instruction: a command has no \`@\` before it · write \`DO: echo hello\`
      → DO: echo hello
    ELIF n > 1:
      unknown-verb: \`ELIF\` is not a verb · write \`ELSE IF: n > 1 →\`
      → ELSE IF: n > 1 →
    ELSIF n > 1 then
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`ELSE IF: n > 1 →\`
      → ELSE IF: n > 1 →
    OTHERWISE IF n > 1
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`ELSE IF: n > 1 →\`
      → ELSE IF: n > 1 →
    UNLESS n > 1:
        DO: ls
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`IF: NOT (n > 1) →\`
      → IF: NOT (n > 1) →
    UNLESS n > 1 → GOTO: B
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`IF: n <= 1 → GOTO: B\`
      → IF: n <= 1 → GOTO: B
    for x in items where n > 1:
        DO: ls {x}
      unknown-verb: FOR EACH goes through the whole list · write \`FOR EACH: x in items:\`, below it \`IF: n > 1 →\`, and the rest below that, indented deeper
    FOR EACH: x in items if x > 1:
        DO: ls {x}
      unexpected-text: FOR EACH goes through the whole list · write \`FOR EACH: x in items:\`, below it \`IF: x > 1 →\`, and the rest below that, indented deeper
      may-be-read-as-option: \`ls\` reads \`{x}\` as an option when it begins with \`-\` · write \`-- {x}\`, or \`{x:path}\` for a path
      → DO: ls -- {x}
    FOR EACH: x in items parallel=3:
        DO: ls {x}
      unexpected-text: how many turns run at the same time is an option of \`in PARALLEL\` · write \`FOR EACH: x in items in PARALLEL [max=3]:\`
      may-be-read-as-option: \`ls\` reads \`{x}\` as an option when it begins with \`-\` · write \`-- {x}\`, or \`{x:path}\` for a path
      → FOR EACH: x in items in PARALLEL [max=3]: ⏎ DO: ls -- {x}
    FOR EACH: x in items, max 3:
        DO: ls {x}
      unexpected-text: how many turns run at the same time is an option of \`in PARALLEL\` · write \`FOR EACH: x in items, in PARALLEL [max=3]:\`
      may-be-read-as-option: \`ls\` reads \`{x}\` as an option when it begins with \`-\` · write \`-- {x}\`, or \`{x:path}\` for a path
      → FOR EACH: x in items, in PARALLEL [max=3]: ⏎ DO: ls -- {x}
    FOR EACH: line in items:
        DO: ls {line}
      reserved-name: \`line\` is a word of the language and cannot name a variable · write \`FOR EACH: one in items:\`, and \`{one}\` below it
    REPEAT: 3
        DO: ls
      unknown-verb: \`REPEAT\` is not a verb · write \`FOR EACH: i in range(3):\`
      → FOR EACH: i in range(3):
    LOOP 3 times:
        DO: ls
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`FOR EACH: i in range(3):\`
      → FOR EACH: i in range(3):
    DO: for i in range(3):
        DO: ls
      command-not-found: the program \`3\` is not on PATH · put it in quotes, as in \`"3"\`, for a text
      unexpected-indentation: \`DO\` cannot have an indented block · remove the extra indentation
    IF: n ok → GOTO: B
      unexpected-text: \`ok\` is unexpected here · write \`IF: exit_code(n) == 0 → GOTO: B\`
      → IF: exit_code(n) == 0 → GOTO: B
    IF: r ok → GOTO: B
      unexpected-text: \`ok\` is unexpected here · write \`IF: exit_code(r) == 0 → GOTO: B\`
      → IF: exit_code(r) == 0 → GOTO: B
    IF: r is broken → GOTO: B
      unexpected-text: \`is\` is unexpected here · write \`IF: exit_code(r) != 0 → GOTO: B\`
      → IF: exit_code(r) != 0 → GOTO: B
    IF: exit_code(r) → GOTO: B
      wrong-type: a condition is true or false, and this is a number · write \`IF: exit_code(r) != 0 → GOTO: B\`
      → IF: exit_code(r) != 0 → GOTO: B
    IF: NOT exit_code(r) → GOTO: B
      wrong-type: a condition is true or false, and this is a number · write \`IF: exit_code(r) == 0 → GOTO: B\`
      → IF: exit_code(r) == 0 → GOTO: B
    IF: n > 0 AND exit_code(r) → GOTO: B
      wrong-type: a condition is true or false, and this is a number · write \`IF: n > 0 AND exit_code(r) != 0 → GOTO: B\`
      → IF: n > 0 AND exit_code(r) != 0 → GOTO: B
    IF: -f x.txt → GOTO: B
      unknown-name: a condition runs no test of the shell · write \`CHECK: tested = test -f x.txt\`, then \`IF: exit_code(tested) == 0 → GOTO: B\`
      → CHECK: tested = test -f x.txt ⏎ IF: exit_code(tested) == 0 → GOTO: B
    IF: ! -d "x" → GOTO: B
      operator-spelling: a condition runs no test of the shell · write \`CHECK: tested = test -d "x"\`, then \`IF: exit_code(tested) != 0 → GOTO: B\`
      → CHECK: tested = test -d "x" ⏎ IF: exit_code(tested) != 0 → GOTO: B
    IF: NOT -e {text} → GOTO: B
      unknown-name: a condition runs no test of the shell · write \`CHECK: tested = test -e {text}\`, then \`IF: exit_code(tested) != 0 → GOTO: B\`
      → CHECK: tested = test -e {text} ⏎ IF: exit_code(tested) != 0 → GOTO: B
    ELSE IF: -s x → GOTO: B
      else-without-if: \`ELSE IF\` has no \`IF\` directly above it · move it below the \`IF\` it belongs to
      unexpected-text: \`x\` is unexpected here · join conditions with \`AND\` or \`OR\`, or quote the words if they are a text
    IF: len items > 1 → GOTO: B
      unexpected-text: \`len\` takes its value in parentheses · write \`IF: len(items) > 1 → GOTO: B\`
      → IF: len(items) > 1 → GOTO: B
    DO: m = upper text
      command-not-found: \`upper\` takes its value in parentheses · write \`DO: m = upper(text)\`
      → DO: m = upper(text)
    IF: text like "a%" → GOTO: B
      unexpected-text: \`like\` is unexpected here · write \`IF: text starts with "a" → GOTO: B\`
      → IF: text starts with "a" → GOTO: B
    IF: text LIKE "%a" → GOTO: B
      unexpected-text: \`LIKE\` is unexpected here · write \`IF: text ends with "a" → GOTO: B\`
      → IF: text ends with "a" → GOTO: B
    IF: text NOT LIKE "%a%" → GOTO: B
      unexpected-text: \`NOT\` is unexpected here · write \`IF: text NOT contains "a" → GOTO: B\`
      → IF: text NOT contains "a" → GOTO: B
    IF: text =~ /a.c/ → GOTO: B
      compares-unlike: \`==\` compares \`text\`, which is text, with \`~ /a.c/\`, which is a number · write \`IF: text matches "a.c" → GOTO: B\`
      → IF: text matches "a.c" → GOTO: B
    IF: text =~ "^a" → GOTO: B
      operator-spelling: \`=\` is not an operator here · write \`IF: text matches "^a" → GOTO: B\`
      → IF: text matches "^a" → GOTO: B
    IF: text starts "a" → GOTO: B
      unexpected-text: \`starts\` is unexpected here · join conditions with \`AND\` or \`OR\`, or quote the words if they are a text
    IF: text begins with "a" → GOTO: B
      unexpected-text: \`begins\` is unexpected here · write \`IF: text starts with "a" → GOTO: B\`
      → IF: text starts with "a" → GOTO: B
    IF: text doesn't exist → GOTO: B
      unclosed-quote: the quoted text does not end on this line · write \`IF: NOT text exists → GOTO: B\`
      → IF: NOT text exists → GOTO: B
    IF: text does not equal "a" → GOTO: B
      unexpected-text: \`does\` is unexpected here · write \`IF: text != "a" → GOTO: B\`
      → IF: text != "a" → GOTO: B
    IF: text does not contain "a" → GOTO: B
      unexpected-text: \`does\` is unexpected here · write \`IF: text not contains "a" → GOTO: B\`
      → IF: text not contains "a" → GOTO: B
    IF: text does not match "a" → GOTO: B
      unexpected-text: \`does\` is unexpected here · write \`IF: NOT text matches "a" → GOTO: B\`
      → IF: NOT text matches "a" → GOTO: B
    IF: text does not start with "a" → GOTO: B
      unexpected-text: \`does\` is unexpected here · write \`IF: NOT text starts with "a" → GOTO: B\`
      → IF: NOT text starts with "a" → GOTO: B
    IF: text does not begin with "a" → GOTO: B
      unexpected-text: \`does\` is unexpected here · write \`IF: NOT text starts with "a" → GOTO: B\`
      → IF: NOT text starts with "a" → GOTO: B
    IF: text does not end with "a" → GOTO: B
      unexpected-text: \`does\` is unexpected here · write \`IF: NOT text ends with "a" → GOTO: B\`
      → IF: NOT text ends with "a" → GOTO: B
    IF: text does not exist → GOTO: B
      unexpected-text: \`does\` is unexpected here · write \`IF: NOT text exists → GOTO: B\`
      → IF: NOT text exists → GOTO: B
    DO: m = ls | trim
      command-not-found: \`trim\` is a function, and no program · write \`DO: printed = ls\`, then \`DO: m = trim(printed)\`
      → DO: printed = ls ⏎ DO: m = trim(printed)
    DO: m = ls | len
      command-not-found: \`len\` is a function, and no program · write \`DO: printed = ls\`, then \`DO: m = len(printed)\`
      → DO: printed = ls ⏎ DO: m = len(printed)
    DO: m = ls | sort
    IF: text is not empty → GOTO: B
    IF: n between 1 and 5 → GOTO: B
      unexpected-text: \`between\` is unexpected here · write \`IF: n >= 1 AND n <= 5 → GOTO: B\`
      → IF: n >= 1 AND n <= 5 → GOTO: B
    IF: n in 1..5 → GOTO: B
      bad-character: the character \`.\` has no meaning here · write \`IF: n >= 1 AND n <= 5 → GOTO: B\`
      → IF: n >= 1 AND n <= 5 → GOTO: B
    IF: n divisible by 2 → GOTO: B
      unexpected-text: \`divisible\` is unexpected here · join conditions with \`AND\` or \`OR\`, or quote the words if they are a text
    IF: n % 2 == 0 → GOTO: B
    IF: n is odd → GOTO: B
      unexpected-text: \`is\` is unexpected here · write \`==\` to compare with \`odd\`
    IF: all items > 1 → GOTO: B
      unexpected-text: \`items\` is unexpected here · join conditions with \`AND\` or \`OR\`, or quote the words if they are a text
    IF: any(x > 1 for x in items) → GOTO: B
      unknown-function: no expression goes through a list · write \`TRACK: n\` and \`SET: n = 0\`, then \`FOR EACH: item in items:\`, and in it \`IF: … → INCREMENT: n\`; use \`n\` below
    IF: head(items) == 1 → GOTO: B
      unknown-function: there is no function \`head\` · write \`IF: first(items) == 1 → GOTO: B\`
      → IF: first(items) == 1 → GOTO: B
    IF: tail(items) == [] → GOTO: B
      unknown-function: there is no function \`tail\` · write \`IF: slice(items, 1) == [] → GOTO: B\`
      → IF: slice(items, 1) == [] → GOTO: B
    DO: m = take(items, 2)
      unknown-function: there is no function \`take\` · write \`DO: m = slice(items, 0, 2)\`
      → DO: m = slice(items, 0, 2)
    DO: m = drop(items)
      unknown-function: there is no function \`drop\` · write \`DO: m = slice(items, 1)\`
      → DO: m = slice(items, 1)
    DO: m = skip(items, 3)
      unknown-function: there is no function \`skip\` · write \`DO: m = slice(items, 3)\`
      → DO: m = slice(items, 3)
    DO: m = last(items, 2)
      wrong-number-of-arguments: \`last\` takes 1 argument, but gets 2 here · write \`DO: m = slice(items, -2)\`
      → DO: m = slice(items, -2)
    IF: n == 1 and text == "a" or n == 2 → GOTO: B
      operator-spelling: \`and\` is not an operator here · write \`AND\`
      operator-spelling: \`or\` is not an operator here · write \`OR\`
      → IF: n == 1 AND text == "a" OR n == 2 → GOTO: B
    IF: n == 1 && text == "a" || n == 2 → GOTO: B
      operator-spelling: \`&&\` is not an operator here · write \`AND\`
      operator-spelling: \`||\` is not an operator here · write \`OR\`
      → IF: n == 1 AND text == "a" OR n == 2 → GOTO: B
    IF: cost > 5 → GOTO: B
      unknown-name: nothing binds \`cost\` in state \`A\` · a limit of the whole run is \`LIMIT: cost=5\` at the margin; beyond it the run ends
    IF: tokens > 5 → GOTO: B
      unknown-name: nothing binds \`tokens\` in state \`A\` · a limit of the whole run is \`LIMIT: tokens=5\` at the margin; beyond it the run ends
    IF: elapsed > 5m → GOTO: B
      unknown-name: nothing binds \`elapsed\` in state \`A\` · a limit of the whole run is \`LIMIT: time=5m\` at the margin; beyond it the run ends
    IF: elapsed > 300 → GOTO: B
      unknown-name: nothing binds \`elapsed\` in state \`A\` · a limit of the whole run is \`LIMIT: time=300s\` at the margin; beyond it the run ends
    IF: n == 1 → GOTO: B if text == "a"
      unexpected-text: \`if\` is unexpected here · write \`IF: n == 1 AND (text == "a") → GOTO: B\`
      → IF: n == 1 AND (text == "a") → GOTO: B
    IF: n == 1 → GOTO B unless text == "a"
      unexpected-text: \`unless\` is unexpected here · write \`IF: n == 1 AND NOT (text == "a") → GOTO: B\`
      → IF: n == 1 AND NOT (text == "a") → GOTO: B
    result = items[0]
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`SET: result = …\` for a value, \`DO: result = …\` for a command
    a, b = ls
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`DO: \` before a command, or make the line a comment with \`# \`
    DO: {a, b} = ls
      command-not-found: a command has one result · write \`DO: a = ls\`, and read its fields, as in \`a.b\`
      → DO: a = ls
    DO: x: ls
      command-not-found: \`x:\` does not name a result · write \`DO: x = ls\`
      → DO: x = ls
    - x: ls
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`DO: \` before a command: only the members of \`DO: in PARALLEL\` are bullets
    RETRY: 3
      section-outside-step: how often a command is tried again is an option of the command · write \`CHECK [retry=3]: r = ./r\`
    steps:
      unknown-verb: \`steps\` is not a verb · write \`STEP\`
      bad-step-name: a step has no name · write a name of letters, digits, \`_\` and \`-\`; \`.\` and \`/\` separate the parts of a key
      → STEP:
    uses: actions/checkout@v4
      unknown-verb: \`actions/checkout@v4\` is an action of another service, and no command · remove it: commands run in the working directory, which is there
    - uses: some/action
      unknown-verb: \`some/action\` is an action of another service, and no command · write the command that it runs: \`DO: …\`
    export A=1
      not-an-instruction: this line is not an instruction: it does not begin with a verb · put it in the \`DO:\` block of the commands that need it, or write \`DO [env.NAME=value]: command\`
    source env.sh
      not-an-instruction: this line is not an instruction: it does not begin with a verb · put it in the \`DO:\` block of the commands that need it, or write \`DO [env.NAME=value]: command\`
    env: A=1
      unknown-verb: a variable of the environment is an option of the command that reads it · write \`CHECK [env.A=1]: r = ./r\`
    env:
        A: 1
      unknown-verb: each value has a line of its own · write \`TRACK: A = 1\`
    DO: in PARALLEL:
        - ls
        - \`npm test\`
    DO: in PARALLEL:
        - a = ls
          b = pwd
      unexpected-indentation: a member of a PARALLEL is one instruction · write \`PATTERN: A\` at the margin, below it, indented deeper, \`DO: a = ls\`, then \`DO: b = pwd\`, and \`- USE: A\` for the member
    DO: in PARALLEL:
        - ls
          pwd
      unexpected-indentation: a member of a PARALLEL is one instruction · write \`- DO:\`, and below it, indented deeper, \`ls\`, then \`pwd\`
    CHECKPOINT
      not-an-instruction: \`KEEP\` keeps what has been done: no ROLLBACK undoes it · write \`KEEP\`
      → KEEP
    LABEL: x
      unknown-verb: \`LABEL\` is not a verb · begin the line with a verb such as \`DO:\`, \`EMIT:\` or \`GOTO:\`, or make it a comment with \`# \`
    RESUME
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`DO: \` before a command, or make the line a comment with \`# \`"
  `);
});

test('actions after an arrow', () => {
  const lines = [
    'NEXT: B',
    'JUMP TO B',
    'THEN STATE B',
    'STATE: B',
    'GOTO {B}',
    'GOTO: [B]',
    'GOTO: "B"',
    'GOTO: **B**',
    'GOTO: next',
    'GOTO: self',
    'GOTO: B with (n=1)',
    'GOTO: B if n > 5',
    'GOTO: B unless n > 5',
    'DO: ls; GOTO: B',
    'DO: ls and then GOTO: B',
    'EMIT: X → GOTO: B',
    'EMIT: X && GOTO: B',
    'EMIT: X GOTO: B',
    'INCREMENT: n, and GOTO: B',
    'GOTO: B with x=1; y=2',
    'GOTO: B with x=1 and y=2',
    'USE: P with a=1; b=2',
    'USE: P with (a=1)',
    'SET: n = 1 then GOTO: B',
    'break',
    'continue',
    'pass',
    'return n',
    'exit 1',
    'throw "x"',
  ];
  expect(lines.map((line) => said(ACTIONS, line)).join('\n')).toMatchInlineSnapshot(`
    "NEXT: B
      unknown-verb: \`NEXT\` is not a verb · write \`IF: n > 1 → GOTO: B\`
      → IF: n > 1 → GOTO: B
    JUMP TO B
      unknown-verb: \`JUMP\` is not a verb · write \`IF: n > 1 → GOTO: B\`
      → IF: n > 1 → GOTO: B
    THEN STATE B
      unknown-verb: \`THEN\` is not a verb · write \`IF: n > 1 → GOTO: B\`
      → IF: n > 1 → GOTO: B
    STATE: B
      unknown-verb: \`STATE\` is not a verb · write \`IF: n > 1 → GOTO: B\`
      → IF: n > 1 → GOTO: B
    GOTO {B}
      goto-parameter: \`GOTO {B}\` is outside of a pattern · inside a pattern, name one of its parameters: \`PATTERN: P with next_state\` … \`GOTO {next_state}\`
    GOTO: [B]
      unexpected-text: the name of a state has no signs around it · write \`IF: n > 1 → GOTO: B\`
      → IF: n > 1 → GOTO: B
    GOTO: "B"
      unexpected-text: the name of a state has no quotes · write \`IF: n > 1 → GOTO: B\`
      → IF: n > 1 → GOTO: B
    GOTO: **B**
      bad-name: the name of a state has no signs around it · write \`IF: n > 1 → GOTO: B\`
      → IF: n > 1 → GOTO: B
    GOTO: next
      unknown-state: the machine has no state \`next\` · write \`IF: n > 1 → GOTO: B\`
      → IF: n > 1 → GOTO: B
    GOTO: self
      unknown-state: the machine has no state \`self\` · write \`IF: n > 1 → GOTO: A\`
      → IF: n > 1 → GOTO: A
    GOTO: B with (n=1)
      unexpected-text: \`(\` is unexpected here · write \`IF: n > 1 → GOTO: B with n=1\`
      → IF: n > 1 → GOTO: B with n=1
    GOTO: B if n > 5
      unexpected-text: \`if\` is unexpected here · write \`IF: n > 1 AND (n > 5) → GOTO: B\`
      → IF: n > 1 AND (n > 5) → GOTO: B
    GOTO: B unless n > 5
      unexpected-text: \`unless\` is unexpected here · write \`IF: n > 1 AND NOT (n > 5) → GOTO: B\`
      → IF: n > 1 AND NOT (n > 5) → GOTO: B
    DO: ls; GOTO: B
      not-a-command: a comma separates the actions after an arrow · write \`IF: n > 1 → DO: ls, GOTO: B\`
      → IF: n > 1 → DO: ls, GOTO: B
    DO: ls and then GOTO: B
    EMIT: X → GOTO: B
      unexpected-text: a comma separates the actions after an arrow · write \`IF: n > 1 → EMIT: X, GOTO: B\`
      → IF: n > 1 → EMIT: X, GOTO: B
    EMIT: X && GOTO: B
      unexpected-text: a comma separates the actions after an arrow · write \`IF: n > 1 → EMIT: X, GOTO: B\`
      → IF: n > 1 → EMIT: X, GOTO: B
    EMIT: X GOTO: B
      unexpected-text: a comma separates the actions after an arrow · write \`IF: n > 1 → EMIT: X, GOTO: B\`
      → IF: n > 1 → EMIT: X, GOTO: B
    INCREMENT: n, and GOTO: B
      unknown-verb: \`and\` is not a verb · begin the action with a verb such as \`GOTO\` or \`EMIT\`, or write \`DO: Task(AGENT) "…"\` to give it to an agent
    GOTO: B with x=1; y=2
      bad-character: a comma separates the values · write \`IF: n > 1 → GOTO: B with x=1, y=2\`
      → IF: n > 1 → GOTO: B with x=1, y=2
    GOTO: B with x=1 and y=2
      operator-spelling: a comma separates the values · write \`IF: n > 1 → GOTO: B with x=1, y=2\`
      → IF: n > 1 → GOTO: B with x=1, y=2
    USE: P with a=1; b=2
      bad-character: a comma separates the values · write \`IF: n > 1 → USE: P with a=1, b=2\`
      → IF: n > 1 → USE: P with a=1, b=2
    USE: P with (a=1)
      missing-argument: pattern \`P\` needs \`a\` · write \`IF: n > 1 → USE: P with a=1\`
      → IF: n > 1 → USE: P with a=1
    SET: n = 1 then GOTO: B
      unexpected-text: a comma separates the actions after an arrow · write \`IF: n > 1 → SET: n = 1, GOTO: B\`
      → IF: n > 1 → SET: n = 1, GOTO: B
    break
      unknown-verb: \`BREAK\` is not an instruction: \`GOTO\` leaves a loop · write \`IF: n > 1 → GOTO: AFTER\`, and put what follows the loop into \`STATE: AFTER\`; its names are passed with \`with\`
    continue
      unknown-verb: \`CONTINUE\` is not an instruction · write \`IF: n > 1 → PROCEED\` to go on with the next line, or \`IF: n > 1 → GOTO: A\` to begin the state again
    pass
      unknown-verb: \`pass\` is not a verb · write \`IF: n > 1 → PROCEED\`
      → IF: n > 1 → PROCEED
    return n
      unknown-verb: \`return\` is not a verb · write \`RETURN\`
      ambiguous-word: \`n\` could be the text or the variable of that name · write \`{n}\` for its value or \`"n"\` for the text
      → IF: n > 1 → RETURN {n}
    exit 1
      unknown-verb: \`exit\` is not a verb · write \`IF: n > 1 → FAIL: exit code 1\`
      → IF: n > 1 → FAIL: exit code 1
    throw "x"
      unknown-verb: \`throw\` is not a verb · write \`FAIL\`
      → IF: n > 1 → FAIL "x""
  `);
});

test('handlers', () => {
  const lines = [
    'ON FAILURE: GOTO B',
    'ON EXCEPTION → B',
    'ON FAIL GOTO: B',
    'CATCH: GOTO B',
    'CATCH timeout → GOTO: B',
    'CATCH (timeout | denied) → GOTO: B',
    'EXCEPT: RETURN: failed',
    'RESCUE timeout: EMIT: X',
    'ERROR → GOTO: B',
    'ERROR: GOTO B',
    'ON ERROR: EMIT: {type}',
    'ON ERROR: → EMIT: "{kind}"',
    'ON ERROR: → EMIT: "{failure}"',
    'ON ERROR timeout or denied: → GOTO: B',
    'ON ERROR timeout|denied: → GOTO: B',
    'ON TIMEOUT: GOTO: B',
    'ON SUCCESS: GOTO: B',
    'ON ERROR → ROLLBACK:',
    'ON ERROR: → P',
    'ON ERROR: → ls -l',
    '→ GOTO: B',
    '-> RETURN: x',
    '=> EMIT: X',
  ];
  expect(lines.map((line) => said(HANDLERS, line)).join('\n')).toMatchInlineSnapshot(`
    "ON FAILURE: GOTO B
      unknown-verb: a failure is handled at the end of the state · write \`ON ERROR: → GOTO: B\`
      → ON ERROR: → GOTO: B
    ON EXCEPTION → B
      not-an-instruction: a failure is handled at the end of the state · write \`ON ERROR: → GOTO: B\`
      → ON ERROR: → GOTO: B
    ON FAIL GOTO: B
      not-an-instruction: a failure is handled at the end of the state · write \`ON ERROR: → GOTO: B\`
      → ON ERROR: → GOTO: B
    CATCH: GOTO B
      unknown-verb: a failure is handled at the end of the state · write \`ON ERROR: → GOTO: B\`
      → ON ERROR: → GOTO: B
    CATCH timeout → GOTO: B
      not-an-instruction: a failure is handled at the end of the state · write \`ON ERROR timeout: → GOTO: B\`
      → ON ERROR timeout: → GOTO: B
    CATCH (timeout | denied) → GOTO: B
      not-an-instruction: this line is not an instruction: it does not begin with a verb · handle failures at the end of the state, with \`ON ERROR: → GOTO: …\`
    EXCEPT: RETURN: failed
      unknown-verb: a failure is handled at the end of the state · write \`ON ERROR: → RETURN: failed\`
      → ON ERROR: → RETURN: failed
    RESCUE timeout: EMIT: X
      not-an-instruction: a failure is handled at the end of the state · write \`ON ERROR timeout: → EMIT: X\`
      → ON ERROR timeout: → EMIT: X
    ERROR → GOTO: B
      not-an-instruction: a failure is handled at the end of the state · write \`ON ERROR: → GOTO: B\`
      → ON ERROR: → GOTO: B
    ERROR: GOTO B
      unknown-verb: \`ERROR\` is not a verb · write \`FAIL: GOTO B\`
      → FAIL: GOTO B
    ON ERROR: EMIT: {type}
      bad-name: \`{type}\` cannot be the name of an event · write the text in quotes: \`EMIT: "{type}"\`
    ON ERROR: → EMIT: "{kind}"
      handler-falls-off: a path through this \`ON ERROR\` ends without GOTO or RETURN · end it with \`GOTO: …\` or \`RETURN\`
      unknown-name-in-text: nothing binds \`kind\` in state \`A\`, so the text keeps the braces · bind it, or double the braces if they are meant as text
    ON ERROR: → EMIT: "{failure}"
      handler-falls-off: a path through this \`ON ERROR\` ends without GOTO or RETURN · end it with \`GOTO: …\` or \`RETURN\`
      unknown-name-in-text: nothing binds \`failure\` in state \`A\`, so the text keeps the braces · bind it, or double the braces if they are meant as text
    ON ERROR timeout or denied: → GOTO: B
      missing-colon: \`ON ERROR\` handles one kind of failure, or each of them · write \`ON ERROR timeout: → GOTO: B\`, then \`ON ERROR denied: → GOTO: B\`
      → ON ERROR timeout: → GOTO: B ⏎ ON ERROR denied: → GOTO: B
    ON ERROR timeout|denied: → GOTO: B
      missing-colon: \`ON ERROR\` handles one kind of failure, or each of them · write \`ON ERROR timeout: → GOTO: B\`, then \`ON ERROR denied: → GOTO: B\`
      → ON ERROR timeout: → GOTO: B ⏎ ON ERROR denied: → GOTO: B
    ON TIMEOUT: GOTO: B
      unknown-verb: \`ON TIMEOUT\` is not a verb · write \`ON ERROR timeout: → GOTO: B\`
      → ON ERROR timeout: → GOTO: B
    ON SUCCESS: GOTO: B
      unknown-verb: \`ON SUCCESS\` is not an instruction: the instructions after a command run only if it succeeds · write \`GOTO: B\`
      → GOTO: B
    ON ERROR → ROLLBACK:
      handler-falls-off: a path through this \`ON ERROR\` ends without GOTO or RETURN · end it with \`GOTO: …\` or \`RETURN\`
    ON ERROR: → P
      unknown-verb: \`P\` is a pattern, and USE inserts it · write \`USE: P with a="…"\`
    ON ERROR: → ls -l
      unknown-verb: \`ls\` is not a verb · write \`DO: ls -l\`
      → ON ERROR: → DO: ls -l
    → GOTO: B
      not-an-instruction: an arrow stands only behind a condition · write \`GOTO: B\`
      → GOTO: B
    -> RETURN: x
      not-an-instruction: an arrow stands only behind a condition · write \`RETURN: x\`
      → RETURN: x
    => EMIT: X
      not-an-instruction: an arrow stands only behind a condition · write \`EMIT: X\`
      → EMIT: X"
  `);
});

test('lines at the margin', () => {
  const lines = [
    'INPUT: a = 1, b = 2',
    'INPUT: a = 1, b',
    'INPUT: a, b',
    'INPUT: a = $(ls)',
    'INPUT: a = `git rev-parse HEAD`',
    'INPUT: a: string = "x"',
    'INPUT: string a = x',
    'INPUT: a (required)',
    'INPUT: a = 1 // comment',
    'PATTERN: Q a b',
    'PATTERN: Q with a b',
    'PATTERN: Q:',
    'PATTERN: Q with a:',
    'PATTERN: Q(a, b)',
    'PATTERN: Q(a b)',
    'MACRO: Q(a)\n  DO: ls {a}',
    'DEF Q:\n  DO: ls',
    'FUNC Q with a\n  DO: ls {a}',
    'function q() {\n  DO: ls',
    'IMPORT: a from "./x.dsl"',
    "IMPORT {a, b} from './x.dsl'",
    'IMPORT * from "x.dsl"',
    'IMPORT: "./x.dsl", "./y.dsl"',
    'IMPORT: [./x.dsl, ./y.dsl]',
    'INCLUDE "./x.dsl" and "./y.dsl"',
    'INCLUDE: ./x.dsl',
    'LIMIT: 5 minutes',
    'BUDGET: 5',
    'BUDGET: $5',
    'BUDGET: 10m',
    'TIMEOUT: 10m',
    'MAX_STEPS: 5',
    'COST: 5',
    'TOKENS: 5000',
    'NAME: demo',
    'VERSION: 1',
    'AUTHOR: me',
    'DESCRIPTION: it works',
    'MODEL: opus',
  ];
  expect(lines.map((line) => said(MARGIN, line)).join('\n')).toMatchInlineSnapshot(`
    "INPUT: a = 1, b = 2
      unexpected-text: a line declares one input · write \`INPUT: a = 1\`, then \`INPUT: b = 2\`
      → INPUT: a = 1 ⏎ INPUT: b = 2
    INPUT: a = 1, b
      unexpected-text: a line declares one input · write \`INPUT: a = 1\`, then \`INPUT: b\`
      → INPUT: a = 1 ⏎ INPUT: b
    INPUT: a, b
      unexpected-text: \`,\` is unexpected here · write \`INPUT: a\`, then \`INPUT: b\`
      → INPUT: a ⏎ INPUT: b
    INPUT: a = $(ls)
      bad-character: an input runs no command · write \`INPUT: a = null\`, or without it \`DO: a = ls\` in the first state
    INPUT: a = \`git rev-parse HEAD\`
      bad-character: the character \`\`\` has no meaning here · remove it, or put the text in quotes
      input-default: the default of an input must be a plain value · write \`"git"\` for the text
      → INPUT: a = \`"git" rev-parse HEAD\`
    INPUT: a: string = "x"
      unexpected-text: \`:\` is unexpected here · write \`INPUT: a = "x" (string)\`
      → INPUT: a = "x" (string)
    INPUT: string a = x
      bad-name: \`string a\` cannot be the name of an input · write \`INPUT: a = "x" (string)\`
      → INPUT: a = "x" (string)
    INPUT: a (required)
      bad-input-note: an input without a default is required · write \`INPUT: a\`
      → INPUT: a
    INPUT: a = 1 // comment
      input-default: the default of an input must be a plain value · write a number, text, list or object without names in it
      missing-part: a value is missing after \`/\` · write a value there, or remove \`/\`
    PATTERN: Q a b
      bad-name: \`Q a b\` cannot be the name of a pattern · write \`PATTERN: Q with a, b\`
      → PATTERN: Q with a, b
    PATTERN: Q with a b
      unexpected-text: \`b\` is unexpected here · write \`PATTERN: Q with a, b\`
      → PATTERN: Q with a, b
    PATTERN: Q:
      unexpected-text: \`:\` is unexpected here · remove it, or quote it if it belongs to a text
    PATTERN: Q with a:
      unexpected-text: \`:\` is unexpected here · write \`PATTERN: Q with a\`
      → PATTERN: Q with a
    PATTERN: Q(a, b)
    PATTERN: Q(a b)
      unexpected-text: \`(\` is unexpected here · write \`PATTERN: Q with a, b\`
      → PATTERN: Q with a, b
    MACRO: Q(a)
      DO: ls {a}
      unknown-verb: a pattern has its parameters behind \`with\`, and a comma between them · write \`PATTERN: Q with a\`
      → PATTERN: Q with a
    DEF Q:
      DO: ls
      unknown-verb: \`DEF Q\` is not a verb · write \`PATTERN: Q\`
      → PATTERN: Q
    FUNC Q with a
      DO: ls {a}
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`PATTERN: Q with a\`
      → PATTERN: Q with a
    function q() {
      DO: ls
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`PATTERN: q\`
      → PATTERN: q
    IMPORT: a from "./x.dsl"
      import-failed: an import has all patterns of a file · write \`IMPORT: "./x.dsl"\`
      → IMPORT: "./x.dsl"
    IMPORT {a, b} from './x.dsl'
      missing-colon: an import has all patterns of a file · write \`IMPORT: "./x.dsl"\`
      → IMPORT: "./x.dsl"
    IMPORT * from "x.dsl"
      missing-colon: an import has all patterns of a file · write \`IMPORT: "x.dsl"\`
      → IMPORT: "x.dsl"
    IMPORT: "./x.dsl", "./y.dsl"
      import-failed: an import has one file · write \`IMPORT: "./x.dsl"\`, then \`IMPORT: "./y.dsl"\`
      → IMPORT: "./x.dsl" ⏎ IMPORT: "./y.dsl"
    IMPORT: [./x.dsl, ./y.dsl]
      import-failed: an import has one file · write \`IMPORT: "./x.dsl"\`, then \`IMPORT: "./y.dsl"\`
      → IMPORT: "./x.dsl" ⏎ IMPORT: "./y.dsl"
    INCLUDE "./x.dsl" and "./y.dsl"
      not-an-instruction: an import has one file · write \`IMPORT: "./x.dsl"\`, then \`IMPORT: "./y.dsl"\`
      → IMPORT: "./x.dsl" ⏎ IMPORT: "./y.dsl"
    INCLUDE: ./x.dsl
      unknown-verb: another program is run by a command · write \`DO: statedsl run ./x.dsl\`, or \`IMPORT: "./x.dsl"\` at the margin for its patterns
    LIMIT: 5 minutes
      unexpected-text: \`5\` is unexpected here · remove it, or quote it if it belongs to a text
    BUDGET: 5
      unknown-verb: a limit of the run is one line at the margin · write \`LIMIT: cost=5\`
      → LIMIT: cost=5
    BUDGET: $5
      unknown-verb: a limit of the run is one line at the margin · write \`LIMIT: cost=5\`
      → LIMIT: cost=5
    BUDGET: 10m
      unknown-verb: a limit of the run is one line at the margin · write \`LIMIT: time=10m\`
      → LIMIT: time=10m
    TIMEOUT: 10m
      unknown-verb: a time limit is an option of a command, or a limit of the run · write \`DO [timeout=10m]: …\`, or \`LIMIT: time=10m\` at the margin for the whole run
    MAX_STEPS: 5
      unknown-verb: a limit of the run is one line at the margin · write \`LIMIT: transitions=5\`
      → LIMIT: transitions=5
    COST: 5
      unknown-verb: a limit of the run is one line at the margin · write \`LIMIT: cost=5\`
      → LIMIT: cost=5
    TOKENS: 5000
      unknown-verb: a limit of the run is one line at the margin · write \`LIMIT: tokens=5000\`
      → LIMIT: tokens=5000
    NAME: demo
      unknown-verb: \`NAME\` is not a verb · make it a comment: \`# NAME: demo\`
      → # NAME: demo
    VERSION: 1
      unknown-verb: \`VERSION\` is not a verb · make it a comment: \`# VERSION: 1\`
      → # VERSION: 1
    AUTHOR: me
      unknown-verb: \`AUTHOR\` is not a verb · make it a comment: \`# AUTHOR: me\`
      → # AUTHOR: me
    DESCRIPTION: it works
      unknown-verb: \`DESCRIPTION\` is not a verb · make it a comment: \`# DESCRIPTION: it works\`
      → # DESCRIPTION: it works
    MODEL: opus
      unknown-verb: \`MODEL\` is not a verb · an agent has a model: write \`agents: { NAME: { adapter: claude, model: … } }\` in statedsl.config.yaml, and \`DO: Task(NAME) "…"\` here"
  `);
});

test('lines of a step', () => {
  const lines = [
    'LLM: claude',
    'ENGINE: "codex"',
    'RUNNER: gemini-2.5',
    'AGENT: Task(claude)',
    'AGENT: "claude"',
    'AGENT: claude/opus',
    'AGENT: claude:opus',
    'AGENT: codex with max_turns 5',
    'MAX_COST: 5',
    'BUDGET: $2.50',
    'COST: 3',
    'TEMPERATURE: 0.5',
    'TOOLS: bash, read',
    'EFFORT: high',
    'INSTRUCTIONS: Be quick.',
    'SYSTEM PROMPT: "You are a `tester`."',
    'ROLE: tester',
    'GOAL: green tests',
    'OUTPUT: JSON with a field ok',
    'FORMAT: json',
    'RETURNS: "a list"',
    'EXPECTED OUTPUT: a diff',
    'VALIDATE: review',
    'VALIDATOR: "review"',
    'CWD: src',
    'WORKTREE: new',
    'PARALLEL: true',
    'WHEN: n > 1',
    'AFTER: early',
    'BEFORE: early',
    'DEPENDS_ON: early',
    'CONTEXT: file=a.md file=b.md',
    'CONTEXT: a.md, b.md',
    'CONTEXT: file = a.md bash="git diff"',
    'CONTEXT: a.md file="b c.md"',
    'CONTEXT: bash git diff',
    'CONTEXT: run: git diff',
    'CONTEXT: $(git diff)',
    'CONTEXT: `git diff`',
    'CONTEXT: cmd="git log"',
    'CONTEXT: n',
    'CONTEXT: {text}',
    'SESSION: resume',
    'SESSION: continue',
    'SESSION: new',
    'SESSION: early',
    'SESSION: from early',
    'TIMEOUT: 5m',
    'IDLE: 5m',
    'MAX_TURNS: 5',
    'RUN: ls',
    'TYPE: code',
  ];
  expect(lines.map((line) => said(STEP, line)).join('\n')).toMatchInlineSnapshot(`
    "LLM: claude
      unknown-verb: \`LLM\` is not a verb · write \`AGENT: claude\`
      → AGENT: claude
    ENGINE: "codex"
      unknown-verb: \`ENGINE\` is not a verb · write \`AGENT: codex\`
      → AGENT: codex
    RUNNER: gemini-2.5
      unknown-verb: \`RUNNER\` is not a verb · write \`AGENT: gemini-2.5\`
      → AGENT: gemini-2.5
    AGENT: Task(claude)
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    AGENT: "claude"
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    AGENT: claude/opus
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    AGENT: claude:opus
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    AGENT: codex with max_turns 5
      unexpected-text: \`5\` is unexpected here · write \`AGENT: codex with max_turns=5\`
      → AGENT: codex with max_turns=5
    MAX_COST: 5
      unknown-verb: what an agent may cost is a guard · remove this line, and write \`AGENT: … with max_cost=5\`
    BUDGET: $2.50
      unknown-verb: what an agent may cost is a guard · remove this line, and write \`AGENT: … with max_cost=2.50\`
    COST: 3
      unknown-verb: what an agent may cost is a guard · remove this line, and write \`AGENT: … with max_cost=3\`
    TEMPERATURE: 0.5
      unknown-verb: how an agent works is in the configuration · remove this line, and describe an agent in statedsl.config.yaml, as in \`agents: { careful: { adapter: claude, model: … } }\`; see \`docs/agents.md\`
    TOOLS: bash, read
      unknown-verb: how an agent works is in the configuration · remove this line, and describe an agent in statedsl.config.yaml, as in \`agents: { careful: { adapter: claude, model: … } }\`; see \`docs/agents.md\`
    EFFORT: high
      unknown-verb: how an agent works is in the configuration · remove this line, and describe an agent in statedsl.config.yaml, as in \`agents: { careful: { adapter: claude, model: … } }\`; see \`docs/agents.md\`
    INSTRUCTIONS: Be quick.
      unknown-verb: what an agent reads is its prompt, also its \`instructions\` · remove this line, and write \`PROMPT: "Do it. Be quick."\`
    SYSTEM PROMPT: "You are a \`tester\`."
      unknown-verb: what an agent reads is its prompt, also its \`system\` · remove this line, and write \`PROMPT: "Do it. You are a 'tester'."\`
    ROLE: tester
      unknown-verb: what an agent reads is its prompt, also its \`role\` · remove this line, and write \`PROMPT: "Do it. tester"\`
    GOAL: green tests
      unknown-verb: what an agent reads is its prompt, also its \`goal\` · remove this line, and write \`PROMPT: "Do it. green tests"\`
    OUTPUT: JSON with a field ok
      unknown-verb: what an agent reads is its prompt, also its \`output\` · remove this line, and write \`PROMPT: "Do it. Answer only JSON with a field ok."\`
    FORMAT: json
      unknown-verb: what an agent reads is its prompt, also its \`format\` · remove this line, and write \`PROMPT: "Do it. Answer only json."\`
    RETURNS: "a list"
      unknown-verb: what an agent reads is its prompt, also its \`returns\` · remove this line, and write \`PROMPT: "Do it. Answer only a list."\`
    EXPECTED OUTPUT: a diff
      unknown-verb: what an agent reads is its prompt, also its \`expected\` · remove this line, and write \`PROMPT: "Do it. Answer only a diff."\`
    VALIDATE: review
      unknown-verb: \`VALIDATE\` is not a verb · write \`GATE: validate review\`
      → GATE: validate review
    VALIDATOR: "review"
      unknown-verb: \`VALIDATOR\` is not a verb · write \`GATE: validate review\`
      → GATE: validate review
    CWD: src
      unknown-verb: \`CWD\` is not a verb · remove it: a step has \`PROMPT\`, \`AGENT\`, \`CONTEXT\`, \`SESSION\`, \`GATE\` and \`RETRY\`; see \`docs/steps.md\`
    WORKTREE: new
      unknown-verb: \`WORKTREE\` is not a verb · remove it: a step has \`PROMPT\`, \`AGENT\`, \`CONTEXT\`, \`SESSION\`, \`GATE\` and \`RETRY\`; see \`docs/steps.md\`
    PARALLEL: true
      unknown-verb: \`PARALLEL\` is not a verb · remove it: a step has \`PROMPT\`, \`AGENT\`, \`CONTEXT\`, \`SESSION\`, \`GATE\` and \`RETRY\`; see \`docs/steps.md\`
    WHEN: n > 1
      unknown-verb: \`WHEN\` is not a verb · remove it: a step has \`PROMPT\`, \`AGENT\`, \`CONTEXT\`, \`SESSION\`, \`GATE\` and \`RETRY\`; see \`docs/steps.md\`
    AFTER: early
      unknown-verb: \`AFTER\` is not a verb · remove it: a step runs after the steps above it
    BEFORE: early
      unknown-verb: \`BEFORE\` is not a verb · remove it: a step runs after the steps above it
    DEPENDS_ON: early
      unknown-verb: an instruction comes after the lines above it, and a state after the \`GOTO:\` to it · remove this line, and put what it needs above
    CONTEXT: file=a.md file=b.md
      unexpected-text: \`file=b.md\` is unexpected here · write \`CONTEXT: file=a.md, file=b.md\`
      → CONTEXT: file=a.md, file=b.md
    CONTEXT: a.md, b.md
      unknown-entry: \`a\` is not an entry of \`CONTEXT\` · write \`CONTEXT: file=a.md, file=b.md\`
      → CONTEXT: file=a.md, file=b.md
    CONTEXT: file = a.md bash="git diff"
      unexpected-text: \`a.md\` is unexpected here · write \`CONTEXT: file=a.md, bash="git diff"\`
      → CONTEXT: file=a.md, bash="git diff"
    CONTEXT: a.md file="b c.md"
      unknown-entry: \`a\` is not an entry of \`CONTEXT\` · write \`CONTEXT: file=a.md, file="b c.md"\`
      → CONTEXT: file=a.md, file="b c.md"
    CONTEXT: bash git diff
      unexpected-text: \`git\` is unexpected here · write \`CONTEXT: bash="git diff"\`
      → CONTEXT: bash="git diff"
    CONTEXT: run: git diff
      unknown-entry: \`run\` is not an entry of \`CONTEXT\` · write \`CONTEXT: bash="git diff"\`
      → CONTEXT: bash="git diff"
    CONTEXT: $(git diff)
      unexpected-text: \`$(git\` is unexpected here · write \`CONTEXT: bash="git diff"\`
      → CONTEXT: bash="git diff"
    CONTEXT: \`git diff\`
      unexpected-text: \`\`git\` is unexpected here · write \`CONTEXT: bash="git diff"\`
      → CONTEXT: bash="git diff"
    CONTEXT: cmd="git log"
      unknown-entry: \`cmd\` is not an entry of \`CONTEXT\` · write \`CONTEXT: bash="git log"\`
      → CONTEXT: bash="git log"
    CONTEXT: n
      unknown-entry: a context is a file or the output of a command · write \`{n}\` in the PROMPT for a value, or \`CONTEXT: file=…\`
    CONTEXT: {text}
      unexpected-text: a context is a file or the output of a command · write \`{text}\` in the PROMPT for a value, or \`CONTEXT: file=…\`
    SESSION: resume
      bad-session: \`resume\` does not say in which session the step starts · write \`SESSION: from=early\` to continue the session of the step above
      → SESSION: from=early
    SESSION: continue
      bad-session: \`continue\` does not say in which session the step starts · write \`SESSION: from=early\` to continue the session of the step above
      → SESSION: from=early
    SESSION: new
    SESSION: early
      bad-session: \`early\` does not say in which session the step starts · write \`SESSION: from=STEP\` to continue the session of a step, or \`SESSION: new\`
    SESSION: from early
      bad-session: \`from\` does not say in which session the step starts · write \`SESSION: from=STEP\` to continue the session of a step, or \`SESSION: new\`
    TIMEOUT: 5m
      unknown-verb: the time of an agent is a guard · remove this line, and write \`AGENT: … with max_time=5m\`
    IDLE: 5m
      unknown-verb: \`IDLE\` is not a verb · begin the line with a verb such as \`DO:\`, \`EMIT:\` or \`GOTO:\`, or make it a comment with \`# \`
    MAX_TURNS: 5
      unknown-verb: a limit of the run is one line at the margin · write \`LIMIT: transitions=5\`
      → LIMIT: transitions=5
    RUN: ls
      unknown-verb: \`RUN\` is not a verb · write \`DO\`
      two-runs: \`RUN\` and \`AGENT\` cannot both do the work of one step · split it into two steps, or remove one of the two
      → DO: ls
    TYPE: code
      unknown-verb: \`TYPE\` is not a verb · remove this line, and write \`type=code\` after the name of the step, as in \`STEP: name type=code\`"
  `);
});

test('entries of a RETRY', () => {
  const lines = [
    'ATTEMPT 2: AGENT: codex',
    'ATTEMPT 2 → codex',
    'ATTEMPT 2 → "Try harder."',
    '- ATTEMPT 2 → AGENT: codex',
    'attempt 2 -> prompt "x"',
    '2: codex',
    'after 2 → codex',
    'EXIT AFTER 3',
    'EXIT: 3',
    'EXIT 3 times',
    'EXIT = 5',
    'MAX 3',
    '3',
    'max_attempts: 3',
    'ON gate.test → AGENT: codex',
    'IF gate.test fails → AGENT: codex',
    'gate.test failed → codex',
    'NOT gate.test → "Mend the test."',
    'gate.test → "Mend the test."',
    'NOT gate.review AGENT: codex',
    'gate.test AGENT: codex',
    'test failed → AGENT: codex',
    'ELSE → AGENT: codex',
    'FALLBACK: codex',
    'BACKOFF: 5s',
  ];
  expect(lines.map((line) => said(RETRIES, line)).join('\n')).toMatchInlineSnapshot(`
    "ATTEMPT 2: AGENT: codex
      unexpected-text: \`:\` is unexpected here · write \`ATTEMPT 2 → AGENT: codex\`
      → ATTEMPT 2 → AGENT: codex
    ATTEMPT 2 → codex
      unknown-entry: \`codex\` is not an entry of \`RETRY\` · remove it
      retry-override: \`codex\` cannot be changed by a retry · a retry can change \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` and \`REPLAN\`, each once
    ATTEMPT 2 → "Try harder."
      unexpected-text: an entry of a RETRY says what changes · write \`ATTEMPT 2 → PROMPT "Try harder."\`
      → ATTEMPT 2 → PROMPT "Try harder."
    - ATTEMPT 2 → AGENT: codex
      agent-forces-session: \`codex\` cannot continue the session of another agent, so it starts a new one · make this explicit: add \`SESSION new\`
    attempt 2 -> prompt "x"
      unknown-entry: \`attempt\` is not an entry of \`RETRY\` · write \`ATTEMPT\`
      unknown-entry: \`prompt\` is not an entry of \`RETRY\` · write \`PROMPT\`
      → ATTEMPT 2 -> PROMPT "x"
    2: codex
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`DO: \` before a command, or make the line a comment with \`# \`
    after 2 → codex
      unknown-entry: an entry of a RETRY is \`ATTEMPT n\`, \`NOT gate.NAME\` or \`EXIT n\`, and after an arrow what changes · write \`ATTEMPT 3 → codex\`
      → ATTEMPT 3 → codex
    EXIT AFTER 3
      retry-number: EXIT needs a whole number of at least 1 · write \`EXIT 3\`
      → EXIT 3
    EXIT: 3
    EXIT 3 times
      unexpected-text: \`times\` is unexpected here · write \`EXIT 3\`
      → EXIT 3
    EXIT = 5
      unexpected-text: \`=\` is unexpected here · write \`EXIT 5\`
      → EXIT 5
    MAX 3
      unknown-entry: \`MAX\` is not an entry of \`RETRY\` · remove it
      retry-override: \`MAX\` cannot be changed by a retry · a retry can change \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` and \`REPLAN\`, each once
      retry-condition: this entry of RETRY does not say when it applies · every entry has one of ATTEMPT, NOT, VALIDATE and EXIT; write two entries
    3
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`DO: \` before a command, or make the line a comment with \`# \`
    max_attempts: 3
      unknown-entry: a RETRY says after how many attempts it ends · write \`RETRY: EXIT 3\`
      → RETRY: EXIT 3
    ON gate.test → AGENT: codex
      unknown-entry: an entry of a RETRY is \`ATTEMPT n\`, \`NOT gate.NAME\` or \`EXIT n\`, and after an arrow what changes · write \`NOT gate.test → AGENT: codex\`
      → NOT gate.test → AGENT: codex
    IF gate.test fails → AGENT: codex
      unknown-entry: an entry of a RETRY is \`ATTEMPT n\`, \`NOT gate.NAME\` or \`EXIT n\`, and after an arrow what changes · write \`NOT gate.test → AGENT: codex\`
      → NOT gate.test → AGENT: codex
    gate.test failed → codex
      unknown-entry: an entry of a RETRY is \`ATTEMPT n\`, \`NOT gate.NAME\` or \`EXIT n\`, and after an arrow what changes · write \`NOT gate.test → codex\`
      → NOT gate.test → codex
    NOT gate.test → "Mend the test."
      unexpected-text: an entry of a RETRY is \`ATTEMPT n\`, \`NOT gate.NAME\` or \`EXIT n\`, and after an arrow what changes · write \`NOT gate.test → PROMPT "Mend the test."\`
      → NOT gate.test → PROMPT "Mend the test."
    gate.test → "Mend the test."
      unknown-entry: an entry of a RETRY is \`ATTEMPT n\`, \`NOT gate.NAME\` or \`EXIT n\`, and after an arrow what changes · write \`NOT gate.test → PROMPT "Mend the test."\`
      → NOT gate.test → PROMPT "Mend the test."
    NOT gate.review AGENT: codex
      retry-changes-nothing: this entry of RETRY changes nothing · add \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` or \`REPLAN\`, or remove it
      unknown-gate: the step \`main\` has no gate \`review\` · its gates are \`gate.test\`
      unexpected-text: \`AGENT:\` is unexpected here · separate the entries with commas, and put texts of several words in quotes
      → (nothing)
    gate.test AGENT: codex
      unknown-entry: \`gate.test\` is not an entry of \`RETRY\` · remove it
      retry-override: \`gate.test\` cannot be changed by a retry · a retry can change \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` and \`REPLAN\`, each once
      retry-condition: this entry of RETRY does not say when it applies · every entry has one of ATTEMPT, NOT, VALIDATE and EXIT; write two entries
      unexpected-text: \`codex\` is unexpected here · separate the entries with commas, and put texts of several words in quotes
    test failed → AGENT: codex
      unknown-entry: an entry of a RETRY is \`ATTEMPT n\`, \`NOT gate.NAME\` or \`EXIT n\`, and after an arrow what changes · write \`NOT gate.test → AGENT: codex\`
      → NOT gate.test → AGENT: codex
    ELSE → AGENT: codex
      unknown-entry: an entry of a RETRY is \`ATTEMPT n\`, \`NOT gate.NAME\` or \`EXIT n\`, and after an arrow what changes · write \`ATTEMPT 2 → AGENT: codex\`
      → ATTEMPT 2 → AGENT: codex
    FALLBACK: codex
      unknown-entry: \`FALLBACK\` is not an entry of \`RETRY\` · remove it
      retry-override: \`FALLBACK\` cannot be changed by a retry · a retry can change \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` and \`REPLAN\`, each once
      retry-condition: this entry of RETRY does not say when it applies · every entry has one of ATTEMPT, NOT, VALIDATE and EXIT; write two entries
    BACKOFF: 5s
      unknown-entry: \`BACKOFF\` is not an entry of \`RETRY\` · remove it
      retry-override: \`BACKOFF\` cannot be changed by a retry · a retry can change \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` and \`REPLAN\`, each once
      retry-condition: this entry of RETRY does not say when it applies · every entry has one of ATTEMPT, NOT, VALIDATE and EXIT; write two entries"
  `);
});

test('entries of a GATE', () => {
  const lines = [
    '- compile',
    '- tests pass',
    '- `npm test`',
    '- bash: npm test',
    '- run npm test',
    '- command: "npm test"',
    '- name: unit',
    '- unit: npm test',
    '- validate: review',
    '- review',
    '- coverage > 80',
    '- coverage >= 80%',
    '- diff not empty',
    '- no changes',
    '- file exists x.txt',
    '- x.txt',
    '- exit 0',
    '- approve',
  ];
  expect(lines.map((line) => said(GATES, line)).join('\n')).toMatchInlineSnapshot(`
    "- compile
    - tests pass
      unexpected-text: \`pass\` is unexpected here · separate the entries with commas, and put texts of several words in quotes
    - \`npm test\`
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`DO: npm test\`
      → - DO: npm test
    - bash: npm test
      unexpected-text: the command of a gate is in quotes, after \`bash\` · write \`- bash "npm test" as test\`
      → - bash "npm test" as test
    - run npm test
      unexpected-text: the command of a gate is in quotes, after \`bash\` · write \`- bash "npm test" as test\`
      → - bash "npm test" as test
    - command: "npm test"
      unexpected-text: the command of a gate is in quotes, after \`bash\` · write \`- bash "npm test"\`
      → - bash "npm test"
    - name: unit
      unexpected-text: \`unit\` is unexpected here · separate the entries with commas, and put texts of several words in quotes
    - unit: npm test
      unexpected-text: \`npm\` is unexpected here · separate the entries with commas, and put texts of several words in quotes
    - validate: review
      unknown-workflow: there is no workflow \`review\` · write it to \`workflows/review.yaml\`
    - review
    - coverage > 80
      bad-coverage: \`coverage\` is followed by a number · write \`- coverage 80\`
      → - coverage 80
    - coverage >= 80%
      bad-coverage: \`coverage\` is followed by a number · write \`- coverage 80\`
      → - coverage 80
    - diff not empty
      operator-spelling: \`not empty\` is not an operator here · write \`is not empty\`
      → - diff is not empty
    - no changes
      unexpected-text: \`changes\` is unexpected here · separate the entries with commas, and put texts of several words in quotes
    - file exists x.txt
      unexpected-text: \`exists\` is unexpected here · separate the entries with commas, and put texts of several words in quotes
    - x.txt
      bad-gate-name: \`x.txt\` cannot be the name of a gate · write a name of letters, digits, \`_\` and \`-\` after \`as\`
    - exit 0
      unexpected-text: \`0\` is unexpected here · separate the entries with commas, and put texts of several words in quotes
    - approve"
  `);
});
