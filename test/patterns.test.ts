/**
 * The shipped patterns, each used as its manual says: agents answer from a script, scripts are real and run by the
 * shell, because that values reach them unharmed is half of what the patterns are for.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import {
  compile,
  hostEffects,
  type Json,
  type RunEvent,
  type RunOptions,
  run,
  type Script,
  scriptedEffects,
} from '../src/index.js';
import { shippedPatterns } from '../src/language/source/catalogue/patterns.js';

const patterns = join(dirname(dirname(fileURLToPath(import.meta.url))), 'patterns');
const cwd = mkdtempSync(join(tmpdir(), 'statedsl-patterns-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function load(path: string) {
  return { name: path, text: readFileSync(join(patterns, `${path.slice('std/'.length)}.dsl`), 'utf8') };
}

/** Runs a program and gives its report with the author's events, as `EVENT {fields}`. */
async function play(text: string, options: RunOptions = {}) {
  const { machine, diagnostics } = compile(text, { load });
  expect(diagnostics).toEqual([]);
  if (machine === null) throw new Error('no diagnostics and no machine');
  const events: string[] = [];
  const onEvent = (event: RunEvent) => {
    if (event.type === 'emitted') events.push(`${event.event ?? event.message} ${JSON.stringify(event.fields)}`);
  };
  const report = await run(machine, { cwd, ...options, onEvent });
  return { ...report, events };
}

/**
 * Answers from a script, but real time: in scripted time a time-out is over before anybody answers. The clock goes
 * with the timers, or the end of a time-out, reckoned from the scripted clock, would long be past.
 */
function scripted(script: Script): RunOptions {
  const [answers, world] = [scriptedEffects(script), hostEffects()];
  const perform: typeof answers.perform = (request, context) =>
    (request.kind === 'timer' || request.kind === 'clock' ? world : answers).perform(request, context);
  return { effects: { perform } };
}

const failure = { outcome: { kind: 'failed', message: 'no' } } as const;

const ERROR = `
STATE: ERROR
  RETURN: {error_type}: {error}
`;

describe('std/init', () => {
  it('makes a folder with a new name', async () => {
    const program = 'IMPORT: "std/init"\nUSE: INIT_PATTERN with root="a b"\nRETURN: {session_dir}';
    const [first, second] = [await play(program), await play(program)];
    expect(first.returned).toMatch(/^a b\/[0-9a-f]{8}$/);
    expect(second.returned).not.toBe(first.returned);
    expect(readdirSync(join(cwd, 'a b'))).toHaveLength(2);
    expect(first.events).toEqual(['SESSION_OPENED {}']);
  });

  it('keeps the name and the mode it is given', async () => {
    const { returned, events } = await play(
      'IMPORT: "std/init"\nUSE: INIT_PATTERN with mode="night", root="r", session="s1"\nRETURN: {session_id}',
    );
    expect([returned, events]).toEqual(['s1', ['SESSION_OPENED {"mode":"night"}']]);
  });
});

describe('std/explore', () => {
  const program = `
IMPORT: "std/explore"
STATE: EXPLORE
  USE: EXPLORE_PATTERN with objective="o", modes=["a", "b", "c"], quorum=2, limit="5s"
  RETURN: {found} without {missing}, {timed_out}
${ERROR}`;

  it('is content with a quorum', async () => {
    const { returned } = await play(program, scripted({ explorer: [{ n: 1 }, failure, { n: 3 }] }));
    expect(returned).toBe('[{"n":1},{"n":3}] without ["b"], false');
  });

  it('fails when the quorum cannot be reached', async () => {
    const { status, returned } = await play(program, scripted({ explorer: [{ n: 1 }, failure, failure] }));
    expect([status, returned]).toEqual(['failed', 'tool_failure: 2 of 3 failed: b: no; c: no']);
  });
});

describe('std/plan', () => {
  const program = `
IMPORT: "std/plan"
STATE: PLAN
  USE: PLAN_PATTERN with input="i", next_state=BUILD, reply="r", limit=2
STATE: BUILD
  RETURN: {plan}
`;

  it('passes the plan on, after the questions of the planner', async () => {
    const answers: Json[] = [
      { decision: 'CLARIFY', questions: ['a?', 'b?'] },
      { decision: 'PROCEED', plan: { n: 1 } },
    ];
    const { returned, tracked, events } = await play(program, scripted({ planner: answers }));
    expect(returned).toEqual({ n: 1 });
    expect(tracked.clarifications).toEqual([{ question: 'a? b?', answer: 'r' }]);
    expect(events).toEqual(['CLARIFY {"count":1}']);
  });

  it('gives up after the rounds that are allowed, whatever the planner says', async () => {
    const answers: Json[] = [{ decision: 'CONFIRM', selection: 's' }, 'prose', { decision: 'PROCEED', plan: 1 }];
    const { returned, tracked } = await play(program, scripted({ planner: answers }));
    expect(returned).toMatch(/^no plan after 2 rounds/);
    expect(tracked.clarifications).toEqual([{ question: 's – is that right?', answer: 'r' }]);
  });

  it('asks a person when there is no reply', async () => {
    const asking = program.replace(', reply="r"', '');
    const options = scripted({ planner: { decision: 'CLARIFY' } });
    expect(await play(asking, options)).toMatchObject({
      status: 'suspended',
      waiting: [{ kind: 'ask', name: 'answer' }],
    });
  });
});

describe('std/error', () => {
  it('reports what is known, and ends the run as failed', async () => {
    const program = (body: string) => `IMPORT: "std/error"
STATE: A
  ${body}
STATE: ERROR
  USE: ERROR_PATTERN with advice="ask Ada"
`;
    const own = await play(program('GOTO: ERROR with error_type="stuck", error="e"'));
    expect([own.status, own.returned, own.events]).toEqual([
      'failed',
      'stuck: e; ask Ada',
      ['RUN_FAILED {"error_type":"stuck"}'],
    ]);
    const tool = await play(program('DO: false\n  RETURN'));
    expect(tool.events).toContain('RUN_FAILED {"error_type":"tool_failure","from":"A","tool":"false","exit":1}');
  });
});

describe('std/poll', () => {
  const name = "it's $(touch never) ready.sh";
  const script = (body: string) => writeFileSync(join(cwd, name), body);

  it('waits until the script succeeds, and hands it its arguments unharmed', async () => {
    script('echo "$#:$2" > seen; echo x >> tries; [ "$(wc -l < tries)" -ge 2 ]');
    const inputs = { script: name, args: ['1', '$(touch never)'] };
    const { returned } = await play(
      'IMPORT: "std/poll"\nINPUT: script\nINPUT: args\n' +
        'USE: POLL_PATTERN with script={script}, args={args}, every="1ms"\nRETURN: {done} {timed_out}',
      { inputs },
    );
    expect(returned).toBe('true false');
    expect(readFileSync(join(cwd, 'seen'), 'utf8')).toBe('2:$(touch never)\n');
    expect(readdirSync(cwd)).not.toContain('never');
  });

  it('ends when time is over', async () => {
    script('exit 1');
    const { returned } = await play(
      'IMPORT: "std/poll"\nINPUT: script\n' +
        'USE: POLL_PATTERN with script={script}, limit="50ms", every="10ms"\nRETURN: {done} {timed_out}',
      { inputs: { script: name } },
    );
    expect(returned).toBe('false true');
  });

  it('waits for one of several statuses', async () => {
    script('echo "{\\"status\\": \\"failed\\", \\"why\\": \\"tests\\"}"');
    const { returned } = await play(
      'IMPORT: "std/poll"\nINPUT: script\n' +
        'USE: POLL_STATUS_PATTERN with script={script}, until=["passed", "failed"]\nRETURN: {status}: {report.why}',
      { inputs: { script: name } },
    );
    expect(returned).toBe('failed: tests');
  });
});

describe('a script that is not there', () => {
  it.each(['std/poll', 'std/retry'])('is a failure of %s at once', async (library) => {
    const pattern = library === 'std/poll' ? 'POLL_PATTERN' : 'RETRY_PATTERN';
    const text = `IMPORT: "${library}"\nSTATE: A\n  USE: ${pattern} with script="nowhere.sh"\n  RETURN\n${ERROR}`;
    expect((await play(text)).returned).toMatch(/^tool_failure: head: .*nowhere\.sh/);
  });
});

describe('std/retry', () => {
  const program = `
IMPORT: "std/retry"
INPUT: wanted = 2
USE: RETRY_PATTERN with script="try.sh", args=[{wanted}], attempts=3, pause="1ms"
RETURN: {succeeded} {attempts_used}
`;

  it.each([
    [1, 'true 1', 0],
    [3, 'true 3', 2],
    [9, 'false 3', 3],
  ])('when try %i would succeed', async (wanted, returned, failures) => {
    writeFileSync(join(cwd, 'try.sh'), 'echo x >> "count-$1"; [ "$(wc -l < "count-$1")" -ge "$1" ]');
    const report = await play(program, { inputs: { wanted } });
    expect([report.returned, report.events.length]).toEqual([returned, failures]);
  });
});

describe('std/approve', () => {
  it.each([
    ['yes', 'published'],
    ['no', 'stopped'],
  ])('goes where %s leads', async (answer, returned) => {
    const program = `IMPORT: "std/approve"
STATE: A
  USE: APPROVE_PATTERN with question="Publish?", otherwise=STOP
  RETURN: published
STATE: STOP
  RETURN: stopped
`;
    const report = await play(program, { ask: async () => answer });
    expect([report.returned, report.events]).toEqual([returned, [`APPROVAL {"answer":"${answer}"}`]]);
  });
});

it('messages know which file has a pattern', () => {
  const declared = readdirSync(patterns).flatMap((file) =>
    [...readFileSync(join(patterns, file), 'utf8').matchAll(/^PATTERN: (\w+)/gm)].map((match) => ({
      file: file.replace(/\.dsl$/, ''),
      pattern: match[1],
    })),
  );
  expect(shippedPatterns).toEqual(declared);
});
