/** What authors write who know other tools: one message shows the line that is meant, and with it the program is right. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are programs
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import { applyEdits } from '../../src/language/source/fix-text.js';
import { parseTests } from '../../src/language/syntax/tests/parse-tests.js';

const PROGRAMS = new Set('cat date git jq ls make npm printf python3 test'.split(' '));
const options = {
  load: (path: string) =>
    /(?:lib|base)(?:\.dsl)?$|std\/\w+$/.test(path) ? 'PATTERN: LIB with a\n  EMIT: P a={a}\n' : null,
  lookups: {
    agents: { isKnown: (name: string) => /^(?:claude|codex)/.test(name) },
    onPath: (program: string) => PROGRAMS.has(program) || program.includes('/'),
  },
};

const messages = (text: string) =>
  compile(text, options).diagnostics.filter(
    ({ severity, code }) => severity === 'error' || /^(?:command-not-found|taken-as-text)$/.test(code),
  );

/** The text after the fixes that messages offer. */
function corrected(text: string, times = 4): string {
  const edits = messages(text).flatMap(({ fixes = [] }) => fixes[0]?.edits ?? []);
  return edits.length === 0 || times === 0 ? text : corrected(applyEdits(text, edits), times - 1);
}

const indented = (line: string) => line.replace(/^/gm, '  ');

const inState = (line: string) => `INPUT: name = "x"
INPUT: n = 3
INPUT: items = ["a", "b"]
INPUT: dry = false
PATTERN: NOTIFY with who, text="hi"
  DO: ./notify.sh {who} {text}
STATE: A
  TRACK: tries
  TRACK: done = []
  DO: job = ./job.sh
  CHECK: st = ./status.sh
${indented(line)}
  IF: st == "z" → GOTO: B with job, n
  RETURN: ok
STATE: B
  RETURN: {job} {n}
`;

const places = {
  state: inState,
  end: (line: string) => inState('PROCEED').replace('  RETURN: ok\n', () => `${indented(line)}\n`),
  onerror: (line: string) =>
    inState('PROCEED').replace('  RETURN: ok\n', () => `  GOTO: B with job, n\n${indented(line)}\n`),
  member: (line: string) => inState(`DO: in PARALLEL:\n  - left = ./left.sh\n${indented(line)}`),
  undo: (line: string) => inState(`DO: ./make.sh\n${line}`),
  error: (line: string) => `${inState('PROCEED')}STATE: ERROR\n${indented(line)}\n`,
  bare: (line: string) => `${line}\nSTATE: A\n  DO: job = ./job.sh\n  RETURN: {job}\n`,
  heading: (line: string) =>
    `INPUT: n = 3\nSTATE: FIRST\n  DO: ./a.sh\n  GOTO: NEXT_ONE\n${line}\n  DO: ./b.sh\n  RETURN: ok\n`,
  step: (line: string) =>
    `INPUT: spec\nSTEP: build\n  PROMPT: "Build {spec}."\n  AGENT: claude\n  GATE: lint as style\n${indented(line)}\n`,
};

const lines: Readonly<Record<keyof typeof places, readonly (readonly [written: string, meant: string])[]>> = {
  state: [
    ['USE PATTERN: NOTIFY with who="a"', 'USE: NOTIFY with who="a"'],
    ['USE: "NOTIFY" with who="a"', 'USE: NOTIFY with who="a"'],
    ['USE: lib.NOTIFY with who="a"', 'USE: NOTIFY with who="a"'],
    ['WAIT: signal("go")', 'WAIT: signal go'],
    ['WAIT: event("go")', 'WAIT: signal go'],
    ['WAIT: webhook("go")', 'WAIT: signal go'],
    ['WAIT FOR: go', 'WAIT: signal go'],
    ['WAIT signal: go', 'WAIT: signal go'],
    ['WAIT [signal=go]:', 'WAIT: signal go'],
    ['WAIT: signal(go)', 'WAIT: signal go'],
    [`WAIT: signal('go') OR timeout=5m`, 'WAIT: signal go OR timeout=5m'],
    ['WAIT: signal("go", timeout=5m)', 'WAIT: signal go OR timeout=5m'],
    ['WAIT: signal=go', 'WAIT: signal go'],
    ['WAIT FOR SIGNAL: go', 'WAIT: signal go'],
    ['WAIT FOR signal go', 'WAIT: signal go'],
    ['WAIT_FOR_SIGNAL: go', 'WAIT: signal go'],
    ['WAIT_SIGNAL: go', 'WAIT: signal go'],
    ['WAIT FOR: 5m', 'WAIT: 5m'],
    ['WAIT FOR 5 minutes', 'WAIT: 5m'],
    ['WAIT: PT5M', 'WAIT: 5m'],
    ['WAIT: 00:05:00', 'WAIT: 5m'],
    ['WAIT: 5*60', 'WAIT: 300s'],
    ['WAIT: seconds=30', 'WAIT: 30s'],
    ['WAIT: minutes=5', 'WAIT: 5m'],
    ['WAIT: duration=5m', 'WAIT: 5m'],
    ['WAIT [5m]:', 'WAIT: 5m'],
    ['WAIT(signal="go")', 'WAIT: signal go'],
    ['WAIT: {n} minutes', 'WAIT: {n}m'],
    ['WAIT: user approval', 'ASK user: "Continue?" → go choices=yes,no'],
    ['WAIT: lambda: st == "ok"', 'WAIT: st == "ok" OR timeout=60s'],
    ['reply = WAIT: signal go', 'WAIT: signal go'],
    ['go = wait_for_signal("go")', 'WAIT: signal go'],
    ['WAIT: signal GO-NOW', 'WAIT: signal GO_NOW'],
    ['WAIT: signal deploy/go', 'WAIT: signal deploy_go'],
    ['WAIT: signal "deploy go"', 'WAIT: signal deploy_go'],
    ['WAIT: signal go: "Waiting for go"', 'WAIT: signal go'],
    ['await signal go', 'WAIT: signal go'],
    ['await signal("go")', 'WAIT: signal go'],
    ['workflow.wait_condition(lambda: go)', 'WAIT: signal go'],
    ['interrupt("go?")', 'ASK user: "go?" → answer'],
    ['time.sleep(5)', 'WAIT: 5s'],
    ['TIMER: 5m', 'WAIT: 5m'],
    ['WAIT: signal go → GOTO: B', 'WAIT: signal go\nGOTO: B'],
    ['ASK("Go?") → go', 'ASK user: "Go?" → go'],
    ['ASK user: "Go?" [yes/no] → go', 'ASK user: "Go?" → go choices=yes,no'],
    ['ASK user: "Go?" → go one of: yes, no', 'ASK user: "Go?" → go choices=yes,no'],
    ['ASK user: "Go?" → go choices: yes, no', 'ASK user: "Go?" → go choices=yes,no'],
    [
      'ASK user: "Go?" → go choices=yes,no default:no deadline=1h',
      'ASK user: "Go?" → go choices=yes,no default=no deadline=1h',
    ],
    [
      'ASK user: "Go?" → go choices=yes,no default no deadline 1h',
      'ASK user: "Go?" → go choices=yes,no default=no deadline=1h',
    ],
    [
      'ASK user: "Go?" → go choices=yes,no expires=1h default=no',
      'ASK user: "Go?" → go choices=yes,no deadline=1h default=no',
    ],
    ['ASK user: "Go?" → go required=true', 'ASK user: "Go?" → go'],
    ['ASK user: "Go?" → go multiple=true', 'ASK user: "Go?" → go'],
    ['ASK [choices=yes,no]: "Go?" → go', 'ASK user: "Go?" → go choices=yes,no'],
    ['ASK user: "Go?" → go, GOTO: B with job, n', 'ASK user: "Go?" → go\nGOTO: B with job, n'],
    ['ASK alice, bob: "Go?" → go', 'ASK user: "Go?" → go'],
    ['PROMPT: "Go?" → go', 'ASK user: "Go?" → go'],
    ['PROMPT user: "Go?" → go', 'ASK user: "Go?" → go'],
    ['CONFIRM "Go?" → go', 'ASK user: "Go?" → go choices=yes,no'],
    ['APPROVAL: required', 'ASK user: "Continue?" → go choices=yes,no'],
    ['INTERRUPT: "Go?" → go', 'ASK user: "Go?" → go'],
    ['interrupt("Go?")', 'ASK user: "Go?" → answer'],
    ['go = interrupt("Go?")', 'ASK user: "Go?" → go'],
    ['PAUSE: "Continue?"', 'ASK user: "Continue?" → go choices=yes,no'],
    [
      'IF: ASK user: "Go?" == "yes" → GOTO: B with job, n',
      'ASK user: "Go?" → answer\nIF: answer == "yes" → GOTO: B with job, n',
    ],
    ['ASK user: "Go?" → "go"', 'ASK user: "Go?" → go'],
    ['ASK user: "Go?" (secret) → go', 'ASK user: "Go?" → go'],
    ['APPROVERS: alice, bob', 'ASK user: "Continue?" → go choices=yes,no'],
    ['TRACK: x == 0', 'TRACK: x = 0'],
    ['TRACK: x from 3', 'TRACK: x = 3'],
    ['TRACK: x = hello', 'TRACK: x = "hello"'],
    ['TRACK: x = hello world', 'TRACK: x = "hello world"'],
    ['TRACK: x = $(date) ', 'TRACK: x\nDO: printed = date\nSET: x = printed'],
    ['TRACK: "x" = 0', 'TRACK: x = 0'],
    ['TRACK: x = list()', 'TRACK: x = []'],
    ['TRACK: x = dict()', 'TRACK: x = {}'],
    ['SET: tries == 3', 'SET: tries = 3'],
    ['SET: ++tries', 'INCREMENT: tries'],
    ['SET: tries = $(./count.sh)', 'DO: printed = ./count.sh\nSET: tries = printed'],
    ['SET: tries = `./count.sh`', 'DO: printed = ./count.sh\nSET: tries = printed'],
    ['SET: tries = Task(claude) "count"', 'DO: printed = Task(claude) "count"\nSET: tries = printed'],
    ['SET: tries = DO: ./count.sh', 'DO: printed = ./count.sh\nSET: tries = printed'],
    ['SET: tries = `v${n}`', 'SET: tries = "v{n}"'],
    ['SET: tries, done = 1, []', 'SET: tries = 1\nSET: done = []'],
    ['SET: tries = 1 and done = []', 'SET: tries = 1\nSET: done = []'],
    ['SET: tries = 1; done = []', 'SET: tries = 1\nSET: done = []'],
    ['set_fact: tries=3', 'SET: tries = 3'],
    ['readonly x=3', 'TRACK: x = 3'],
    ['INCREMENT: tries = tries + 1', 'INCREMENT: tries'],
    ['INCREMENT [tries]: 1', 'INCREMENT: tries'],
    ['EMIT: "done", x=1', 'EMIT: DONE x=1'],
    ['EMIT: DONE - all good', 'EMIT: DONE text="all good"'],
    ['EMIT: event DONE x=1', 'EMIT: DONE x=1'],
    ['EMIT: event=DONE x=1', 'EMIT: DONE x=1'],
    ['EMIT: name=DONE x=1', 'EMIT: DONE x=1'],
    ['EMIT: {n} files', 'EMIT: "{n} files"'],
    ['EMIT: n is {n}', 'EMIT: "n is {n}"'],
    ['EMIT: `n is ${n}`', 'EMIT: "n is {n}"'],
    ['EMIT: "n is %d" % n', 'EMIT: "n is {n}"'],
    ['EMIT: "n is {}".format(n)', 'EMIT: "n is {n}"'],
    ['EMIT: DONE, FAILED', 'EMIT: DONE\nEMIT: FAILED'],
    ['EMIT [level=info]: DONE', 'EMIT: DONE level=info'],
    ['EMIT: [info] done', 'EMIT: "done"'],
    ['EMIT: level=warn "careful"', 'EMIT: "careful"'],
    ['EMIT: DONE job.status', 'EMIT: DONE status={job.status}'],
    ['EMIT: DONE job={job} text=all is fine', 'EMIT: DONE job={job} text="all is fine"'],
    [`EMIT: 'DONE' x=1`, 'EMIT: DONE x=1'],
    ['EMIT: "DONE" {"x": 1}', 'EMIT: DONE x=1'],
    ['EMIT: "DONE", {"x": 1}', 'EMIT: DONE x=1'],
    ['EMIT: DONE → GOTO: B with job, n', 'EMIT: DONE\nGOTO: B with job, n'],
    ['emit("done")', 'EMIT: "done"'],
    ['emit("DONE", x=1)', 'EMIT: DONE x=1'],
    ['print(f"n is {n}")', 'EMIT: "n is {n}"'],
    ['console.log(`n is ${n}`)', 'EMIT: "n is {n}"'],
    ['WARN: done', 'EMIT: "done"'],
    ['DEBUG: done', 'EMIT: "done"'],
    ['PUBLISH: DONE x=1', 'EMIT: DONE x=1'],
    ['EVENT: DONE x=1', 'EMIT: DONE x=1'],
    ['RAISE EVENT: DONE', 'EMIT: DONE'],
    ['SEND EVENT: DONE', 'EMIT: DONE'],
    ['FIRE: DONE', 'EMIT: DONE'],
    ['TRIGGER: DONE', 'EMIT: DONE'],
    ['METRIC: x=1', 'EMIT: METRIC x=1'],
    ['PARALLEL [max=2]:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL [max=2]:'],
    ['CONCURRENT:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL:'],
    ['CONCURRENTLY:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL:'],
    ['ASYNC:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL:'],
    ['ALL:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL:'],
    ['RACE:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL [quorum=1]:'],
    ['ANY:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL [quorum=1]:'],
    ['BRANCHES:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL:'],
    ['DO: in PARALLEL [max: 2]:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL [max=2]:'],
    ['DO: in PARALLEL [first]:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL [quorum=1]:'],
    ['DO: in PARALLEL [wait=any]:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL [quorum=1]:'],
    ['DO: in PARALLEL [wait=all]:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL:'],
    ['DO: in PARALLEL [mode=race]:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL [quorum=1]:'],
    ['DO: in PARALLEL [fail_fast=true]:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL:'],
    ['DO: in PARALLEL [on_failure=continue]:\n  - ./a.sh\n  - ./b.sh', 'DO: in PARALLEL [on_failure=keep]:'],
    ['r = in PARALLEL:\n  - a = ./a.sh\n  - b = ./b.sh', 'DO: r = in PARALLEL:'],
    ['FOR EACH: items → item:\n  DO: ./x.sh {item}', 'FOR EACH: item in items:'],
    ['FOR EACH: items -> item\n  DO: ./x.sh {item}', 'FOR EACH: item in items:'],
    ['FOR EACH: item from items:\n  DO: ./x.sh {item}', 'FOR EACH: item in items:'],
    ['FOR EACH: item = items:\n  DO: ./x.sh {item}', 'FOR EACH: item in items:'],
    ['MAP: items\n  DO: ./x.sh {item}', 'FOR EACH: item in items:'],
    ['EACH item in items:\n  DO: ./x.sh {item}', 'FOR EACH: item in items:'],
    ['FOR EACH: {item} in {items}:\n  DO: ./x.sh {item}', 'FOR EACH: item in items:'],
    ['FOR EACH: $item in $items:\n  DO: ./x.sh {item}', 'FOR EACH: item in items:'],
    ['FOR EACH: item in items parallel=3:\n  DO: ./x.sh {item}', 'FOR EACH: item in items in PARALLEL [max=3]:'],
    [
      'FOR EACH: item in items in PARALLEL [max=3 on_failure=continue]:\n  DO: ./x.sh {item}',
      'FOR EACH: item in items in PARALLEL [max=3 on_failure=keep]:',
    ],
    ['FOR EACH: item in items max 3:\n  DO: ./x.sh {item}', 'FOR EACH: item in items in PARALLEL [max=3]:'],
    ['FOR EACH: item in items limit=3:\n  DO: ./x.sh {item}', 'FOR EACH: item in items in PARALLEL [max=3]:'],
    ['out = FOR EACH: item in items:\n  DO: ./x.sh {item}', 'DO: out = FOR EACH item in items:'],
    ['REPEAT: 3\n  DO: ./x.sh', 'FOR EACH: i in range(3):'],
    ['DO 3 TIMES: ./x.sh', 'FOR EACH: i in range(3):\nDO: ./x.sh'],
    ['TIMES: 3\n  DO: ./x.sh', 'FOR EACH: i in range(3):'],
  ],
  end: [
    ['RETURN with x=n y=2', 'RETURN with x={n}, y=2'],
    ['Succeed', 'RETURN'],
    ['GOTO: __end__', 'RETURN'],
    ['FAIL: "no", GOTO: B with job, n', 'FAIL: "no"'],
    ['FAIL: with reason="no"', 'FAIL: "no"'],
    ['FAIL: job.error', 'FAIL: {job.error}'],
    ['FAIL: f"no {n}"', 'FAIL: "no {n}"'],
    ['FAIL: "no " + name', 'FAIL: "no {name}"'],
    ['FAIL: "no " + n', 'FAIL: "no {n}"'],
    ['raise Exception("no")', 'FAIL: "no"'],
    ['raise ValueError("no")', 'FAIL: "no"'],
    ['throw new Error("no")', 'FAIL: "no"'],
    ['ABORT', 'FAIL: stopped here'],
    ['ERROR "no"', 'FAIL: "no"'],
    ['REJECT: no', 'FAIL: no'],
    ['FAILURE: no', 'FAIL: no'],
    ['ESCALATE: no', 'FAIL: no'],
    ['CANCEL', 'FAIL: cancelled'],
    ['CANCEL: no', 'FAIL: no'],
    ['GOTO: B {"job": job, "n": n}', 'GOTO: B with job={job}, n={n}'],
    ['GOTO→B with job, n', 'GOTO: B with job, n'],
    ['GOTO → B with job, n', 'GOTO: B with job, n'],
    ['GO: B with job, n', 'GOTO: B with job, n'],
    ['GOTO: state.B with job, n', 'GOTO: B with job, n'],
    ['GOTO: B.start with job, n', 'GOTO: B with job, n'],
    ['GOTO: B IF dry with job, n', 'IF: dry → GOTO: B with job, n'],
    ['GOTO: B after 5m', 'WAIT: 5m\nGOTO: B'],
    ['GOTO: B in 5m', 'WAIT: 5m\nGOTO: B'],
    ['GOTO: SELF', 'GOTO: A'],
    ['GOTO: THIS', 'GOTO: A'],
    ['GOTO: START', 'GOTO: A'],
    ['GOTO: RETURN', 'RETURN'],
    ['GOTO: RETURN ok', 'RETURN: ok'],
    ['GOTO: FAIL: no', 'FAIL: no'],
    ['TRANSITION TO B with job, n', 'GOTO: B with job, n'],
    ['MOVE: B with job, n', 'GOTO: B with job, n'],
    ['ENTER: B with job, n', 'GOTO: B with job, n'],
    ['CONTINUE: B with job, n', 'GOTO: B with job, n'],
    ['PROCEED: B with job, n', 'GOTO: B with job, n'],
    ['PROCEED TO: B with job, n', 'GOTO: B with job, n'],
    ['RESUME: B with job, n', 'GOTO: B with job, n'],
    ['Command(goto="B")', 'GOTO: B'],
    ['LOOP', 'GOTO: A'],
    ['LOOP: A', 'GOTO: A'],
    ['LOOP TO: A', 'GOTO: A'],
    ['REPEAT: A', 'GOTO: A'],
    ['REPEAT', 'GOTO: A'],
    ['RETRY: A', 'GOTO: A'],
    ['RESTART', 'GOTO: A'],
    ['AGAIN', 'GOTO: A'],
  ],
  member: [
    ['- NOTIFY with who="a"', '- USE: NOTIFY with who="a"'],
    ['- NOTIFY(who="a")', '- USE: NOTIFY with who="a"'],
  ],
  bare: [
    ['PATTERN: P with a: string, b\n  DO: ./x.sh {a} {b}', 'PATTERN: P with a, b'],
    ['PATTERN: P with {a}, {b}\n  DO: ./x.sh {a} {b}', 'PATTERN: P with a, b'],
    ['PATTERN: P takes a, b\n  DO: ./x.sh {a} {b}', 'PATTERN: P with a, b'],
    ['PATTERN: P [a, b]\n  DO: ./x.sh {a} {b}', 'PATTERN: P with a, b'],
    ['PATTERN: P with a, b default 1\n  DO: ./x.sh {a} {b}', 'PATTERN: P with a, b=1'],
    ['PATTERN: P with a?\n  DO: ./x.sh {a}', 'PATTERN: P with a=null'],
    ['PATTERN: P with a returns r\n  DO: ./x.sh {a}', 'PATTERN: P with a'],
    ['SUBROUTINE: P a\n  DO: ./x.sh {a}', 'PATTERN: P with a'],
    ['IMPORT: std.poll', 'IMPORT: "std/poll"'],
    ['IMPORT: "std/poll" as poll', 'IMPORT: "std/poll"'],
    ['IMPORT: <std/poll>', 'IMPORT: "std/poll"'],
    ['import std.poll', 'IMPORT: "std/poll"'],
    ['from std import poll', 'IMPORT: "std/poll"'],
    ['from "std/poll" import POLL', 'IMPORT: "std/poll"'],
    ['require("std/poll")', 'IMPORT: "std/poll"'],
    ['const poll = require("std/poll")', 'IMPORT: "std/poll"'],
    ['SOURCE: "std/poll"', 'IMPORT: "std/poll"'],
    ['source std/poll', 'IMPORT: "std/poll"'],
    ['!include std/poll', 'IMPORT: "std/poll"'],
    ['EXTENDS: "std/poll"', 'IMPORT: "std/poll"'],
    ['EXTEND: base.dsl', 'IMPORT: "./base.dsl"'],
    ['@import "std/poll"', 'IMPORT: "std/poll"'],
    ['INPUT: "name"', 'INPUT: name'],
  ],
  heading: [
    ['STATE: NEXT ONE', 'STATE: NEXT_ONE'],
    ['state NEXT_ONE', 'STATE: NEXT_ONE'],
    ['state NEXT_ONE:', 'STATE: NEXT_ONE'],
    ['state "NEXT_ONE" {', 'STATE: NEXT_ONE'],
    ['NEXT_ONE:', 'STATE: NEXT_ONE'],
    ['NEXT_ONE', 'STATE: NEXT_ONE'],
    ['[NEXT_ONE]', 'STATE: NEXT_ONE'],
    ['[STATE NEXT_ONE]', 'STATE: NEXT_ONE'],
    ['### STATE: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['**NEXT_ONE**', 'STATE: NEXT_ONE'],
    ['== NEXT_ONE ==', 'STATE: NEXT_ONE'],
    ['=== NEXT_ONE ===', 'STATE: NEXT_ONE'],
    ['-- NEXT_ONE --', 'STATE: NEXT_ONE'],
    ['@NEXT_ONE', 'STATE: NEXT_ONE'],
    ['@state NEXT_ONE', 'STATE: NEXT_ONE'],
    [':NEXT_ONE', 'STATE: NEXT_ONE'],
    ['.NEXT_ONE', 'STATE: NEXT_ONE'],
    ['- NEXT_ONE', 'STATE: NEXT_ONE'],
    ['* NEXT_ONE', 'STATE: NEXT_ONE'],
    ['1. NEXT_ONE', 'STATE: NEXT_ONE'],
    ['1. NEXT_ONE:', 'STATE: NEXT_ONE'],
    ['STEP 2: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['PHASE: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['NODE: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['JOB: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['TASK: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['LABEL: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['BLOCK: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['SECTION: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['def NEXT_ONE():', 'STATE: NEXT_ONE'],
    ['function NEXT_ONE() {', 'STATE: NEXT_ONE'],
    ['async def NEXT_ONE():', 'STATE: NEXT_ONE'],
    ['class NEXT_ONE:', 'STATE: NEXT_ONE'],
    ['NEXT_ONE = State()', 'STATE: NEXT_ONE'],
    ['NEXT_ONE() {', 'STATE: NEXT_ONE'],
    ['NEXT_ONE: FIRST', 'STATE: NEXT_ONE'],
    ['case NEXT_ONE:', 'STATE: NEXT_ONE'],
    ['when NEXT_ONE:', 'STATE: NEXT_ONE'],
    ['NEXT_ONE =>', 'STATE: NEXT_ONE'],
    ['NEXT_ONE ->', 'STATE: NEXT_ONE'],
    ['STATE(NEXT_ONE)', 'STATE: NEXT_ONE'],
    ['STATE=NEXT_ONE', 'STATE: NEXT_ONE'],
    ['STATE: name=NEXT_ONE', 'STATE: NEXT_ONE'],
    ['STATE: NEXT_ONE from FIRST', 'STATE: NEXT_ONE'],
    ['STATE: NEXT_ONE after FIRST', 'STATE: NEXT_ONE'],
    ['STATE: NEXT_ONE, OTHER', 'STATE: NEXT_ONE'],
    ['FINAL STATE: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['FINAL: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['END STATE: NEXT_ONE', 'STATE: NEXT_ONE'],
    ['"NEXT_ONE": {', 'STATE: NEXT_ONE'],
  ],
  onerror: [
    ['ON-ERROR: → GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['ON ERROR "timeout": → GOTO: B with job, n', 'ON ERROR timeout: → GOTO: B with job, n'],
    ['ON ERROR type=timeout: → GOTO: B with job, n', 'ON ERROR timeout: → GOTO: B with job, n'],
    ['ON ERROR error_type == "timeout": → GOTO: B with job, n', 'ON ERROR timeout: → GOTO: B with job, n'],
    ['ON ERROR == timeout: → GOTO: B with job, n', 'ON ERROR timeout: → GOTO: B with job, n'],
    ['ON ERROR 1: → GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['ON ERROR in ./job.sh: → GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['IF ERROR: → GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['IF FAILED: → GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['CATCH: GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['CATCH timeout: GOTO: B with job, n', 'ON ERROR timeout: → GOTO: B with job, n'],
    ['CATCH: → GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['EXCEPT: → GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['RESCUE: → GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['HANDLE timeout: → GOTO: B with job, n', 'ON ERROR timeout: → GOTO: B with job, n'],
    ['ERROR → GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['FALLBACK: GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['TRAP: → GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['WHEN ERROR: → GOTO: B with job, n', 'ON ERROR: → GOTO: B with job, n'],
    ['onFailure: B', 'ON ERROR: → GOTO: B'],
    ['ON EXIT: ./clean.sh', 'ON ERROR: → DO: /clean.sh'],
  ],
  undo: [
    ['UNDO with ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['UNDO → ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['UNDO: x = ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['REVERT: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['ROLLBACK WITH: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['COMPENSATE WITH: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['COMPENSATION: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['ON ROLLBACK: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['ON ROLLBACK: → DO: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['ON UNDO: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['TEARDOWN: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['REVERSE: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['INVERSE: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['BACKOUT: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['RESTORE: ./unmake.sh', 'UNDO: ./unmake.sh'],
    ['DESTROY: ./unmake.sh', 'UNDO: ./unmake.sh'],
  ],
  error: [
    ['ROLLBACK TO: A\nFAIL: no', 'ROLLBACK'],
    ['ROLLBACK [timeout=5m]\nFAIL: no', 'ROLLBACK'],
    ['ROLLBACK()\nFAIL: no', 'ROLLBACK'],
    ['ROLLBACK; FAIL: no', 'ROLLBACK\nFAIL: no'],
    ['ROLLBACK, FAIL: no', 'ROLLBACK\nFAIL: no'],
    ['ROLLBACK AND FAIL: no', 'ROLLBACK\nFAIL: no'],
    ['DO: ROLLBACK\nFAIL: no', 'ROLLBACK'],
    ['UNDO\nFAIL: no', 'ROLLBACK'],
    ['UNDO: all\nFAIL: no', 'ROLLBACK'],
    ['COMPENSATE\nFAIL: no', 'ROLLBACK'],
    ['compensate()\nFAIL: no', 'ROLLBACK'],
    ['RESET\nFAIL: no', 'ROLLBACK'],
    ['ABORT\nFAIL: no', 'FAIL: {error}'],
    ['COMMIT\nFAIL: no', 'KEEP'],
    ['COMMIT: all\nFAIL: no', 'KEEP'],
    ['SAVEPOINT\nFAIL: no', 'KEEP'],
    ['CHECKPOINT\nFAIL: no', 'KEEP'],
    ['KEEP()\nFAIL: no', 'KEEP'],
    ['DISCARD UNDO\nFAIL: no', 'KEEP'],
    ['FORGET\nFAIL: no', 'KEEP'],
    ['RETHROW', 'FAIL: {error}'],
    ['RAISE', 'FAIL: {error}'],
    ['raise', 'FAIL: {error}'],
    ['THROW', 'FAIL: {error}'],
    ['RERAISE', 'FAIL: {error}'],
  ],
  step: [
    ['SCHEMA: plan.json', 'GATE: schema "plan.json"'],
    ['FILES: src/**', 'CONTEXT: file=src/**'],
    ['CONTEXT: file=spec.md, notes.md', 'CONTEXT: file=spec.md, file=notes.md'],
    ['CONTEXT: file=spec.md file=notes.md', 'CONTEXT: file=spec.md, file=notes.md'],
    ['CONTEXT: bash "git diff"', 'CONTEXT: bash="git diff"'],
    ['CONTEXT: run "git diff"', 'CONTEXT: bash="git diff"'],
    ['CONTEXT: git diff', 'CONTEXT: bash="git diff"'],
    ['CONTEXT: $(git diff)', 'CONTEXT: bash="git diff"'],
    ['CONTEXT: url=https://a.b', 'CONTEXT: bash="curl -sf https://a.b"'],
    ['CONTEXT:\n  - spec.md', '- file=spec.md'],
    ['READ: spec.md', 'CONTEXT: file=spec.md'],
    ['DOCS: spec.md', 'CONTEXT: file=spec.md'],
    ['SESSION: resume', '(removed)'],
    ['SESSION: keep', '(removed)'],
    ['SESSION: continue', '(removed)'],
    ['SESSION: fresh', 'SESSION: new'],
    ['VERIFY: "make test"', 'GATE: bash "make test"'],
    ['ACCEPT: make test', 'GATE: bash "make test"'],
    ['ASSERT: make test', 'GATE: bash "make test"'],
    ['DONE WHEN: make test', 'GATE: bash "make test"'],
    ['UNTIL: make test passes', 'GATE: bash "make test"'],
    ['RETRY 3', 'RETRY: EXIT 3'],
    ['RETRIES: 3', 'RETRY: EXIT 3'],
    ['MAX_ATTEMPTS: 3', 'RETRY: EXIT 3'],
    ['ATTEMPTS: 3', 'RETRY: EXIT 3'],
    ['RETRY: max=3', 'RETRY: EXIT 3'],
    ['RETRY [max=3]:', 'RETRY: EXIT 3'],
    ['RETRY:\n  EXIT AFTER 3', 'EXIT 3'],
    ['RETRY:\n  EXIT 3 TIMES', 'EXIT 3'],
    ['RETRY:\n  gate.style → PROMPT "again"\n  EXIT 3', 'NOT gate.style → PROMPT "again"'],
    ['RETRY:\n  !gate.style → PROMPT "again"\n  EXIT 3', 'NOT gate.style → PROMPT "again"'],
    ['RETRY:\n  style fails → PROMPT "again"\n  EXIT 3', 'NOT gate.style → PROMPT "again"'],
    ['RETRY:\n  IF gate.style fails: PROMPT "again"\n  EXIT 3', 'NOT gate.style → PROMPT "again"'],
    ['RETRY:\n  NOT gate.style → MODEL opus\n  EXIT 3', 'NOT gate.style → AGENT claude-opus'],
    ['RETRY:\n  ATTEMPT >= 2 → AGENT claude-opus\n  EXIT 3', 'ATTEMPT 2 → AGENT claude-opus'],
    ['RETRY:\n  ATTEMPT == 2 → AGENT claude-opus\n  EXIT 3', 'ATTEMPT 2 → AGENT claude-opus'],
    ['RETRY:\n  AFTER 2 → AGENT claude-opus\n  EXIT 3', 'ATTEMPT 3 → AGENT claude-opus'],
    ['RETRY:\n  ELSE → PROMPT "again"\n  EXIT 3', 'ATTEMPT 2 → PROMPT "again"'],
    ['RETRY:\n  ALWAYS → PROMPT "again"\n  EXIT 3', 'ATTEMPT 2 → PROMPT "again"'],
    ['RETRY:\n  NOT gate.style → RESTART\n  EXIT 3', 'NOT gate.style → PROMPT "Try again."'],
    ['RETRY:\n  NOT gate.style → RETRY\n  EXIT 3', 'NOT gate.style → PROMPT "Try again."'],
    ['EXIT 4', 'RETRY: EXIT 4'],
    ['EXIT: 4', 'RETRY: EXIT 4'],
  ],
};

const all = Object.entries(lines).flatMap(([place, pairs]) =>
  pairs.map(([written, meant]) => [place as keyof typeof places, written, meant] as const),
);

describe('a line of an author who knows other tools', () => {
  test.each(all)('%s: %j means %j', (place, written, meant) => {
    const text = places[place](written);
    const after = corrected(text);
    for (const line of meant.split('\n')) expect(after).toContain(line === '(removed)' ? '' : line);
    expect(messages(after)).toEqual([]);
    // Some lines are two mistakes: two members, or a block with its end.
    expect(messages(text)).toHaveLength(1);
  });

  test.each([
    ['DO: in PARALLEL:\n  - a = ./a.sh\n    b = ./b.sh', '`PATTERN: A`'],
    ['DO: in PARALLEL:\n  - name: a\n    run: ./a.sh', '`- a = ./a.sh`'],
    ['ASK user: "Go?" → yes: GOTO B, no: GOTO A', '`IF: answer == "yes" → GOTO: B`, then `ELSE → GOTO: A`'],
    ['USE: "./lib.dsl"', '`IMPORT: "./lib.dsl"` at the margin'],
    ['USE: std/poll', '`IMPORT: "std/poll"` at the margin'],
    ['trap "./clean.sh" EXIT', '`UNDO: ./clean.sh`'],
    ['IF: signal go → GOTO: B with job, n', '`WAIT: signal go OR timeout=1h`'],
  ])('%j has one message', (written, help) => {
    const found = messages(inState(written));
    expect(found.map((one) => one.help).join('\n')).toContain(help);
    expect(found.length).toBe(1);
  });
});

describe('options and commands that would do nothing', () => {
  test.each([
    ['DO: a = make a, b = make b', 'DO: a = make a\nDO: b = make b'],
    ['DO: ./a.sh, ./b.sh', 'DO: ./a.sh\nDO: ./b.sh'],
    [
      'DO: in PARALLEL:\n  - a = make a, b = make b\n  - ./c.sh',
      'DO: in PARALLEL:\n  - a = make a\n  - b = make b\n  - ./c.sh',
    ],
  ])('%j is %j', (written, meant) => {
    expect(messages(inState(written))).toHaveLength(1);
    expect(corrected(inState(written))).toBe(inState(meant));
  });

  test.each(['DO: x = make a, b', 'DO: make a, b = c', 'DO: x = echo "a, b = c"', 'DO: x = echo a, b=c'])(
    '%j is a command',
    (line) => {
      expect(messages(inState(line))).toEqual([]);
    },
  );

  test.each([
    ['[timeout=5m]', '`DO [timeout=5m]: …` in it'],
    ['(retry=3)', '`DO [retry=3]: …`'],
    ['[agent=claude]', '`DO: answer = Task(claude) "…"`'],
  ])('a state with %j', (note, help) => {
    const found = messages(`STATE: A ${note}\n  RETURN: ok\n`);
    expect(found.map(({ code }) => code)).toEqual(['bad-note']);
    expect(found[0]?.help).toContain(help);
    expect(messages('STATE: A [the first]\n  RETURN: ok\n')).toEqual([]);
  });

  test('the patterns of a file that is not imported are one mistake', () => {
    expect(messages(inState('USE: "./lib.dsl"\nUSE: LIB with a=1\nUSE: OTHER')).map(({ code }) => code)).toEqual([
      'unexpected-text',
    ]);
  });
});

describe('text that does nothing', () => {
  test.each([
    ['RETURN: ok, GOTO: B', '`RETURN: ok`'],
    ['RETURN: GOTO: B', '`GOTO: B` alone'],
    ['RETURN: DO: ./x.sh', '`DO: ./x.sh` alone'],
    ['RETURN → ok', '`RETURN: ok`'],
    ['RETURN [code=1]: no', '`RETURN: no`'],
    ['RETURN: $(date)', '`DO: result = date`, then `RETURN: {result}`'],
    ['RETURN: `date`', '`DO: result = date`, then `RETURN: {result}`'],
    ['RETURN: Task(claude) "sum up"', '`DO: result = Task(claude) "sum up"`, then `RETURN: {result}`'],
    ['RETURN: ok IF dry', '`IF: dry → RETURN: ok`'],
    ['FAIL: no UNLESS dry', '`IF: NOT dry → FAIL: no`'],
    ['FAIL: "no " + name', '`"no {name}"`'],
    ['FAIL: f"no {n}"', '`"no {n}"`'],
    ['FAIL: job.status', '`{job.status}`'],
    ['FAIL: len(items)', '`{len(items)}`'],
    ['EMIT: DONE x=job.status\n  RETURN', '`{job.status}`'],
    ['EMIT: DONE x=len(items)\n  RETURN', '`{len(items)}`'],
    ['EMIT: DONE x=n+1\n  RETURN', '`{n+1}`'],
    ['EMIT: DONE x=$(date)\n  RETURN', '`DO: result = date`, then `x={result}`'],
  ])('%j is said', (line, help) => {
    const found = messages(places.end(line).replace(/^ {4}/gm, '  '));
    expect(found.map(({ code }) => code)).toEqual(['taken-as-text']);
    expect(found[0]?.help).toContain(help);
  });

  test.each([
    'RETURN: ok, and then B',
    'RETURN: see IF: the manual',
    'RETURN: done if dry',
    'RETURN: 3 → 4',
    'RETURN: the cost is $(n)',
    'FAIL: n > 3',
    'FAIL: no such file: a.txt',
    'FAIL: {job.status}',
    'FAIL: not-found',
    'FAIL: len(x) is too large',
    'EMIT: DONE x=a.txt\n  RETURN',
    'EMIT: DONE x=2026-11-30\n  RETURN',
    'EMIT: DONE x=name.txt/a\n  RETURN',
  ])('%j is a text', (line) => {
    expect(messages(places.end(line).replace(/^ {4}/gm, '  '))).toEqual([]);
  });
});

function messagesOfTests(lines: string, place: 'test' | 'property'): readonly string[] {
  const text = `TESTS: "./a.dsl"\n${place === 'test' ? 'TEST' : 'PROPERTY'}: one\n  ${lines}\n`;
  return parseTests(sourceFile('a.test.dsl', text), 0).diagnostics.map(({ help = '' }) => help);
}

const testLines: readonly (readonly [string, string, 'property'?])[] = [
  ['RUN: make test → "ok"', 'MOCK: "make test" → "ok"'],
  ['MOCK: make → fail', 'MOCK: "make" → exit 1'],
  ['MOCK: cmd → fail', 'MOCK: "cmd" → exit 1'],
  ['MOCK: "make *" → fail', 'MOCK: "make *" → exit 1'],
  ['MOCK: "make *" → error', 'MOCK: "make *" → exit 1'],
  ['MOCK: "make *" → FAIL: "no"', 'MOCK: "make *" → fails tool_failure "no"'],
  ['MOCK: "make *" → ok, fail', 'MOCK: "make *" → exit 1 ""'],
  ['MOCK: "make *" → returns "ok"', 'MOCK: "make *" → "ok"'],
  ['MOCK: "make *" → return "ok"', 'MOCK: "make *" → "ok"'],
  ['MOCK: "make *" → stderr "no" exit 1', 'MOCK: "make *" → exit 1 "no"'],
  ['MOCK: "make *" → raise timeout', 'MOCK: "make *" → fails timeout ""'],
  ['MOCK: "make *" → fails with exit 2', 'MOCK: "make *" → exit 2'],
  ['MOCK: "make *" → "a" then "b" then "c"', 'MOCK: "make *" → "a", "b", "c"'],
  ['MOCK: "make *" → "a"; "b"', 'MOCK: "make *" → "a", "b"'],
  ['MOCK: "make *" → "a" | "b"', 'MOCK: "make *" → "a", "b"'],
  ['MOCK: "make *" → first "a", then "b"', 'MOCK: "make *" → "a", "b"'],
  ['MOCK: "make *" → "a" (2 times)', 'MOCK: "make *" → "a", "a"'],
  ['MOCK: "make *" → always "a"', 'MOCK: "make *" → "a", …'],
  ['MOCK: Task(claude, "Review*") → "ok"', 'MOCK: Task(claude) → "ok"'],
  ['MOCK: * → "ok"', 'MOCK: "*" → "ok"'],
  ['MOCK: WAIT signal go → "x"', 'SIGNAL: go "x"'],
  ['EXPECT: FAIL: no', 'EXPECT: failed\nEXPECT: error contains "no"'],
  ['EXPECT: raises timeout', 'EXPECT: failed timeout'],
  ['EXPECT: final state B', 'EXPECT: states …, B'],
  ['EXPECT: event DONE {"x": 1}', 'EXPECT: event DONE x=1'],
  ['EXPECT: ran make test', 'EXPECT: calls "make test" >= 1'],
  ['EXPECT: calls "make *" at least 1', 'EXPECT: calls "make *" >= 1'],
  ['EXPECT: calls "make *" at most 1', 'EXPECT: calls "make *" <= 1'],
  ['EXPECT: calls "make *" more than 1', 'EXPECT: calls "make *" > 1'],
  ['EXPECT: calls "make *" between 1 and 3', 'EXPECT: calls "make *" >= 1\nEXPECT: calls "make *" <= 3'],
  ['EXPECT: UNDO "make *"', 'EXPECT: calls "make *" >= 1'],
  ['EXPECT: TRACK tries == 3', 'EXPECT: tries == 3'],
  ['EXPECT: variable tries == 3', 'EXPECT: tries == 3'],
  ['EXPECT: within 5m', 'EXPECT: time <= 300'],
  ['EXPECT: prompt of claude contains "x"', 'EXPECT: prompt Task(claude) contains "x"'],
  ['EXPECT: claude was asked "x"', 'EXPECT: prompt Task(claude) contains "x"'],
  ['EXPECT: the run succeeds', 'EXPECT: returned'],
  ['EXPECT: it returns "ok"', 'EXPECT: returned "ok"'],
  ['EXPECT: that the run fails', 'EXPECT: failed'],
  ['NEVER: run "x" UNLESS ANSWER go == "yes"', 'NEVER: run "x" UNLESS answered go == "yes"', 'property'],
  ['NEVER: run "x" UNLESS answered go → "yes"', 'NEVER: run "x" UNLESS answered go == "yes"', 'property'],
  ['NEVER: run "x" TWICE', 'AT MOST: 1 run "x"', 'property'],
  ['NEVER: run "x" MORE THAN once', 'AT MOST: 1 run "x"', 'property'],
  ['NEVER: reach B', 'NEVER: state B', 'property'],
  ['NEVER: GOTO B', 'NEVER: state B', 'property'],
  ['NEVER: n > 3', 'NEVER: returned WHEN n > 3', 'property'],
  ['NEVER: tries > 3', 'NEVER: returned WHEN tries > 3', 'property'],
  ['NEVER: agent claude', 'NEVER: run Task(claude)', 'property'],
  ['AT MOST: 3 times run "x"', 'AT MOST: 3 run "x"', 'property'],
  ['AT MOST: 3 runs of "x"', 'AT MOST: 3 run "x"', 'property'],
  ['EXACTLY: 1 run "x"', 'AT MOST: 1 run "x"', 'property'],
  ['AFTER: run "x" run "y"', 'AFTER: run "x" → run "y"', 'property'],
  ['AFTER: run "x", run "y"', 'AFTER: run "x" → run "y"', 'property'],
  ['AFTER failed → run "y"', 'AFTER: failed → run "y"', 'property'],
  ['IF: run "x" → run "y"', 'AFTER: run "x" → run "y"', 'property'],
  ['WHEN: run "x" → run "y"', 'AFTER: run "x" → run "y"', 'property'],
  ['run "x" IMPLIES run "y"', 'AFTER: run "x" → run "y"', 'property'],
  ['REACHES B', 'REACHES: state B', 'property'],
  ['POSSIBLE: run "x"', 'REACHES: run "x"', 'property'],
  ['ENDS: in B', 'REACHES: state B', 'property'],
  ['ASSUME n < 3', 'ASSUME: n < 3', 'property'],
  ['GIVEN: n < 3', 'ASSUME: n < 3', 'property'],
  ['GIVEN: n=3', 'ASSUME: n == 3', 'property'],
  ['ASSERT: n < 3', 'ASSUME: n < 3', 'property'],
  ['G(run "x")', 'REACHES: run "x"', 'property'],
  ['[] run "x"', 'REACHES: run "x"', 'property'],
];

describe('a line of a test file of an author who knows other tools', () => {
  const inPlaces = testLines.map(([written, meant, place]) => [written, meant, place ?? ('test' as const)] as const);
  test.each(inPlaces)('%j means %j', (written, meant, place) => {
    expect(messagesOfTests(written, place)).toEqual([expect.stringContaining(meant.split('\n').join('`, then `'))]);
    expect(messagesOfTests(meant.split('\n').join('\n  '), place)).toEqual([]);
  });
});
