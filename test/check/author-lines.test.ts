/** What authors write who have read the guide and nothing else: the message shows the line that is meant, with their names. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are programs
import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../src/language/source/fix-text.js';
import { indented, inState, rememberingCompiler } from './author-program.js';

const PROGRAMS = new Set('cat curl date echo git jq ls make npm printf test'.split(' '));
const options = {
  lookups: {
    agents: { isKnown: () => true },
    onPath: (program: string) => PROGRAMS.has(program) || program.endsWith('.sh'),
  },
};

const compiled = rememberingCompiler(options);

/** The text after the fixes that messages offer. */
function corrected(text: string): string {
  const { diagnostics } = compiled(text);
  const edits = diagnostics.flatMap(({ code, severity, fixes = [] }) =>
    severity !== 'error' && code !== 'command-not-found' ? [] : (fixes[0]?.edits ?? []),
  );
  return edits.length === 0 ? text : corrected(applyEdits(text, edits));
}

const messages = (text: string) =>
  compiled(text).diagnostics.filter(({ severity, code }) => severity === 'error' || code === 'command-not-found');

const atEnd = (line: string) =>
  inState('PROCEED').replace('  RETURN: ok\n', `  GOTO: B with job, n\n${indented(line)}\n`);

const inLoop = (line: string) => inState(`FOR EACH: item in items:\n${indented(line)}`);

const above = (line: string) => `${line}\nSTATE: A\n  DO: job = ./job.sh\n  RETURN: {job}\n`;

const inStep = (line: string) =>
  `INPUT: spec\nSTEP: build\n  PROMPT: "Build {spec}."\n  GATE: lint as style\n${indented(line)}\n`;

const lines: readonly (readonly [string, string])[] = [
  ['IF: n > 3 → FAIL: {n} tests, at most {name}', 'IF: n > 3 → FAIL: "{n} tests, at most {name}"'],
  ['EMIT: DONE if dry', 'IF: dry → EMIT: DONE'],
  ['EMIT: DONE count={n} if n > 3', 'IF: n > 3 → EMIT: DONE count={n}'],
  ['INCREMENT: tries unless dry', 'IF: NOT (dry) → INCREMENT: tries'],
  ['SET: tries = 0 when n == 3', 'IF: n == 3 → SET: tries = 0'],
  ['WAIT: 5s if dry', 'IF: dry → WAIT: 5s'],
  ['IF: n > 3 → EMIT: X, RETURN: a, b  # why', 'IF: n > 3 → EMIT: X, RETURN: "a, b"  # why'],
  ['IF: n > 3 → FAIL: no, JSON, INCREMENT: tries', 'IF: n > 3 → FAIL: "no, JSON", INCREMENT: tries'],
  ['IF: n > 3 → RETURN: say "x", more', 'IF: n > 3 → RETURN: "say \\"x\\", more"'],
  ['DO: x = 1, y = 2', 'DO: x = 1\nDO: y = 2'],
  ['DO: x = n, y = name', 'DO: x = n\nDO: y = name'],
  ['DO: x = ./x.sh, y = ./y.sh', 'DO: x = ./x.sh\nDO: y = ./y.sh'],
  ['SET: done = [], tries = 0', 'SET: done = []\nSET: tries = 0'],
  ['tries = tries + 1', 'SET: tries = tries + 1'],
  ['DO: few = items[1:]', 'DO: few = slice(items, 1)'],
  ['DO: few = items[:2]', 'DO: few = slice(items, 0, 2)'],
  ['DO: few = items[-2:]', 'DO: few = slice(items, -2)'],
  ['DO: few = tail(items)', 'DO: few = slice(items, 1)'],
  ['DO: few = take(items, 2)', 'DO: few = slice(items, 0, 2)'],
  ['DO: few = first(items, n)', 'DO: few = slice(items, 0, n)'],
  ['DO: few = drop(items, 2)', 'DO: few = slice(items, 2)'],
  ['DO: text = "v" + n', 'DO: text = "v{n}"'],
  ['DO: all = append(items, "x")', 'DO: all = items + ["x"]'],
  ['SET: done = append(done, name)', 'SET: done = done + [name]'],
  ['DO: value = json.parse(job)', 'DO: value = parse_json(job)'],
  ['DO: yes = bool(name)', 'DO: yes = name == "true"'],
  ['DO: first = st.items.0.name', 'DO: first = st.items[0].name'],
  ['DO: both = n == 3 and dry', 'DO: both = n == 3 AND dry'],
  ['CHECK: both = n == 3 && not dry', 'DO: both = n == 3 AND NOT dry'],
  ['DO: same = name ~ "a"', 'DO: same = name matches "a"'],
  ['DO: sum=n + 1', 'DO: sum = n + 1'],
  ['DO: out =./x.sh', 'DO: out = ./x.sh'],
  ['DO: string out = ./x.sh', 'DO: out = ./x.sh'],
  ['DO: out: string = ./x.sh', 'DO: out = ./x.sh'],
  ['DO: out == ./x.sh', 'DO: out = ./x.sh'],
  ['DO: out = ./x.sh | trim', 'DO: printed = ./x.sh\nDO: out = trim(printed)'],
  ['DO: ./x.sh {env.HOME}', 'DO: ./x.sh $HOME'],
  ['DO: ./x.sh {HOME}', 'DO: ./x.sh $HOME'],
  ['DO: ./x.sh {items[*]}', 'DO: ./x.sh {items*}'],
  ['IF: name does not contain "x" → GOTO: B with job, n', 'IF: name not contains "x" → GOTO: B with job, n'],
  [`IF: name doesn't contain "x" → GOTO: B with job, n`, 'IF: name not contains "x" → GOTO: B with job, n'],
  [`IF: name doesn't match "x" → GOTO: B with job, n`, 'IF: NOT name matches "x" → GOTO: B with job, n'],
  ['IF: name begins with "x" → GOTO: B with job, n', 'IF: name starts with "x" → GOTO: B with job, n'],
  ['IF: name like "x%" → GOTO: B with job, n', 'IF: name starts with "x" → GOTO: B with job, n'],
  ['IF: name like "%x%" → GOTO: B with job, n', 'IF: name contains "x" → GOTO: B with job, n'],
  ['IF: name ~= "x" → GOTO: B with job, n', 'IF: name matches "x" → GOTO: B with job, n'],
  ['IF: name matches /x/i → GOTO: B with job, n', 'IF: name matches "(?i)x" → GOTO: B with job, n'],
  ['IF: name is blank → GOTO: B with job, n', 'IF: name is empty → GOTO: B with job, n'],
  ['IF: name is defined → GOTO: B with job, n', 'IF: name is not null → GOTO: B with job, n'],
  ['IF: name is unset → GOTO: B with job, n', 'IF: name is null → GOTO: B with job, n'],
  [`IF: items isn't empty → GOTO: B with job, n`, 'IF: items is not empty → GOTO: B with job, n'],
  ['IF: failed(st) → GOTO: B with job, n', 'IF: exit_code(st) != 0 → GOTO: B with job, n'],
  ['IF: status_code(st) == 0 → GOTO: B with job, n', 'IF: exit_code(st) == 0 → GOTO: B with job, n'],
  ['IF: st ok → GOTO: B with job, n', 'IF: exit_code(st) == 0 → GOTO: B with job, n'],
  ['IF: NOT exit_code(st) → GOTO: B with job, n', 'IF: exit_code(st) == 0 → GOTO: B with job, n'],
  ['IF: ./x.sh → GOTO: B with job, n', 'CHECK: tested = ./x.sh\nIF: exit_code(tested) == 0 → GOTO: B with job, n'],
  [
    'IF: NOT make test → GOTO: B with job, n',
    'CHECK: tested = make test\nIF: exit_code(tested) != 0 → GOTO: B with job, n',
  ],
  [
    'IF: $(make test) == "ok" → GOTO: B with job, n',
    'CHECK: printed = make test\nIF: printed == "ok" → GOTO: B with job, n',
  ],
  ['WAIT: 1h30m', 'WAIT: 90m'],
  ['WAIT: 1m30s', 'WAIT: 90s'],
  ['DO [timeout=1d12h]: ./x.sh', 'DO [timeout=36h]: ./x.sh'],
  ['WAIT: 1w', 'WAIT: 7d'],
  ['WAIT: for 5s', 'WAIT: 5s'],
  ['WAIT: event paid OR timeout=1m', 'WAIT: signal paid OR timeout=1m'],
  ['WAIT: signal: paid', 'WAIT: signal paid'],
  ['WAIT: signal paid every=5s', 'WAIT: signal paid'],
  [
    'ASK user: "Go?" → go choices=yes,no, default=no, deadline=1h',
    'ASK user: "Go?" → go choices=yes,no default=no deadline=1h',
  ],
  ['ASK claude: "Go?" → go', 'DO: go = Task(claude) "Go?"'],
  ['ASK team/ops: "Go?" → go', 'ASK user: "Go?" → go'],
  ['ASK user(ops): "Go?" → go', 'ASK user: "Go?" → go'],
  ['ASK user: "Go?" → go to=ops', 'ASK user: "Go?" → go'],
  ['ASK user: "Go?" → go type=number', 'ASK user: "Go?" → go'],
  ['INPUT: "Go?" → go', 'ASK user: "Go?" → go'],
  ['IF: n > 1 → NEXT: B with job, n', 'IF: n > 1 → GOTO: B with job, n'],
  ['IF: n > 1 → GOTO: state B with job, n', 'IF: n > 1 → GOTO: B with job, n'],
  ['IF: n > 1 → GOTO: B using job, n', 'IF: n > 1 → GOTO: B with job, n'],
  ['IF: n > 1 → GOTO: B with {job}, {n}', 'IF: n > 1 → GOTO: B with job, n'],
  ['IF: n > 1 → GOTO: B with job and n', 'IF: n > 1 → GOTO: B with job, n'],
  ['WHEN: n > 3 → GOTO: B with job, n', 'IF: n > 3 → GOTO: B with job, n'],
  ['DO: Agent(claude) "do it"', 'DO: Task(claude) "do it"'],
  ['DO: Task(claude, opus) "do it"', 'DO: Task(claude-opus) "do it"'],
  ['DO: Task(claude) "do it" model=opus', 'DO: Task(claude-opus) "do it"'],
  ['CALL: claude "do it"', 'DO: Task(claude) "do it"'],
  ['x = Task(claude) "do it"', 'DO: x = Task(claude) "do it"'],
  ['x = ./x.sh', 'DO: x = ./x.sh'],
  ['DO [continue-on-error=true]: ./x.sh', 'DO [ok=any]: ./x.sh'],
  ['DO [on_error=ignore]: ./x.sh', 'DO [ok=any]: ./x.sh'],
  ['DO [retry=3 backoff=2]: ./x.sh', 'DO [retry=3/1s..60s]: ./x.sh'],
  ['DO [retry=3,timeout=1m]: ./x.sh', 'DO [retry=3 timeout=1m]: ./x.sh'],
  ['DO [retry=3; timeout=1m]: ./x.sh', 'DO [retry=3 timeout=1m]: ./x.sh'],
  ['DO [accept=0,1; retries=2]: ./x.sh', 'DO [ok=0,1 retry=2]: ./x.sh'],
  ['DO [exit-codes=0,1]: ./x.sh', 'DO [ok=0,1]: ./x.sh'],
  ['DO [exit_code=0,1]: ./x.sh', 'DO [ok=0,1]: ./x.sh'],
  ['CHECK [ok=0,1 timeout=5s]: x = ./x.sh', 'CHECK [timeout=5s]: x = ./x.sh'],
  ['DO [undo=./y.sh]: ./x.sh', 'DO: ./x.sh\nUNDO: ./y.sh'],
  [
    'FOR EACH: i in items in PARALLEL(2):\n  DO: ./x.sh {i}',
    'FOR EACH: i in items in PARALLEL [max=2]:\n  DO: ./x.sh {i}',
  ],
  [
    'FOR EACH: i in items in PARALLEL [max=2 on_error=keep]:\n  DO: ./x.sh {i}',
    'FOR EACH: i in items in PARALLEL [max=2 on_failure=keep]:\n  DO: ./x.sh {i}',
  ],
  ['DO: in PARALLEL: ./x.sh, ./y.sh', 'DO: in PARALLEL:\n  - ./x.sh\n  - ./y.sh'],
  ['SET: tries -= 1', 'SET: tries = tries - 1'],
  ['CLEAR: done', 'SET: done = []'],
  ['APPEND: name to done', 'SET: done = done + [name]'],
  ['STORE: x = 3', 'TRACK: x = 3'],
  ['EMIT: DONE: count={n}', 'EMIT: DONE count={n}'],
  ['EMIT: DONE count=n + 1', 'EMIT: DONE count={n + 1}'],
  ['DO: x = other.dsl', 'DO: x = statedsl run other.dsl'],
  ['FLOW: other.dsl with a=1', 'DO: statedsl run other.dsl -i a=1'],
];

const lastLines: readonly (readonly [string, string])[] = [
  ['ON ERROR timeout → FAIL: late', 'ON ERROR timeout: → FAIL: late'],
  ['ON ERROR: timeout → FAIL: late', 'ON ERROR timeout: → FAIL: late'],
  [
    'ON ERROR timeout tool_failure: → FAIL: late',
    'ON ERROR timeout: → FAIL: late\nON ERROR tool_failure: → FAIL: late',
  ],
  ['ON ERROR: → FAIL: {err}', 'ON ERROR: → FAIL: {error}'],
  ['ON ERROR: → FAIL: {message} in {state}', 'ON ERROR: → FAIL: {error} in {from_state}'],
  ['ON ERROR: → CONTINUE', 'ON ERROR: → PROCEED'],
];

const heads: readonly (readonly [string, string])[] = [
  ['INPUT: a (number, default 3)', 'INPUT: a = 3 (number)'],
  ['INPUT: a (default: hello)', 'INPUT: a = "hello"'],
  ['INPUT: a = hello world', 'INPUT: a = "hello world"'],
  ['INPUT: a (one of: x, y) = x', 'INPUT: a = "x" (one of: x, y)'],
  ['INPUT: a in [x, y]', 'INPUT: a (one of: x, y)'],
  ['INPUT: a = "x" "the description"', 'INPUT: a = "x"  # the description'],
  ['PARAMS: a, b', 'INPUT: a\nINPUT: b'],
  ['ENV: a', 'INPUT: a'],
  ['LIMIT: transitions 200', 'LIMIT: transitions=200'],
  ['LIMIT: transitions: 200', 'LIMIT: transitions=200'],
  ['LIMIT: time=1h30m', 'LIMIT: time=90m'],
  ['BUDGET: 5.00', 'LIMIT: cost=5.00'],
  ['MAX_ITERATIONS: 50', 'LIMIT: transitions=50'],
  ['FLOW: my flow', '# FLOW: my flow'],
  ['PATTERN: P a b\n  DO: ./x.sh {a} {b}', 'PATTERN: P with a, b\n  DO: ./x.sh {a} {b}'],
  ['PATTERN: P with a b\n  DO: ./x.sh {a} {b}', 'PATTERN: P with a, b\n  DO: ./x.sh {a} {b}'],
  ['PATTERN: P with a, b=3:\n  DO: ./x.sh {a} {b}', 'PATTERN: P with a, b=3\n  DO: ./x.sh {a} {b}'],
  ['MACRO: P with a\n  DO: ./x.sh {a}', 'PATTERN: P with a\n  DO: ./x.sh {a}'],
];

const sections: readonly (readonly [string, string])[] = [
  ['AGENT: claude max_cost=2', 'AGENT: claude with max_cost=2'],
  ['AGENT: claude [timeout=10m]', 'AGENT: claude with max_time=10m'],
  ['AGENT: claude (opus)', 'AGENT: claude-opus'],
  ['MODEL: opus', 'AGENT: claude-opus'],
  ...['GATE: bash="make test"', 'GATE: run "make test"', 'CHECK: make test', 'TEST: make test'].map(
    (line) => [`AGENT: claude\n${line}`, 'AGENT: claude\nGATE: bash "make test"'] as const,
  ),
  ['AGENT: claude\nGATE: make test', 'AGENT: claude\nGATE: bash "make test" as test'],
  ['AGENT: claude\nGATE: bash make test', 'AGENT: claude\nGATE: bash "make test" as test'],
  ['AGENT: claude\nGATE: unit = bash "make test"', 'AGENT: claude\nGATE: bash "make test" as unit'],
  ['AGENT: claude\nGATE: unit: bash "make test"', 'AGENT: claude\nGATE: bash "make test" as unit'],
  ['AGENT: claude\nGATE: coverage >= 80', 'AGENT: claude\nGATE: coverage 80'],
  [
    'AGENT: claude\nRETRY:\n  IF: NOT gate.style → PROMPT "again"\n  EXIT 3',
    'AGENT: claude\nRETRY:\n  NOT gate.style → PROMPT "again"\n  EXIT 3',
  ],
  [
    'AGENT: claude\nRETRY:\n  gate.style failed → PROMPT "again"\n  EXIT 3',
    'AGENT: claude\nRETRY:\n  NOT gate.style → PROMPT "again"\n  EXIT 3',
  ],
  [
    'AGENT: claude\nRETRY:\n  ATTEMPT 2: PROMPT "again"\n  EXIT 3',
    'AGENT: claude\nRETRY:\n  ATTEMPT 2 → PROMPT "again"\n  EXIT 3',
  ],
];

/** Lines with a message that no fix can carry out, and a part of its help. */
const helped: readonly (readonly [string, string])[] = [
  [inState('DO: past = now() - n'), '`DO: begun = date +%s`'],
  [
    inState('DO: few = items - [name]'),
    '`FOR EACH: item in items:`, and in it `IF: item != name → SET: few = few + [item]`',
  ],
  [inState('IF: success() → GOTO: B with job, n'), '`ON ERROR: → …`'],
  [inState('IF: timed_out → GOTO: B with job, n'), '`ON ERROR timeout: → …`'],
  [inState('IF: cost > 5 → GOTO: B with job, n'), '`LIMIT: cost=5`'],
  [inState('IF: elapsed > 5m → GOTO: B with job, n'), '`LIMIT: time=5m`'],
  [
    inState('IF: exists "a.txt" → GOTO: B with job, n'),
    '`CHECK: found = test -e a.txt`, then `IF: exit_code(found) == 0 → GOTO: B with job, n`',
  ],
  [inState('WAIT: file a.txt OR timeout=1m'), '`WAIT: exit_code(found) == 0 OR timeout=1m every=5s`'],
  [inState('WAIT: ./x.sh OR timeout=1m'), '`CHECK: ready = ./x.sh`'],
  [inState('WAIT: until 18:00'), '`WAIT: {rest}s`'],
  [inState('WAIT: signal {name} OR timeout=1m'), '`WAIT: signal arrived OR timeout=1h`'],
  [inState('ASK user: "Go?" → go, reason'), 'then `ASK user: "…" → reason`'],
  [inState('NOTIFY: ops'), '`USE: NOTIFY with who="…", text="…"`'],
  [inState('SPAWN: ./x.sh'), '`DO: in PARALLEL:`'],
  [
    inState('DO: in PARALLEL:\n  - a = ./x.sh\n    b = ./y.sh'),
    '`PATTERN: A` at the margin, below it, indented deeper, `DO: a = ./x.sh`, then `DO: b = ./y.sh`, and `- USE: A`',
  ],
  [
    inState('DO: in PARALLEL:\n  - ./x.sh\n    ./y.sh'),
    '`- DO:`, and below it, indented deeper, `./x.sh`, then `./y.sh`',
  ],
  [inState('DO [max_cost=1]: Task(claude) "x"'), '`AGENT: claude with max_cost=2.5`'],
  [inState('FAIL'), '`FAIL: why`'],
  [inState('GOTO: {name}'), '`IF: name == "A" → GOTO: A`, `IF: name == "B" → GOTO: B`'],
  [inState('GOTO: {st.next}'), '`IF: st.next == "B" → GOTO: B`'],
  [inState('GOTO: $name'), '`IF: name == "A" → GOTO: A`'],
  [inState('IF: n > 3 → GOTO: st.next'), '`IF: st.next == "A" → GOTO: A`'],
  [inState('CONTINUE'), '`PROCEED` to go on with the next line, or `GOTO: A`'],
  [inState('IF: n > 3 → CONTINUE'), '`IF: n > 3 → PROCEED`'],
  [inLoop('IF: item == "a" → CONTINUE\nDO: ./x.sh'), '`IF: item != "a" →`, and the rest of the turn below it'],
  [inLoop('IF: item == "a" → skip\nDO: ./x.sh'), '`IF: item != "a" →`, and the rest of the turn below it'],
  [inLoop('IF: dry → EMIT: X, CONTINUE\nDO: ./x.sh'), '`IF: dry → EMIT: X`, then `ELSE →`, and the rest of the turn'],
  [inLoop('IF: dry:\n  CONTINUE\nDO: ./x.sh'), '`IF: NOT dry →`, and the rest of the turn below it'],
  [inLoop('IF: dry →\n  EMIT: X\n  CONTINUE\nDO: ./x.sh'), '`ELSE →` instead of it'],
  [inLoop('IF: n > 3 → BREAK'), '`IF: n > 3 → GOTO: AFTER`, and put what follows the loop into `STATE: AFTER`'],
  [inLoop('IF: n > 3 → EMIT: X, BREAK'), '`IF: n > 3 → EMIT: X, GOTO: AFTER`'],
  [inLoop('BREAK'), '`GOTO: AFTER`'],
  [inState('FOR EACH: item in items in PARALLEL:\n  BREAK'), '`FOR EACH: … in PARALLEL [quorum=1]`'],
  [inState('WHILE: tries < n:\n  DO: ./x.sh'), '`STATE: LOOP`, below it `IF: tries >= n → GOTO: AFTER`, the lines'],
  [inState('while NOT dry\n  DO: ./x.sh'), 'below it `IF: dry → GOTO: AFTER`'],
  [inState('WHILE: true:\n  DO: ./x.sh'), '`STATE: LOOP`, below it the lines of the loop and `GOTO: LOOP`'],
  [inState('UNTIL: n > 3 AND dry:\n  DO: ./x.sh'), '`IF: n > 3 AND dry → GOTO: AFTER`'],
  [inState('WHILE: job2 is null:\n  CHECK: job2 = ./x.sh'), '`WAIT: job2 is not null OR timeout=10m every=5s`'],
  [inState('REPEAT:\n  DO: ./x.sh\nUNTIL: n > 3'), '`IF: n <= 3 → GOTO: LOOP`'],
  [
    inState('SWITCH: name\n  CASE "a", "b": GOTO: A\n  CASE 3: RETURN: x\n  DEFAULT: FAIL: y'),
    '`IF: name == "a" OR name == "b" → GOTO: A`, then `ELSE IF: name == 3 → RETURN: x`, then `ELSE → FAIL: y`',
  ],
  [
    inState('match name:\n  case "a":\n    DO: ./x.sh\n  case _:\n    RETURN: y'),
    '`IF: name == "a" →`, then `ELSE →`, each with its lines below it',
  ],
  [inState('ROUTE BY: name\n  a → B\n  else → A'), '`IF: name == "a" → GOTO: B`, then `ELSE → GOTO: A`'],
  [
    inState('MATRIX: os=[linux, mac] node=[18, 20]\n  DO: ./x.sh'),
    '`FOR EACH: os in ["linux", "mac"]:`, below it, indented deeper, `FOR EACH: node in [18, 20] in PARALLEL:`',
  ],
  [inState('strategy:\n  matrix:\n    os: [linux, mac]'), '`FOR EACH: os in ["linux", "mac"] in PARALLEL:`'],
  [inState('MATRIX: items\n  DO: ./x.sh'), '`FOR EACH: item in items in PARALLEL:`'],
  [
    inState('FOR EACH: os in items, v in [1, 2]:\n  DO: ./x.sh {os} {v}'),
    '`FOR EACH: os in items:`, below it, indented deeper, `FOR EACH: v in [1, 2]:`',
  ],
  [inState('SEND: done'), '`DO: ./send.sh "…"`'],
  [inState('SUBFLOW: other with a=1'), '`DO: statedsl run other.dsl`'],
  [above('LIMIT: retries=3'), '`DO [retry=3]: …`'],
  [above('LIMIT: concurrency=3'), '`in PARALLEL [max=3]`'],
  [inState('IF: n > 3 → FAIL: took {n}, more than {n} seconds'), '`FAIL: "took {n}, more than {n} seconds"`'],
  [atEnd('ON ERROR exit_code == 3: → FAIL: three'), '`IF: exit_code == 3 → FAIL: three`'],
  [above('SCHEDULE: "0 * * * *"'), '`cron: "0 * * * *"`'],
  [above('EVERY: 5m'), '`schedules:`'],
  [above('START: A'), 'put `STATE: A` above the other states'],
  [above('DEFAULTS: timeout=5m'), '`DO [timeout=5m retry=2]: …`'],
  [above('INPUT:\n  a\n  b'), '`INPUT: name` for each of them'],
  [inStep('AGENT: claude\nTYPE: code'), '`STEP: name type=code`'],
  [inStep('AGENT: claude\nTIMEOUT: 10m'), '`AGENT: … with max_time=10m`'],
];

describe('a line of an author who has read one page', () => {
  test.each([
    ...lines.map(([written, meant]) => [inState(written), inState(meant)] as const),
    ...lastLines.map(([written, meant]) => [atEnd(written), atEnd(meant)] as const),
    ...heads.map(([written, meant]) => [above(written), above(meant)] as const),
    ...sections.map(([written, meant]) => [inStep(written), inStep(meant)] as const),
  ])('%j means %j', (written, meant) => {
    expect(corrected(written)).toBe(meant);
    expect(messages(written).length).toBe(written === meant ? 1 : Math.max(1, messages(written).length));
  });

  test.each(helped)('%j has one message', (program, help) => {
    const found = messages(program);
    expect(found.map((one) => one.help).join('\n')).toContain(help);
    expect(found.length).toBe(1);
  });
});
