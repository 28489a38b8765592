/** What services do to programs: limits, overload, connections that end, and requests that nobody answers. */
import assert from 'node:assert/strict';
import { assertReturned, conversation, flow } from './expected.mjs';

const seconds = () => Math.floor(Date.now() / 1000);

/** A usage limit that ends in `wait` seconds, in the words of each service. */
function limit(program, wait) {
  const until = seconds() + wait;
  switch (program) {
    case 'claude':
      return {
        status: 429,
        headers: {
          'retry-after': String(wait),
          'x-should-retry': 'false',
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-reset': String(until),
          'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        },
        body: { type: 'error', error: { type: 'rate_limit_error', message: 'You have hit your usage limit.' } },
      };
    case 'codex':
      return {
        status: 429,
        body: {
          error: {
            type: 'usage_limit_reached',
            message: 'The usage limit has been reached',
            plan_type: 'plus',
            resets_at: until,
            resets_in_seconds: wait,
          },
        },
      };
    case 'gemini':
      return {
        status: 429,
        body: {
          error: {
            code: 429,
            status: 'RESOURCE_EXHAUSTED',
            message: `You exceeded your current quota. Please retry in ${wait}s.`,
            details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${wait}s` }],
          },
        },
      };
    default:
      return {
        status: 429,
        headers: { 'retry-after': String(wait) },
        body: {
          error: {
            message: `Rate limit reached for stub-model. Please try again in ${wait}s.`,
            type: 'requests',
            param: null,
            code: 'rate_limit_exceeded',
          },
        },
      };
  }
}

const OVERLOAD = {
  claude: { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
  gemini: { status: 503, body: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } } },
};
const overload = (program) =>
  OVERLOAD[program] ?? { status: 503, body: { error: { message: 'The server is overloaded.', type: 'server_error' } } };

const refusal = (program, status, message) => ({
  status,
  body:
    program === 'claude'
      ? { type: 'error', error: { type: status === 401 ? 'authentication_error' : 'not_found_error', message } }
      : { error: { code: status, message, status: status === 401 ? 'UNAUTHENTICATED' : 'NOT_FOUND' } },
});

/** A run that fails without waiting for anything, and says why in the words of the service. */
async function assertFails(stage, answer, words) {
  // Without an end of its own retries, a program would ask for minutes.
  stage.configure({ env: { CLAUDE_CODE_MAX_RETRIES: '1' } });
  await stage.model({ afterwards: answer });
  const result = await stage.run(flow('Say hello.'));
  assert.equal(result.summary.status, 'failed', result.log);
  assert.match(result.log, words);
  assert.equal(result.calls.length, 1, 'it waits for nothing');
}

/** Within this time a program has surely asked the model, also on a busy machine. */
const SECONDS_TO_ASK = { claude: 6, codex: 6, gemini: 12, qwen: 12, opencode: 20 };

export const trouble = [
  {
    name: 'usage limit in the middle',
    async play(stage) {
      const { program } = stage;
      const write = { path: `${stage.project}/half.txt`, content: 'half\n' };
      await stage.model({
        turns: [{ say: 'I begin.', write }, () => limit(program, 3)],
        afterwards: { text: 'Finished.' },
      });
      const result = await stage.run(flow('Begin and finish.'));
      assertReturned(result, 'Finished.');
      assert.equal(stage.read('half.txt')?.trim(), 'half');
      assert.equal(result.state['one.attempt'], '1');
      const text = conversation(stage.requests.at(-1));
      for (const part of ['Begin and finish.', 'I begin.'])
        assert.ok(text.includes(part), `the conversation lost: ${part}`);
    },
  },
  {
    name: 'usage limit in the middle: a Task',
    async play(stage) {
      const { program } = stage;
      const write = { path: `${stage.project}/half.txt`, content: 'half\n' };
      await stage.model({
        turns: [{ say: 'I begin.', write }, () => limit(program, 3)],
        afterwards: { text: 'Finished.' },
      });
      const result = await stage.run('DO: done = Task(it) "Begin and finish."\nRETURN: {done}\n');
      assertReturned(result, 'Finished.');
      assert.equal(stage.read('half.txt')?.trim(), 'half');
      const text = conversation(stage.requests.at(-1));
      // A short limit is waited for by some programs themselves.
      const parts = ['Begin and finish.', 'I begin.', ...(result.calls.length > 1 ? ['as you left them'] : [])];
      for (const part of parts) assert.ok(text.includes(part), `the conversation lost: ${part}`);
      assert.equal(new Set(result.calls.map(({ session_id }) => session_id)).size, 1, 'it is one session');
    },
  },
  {
    name: 'overload, then an answer',
    async play(stage) {
      await stage.model({ turns: [overload(stage.program)], afterwards: { text: 'Hello.' } });
      const result = await stage.run(flow('Say hello.'));
      assertReturned(result, 'Hello.');
      assert.equal(result.state['one.attempt'], '1');
      // The others ask again without a word in the log.
      if (['gemini', 'claude'].includes(stage.program))
        assert.match(result.log, /retr|again|not available now|waited .* for its service/i);
    },
  },
  {
    name: 'connection drops, then an answer',
    without: { qwen: 'it takes half of an answer for a whole one, without a word' },
    async play(stage) {
      await stage.model({ turns: [{ text: 'Half of an answer', drop: true }], afterwards: { text: 'Whole.' } });
      const result = await stage.run(flow('Say hello.'));
      assertReturned(result);
      assert.match(result.summary.returned, /Whole\.$/);
      assert.equal(result.state['one.attempt'], '1');
    },
  },
  {
    name: 'hangs until max_time',
    endsProcesses: true,
    async play(stage) {
      await stage.model({ afterwards: { hang: true } });
      const result = await stage.run(flow('Say hello.', { guards: `max_time=${SECONDS_TO_ASK[stage.program]}s` }));
      assert.equal(result.summary.status, 'failed', result.log);
      assert.equal(result.calls[0].guard?.name, 'max_time');
      assert.ok(stage.requests.length > 0, 'the model was asked');
      assert.deepEqual(stage.left(), [], 'processes are left');
    },
  },
  {
    name: 'unauthorized',
    play: (stage) =>
      assertFails(
        stage,
        refusal(stage.program, 401, 'invalid x-api-key'),
        /invalid x-api-key|401|authenticat|API key/i,
      ),
  },
  {
    name: 'no such model',
    play: (stage) =>
      assertFails(stage, refusal(stage.program, 404, 'model: stub-model was not found'), /not found|404|not exist/i),
  },
  {
    name: 'connection refused, then back',
    async play(stage) {
      const model = await stage.model({ turns: [] });
      const port = Number(new URL(model.url).port);
      await model.close();
      stage.configure({ env: { CLAUDE_CODE_MAX_RETRIES: '2' } });
      stage.write('flow.dsl', flow('Say hello.'));
      stage.commit();
      const { child, ended } = stage.start(['run', 'flow.dsl', '--json']);
      await new Promise((resolve) => setTimeout(resolve, 5000));
      assert.equal(child.exitCode, null, 'it gave up');
      await stage.model({ afterwards: { text: 'Hello.' } }, port);
      const { stdout, log } = await ended;
      assert.equal(JSON.parse(stdout || '{}').returned, 'Hello.', log);
    },
  },
  {
    name: 'max turns',
    async play(stage) {
      let count = 0;
      const write = () => ({ path: `${stage.project}/file${count++}.txt`, content: 'x\n' });
      await stage.model({ afterwards: () => ({ say: 'One more.', write: write() }) });
      const result = await stage.run(flow('Write and write.', { guards: 'max_turns=2' }));
      assert.equal(result.summary.status, 'failed', result.log);
      assert.equal(result.calls[0].guard?.name, 'max_turns');
      assert.ok(count <= 4, `${count} turns were taken`);
      assert.match(result.log, /turns/);
    },
  },
  {
    name: 'cancelled',
    endsProcesses: true,
    async play(stage) {
      await stage.model({ afterwards: { hang: true } });
      stage.write('flow.dsl', flow('Say hello.'));
      stage.commit();
      const { child, ended } = stage.start(['run', 'flow.dsl', '--json']);
      while (stage.requests.length === 0 && child.exitCode === null)
        await new Promise((resolve) => setTimeout(resolve, 50));
      child.kill('SIGINT');
      await ended;
      assert.deepEqual(stage.left(), [], 'processes are left');
    },
  },
];
