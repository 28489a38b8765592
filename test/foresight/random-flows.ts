/**
 * Random programs with everything that programs have: effects of each kind, retries, questions, signals, waits, branches,
 * patterns, steps with gates, handlers and unknown inputs. Many have errors; these are left out.
 */

type Random = (below: number) => number;

const VALUES = ['1', '"skip"', '"ok"', 'true', '2.5', 'null', '0', '""', '[1]', '{"a": 1}'];
const INPUTS = [
  'lim (number)',
  'mode = "a" (one of: a, b, ok)',
  'txt (string)',
  'any',
  'flag (boolean)',
  'obj (object)',
];
const PATTERNS: readonly (readonly string[])[] = [
  ['  IF: p == q → INCREMENT: n', '  IF: n > q → RETURN: pattern'],
  ['  CHECK: r = cat pat', '  IF: r == p → RETURN: pattern', '  IF: r == q → INCREMENT: n'],
  ['  IF: p is not empty →', '    DO: echo {p}', '  ELSE → INCREMENT: n'],
  ['  CHECK: r = cat pat', '  IF: r == p → RETURN: pattern', '  ON ERROR bad_value: → RETURN: failed'],
];
/** Expressions of a value. */
const EXPRESSIONS = [
  '# + 1|# - 1|# * 2|# / 2|# % 2|-#|# + #|n + 1|n - m|n * m|len(#)|"a{#}"|default(#.a?, 0)|upper(#)|trim(#)|int(#)|string(#)',
  'json(#)|[#, n]|{"a": #}|min(#, 3)|max(n, m)|sum([n, #])|floor(#)|round(#)|abs(#)|slice(#, 0, 1)|replace(#, "o", "0")|#.a',
  'split(#, "k")|parse_json(#)|#|version(#)',
].flatMap((all) => all.split('|'));
const CONDITIONS = [
  '# == %|# != %|# == #|# < #|# >= #|# > 1|# <= 2.5|# < "k"|# is empty|# is not empty|# is null|# is not null|# exists|#.a exists',
  '#.a? is not null|#.a == %|#|len(#) > 1|len(#) == 0|# contains "k"|# contains 1|# in [1, 2]|# not in ["ok", "skip"]|# in "skip ok"',
  '# matches "^[a-z]+$"|# starts with "s"|# ends with "k"|# is valid JSON|upper(#) == "OK"|int(#) > 1|"a{#}" == "aok"|# + 1 > 2',
  '# + # == 2|n + m > 2|n >= 2|n == 1|n > 3|m <= 0|m == 1|t == %|t.a? == 1|# % 2 == 0|default(#, 1) == 1|string(#) == "1"|#[0] == 1',
  'lower(#) == #|n >= 2 AND # == 1|n >= 2 OR # == 1|NOT (# == "ok" OR n == 1)|# is not null AND # > 1|trim(#) is empty',
  'version(#) >= version("1.2")|version(#) == version(#)|version(#) in [version(1), version("1.2")]',
].flatMap((all) => all.split('|'));
const ACTIONS = [
  'RETURN: done|GOTO: @|GOTO: @|GOTO: @ with e=%|GOTO: @ with e={#}|INCREMENT: n|INCREMENT: m by -1|INCREMENT: n by 2|SET: n = 0',
  'SET: t = #|SET: m = n|SET: t = [n]|EMIT: SEEN n={n}|FAIL: no|FAIL: no with v={#}|SET: n += 1|PROCEED',
].flatMap((all) => all.split('|'));

/** A local is written as `$`, which becomes a new name; `~` begins a line of the block below. */
const EFFECTS = [
  'CHECK: $ = cat v',
  'CHECK [timeout=5s]: $ = cat v',
  'CHECK [retry=1]: $ = cat v',
  'DO: $ = cat w',
  'DO [timeout=3s retry=1]: $ = cat w',
  'DO [retry=2 retry_on=exit:2]: make it',
  'DO [once ok=0,2]: make it',
  'DO: $ = Task(claude) "do {n}"',
  'ASK user: "really?" → $ choices=yes,no,ok',
  'ASK user: "really?" → $ default=x deadline=1h',
  'WAIT: signal SIG OR timeout=24h\nIF: timed_out OR SIG is null → !',
  'WAIT: signal SIG\nIF: SIG == 1 → !',
  'WAIT: 5s',
  'WAIT: $ == "ok" OR timeout=2s every=1s\n~CHECK: $ = cat poll\nIF: timed_out → !',
  'DO: in PARALLEL\n~- $ = cat a\n~- make b',
  'DO: in PARALLEL [quorum=1]\n~- $ = cat a\n~- make b',
  'DO: in PARALLEL [on_failure=keep]\n~- $ = cat a\n~- make b\nIF: failures is not empty → !',
  'DO: in PARALLEL\n~- $ = cat a\n~- make b\nWAIT: All 2 complete OR timeout=10s\nIF: timed_out → !',
  'DO: in PARALLEL\n~- $ = cat a\n~- make b\nWAIT: All 2 complete OR timeout=10s (quorum=1)',
  'FOR EACH: it in [1, 2]:\n~IF: it == t → !',
  'FOR EACH: it in ["ok", n] [on_failure=keep]:\n~DO: cat {it}',
  'FOR EACH: it in ["ok", "x"] in PARALLEL:\n~DO: $ = cat {it}\nIF: "ok" in $ → !',
  'IF: exit_code(made) == 2 → !',
];
/** What is undone, and when. */
const UNDONE = [
  'DO: make it\nUNDO: make back {n}',
  'DO [once]: make it\nUNDO [retry=1]: make back',
  'DO: $ = cat w\nUNDO: make back {$}',
  'FOR EACH: it in [1, 2]:\n~DO: make {it}\n~UNDO: make back {it}',
  'FOR EACH: it in ["a", "b"] in PARALLEL [on_failure=keep]:\n~DO: make {it}\n~UNDO: make back {it}\n~IF: n == 1 → ROLLBACK',
  'ROLLBACK',
  'ROLLBACK\nIF: rollback.failed is not empty → !',
  'IF: n == 1 → ROLLBACK, INCREMENT: n',
];
/** Lists of unknown length. */
const LISTS = [
  'CHECK: $ = cat list\nFOR EACH: it in $:\n~DO: make {it}',
  'CHECK: $ = cat list\nFOR EACH: it in $ [on_failure=keep]:\n~DO: make {it}\nIF: failures is not empty → !',
  'CHECK: $ = cat list\nFOR EACH: it in $:\n~IF: it == 1 → !\n~INCREMENT: n',
  'CHECK: $ = cat list\nFOR EACH: it in $ in PARALLEL:\n~DO: make {it}',
  'CHECK: $ = cat list\nIF: $ is empty → !\nFOR EACH: it in $ in PARALLEL:\n~CHECK: got$ = cat {it}\n~IF: got$ == 1 → FAIL: no',
  'CHECK: $ = cat list\nFOR EACH: it in $ in PARALLEL:\n~IF: it == 1 → EMIT: SEEN n={n}\n~IF: it == "ok" → FAIL: no\n~DO [timeout=5s]: make {it}',
  'CHECK: $ = cat list\nFOR EACH: it in $ in PARALLEL:\n~CHECK: got$ = cat {it}\nDO: show {got$} {$}',
  'CHECK: $ = cat list\nFOR EACH: it in $ in PARALLEL [max=1]:\n~DO [retry=1]: make {it}',
  'CHECK: $ = cat list\nFOR EACH: it in $ in PARALLEL [on_failure=keep]:\n~DO: make {it}\nIF: failures is not empty → !',
  'CHECK: $ = cat list\nFOR EACH: it in $ in PARALLEL:\n~CHECK: got$ = cat {it}\nIF: "ok" in got$ → !',
  'CHECK: $ = cat list\nFOR EACH: it in $ in PARALLEL [quorum=1]:\n~DO: make {it}',
  'CHECK: $ = cat list\nFOR EACH: it in $:\n~FOR EACH: one in [1, 2]:\n~  DO: make {it}{one}',
  'CHECK: $ = cat list\nIF: len($) > 1 → !\nFOR EACH: it in $:\n~EMIT: SEEN it={it}',
];
/** Calls of tools and plans. */
const CALLS = [
  'CALL: get → †state.x',
  'CALL: get → †state.x\nIF: †state.x.a? == 1 → !',
  'CALL [method=set]: get → †state.x',
  'CALL [retry=1]: put with a=1 → †state.y',
  'CALL: pay → †state.paid || †state.refused\nIF: †state.paid exists → !',
  'CALL [timeout=5s]: $ = get\nIF: $ == "ok" → !',
  'CALL: pay → †state.p\nUNDO: make back',
  'CALL: $ = ask\nIF: $ == "ok" → !',
  'CALL: $ = cheap\nIF: $ == "ok" → !',
  'CALL [retry=1 retry_on=limit]: $ = ask',
  'PLAN: "two.json" → $\nIF: $ == 1 → !',
  'FOR EACH: it in [1, 2] in PARALLEL:\n~CALL: got$ = get with a={it}\n~IF: got$ == "ok" → FAIL: no',
  'WAIT: $ == 1 OR timeout=4s every=2s\n~CALL: $ = get',
];
const STEPS = [
  'STEP: $\n~PROMPT: "make it"\n~AGENT: claude with max_turns=3\n~GATE: bash "npm test" as unit, touched "src/**"\n~RETRY:\n~  NOT gate.unit → PROMPT "again {error}"\n~  EXIT 2',
  'STEP: $ type=validate\n~PROMPT: "good?"\n~AGENT: claude\nIF: "{$.comments}" == "bad" → !',
  'STEP: $ type=artifact\n~DO: make it\n~IF: n == 0 → INCREMENT: n\n~GATE: expr n < 2\n~RETRY:\n~  EXIT 3\nIF: "{$.status}" == "pass" → !',
  'STEP: $\n~DO: make it\n~GATE: untouched "src/**"',
  'STEP: $ type=validate\n~DO: make it\n~RETRY:\n~  ATTEMPT 2 → WORKTREE reset\n~  EXIT 3',
  'STEP: $\n~STEP: one\n~  DO: make it\n~STEP: two\n~  DO: make that\n~  GATE: bash "npm test"\nIF: "{@/$/two.status}" == "pass" → !',
  'STEP: $ parallel\n~STEP: one\n~  DO: make it\n~STEP: two\n~  DO: make that',
  'STEP: $ type=artifact\n~PROMPT: "write"\n~AGENT: claude\n~GATE: schema "any.json"\nIF: "{$.output}" == "ok" → !',
];
/** Steps with tasks. */
const SPLITS = [
  'STEP: $ type=split\n~PROMPT: "divide"\n~AGENT: claude\n~EACH:\n~  STEP: build\n~    DO: make {task.name}',
  'STEP: $ type=split\n~PROMPT: "divide"\n~AGENT: claude\n~EACH [parallel]:\n~  STEP: build\n~    DO: make {task.name}\n~    GATE: bash "npm test"',
  'STEP: $ type=split\n~PROMPT: "divide"\n~AGENT: claude\n~EACH:\n~  STEP: build type=code\n~    PROMPT: "do {task.name}"\n~    SESSION: from=$\n~    AGENT: claude\n~    GATE: bash "npm test" as unit\n~    RETRY:\n~      EXIT 2',
  'STEP: $ type=split\n~DO: make tasks\n~EACH:\n~  STEP: build\n~    DO: make {task.name}\n~    IF: n == 0 → INCREMENT: n',
];

/** Agents: a call of `dear` may cost so much, and one of `claude` has no limit. */
export const MAX_COST: Readonly<Record<string, number>> = { dear: 0.1, cheap: 0.03 };
const AGENTS = [
  'DO: $ = Task(dear) "do {n}"',
  'DO: Task(dear) "do it"\nIF: n == 1 → !',
  'CHECK: $ = Task(dear) "is it"\nIF: $ == 1 → !',
  'DO [retry=1 retry_on=limit]: $ = Task(dear) "do it"',
  'DO [retry=1 retry_on=timeout timeout=5s]: Task(dear) "do it"',
  'DO [retry=2]: $ = Task(claude) "do it"',
  'DO: in PARALLEL [quorum=1]\n~- $ = Task(dear) "left"\n~- Task(claude) "right"',
  'DO: in PARALLEL [on_failure=keep]\n~- $ = Task(dear) "left"\n~- make b\nIF: failures is not empty → !',
  'FOR EACH: it in ["a", "b"] in PARALLEL [max=1]:\n~DO: $ = Task(dear) "do {it}"',
  'STEP: $\n~PROMPT: "make it"\n~AGENT: dear\n~RETRY:\n~  EXIT 2',
  'STEP: $\n~PROMPT: "make it"\n~AGENT: claude with max_cost=0.2\n~GATE: bash "npm test"\n~RETRY:\n~  ATTEMPT 2 → AGENT dear\n~  EXIT 2',
];
/** Exit codes that count as success, and what is said of others. */
const CODES = [
  'DO [ok=2]: made = make it',
  'DO [ok=2]: make it',
  'DO [ok=1,3 retry=1 retry_on=exit:0]: make it',
  'DO [ok=2 retry=1]: $ = cat w',
  'DO [ok=2 once]: make it',
  'DO: in PARALLEL [on_failure=keep]\n~- DO [ok=2]: $ = cat a\n~- make b\nIF: failures is not empty → !',
  'FOR EACH: it in [1, 2] [on_failure=keep]:\n~DO [ok=2]: make {it}\nIF: failures is not empty → !',
  'DO [ok=2]: make it\nUNDO: make back',
];
/** Rounds of a WAIT, whose pauses may be short by chance, and which call the same more than once. */
const POLLS = [
  'WAIT: $ == "ok" OR timeout=3s every=1s..2s\n~CHECK: $ = cat poll',
  'WAIT: $ == "ok" OR timeout=2s every=1s\n~CHECK: $ = cat poll\n~CHECK: $ = cat poll',
  'WAIT: $ == "ok" OR timeout=2s every=1s\n~CHECK: $ = cat poll\n~IF: $ == 1 → DO: make it, DO: make it',
  'WAIT: $ == "ok" OR timeout=2s every=1s\n~CHECK [retry=1/1s..2s]: $ = cat poll',
  'WAIT: $ == "ok" OR timeout=2s every=1s..1s\n~DO: in PARALLEL\n~  - $ = cat poll\n~  - make it',
  'USE: POLL',
  'USE: POLL\nUSE: POLL',
  'FOR EACH: it in [1, 2]:\n~USE: POLL',
];
const POLL = [
  ['  WAIT: x == "ok" OR timeout=2s every=1s', '    CHECK: x = cat v'],
  ['  WAIT: x == "ok" OR timeout=3s every=1s..2s', '    CHECK: x = cat v'],
  ['  WAIT: x == "ok" OR timeout=1s every=1s', '    CHECK: x = cat v', '    CHECK: x = cat v'],
];

/** Retries that begin with an earlier step or divide the step, and steps inside steps that have both. */
const AGAIN = [
  'STEP: one$\n~DO: make it\nSTEP: $\n~DO: make that\n~GATE: bash "npm test"\n~RETRY:\n~  ATTEMPT 2 → RESTART_FROM one$\n~  EXIT 2',
  'STEP: one$\n~PROMPT: "tests"\n~AGENT: dear\n~RETRY:\n~  EXIT 2\nSTEP: $ type=artifact\n~PROMPT: "make it"\n~AGENT: claude\n~RETRY:\n~  ATTEMPT 2 → RESTART_FROM one$, AGENT dear, SESSION new\n~  EXIT 3',
  'STEP: one$\n~DO: make it\nSTEP: mid$\n~DO: make mid\n~GATE: bash "npm test"\n~RETRY:\n~  ATTEMPT 2 → RESTART_FROM one$\n~  EXIT 2\nSTEP: $\n~DO: make last\n~RETRY:\n~  ATTEMPT 2 → RESTART_FROM mid$\n~  EXIT 2',
  'STEP: $\n~PROMPT: "make it"\n~AGENT: claude\n~GATE: bash "npm test"\n~RETRY:\n~  ATTEMPT 2 → REPLAN dear\n~  EXIT 2',
  'STEP: $ type=artifact\n~PROMPT: "make it"\n~AGENT: dear\n~RETRY:\n~  ATTEMPT 2 → REPLAN claude\n~  ATTEMPT 3 → AGENT claude, SESSION new\n~  EXIT 3',
  'STEP: $\n~STEP: one\n~  DO: make it\n~  RETRY:\n~    EXIT 2\n~STEP: two\n~  DO: make that\n~  GATE: bash "npm test"\n~  RETRY:\n~    ATTEMPT 2 → RESTART_FROM one\n~    EXIT 2\n~RETRY:\n~  EXIT 2',
  'STEP: $\n~STEP: one\n~  DO: make it\n~STEP: two\n~  DO: make that\n~  GATE: expr n < 1\n~GATE: bash "npm test"\n~RETRY:\n~  ATTEMPT 2 → RESTART_FROM one, WORKTREE reset\n~  EXIT 2',
  'STEP: $ parallel\n~STEP: one\n~  DO: make it\n~  GATE: bash "npm test"\n~  RETRY:\n~    EXIT 2\n~STEP: two\n~  DO: make that\n~RETRY:\n~  EXIT 2',
  'STEP: $\n~DO [retry=1 ok=2]: make it\n~GATE: bash "npm test" as unit, expr n < 2\n~RETRY:\n~  NOT gate.unit → WORKTREE reset\n~  EXIT 2\nIF: "{$.attempt}" == "2" → !',
  'FOR EACH: it in [1, 2]:\n~STEP: $\n~  DO: make {it}\n~  RETRY:\n~    EXIT 2',
  'STEP: $\n~PROMPT: "make it"\n~AGENT: dear with max_turns=2, max_cost=0.2\n~GATE: bash "npm test" as unit\n~RETRY:\n~  NOT gate.unit → PROMPT "again {error}"\n~  EXIT 2\nIF: "{$.gate.unit}" == "false" → !',
];
/** Members of which not all must succeed, or that nobody waits for. */
const MEMBERS = [
  'DO: in PARALLEL [quorum=1]\n~- $ = cat a\n~- DO [retry=1]: make b\nIF: $ is null → !',
  'DO: in PARALLEL [quorum=1 on_failure=keep]\n~- $ = cat a\n~- make b\nIF: failures is not empty → !',
  'DO: in PARALLEL [max=1]\n~- $ = cat a\n~- DO [timeout=3s]: make b',
  'DO: in PARALLEL\n~- $ = cat a\n~- DO [ok=2]: make b\nWAIT: All 2 complete OR timeout=10s (quorum=1)\nIF: timed_out → !',
  'DO: in PARALLEL [quorum=1]\n~- $ = Task(dear) "left"\n~- DO [ok=0,2]: make b\nIF: exit_code($) == 2 → !',
  'DO: in PARALLEL [on_failure=keep]\n~- $ = cat a\n~- DO [once]: make b\nIF: failures[0].error_type == "in_doubt" → !',
  'FOR EACH: it in [1, 2] in PARALLEL [quorum=1]:\n~DO: make {it}',
  'FOR EACH: it in [1, 2] in PARALLEL [quorum=1 on_failure=keep]:\n~DO: make {it}\nIF: failures is not empty → !',
  'FOR EACH: it in [1, 2] in PARALLEL [on_failure=keep]:\n~CHECK: got$ = cat {it}\nIF: "ok" in got$ → !',
];
/** Numbers that no number of JavaScript is, and conditions on them. */
const HUGE = [
  'CHECK: $ = cat id\nIF: $ == 9007199254740993 → !\nIF: $ == 9007199254740992 → !',
  'CHECK: $ = cat id\nIF: $ > 9007199254740992 → !\nIF: $ >= 9007199254740993 → !\nIF: $ < 9007199254740994 → !',
  'CHECK: $ = cat id\nIF: $ in [9007199254740993, 9007199254740995] → !\nIF: $ == 9007199254740994 → !',
  'CHECK: $ = cat id\nIF: NOT ($ == 9007199254740993) → !\nIF: $ > 9007199254740992 → !',
  'CHECK: $ = cat id\nSET: t = $\nIF: t == 9007199254740993 → !\nIF: int(t) == 9007199254740993 → !',
  'CHECK: $ = cat id\nIF: $ == 1.10 → !\nIF: $ == 1.1 → !',
  'CHECK: $ = cat id\nIF: $ > 9007199254740992 AND $ < 9007199254740994 → !\nIF: "a{$}" == "a9007199254740993" → !',
  'CHECK: $ = cat id\nIF: max($, 9007199254740992) == 9007199254740993 → !',
  'CHECK: $ = cat id\nIF: $.a? == 1.1 AND "x{$.a}" == "x1.10" → !\nIF: $.a? == 1.1 → GOTO: @',
  'CHECK: $ = cat id\nIF: len($) > 0 AND $[0]? == 1.1 → !\nIF: "x{$[0]}" == "x1.10" → !',
  'CHECK: $ = cat id\nSET: t = $\nIF: max(t, 1) == 1.1 AND "x{max(t, 1)}" == "x1.10" → !',
];

/** Calls of agents wherever a program can have one: `SPEND` is a pattern, and `work` a tool. */
const SPENDING = [
  'DO: $ = Task(dear) "do it"',
  'DO [retry=1]: Task(dear) "do it"',
  'DO [retry=2 retry_on=timeout,limit timeout=5s]: Task(cheap) "do it"',
  'CHECK [retry=1]: $ = Task(cheap) "is it"\nIF: $ == 1 → !',
  'USE: SPEND',
  'USE: SPEND\nUSE: SPEND',
  'CALL: $ = ask',
  'CALL: $ = cheap',
  'CALL [retry=1]: $ = ask',
  'CALL: pay → †state.p\nUNDO: Task(cheap) "pay back"',
  'DO: make it\nUNDO: Task(dear) "make back"',
  'DO: Task(cheap) "make it"\nUNDO [retry=1]: Task(dear) "make back"',
  'FOR EACH: it in [1, 2]:\n~DO: make {it}\n~UNDO: Task(cheap) "make back {it}"\n~IF: n == 1 → ROLLBACK',
  'ROLLBACK',
  'KEEP',
  'FOR EACH: it in [1, 2]:\n~DO: Task(dear) "do {it}"',
  'FOR EACH: it in [1, 2]:\n~FOR EACH: one in ["a", "b"]:\n~  DO: Task(cheap) "do {it} {one}"',
  'FOR EACH: it in [1, 2] [on_failure=keep]:\n~DO [retry=1]: Task(dear) "do {it}"',
  'FOR EACH: it in [1, 2] in PARALLEL [max=1]:\n~DO: Task(cheap) "do {it}"',
  'FOR EACH: it in [1, 2] in PARALLEL [quorum=1]:\n~DO: Task(dear) "do {it}"',
  'DO: in PARALLEL [quorum=1 on_failure=keep]\n~- $ = Task(dear) "left"\n~- DO [retry=1]: Task(cheap) "right"',
  'DO: in PARALLEL\n~- Task(dear) "left"\n~- Task(dear) "right"',
  'DO: in PARALLEL\n~- $ = Task(dear) "left"\n~- make b\nWAIT: All 2 complete OR timeout=10s (quorum=1)',
  'WAIT: $ == "ok" OR timeout=2s every=1s\n~CHECK: $ = Task(cheap) "is it"',
  'WAIT: $ == "ok" OR timeout=2s every=1s\n~DO [retry=1]: Task(cheap) "try"\n~CHECK: $ = cat poll',
  'STEP: one$\n~PROMPT: "make it"\n~AGENT: dear\n~RETRY:\n~  EXIT 2\nSTEP: $\n~PROMPT: "more"\n~AGENT: cheap\n~RETRY:\n~  ATTEMPT 2 → RESTART_FROM one$\n~  EXIT 2',
  'STEP: $\n~PROMPT: "make it"\n~AGENT: dear with max_cost=0.04\n~GATE: bash "npm test"\n~RETRY:\n~  ATTEMPT 2 → AGENT cheap, SESSION new\n~  EXIT 3',
  'STEP: $ type=validate\n~PROMPT: "good?"\n~AGENT: cheap\n~RETRY:\n~  EXIT 2',
  'STEP: $ parallel\n~STEP: one\n~  PROMPT: "one"\n~  AGENT: cheap\n~STEP: two\n~  PROMPT: "two"\n~  AGENT: dear',
];
const SPEND = [
  ['  DO: Task(cheap) "in a pattern"'],
  ['  DO [retry=1]: Task(dear) "in a pattern"', '  ON ERROR: → RETURN: no'],
  ['  CHECK: r = Task(cheap) "is it"', '  IF: r == 1 → RETURN: pattern'],
];

/** Blocks within blocks, states as values of patterns, members of values, and deadlines: `JUMP`, `OUTER` and `TRY` are patterns. */
const MIXED = [
  'USE: JUMP with to=@',
  'USE: JUMP with to=@, q=1\nUSE: JUMP with to=@',
  'USE: OUTER with p={n}',
  'USE: OUTER with p="ok"\nUSE: OUTER with p=1',
  'USE: TRY\nIF: tried == 1 → !',
  'CHECK: $ = cat v\nIF: $.a?.b? == 1 → !\nIF: $.a.b exists → !',
  'CHECK: $ = cat v\nSET: t = {"a": $, "b": [$, n]}\nIF: t.a == 1 → !\nIF: t.b[1] > 0 → !\nIF: len(t.b) == 2 → !',
  'CHECK: $ = cat v\nSET: t = [$, $]\nIF: t[0] == t[1] → !\nIF: unique(t) == [$] → !',
  'CHECK: $ = cat v\nSET: t = default($.a?, {"b": 1})\nIF: t.b? == 1 → !\nIF: keys({"k": $}) == ["k"] → !',
  'CHECK: $ = cat v\nSET: t = $\nIF: t is null →\n~IF: n == 0 → !\nELSE IF: t == 1 → !\nELSE → !',
  'ASK user: "really?" → $ choices=yes,no default=yes deadline=1h\nIF: $ == "yes" → !\nIF: $ == "no" → !',
  'ASK user: "really?" → $ choices=yes,no default=no deadline=1h\nIF: $ == "no" → !',
  'FOR EACH: it in [1, 2]:\n~ASK user: "really {it}?" → $ choices=yes,no default=no deadline=1h\n~IF: $ == "yes" → !',
  'WAIT: signal SIG OR timeout=2h\nIF: timed_out → !\nIF: SIG.a? == 1 → !',
  'WAIT: n >= 1 OR timeout=3s every=1s\n~CHECK: $ = cat poll\n~IF: $ == 1 → INCREMENT: n\nIF: timed_out → !',
  'WAIT: $ == 1 OR timeout=2s every=1s\n~CHECK: $ = cat poll\n~IF: $ == "ok" → RETURN: early\n~IF: $ is null → GOTO: @',
  'WAIT: $ == 1 OR timeout=2s every=1s\n~FOR EACH: it in [1, 2]:\n~  DO: make {it}\n~CHECK: $ = cat poll',
  'WAIT: 1s\nWAIT: signal SIG OR timeout=1s\nIF: NOT timed_out → !',
  'FOR EACH: it in [1, 2, 3]:\n~CHECK: $ = cat {it}\n~IF: $ == it → RETURN: {it}\n~IF: $ == "ok" → GOTO: @',
  'FOR EACH: it in ["a", "b"]:\n~FOR EACH: one in [1, 2]:\n~  IF: n >= one → !\n~  DO: make {it}{one}\n~INCREMENT: n',
  'FOR EACH: it in ["a", "b"]:\n~DO: in PARALLEL [on_failure=keep]\n~  - $ = cat {it}\n~  - make b\n~IF: failures is not empty → !',
  'FOR EACH: it in [1, 2] in PARALLEL:\n~IF: it == 1 →\n~  CHECK: got$ = cat a\n~ELSE →\n~  DO: make b\nIF: got$[1] is null → !\nIF: len(got$) == 2 → !',
  'FOR EACH: it in [1, 2] in PARALLEL [max=1]:\n~WAIT: got$ == 1 OR timeout=1s every=1s\n~  CHECK: got$ = cat a\n~IF: timed_out → FAIL: no',
  'FOR EACH: it in [1, 2] in PARALLEL [on_failure=keep]:\n~DO [retry=1 timeout=2s]: make {it}\n~IF: it == 2 → FAIL: no with v={it}\nIF: len(failures) == 2 → !',
  'DO [retry=2/1s retry_on=exit:2,timeout timeout=3s]: make it',
  'DO [retry=1 retry_on=tool_failure]: $ = cat w\nIF: $ == "ok" → !',
  'DO: $ = cat w\nDO: make it {$}\nIF: exit_code($) == 0 → !',
  'CHECK: $ = cat v\nIF: exit_code($) in [1, 2] → !\nIF: exit_code($) == 0 AND $ is null → !',
  'CHECK: $ = cat v\nINCREMENT: n by 2\nIF: $ > n → !\nIF: $ >= 1 AND $ <= 3 → !\nIF: NOT ($ < 3) → !',
  'CHECK: $ = cat v\nSET: n = len($)\nIF: n == 0 → !',
  'FAIL: no with v=1',
  'IF: len("a{t}") > 2 → !\nIF: t in ["", 0, null] → !',
  'STEP: $ type=artifact\n~DO: made$ = make it\n~GATE: expr n < 2, bash "npm test" as unit\n~RETRY:\n~  NOT gate.unit → WORKTREE reset\n~  ATTEMPT 3 → WORKTREE reset\n~  EXIT 3\nIF: "{$.gate.unit}" == "true" → !',
  'STEP: $ type=artifact\n~DO: make it\n~IF: n > 0 → INCREMENT: n\n~GATE: bash "npm test" as a, bash "npm test" as b\n~RETRY:\n~  NOT gate.a → WORKTREE reset\n~  NOT gate.b → WORKTREE reset\n~  EXIT 2\nIF: "{$.attempt}" == "2" → !',
];
const PATTERNS_OF_MIXED: readonly (readonly string[])[] = [
  [
    'PATTERN: JUMP with to, q=2',
    '  CHECK: r = cat jump',
    '  IF: r == q → GOTO: {to}',
    '  IF: r == "ok" → GOTO: {to} with e={q}',
  ],
  [
    'PATTERN: JUMP with to, q=2',
    '  IF: n > q → GOTO: {to}',
    '  DO: jump over',
    '  ON ERROR tool_failure: → GOTO: {to}',
  ],
];
const OUTERS: readonly (readonly string[])[] = [
  [
    'PATTERN: OUTER with p',
    '  USE: INNER with v={p}',
    '  IF: v2 == p → INCREMENT: n',
    'PATTERN: INNER with v',
    '  CHECK: v2 = cat in {v}',
  ],
  [
    'PATTERN: OUTER with p',
    '  FOR EACH: one in [1, p]:',
    '    USE: INNER with v={one}',
    'PATTERN: INNER with v',
    '  IF: v == 1 → INCREMENT: n',
    '  IF: v == "ok" → RETURN: inner',
  ],
];
const TRIES: readonly (readonly string[])[] = [
  [
    'PATTERN: TRY',
    '  CHECK: tried = cat try',
    '  ON ERROR not_json: → RETURN: {error_type}',
    '  ON ERROR: → FAIL: again with v={exit_code}',
  ],
  [
    'PATTERN: TRY',
    '  WAIT: tried == 1 OR timeout=2s every=1s',
    '    CHECK: tried = cat try',
    '  IF: timed_out → INCREMENT: n',
  ],
];
/** Workflows inside workflows: `judge` validates, and `sub` has two steps and a budget of its own. */
const WORKFLOWS = [
  'STEP: $ type=artifact\n~DO: make it\n~GATE: validate judge with spec="x"\n~RETRY:\n~  EXIT 2\nIF: "{$.gate.judge}" == "true" → !',
  'STEP: $\n~PROMPT: "make it"\n~AGENT: dear\n~GATE: validate judge with spec="{n}" as good\n~RETRY:\n~  NOT gate.good → AGENT cheap, SESSION new\n~  EXIT 2',
  'STEP: $\n~DO: make it\n~GATE: validate judge with spec="x", bash "npm test" as unit',
  'STEP: $\n~WORKFLOW: sub with spec="x"\nIF: "{$.status}" == "pass" → !',
  'STEP: $\n~WORKFLOW: sub with spec="{n}"\n~RETRY:\n~  EXIT 2',
  'STEP: $\n~WORKFLOW: judge with spec="x"\nIF: "{$.state.v.comments}" contains "o" → !',
  'STEP: $\n~PROMPT: "x"\n~AGENT: cheap\n~GATE: bash "npm test"\n~RETRY:\n~  VALIDATE judge with spec="x" → WORKTREE reset, AGENT dear, SESSION new\n~  EXIT 2',
  'STEP: $\n~CONTEXT: workflow=judge with spec="x"\n~PROMPT: "x"\n~AGENT: dear',
];
/** Limits of a run of every kind. */
const LIMITS_OF_RUN = ['time=5s', 'time=1h transitions=4', 'cost=0.15', 'tokens=15', 'transitions=3'];

/** Conditions on texts, which are decided by what is known of them: their parts, patterns and other texts. */
const TEXTS = [
  'string(#) matches "^.k$"|# matches "[0-9]"|string(#) matches "^o"|# starts with #|# in #|# contains #|"{#}" == "{#}"|"a{#}b" == "a{#}b"',
  'lower(string(#)) contains "k"|split(string(#), "k")[0] == "o"|len(split(string(#), "k")) > 1|replace(string(#), "o", "s") == "sk"',
  'trim("{#} ") == #|len("{#}") == 2|join([#, "k"], "") == "ok"|lines(string(#)) == ["ok"]|"{#}" in ["ok", ""]|#? exists',
  'slice(string(#), 0, 1) == "o"|sort([#, #])[0] == #|# == {"a": 1}|#.a? in [1, "ok"]|values({"a": #}) == [1]|first([#]) == "ok"',
  'k == %|k == #|default(k, 1) == 1|len(k) > 0|range(n) is empty|max(n, m) > 2|sum([n, m]) == 3|n in [1, m]',
].flatMap((all) => all.split('|'));
/** What stands within blocks within blocks. */
const INNER = [
  'CHECK: $ = cat v',
  'DO: $ = cat w',
  'DO [ok=0,2]: $ = cat w',
  'DO [retry=1 retry_on=exit:2]: make it',
  'ASK user: "which?" → $ choices=ok,no',
  'DO: $ = Task(claude) "do {n}"',
  'SET: k = #',
  'SET: t = #',
  'SET: t = [#, n]',
  'INCREMENT: n',
  'INCREMENT: m by 2',
  'EMIT: SEEN n={n} t={t}',
  'USE: JUMP with to=@, q={#}',
  'USE: JUMP with to=@',
  'FAIL: no with v={n}',
  '!',
  'WAIT: 2s',
  'DO: make it\nUNDO: make back {n}',
  'ROLLBACK',
  'DO: in PARALLEL [on_failure=keep]\n~- DO [ok=2]: $ = cat a\n~- make b\nIF: failures is not empty AND failures[0].exit_code == 0 → !',
  'DO: in PARALLEL [on_failure=keep]\n~- CHECK: $ = cat a\n~- DO [timeout=3s]: make b\nIF: len(failures) == 1 AND failures[0].kind == "timeout" → !',
  'DO: in PARALLEL [quorum=1]\n~- $ = cat a\n~- $x = cat b\nIF: $ is null OR $x is null → !',
  'STEP: $ type=artifact\n~DO: make it\n~GATE: expr n < 2\n~RETRY:\n~  EXIT 2\nIF: "{$.status}" matches "^pass" → !',
  'STEP: $ type=validate\n~DO: make it\nIF: "{$.output}" starts with "t" → !',
];
const HANDLERS = [
  'ON ERROR timeout: → @!',
  'ON ERROR tool_failure: → DO: make sure, @!',
  'ON ERROR bad_value: → CHECK: late = cat v, @!',
  'ON ERROR [not_json]: → INCREMENT: n, @!',
  'ON ERROR failed: → SET: t = {error}, @!',
  'ON ERROR: → EMIT: SEEN n={n}, @!',
  'ON ERROR: → FAIL: again',
];

/** Forms of effects, and of what comes of them, that the others do not have. */
const FORMS = [
  'DO [ok=any]: $ = cat w\nIF: exit_code($) == 2 → !\nIF: len(lines($)) == 1 → !',
  'DO [ok=any retry=1 retry_on=timeout timeout=5s]: $ = cat w\nIF: exit_code($) > 0 → !',
  'DO [idle=5s]: $ = cat w',
  'DO [idle=5s retry=1 retry_on=timeout]: make it',
  'CHECK [idle=5s retry=1]: $ = cat v\nIF: $ == "ok" → !',
  'DO [memo]: $ = cat w\nIF: $ == "ok" → !',
  'CHECK [memo=src/*.ts]: $ = cat v\nIF: $ is null → !',
  'CHECK: $=$(cat v)\nIF: $ == "ok" → !\nIF: $ is empty → !',
  'CHECK: $=$(cat v)\nIF: exit_code($) == 1 → !\nIF: $ == 1 → !',
  'CHECK: cat v\nIF: $ == 1 → !',
  'DO: cat w\nDO: $ = | make it\nIF: $ == "ok" → !',
  'DO: ["make", "{n}"]',
  'DO: $ = ["cat", "w{t}"]\nIF: $ == "ok" → !',
  'DO:\n~make it\n~make that',
  'DO: $ = n + 1\nIF: $ > 2 → !',
  'DO: $ = #\nIF: $ == # → !',
  'DO [shell=sh strict=off]: make it',
  'DO [cwd={t}]: make it',
  'DO [env.K={t}]: $ = cat w\nIF: $ == t → !',
  'DO [timeout={n}s]: make it',
  'DO [retry={n}]: make it',
  'DO [ok=0,{n}]: $ = cat w\nIF: exit_code($) == 1 → !',
  'DO: make {n:int} {t:int}',
  'DO: make {t*}',
  'DO: cat {t:file}',
  'DO: $ = in PARALLEL [on_failure=keep]\n~- a$ = cat a\n~- CHECK: b$ = cat b\nIF: $.a$ is null → !\nIF: $.b$? == 1 → !',
  'DO: $ = in PARALLEL [quorum=1]\n~- a$ = cat a\n~- b$ = cat b\nIF: $.b$ is null → !\nIF: $.a$ is null AND $.b$ is null → !',
  'DO: $ = FOR EACH it in [1, 2] [on_failure=keep]:\n~DO: cat {it}\nIF: "ok" in $ → !\nIF: $[1] is null → !',
  'DO: $ = FOR EACH it in [1, 2] in PARALLEL:\n~IF: it == 1 → DO: cat {it}\nIF: $[1] is null → !\nIF: $[0] == "ok" → !',
  'DO: $ = FOR EACH it in [1, 2]:\n~CHECK: got$ = cat {it}\n~IF: got$ == 1 → DO: make it\nIF: $[0] == 1 → !',
  'DO: in PARALLEL\n~- $ = cat a\n~- make b\nWAIT: 5s\nIF: $ is null → !',
  'DO: in PARALLEL [on_failure=keep]\n~- $ = cat a\n~- make b\nWAIT: 5s\nIF: failures is empty AND $ is null → !',
  'DO: in PARALLEL\n~- $ = cat a\n~- make b\nWAIT: got$ == "ok" OR timeout=2s every=1s\n~CHECK: got$ = cat poll\nIF: timed_out → !\nIF: $ is null → !',
  'DO: in PARALLEL\n~- ASK user: "which?" → $ choices=yes,no\n~- make b\nIF: $ == "yes" → !',
  'DO: in PARALLEL [quorum=1]\n~- ASK user: "which?" → $ choices=yes,no\n~- $x = cat a\nIF: $ is null → !\nIF: $ == "no" → !',
  'DO: in PARALLEL\n~- WAIT: signal SIG OR timeout=5s\n~- make b\nIF: SIG == 1 → !',
  'DO: in PARALLEL [quorum=1]\n~- WAIT: signal SIG\n~- WAIT: 5s\nIF: SIG is null → !',
  'FOR EACH: it in [1, 2] in PARALLEL [quorum=1]:\n~ASK user: "which {it}?" → $ choices=yes,no default=no deadline=1h\nIF: $[0] is null → !\nIF: "yes" in $ → !',
  'FOR EACH: it in [1, n] in PARALLEL [max={n}]:\n~DO: make {it}',
  'FOR EACH: it in [1, 2] in PARALLEL [quorum={n}]:\n~DO: make {it}',
  'ASK user: "go?" → $ choices=["yes", "no"] default=no deadline=1h\nIF: $ == "no" → !',
  'ASK user: "go {n}?" → $ show=n\nIF: $ == "" → !',
  'DO: all$ = ["yes", "ok"]\nASK user: "go?" → $ choices={all$}\nIF: $ == "ok" → !',
  'IF: n == 1 → RETURN with n, k=#',
  'IF: n == 1 → RETURN: n + 1',
  'IF: # == % → RETURN: {"a": n}',
  'FOR EACH: it in [1, 2]:\n~DO: make {it}\n~UNDO: make back {it}\n~IF: it == n → KEEP\nROLLBACK\nIF: rollback.done == 1 → !',
  'DO [once]: make it\nUNDO [once]: make back\nROLLBACK\nIF: rollback.failed is not empty → !\nIF: rollback.done > 0 → !',
  'FOR EACH: it in [1, 2] in PARALLEL [quorum=1 on_failure=keep]:\n~DO: make {it}\n~UNDO: make back {it}\nROLLBACK\nIF: rollback.done == 2 → !',
  'FOR EACH: it in [1, 2] in PARALLEL:\n~DO: make {it}\n~UNDO: make back {it}\n~IF: it == n → KEEP\n~IF: it == 2 → ROLLBACK',
  'DO: make it\nUNDO: CALL get with a={n}\nROLLBACK\nIF: rollback.done == 1 → !',
  'DO: in PARALLEL [quorum=1]\n~- DO: make a\n~  UNDO: make back a\n~- make b\nROLLBACK\nIF: rollback.done == 1 → !',
  'WAIT: $ == 1 OR timeout=2s every=1s\n~DO: make it\n~UNDO: make back\n~CHECK: $ = cat poll\nIF: timed_out → ROLLBACK',
  'DO: make it\nUNDO [timeout=3s]: make back {n}\nDO: make that\nKEEP\nDO: make last\nROLLBACK\nIF: rollback.done == 0 → !',
  'DO: $ = random()\nIF: $ > 0.5 → !\nIF: $ >= 1 → !\nIF: $ == 0 → !',
  'DO: $ = uuid()\nIF: $ == "u" → !\nIF: $ is empty → !',
  'WAIT: signal SIG OR timeout=5s\nIF: SIG? is null AND NOT timed_out → !\nIF: SIG.a? exists → !',
  'WAIT: signal SIG\nWAIT: signal SIG OR timeout=1h\nIF: timed_out → !',
  'CALL [once]: $ = get\nIF: $ == "ok" → !',
  'CALL: pay with a={n}, b="x" → †state.paid || †state.refused\nIF: †state.refused.code? == 3 → !',
  'PLAN: "asks.json" → $\nIF: $ == "ok" → !',
  'DO: in PARALLEL [on_failure=keep]\n~- CALL: $ = get\n~- make b\nIF: $ is null → !',
  'IF: default(e, 0) == 1 → !',
  'IF: e exists → !',
  'FOR EACH: it in [1, 2]:\n~IF: it == 2 → PROCEED\n~ELSE → GOTO: @',
  'FOR EACH: it in [1, 2] [on_failure=keep]:\n~CHECK: $ = cat {it}\n~IF: $ > 1 → SET: n += 1\nIF: len(failures) == 1 → !\nIF: failures[0].kind? == "bad_value" → !',
  'FOR EACH: it in [1, 2] [on_failure=keep]:\n~DO [once]: make {it}\nIF: failures[0].error? contains "x" → !\nIF: failures[1].index? == 1 → !',
];

/** What a program has besides the effects of every program. */
export type Kind =
  | 'forms'
  | 'nested'
  | 'workflows'
  | 'mixed'
  | 'undo'
  | 'lists'
  | 'calls'
  | 'steps'
  | 'splits'
  | 'agents'
  | 'codes'
  | 'polls'
  | 'again'
  | 'members'
  | 'huge'
  | 'limits'
  | 'spending';
const KINDS: Readonly<Record<Kind, readonly string[]>> = {
  forms: FORMS,
  nested: INNER,
  workflows: WORKFLOWS,
  mixed: MIXED,
  again: AGAIN,
  spending: SPENDING,
  members: MEMBERS,
  huge: HUGE,
  limits: AGENTS,
  agents: AGENTS,
  codes: CODES,
  polls: POLLS,
  undo: UNDONE,
  lists: LISTS,
  calls: CALLS,
  steps: STEPS,
  splits: SPLITS,
};

class Flow {
  private readonly names: string[] = ['n', 't'];
  private count = 0;

  constructor(
    private readonly random: Random,
    private readonly states: readonly string[],
  ) {}

  pick<T>(all: readonly T[]): T {
    return all[this.random(all.length)] as T;
  }

  /** A template: `#` is any name, `%` a constant, `@` a state. */
  fill(template: string): string {
    return template
      .replace(/(?<!")#(?!")/g, () => this.pick(this.names))
      .replace('%', () => this.pick(VALUES))
      .replace('@', () => this.pick(this.states));
  }

  input(): string {
    const declared = this.pick(INPUTS);
    this.names.push(declared.split(' ')[0] as string);
    return `INPUT: ${declared}`;
  }

  action = (): string => this.fill(this.pick(ACTIONS));

  private effect(all: readonly string[], isNamed = false): string[] {
    const local = `v${this.count++}`;
    const template = this.pick(all);
    const lines = template
      .replaceAll('$', local)
      .split('\n')
      .map((line) => this.fill(line.replace('!', () => this.action())));
    if (isNamed && /\$ = |→ \$/.test(template)) this.names.push(local);
    return lines.map((line) => (line.startsWith('~') ? `    ${line.slice(1)}` : `  ${line}`));
  }

  /** A condition of up to three parts. */
  private condition(): string {
    const part = (): string => {
      const one = this.fill(this.pick(this.random(2) === 0 ? TEXTS : CONDITIONS));
      return this.random(5) === 0 ? `NOT (${one})` : one;
    };
    const joined = (): string => `(${part()}) ${this.pick(['AND', 'OR'])} (${part()})`;
    return this.random(3) === 0 ? joined() : part();
  }

  /** Blocks within blocks, and what is in them; within branches, nothing changes what all of them see. */
  block(depth: number, isBranch = false): string[] {
    const names = this.names.length;
    const lines: string[] = [];
    for (let count = 1 + this.random(2); count > 0; count--) lines.push(...this.nested(depth, isBranch));
    // What one way binds, another one need not see.
    if (this.random(4) > 0) this.names.length = names;
    return lines.map((line) => `  ${line}`);
  }

  private nested(depth: number, isBranch: boolean): string[] {
    const inner = (isInBranch = isBranch): string[] => this.block(depth - 1, isInBranch);
    switch (depth === 0 ? 9 : this.random(10)) {
      case 0:
        return [`IF: ${this.condition()} →`, ...inner()];
      case 1:
        return [`IF: ${this.condition()} →`, ...inner(), 'ELSE →', ...inner()];
      case 2:
        return [`IF: ${this.condition()} →`, ...inner(), `ELSE IF: ${this.condition()} →`, ...inner()];
      case 3:
        return [`IF: ${this.condition()} → PROCEED`, `IF: ${this.condition()} →`, ...inner(), 'DEFAULT:', ...inner()];
      case 4:
        return [`FOR EACH: it in ${this.pick(['[1, "ok"]', '[n, t]', '["a"]'])}:`, ...inner()];
      case 5:
        return [
          `FOR EACH: it in [1, "ok"] in PARALLEL${this.pick(['', ' [on_failure=keep]', ' [quorum=1]'])}:`,
          ...inner(true),
        ];
      case 6:
        return [`WAIT: ${this.condition()} OR timeout=2s every=1s`, ...inner()];
      default: {
        const lines = this.effect(INNER, true).map((line) => line.slice(2));
        const isRefused = /(?:^|→ )(?:GOTO|RETURN|SET|INCREMENT|USE|ROLLBACK|STEP)/;
        return isBranch && lines.some((line) => isRefused.test(line)) ? ['DO: make this'] : lines;
      }
    }
  }

  handler(): string {
    return this.fill(
      this.pick(HANDLERS).replace('@!', this.pick(['RETURN: {error_type}', 'GOTO: @', 'RETURN: {error}'])),
    );
  }

  line(withPattern: boolean, kinds: readonly Kind[]): string[] {
    switch (this.random(kinds.length > 0 ? 10 : 8)) {
      case 0:
      case 1:
        return [`  IF: ${this.fill(this.pick(CONDITIONS))} → ${this.action()}`];
      case 2:
        return [`  IF: ${this.fill(this.pick(CONDITIONS))} →`, `    ${this.action()}`, `  ELSE → ${this.action()}`];
      case 3:
        return [`  SET: t = ${this.fill(this.pick(EXPRESSIONS))}`];
      case 4:
        return withPattern ? [`  USE: PAT with p=${this.pick(['1', '"ok"', 'null', '{t}'])}`] : ['  INCREMENT: n'];
      case 8:
      case 9:
        return this.effect(KINDS[this.pick(kinds)]);
      default:
        return this.effect(EFFECTS, true);
    }
  }
}

/** What handlers name. */
function kindsOfFailures(kinds: readonly Kind[]): readonly string[] {
  const more = [
    ...(kinds.includes('agents') || kinds.includes('calls') ? ['limit', 'limit', 'gate_failed'] : []),
    ...(kinds.some((kind) => ['again', 'limits', 'workflows'].includes(kind)) ? ['limit', 'gate_failed'] : []),
    ...(kinds.includes('members') ? ['quorum_failed', 'limit'] : []),
    ...(kinds.includes('steps') ? ['merge_conflict', 'worktree', 'gate_failed'] : []),
    ...(kinds.includes('codes') ? ['value_too_large'] : []),
  ];
  return ['', 'tool_failure', 'bad_value', 'not_json', 'timeout', 'failed', 'in_doubt', ...more];
}

/** `isSmall`: so that all of its runs can be tried. */
export function randomFlow(random: Random, kinds: readonly Kind[], isSmall = false): string {
  const states = ['A', 'B', 'C'].slice(0, isSmall ? 1 + random(2) : 2 + random(2));
  const text: string[] = [];
  const inputs = new Set<string>();
  const begin = new Flow(random, states);
  while (random(3) > (isSmall ? 1 : 0)) inputs.add(begin.input());
  text.push(...inputs);
  if (random(6) === 0) text.push(`LIMIT: transitions=${1 + random(8)}`);
  if (kinds.includes('limits')) text.push(`LIMIT: ${begin.pick(['cost=0.15', 'tokens=15', 'cost=0.35', 'tokens=25'])}`);
  const withPattern = random(3) === 0;
  if (withPattern) text.push('PATTERN: PAT with p, q=2', ...begin.pick(PATTERNS));
  if (kinds.includes('nested') && !kinds.includes('mixed')) text.push(...begin.pick(PATTERNS_OF_MIXED));
  if (kinds.includes('mixed')) {
    text.push(...begin.pick(PATTERNS_OF_MIXED), ...begin.pick(OUTERS), ...begin.pick(TRIES));
    if (random(8) === 0) text.unshift(`LIMIT: ${begin.pick(LIMITS_OF_RUN)}`);
  }
  if (kinds.includes('spending')) text.push('PATTERN: SPEND', ...begin.pick(SPEND));
  if (kinds.includes('polls')) text.push('PATTERN: POLL', ...begin.pick(POLL));
  for (const state of states) {
    const flow: Flow = Object.assign(new Flow(random, states), {
      names: [...inputs, ' n', ' t'].map((one) => one.split(' ')[1]),
    });
    text.push(`STATE: ${state}`, '  TRACK: n', '  TRACK: m = 2', `  TRACK: t = ${flow.pick(['0', '""', 'null'])}`);
    if (!isSmall || random(2) === 0) text.push('  DO [ok=0,2]: made = make it');
    if (kinds.includes('nested')) {
      if (random(3) > 0) text.push(`  TRACK: k = ${flow.fill('%')}`);
      text.push(...flow.block(isSmall ? 2 : 3));
    }
    const isLong = !isSmall || !kinds.includes('nested');
    for (let count = 1 + random(isLong ? (isSmall ? 3 : 5) : 1); count > 0; count--)
      text.push(...flow.line(withPattern, kinds));
    if (random(2) === 0) text.push('  INCREMENT: n', `  IF: n >= ${1 + random(3)} → RETURN: limit`);
    text.push(random(3) === 0 ? '  RETURN' : `  ${flow.fill('GOTO: @')}`);
    const kind = flow.pick(kindsOfFailures(kinds).map((one) => (one === '' ? '' : ` ${one}`)));
    const spends = kinds.includes('spending') && random(2) === 0 ? 'DO: Task(dear) "help", ' : '';
    if (kinds.includes('nested')) for (let count = random(3); count > 0; count--) text.push(`  ${flow.handler()}`);
    else if (random(4) === 0)
      text.push(`  ON ERROR${kind}: → ${spends}${flow.fill(flow.pick(['RETURN: {error_type}', 'GOTO: @']))}`);
  }
  if (random(2) === 0) {
    const seen = begin.pick([
      'exit_code == 2',
      'from_state == "B"',
      'tool == "make"',
      'error contains "x"',
      'line > 8',
      ...(kinds.includes('agents') ? ['error_type == "limit"', 'tool == "dear"'] : []),
      ...(kinds.includes('codes') ? ['exit_code == 0', 'exit_code is null', 'error_type == "value_too_large"'] : []),
    ]);
    text.push(
      'STATE: ERROR',
      '  TRACK: errors',
      '  INCREMENT: errors',
      '  IF: error_type == "bad_value" AND errors < 3 → GOTO: A',
    );
    if (kinds.includes('undo') || kinds.includes('spending')) text.push('  ROLLBACK');
    text.push(`  IF: ${seen} → RETURN: seen`, '  RETURN: {error}');
  }
  return `${text.join('\n')}\n`;
}
