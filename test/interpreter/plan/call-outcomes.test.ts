/** What the outcome of a tool or of an agent means for a call of a plan, and which arm of the call it takes. */
import { expect, test } from 'vitest';
import type { Outcome } from '../../../src/interpreter/events/event.js';
import { decodeAgentOutcome, decodeToolOutcome } from '../../../src/interpreter/plan/call-outcome.js';
import { chooseArm } from '../../../src/interpreter/plan/scheduler/plan-outcome.js';
import type { PlanCall, PlanPath, ToolBinding } from '../../../src/machine/plan.js';
import { printed } from '../machine-builder.js';

const deep = `${'['.repeat(201)}${']'.repeat(201)}`;

const OUTCOMES: readonly Outcome[] = [
  printed('{"a": 1.10}\n'),
  printed(''),
  printed(' \n'),
  printed('no JSON'),
  printed(deep),
  printed('', 2, 'bad\nluck\n'),
  printed('[1]', 2),
  printed('no JSON', 2, 'luck'),
  printed('[1]', 3, 'luck'),
  printed('', 7),
  { ...printed('[1]', 0), invalid: 'lacks `x`' } as Outcome,
  { ...printed('', 0), exit: null, signal: 'SIGKILL' } as Outcome,
  { ...printed('x'), stdout: { bytes: 3, base64: '//8=', text: '\ufffd' } } as Outcome,
  { ...printed('x'), stdout: { bytes: 20_000_000 } } as Outcome,
  { kind: 'value', value: 1.1, printed: '1.10' },
  { kind: 'value', value: [1], invalid: 'is no object' },
  { kind: 'value', value: JSON.parse(deep) },
  { kind: 'timed-out', timeout_ms: 50, duration_ms: 51, stdout: { text: '', bytes: 0 }, stderr: '' },
  {
    kind: 'timed-out',
    timeout_ms: 50,
    silent: { heard: 'reading' },
    duration_ms: 51,
    stdout: { text: '', bytes: 0 },
    stderr: '',
  },
  { kind: 'not-started', reason: 'no such program' },
  { kind: 'not-started', reason: 'too long', error_type: 'bad_value' },
  { kind: 'failed', message: 'no', duration_ms: 1 },
  { kind: 'failed', message: 'no', exit: 4, duration_ms: 1 },
  { kind: 'failed', message: 'no', tool_code: 'full', exit: 4, duration_ms: 1 },
  { kind: 'failed', message: 'no', error_type: 'limit', duration_ms: 1 },
  { kind: 'failed', message: 'no', error_type: 'in_doubt', duration_ms: 1 },
] as readonly Outcome[];

const short = (value: unknown): string => JSON.stringify(value).replace(/\[{9,}\]+/, '[…]');
const shown = (outcome: Outcome): string => {
  const { kind, exit, stdout, ...others } = outcome as { kind: string; exit?: number | null; stdout?: object };
  const facts = Object.entries<unknown>({ exit, ...stdout, ...others }).filter(
    ([name, value]) => name !== 'duration_ms' && value !== '' && value !== undefined,
  );
  return `${kind} ${facts.map(([name, value]) => `${name}=${short(value)}`).join(' ')}`;
};

const binding = (more: Partial<ToolBinding>): ToolBinding => ({ outcomes: null, ...more }) as ToolBinding;
const call = (arms: PlanCall['arms'], instance: string | null = null): PlanCall => ({ arms, instance }) as PlanCall;

test('of tools', () => {
  const named = binding({ outcomes: { 0: ['state', 'ok'], 2: ['state', 'bad'] } });
  const lines = OUTCOMES.map((outcome) => {
    const all = [
      decodeToolOutcome(outcome, binding({})),
      decodeToolOutcome(outcome, binding({}), false),
      decodeToolOutcome(outcome, named),
    ].map(short);
    return [shown(outcome), ...all.filter((one, at) => all.indexOf(one) === at)].join('\n  ');
  });
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "exited exit=0 text="{\\"a\\": 1.10}\\n" bytes=12
      {"kind":"result","value":{"a":1.1}}
      {"kind":"failure","code":0,"message":"","exitCode":0,"value":{"a":1.1}}
    exited exit=0 bytes=0
      {"kind":"broken","code":"not_json","message":"it printed nothing, but a result must be JSON"}
      {"kind":"result","value":null}
      {"kind":"failure","code":0,"message":"exit 0","exitCode":0}
    exited exit=0 text=" \\n" bytes=2
      {"kind":"broken","code":"not_json","message":"it printed nothing, but a result must be JSON"}
      {"kind":"result","value":null}
    exited exit=0 text="no JSON" bytes=7
      {"kind":"broken","code":"not_json","message":"it printed something that is not JSON: \`no JSON\`"}
    exited exit=0 text="[…]" bytes=402
      {"kind":"broken","code":"bad_value","message":"the result is nested deeper than 200 levels"}
    exited exit=2 bytes=0 stderr="bad\\nluck\\n"
      {"kind":"failure","code":2,"message":"bad\\nluck","exitCode":2}
    exited exit=2 text="[1]" bytes=3
      {"kind":"failure","code":2,"message":"exit 2","exitCode":2}
      {"kind":"failure","code":2,"message":"","exitCode":2,"value":[1]}
    exited exit=2 text="no JSON" bytes=7 stderr="luck"
      {"kind":"failure","code":2,"message":"luck","exitCode":2}
      {"kind":"broken","code":"not_json","message":"it printed something that is not JSON: \`no JSON\`"}
    exited exit=3 text="[1]" bytes=3 stderr="luck"
      {"kind":"failure","code":3,"message":"luck","exitCode":3}
    exited exit=7 bytes=0
      {"kind":"failure","code":7,"message":"exit 7","exitCode":7}
    exited exit=0 text="[1]" bytes=3 invalid="lacks \`x\`"
      {"kind":"broken","code":"bad_value","message":"the result lacks \`x\`"}
    exited exit=null bytes=0 signal="SIGKILL"
      {"kind":"broken","code":"tool_failure","message":"it was killed by SIGKILL"}
    exited exit=0 bytes=3 base64="//8=" text="�"
      {"kind":"broken","code":"not_json","message":"it printed something that is not text"}
    exited exit=0 bytes=20000000
      {"kind":"broken","code":"value_too_large","message":"the result has 20000000 bytes, but a value can have at most 16 MiB"}
    value value=1.1 printed="1.10"
      {"kind":"result","value":1.1}
    value value=[1] invalid="is no object"
      {"kind":"broken","code":"bad_value","message":"the result is no object"}
    value value=[…]
      {"kind":"broken","code":"bad_value","message":"the result is nested deeper than 200 levels"}
    timed-out bytes=0 timeout_ms=50
      {"kind":"broken","code":"timeout","message":"it took longer than 50 ms"}
    timed-out bytes=0 timeout_ms=50 silent={"heard":"reading"}
      {"kind":"broken","code":"timeout","message":"it was silent for 50ms; last heard: reading"}
    not-started reason="no such program"
      {"kind":"broken","code":"tool_failure","message":"no such program"}
    not-started reason="too long" error_type="bad_value"
      {"kind":"broken","code":"bad_value","message":"too long"}
    failed message="no"
      {"kind":"failure","code":"tool_failure","message":"no"}
    failed exit=4 message="no"
      {"kind":"failure","code":4,"message":"no"}
    failed exit=4 message="no" tool_code="full"
      {"kind":"failure","code":"full","message":"no"}
    failed message="no" error_type="limit"
      {"kind":"broken","code":"limit","message":"no"}
    failed message="no" error_type="in_doubt"
      {"kind":"in-doubt","message":"no"}"
  `);
});

test('of agents', () => {
  const answers: readonly Outcome[] = [
    ...OUTCOMES,
    printed('```json\n{"a": 1}\n```\n'),
    { ...printed('{"a":', 0), session_id: 's', session_tokens: { in: 1, out: 2 } } as Outcome,
    { ...printed('[1]', 0), result: { text: '{"b": 2}' } } as unknown as Outcome,
  ];
  const lines = answers.map((outcome) => {
    const all = [decodeAgentOutcome(outcome, 'a', false), decodeAgentOutcome(outcome, 'a', true)].map(short);
    return [shown(outcome), ...all.filter((one, at) => all.indexOf(one) === at)].join('\n  ');
  });
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "exited exit=0 text="{\\"a\\": 1.10}\\n" bytes=12
      {"kind":"result","value":"{\\"a\\": 1.10}\\n"}
      {"kind":"result","value":{"a":1.1}}
    exited exit=0 bytes=0
      {"kind":"result","value":""}
      {"kind":"unusable","problem":"it is not JSON","session":null}
    exited exit=0 text=" \\n" bytes=2
      {"kind":"result","value":" \\n"}
      {"kind":"unusable","problem":"it is not JSON","session":null}
    exited exit=0 text="no JSON" bytes=7
      {"kind":"result","value":"no JSON"}
      {"kind":"unusable","problem":"it is not JSON","session":null}
    exited exit=0 text="[…]" bytes=402
      {"kind":"result","value":"[…]"}
      {"kind":"broken","code":"bad_value","message":"the result is nested deeper than 200 levels"}
    exited exit=2 bytes=0 stderr="bad\\nluck\\n"
      {"kind":"failure","code":2,"message":"luck"}
    exited exit=2 text="[1]" bytes=3
      {"kind":"failure","code":2,"message":"[1]"}
    exited exit=2 text="no JSON" bytes=7 stderr="luck"
      {"kind":"failure","code":2,"message":"luck"}
    exited exit=3 text="[1]" bytes=3 stderr="luck"
      {"kind":"failure","code":3,"message":"luck"}
    exited exit=7 bytes=0
      {"kind":"failure","code":7,"message":"exit 7"}
    exited exit=0 text="[1]" bytes=3 invalid="lacks \`x\`"
      {"kind":"result","value":"[1]"}
      {"kind":"unusable","problem":"it lacks \`x\`","session":null}
    exited exit=null bytes=0 signal="SIGKILL"
      {"kind":"failure","code":"tool_failure","message":"killed by SIGKILL"}
    exited exit=0 bytes=3 base64="//8=" text="�"
      {"kind":"result","value":"�"}
      {"kind":"unusable","problem":"it is not JSON","session":null}
    exited exit=0 bytes=20000000
      {"kind":"broken","code":"value_too_large","message":"the answer is larger than a value can be"}
    value value=1.1 printed="1.10"
      {"kind":"result","value":1.1}
    value value=[1] invalid="is no object"
      {"kind":"broken","code":"bad_value","message":"the result is no object"}
    value value=[…]
      {"kind":"broken","code":"bad_value","message":"the result is nested deeper than 200 levels"}
    timed-out bytes=0 timeout_ms=50
      {"kind":"broken","code":"timeout","message":"it took longer than 50 ms"}
    timed-out bytes=0 timeout_ms=50 silent={"heard":"reading"}
      {"kind":"broken","code":"timeout","message":"it was silent for 50ms; last heard: reading"}
    not-started reason="no such program"
      {"kind":"broken","code":"tool_failure","message":"no such program"}
    not-started reason="too long" error_type="bad_value"
      {"kind":"broken","code":"bad_value","message":"too long"}
    failed message="no"
      {"kind":"failure","code":"tool_failure","message":"no"}
    failed exit=4 message="no"
      {"kind":"failure","code":4,"message":"no"}
    failed exit=4 message="no" tool_code="full"
      {"kind":"failure","code":"full","message":"no"}
    failed message="no" error_type="limit"
      {"kind":"broken","code":"limit","message":"no"}
    failed message="no" error_type="in_doubt"
      {"kind":"in-doubt","message":"no"}
    exited exit=0 text="\`\`\`json\\n{\\"a\\": 1}\\n\`\`\`\\n" bytes=21
      {"kind":"result","value":"\`\`\`json\\n{\\"a\\": 1}\\n\`\`\`\\n"}
      {"kind":"result","value":{"a":1}}
    exited exit=0 text="{\\"a\\":" bytes=5 session_id="s" session_tokens={"in":1,"out":2}
      {"kind":"result","value":"{\\"a\\":"}
      {"kind":"unusable","problem":"it is not JSON","session":"s","sessionTokens":{"in":1,"out":2}}
    exited exit=0 text="[1]" bytes=3 result={"text":"{\\"b\\": 2}"}
      {"kind":"result","value":"[1]"}
      {"kind":"result","value":[1]}"
  `);
});

test('take the arm that they name, that the tool names for their exit code, or the one for failures', () => {
  const ok: PlanPath = ['state', 'ok'];
  const bad: PlanPath = ['state', 'bad'];
  const other: PlanPath = ['output', 'other'];
  const calls = {
    none: call([]),
    one: call([[ok]]),
    three: call([[ok, other], [bad], [other]]),
    inner: call([[['instance', 'i', 'state', 'ok']], [['instance', 'i', 'state', 'bad']]], 'i'),
  };
  const bindings = {
    plain: binding({}),
    named: binding({ outcomes: { 0: ok, 2: bad, 3: ['state', 'elsewhere'] } }),
    last: binding({ outcomes: { 2: ok }, failure: 'last' }),
    none: binding({ failure: 'none' }),
    bad: binding({ failure: bad }),
  } as Readonly<Record<string, ToolBinding>>;
  const outcomes: Readonly<Record<string, Parameters<typeof chooseArm>[2]>> = {
    'a value': { kind: 'result', value: { a: 1 } },
    'the path 1': { kind: 'result', value: { _path: 1, _output: [2] } },
    'the path 3': { kind: 'result', value: { _path: 3 } },
    'the path 0.5': { kind: 'result', value: { _path: 0.5 } },
    'the path -1': { kind: 'result', value: { _path: -1 } },
    'the path †state.bad': { kind: 'result', value: { _path: '†state.bad', _output: 1 } },
    'the path †state.no': { kind: 'result', value: { _path: '†state.no', _output: 1 } },
    'the path null': { kind: 'result', value: { _path: null } },
    'exit code 2': { kind: 'failure', code: 2, message: 'm', exitCode: 2 },
    'exit code 2 with a value': { kind: 'failure', code: 2, message: '', exitCode: 2, value: 'v' },
    'exit code 3': { kind: 'failure', code: 3, message: 'm', exitCode: 3 },
    'exit code 4': { kind: 'failure', code: 4, message: 'm', exitCode: 4 },
    'a code': { kind: 'failure', code: 'full', message: 'm' },
    'a time-out': { kind: 'broken', code: 'timeout', message: 'm' },
    doubt: { kind: 'in-doubt', message: 'm' },
  };
  const lines = Object.entries(outcomes).flatMap(([what, outcome]) =>
    Object.entries(calls).map(([which, one]) => {
      const taken = new Map<string, string[]>();
      for (const [name, bound] of Object.entries(bindings)) {
        const choice = JSON.stringify(chooseArm(one, bound, outcome)).replace(/"/g, '');
        taken.set(choice, [...(taken.get(choice) ?? []), name]);
      }
      const choices = [...taken].map(([choice, names]) =>
        taken.size === 1 ? choice : `${names.join(', ')} ${choice}`,
      );
      return `${what}, ${which}: ${choices.join('; ')}`;
    }),
  );
  expect(chooseArm(calls.one, null, outcomes['a value'] as never)).toEqual({ arm: 0, value: { a: 1 } });
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "a value, none: {arm:-1,value:{a:1}}
    a value, one: {arm:0,value:{a:1}}
    a value, three: {arm:0,value:{a:1}}
    a value, inner: {arm:0,value:{a:1}}
    the path 1, none: {arm:null,code:bad_path,message:the tool returned the path 1, which this call does not declare}
    the path 1, one: {arm:null,code:bad_path,message:the tool returned the path 1, which this call does not declare}
    the path 1, three: {arm:1,value:[2]}
    the path 1, inner: {arm:1,value:[2]}
    the path 3, none: {arm:null,code:bad_path,message:the tool returned the path 3, which this call does not declare}
    the path 3, one: {arm:null,code:bad_path,message:the tool returned the path 3, which this call does not declare}
    the path 3, three: {arm:null,code:bad_path,message:the tool returned the path 3, which this call does not declare}
    the path 3, inner: {arm:null,code:bad_path,message:the tool returned the path 3, which this call does not declare}
    the path 0.5, none: {arm:null,code:bad_path,message:the tool returned the path 0.5, which this call does not declare}
    the path 0.5, one: {arm:null,code:bad_path,message:the tool returned the path 0.5, which this call does not declare}
    the path 0.5, three: {arm:null,code:bad_path,message:the tool returned the path 0.5, which this call does not declare}
    the path 0.5, inner: {arm:null,code:bad_path,message:the tool returned the path 0.5, which this call does not declare}
    the path -1, none: {arm:null,code:bad_path,message:the tool returned the path -1, which this call does not declare}
    the path -1, one: {arm:null,code:bad_path,message:the tool returned the path -1, which this call does not declare}
    the path -1, three: {arm:null,code:bad_path,message:the tool returned the path -1, which this call does not declare}
    the path -1, inner: {arm:null,code:bad_path,message:the tool returned the path -1, which this call does not declare}
    the path †state.bad, none: {arm:null,code:bad_path,message:the tool returned the path \\†state.bad\\, which this call does not declare}
    the path †state.bad, one: {arm:null,code:bad_path,message:the tool returned the path \\†state.bad\\, which this call does not declare}
    the path †state.bad, three: {arm:1,value:1}
    the path †state.bad, inner: {arm:1,value:1}
    the path †state.no, none: {arm:null,code:bad_path,message:the tool returned the path \\†state.no\\, which this call does not declare}
    the path †state.no, one: {arm:null,code:bad_path,message:the tool returned the path \\†state.no\\, which this call does not declare}
    the path †state.no, three: {arm:null,code:bad_path,message:the tool returned the path \\†state.no\\, which this call does not declare}
    the path †state.no, inner: {arm:null,code:bad_path,message:the tool returned the path \\†state.no\\, which this call does not declare}
    the path null, none: {arm:null,code:bad_path,message:the tool returned the path null, which this call does not declare}
    the path null, one: {arm:null,code:bad_path,message:the tool returned the path null, which this call does not declare}
    the path null, three: {arm:null,code:bad_path,message:the tool returned the path null, which this call does not declare}
    the path null, inner: {arm:null,code:bad_path,message:the tool returned the path null, which this call does not declare}
    exit code 2, none: {arm:null,code:2,message:m}
    exit code 2, one: plain, named, none, bad {arm:null,code:2,message:m}; last {arm:0,value:{code:2,message:m}}
    exit code 2, three: plain {arm:2,value:{code:2,message:m}}; named, bad {arm:1,value:{code:2,message:m}}; last {arm:0,value:{code:2,message:m}}; none {arm:null,code:2,message:m}
    exit code 2, inner: plain, named, bad {arm:1,value:{code:2,message:m}}; last {arm:0,value:{code:2,message:m}}; none {arm:null,code:2,message:m}
    exit code 2 with a value, none: {arm:null,code:2,message:}
    exit code 2 with a value, one: plain, named, none, bad {arm:null,code:2,message:}; last {arm:0,value:v}
    exit code 2 with a value, three: plain {arm:2,value:{code:2,message:}}; named {arm:1,value:v}; last {arm:0,value:v}; none {arm:null,code:2,message:}; bad {arm:1,value:{code:2,message:}}
    exit code 2 with a value, inner: plain, bad {arm:1,value:{code:2,message:}}; named {arm:1,value:v}; last {arm:0,value:v}; none {arm:null,code:2,message:}
    exit code 3, none: {arm:null,code:3,message:m}
    exit code 3, one: {arm:null,code:3,message:m}
    exit code 3, three: plain, last {arm:2,value:{code:3,message:m}}; named, none {arm:null,code:3,message:m}; bad {arm:1,value:{code:3,message:m}}
    exit code 3, inner: plain, last, bad {arm:1,value:{code:3,message:m}}; named, none {arm:null,code:3,message:m}
    exit code 4, none: {arm:null,code:4,message:m}
    exit code 4, one: {arm:null,code:4,message:m}
    exit code 4, three: plain, last {arm:2,value:{code:4,message:m}}; named, none {arm:null,code:4,message:m}; bad {arm:1,value:{code:4,message:m}}
    exit code 4, inner: plain, last, bad {arm:1,value:{code:4,message:m}}; named, none {arm:null,code:4,message:m}
    a code, none: {arm:null,code:full,message:m}
    a code, one: {arm:null,code:full,message:m}
    a code, three: plain, last {arm:2,value:{code:full,message:m}}; named, none {arm:null,code:full,message:m}; bad {arm:1,value:{code:full,message:m}}
    a code, inner: plain, last, bad {arm:1,value:{code:full,message:m}}; named, none {arm:null,code:full,message:m}
    a time-out, none: {arm:null,code:timeout,message:m}
    a time-out, one: {arm:null,code:timeout,message:m}
    a time-out, three: plain, named, none {arm:null,code:timeout,message:m}; last {arm:2,value:{code:timeout,message:m}}; bad {arm:1,value:{code:timeout,message:m}}
    a time-out, inner: plain, named, none {arm:null,code:timeout,message:m}; last, bad {arm:1,value:{code:timeout,message:m}}
    doubt, none: {arm:null,code:in_doubt,message:m}
    doubt, one: {arm:null,code:in_doubt,message:m}
    doubt, three: {arm:null,code:in_doubt,message:m}
    doubt, inner: {arm:null,code:in_doubt,message:m}"
  `);
});
