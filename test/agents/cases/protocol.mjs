/** Programs that also speak the Agent Client Protocol, as agents of the adapter `acp`. */
import assert from 'node:assert/strict';
import { assertReturned, conversation, flow } from './expected.mjs';

const WORDS = { gemini: ['--acp'], qwen: ['--acp'], opencode: ['acp'] };
const WITHOUT = 'it does not speak the protocol itself';
const without = { claude: WITHOUT, codex: WITHOUT };

const configure = (stage, more) =>
  stage.configure({ adapter: 'acp', run: [stage.program, ...WORDS[stage.program]], ...more });

export const protocol = [
  {
    name: 'protocol: a session with tools that are allowed and denied',
    without,
    async play(stage) {
      // OpenCode asks only for what its own settings say.
      configure(stage, { allow: ['edit'], env: { OPENCODE_PERMISSION: '{"bash":"ask","edit":"ask"}' } });
      // Others end their turn at a tool that is denied; Gemini CLI cannot load a session in the minute in which that began.
      const stops = stage.program !== 'gemini';
      await stage.model({
        turns: [
          { say: 'I write it.', write: { path: `${stage.project}/new.txt`, content: 'hi\n' } },
          { say: 'I run it.', shell: 'touch ran.txt' },
        ],
        afterwards: (asked) => ({
          text: !stops || conversation(asked).includes('the second prompt') ? 'right' : 'wrong',
        }),
      });
      const result = await stage.run(`STEP: one type=artifact
  PROMPT: "the first prompt"
  AGENT: it
  GATE: expr one.output contains "right"
  RETRY:
    ATTEMPT 2 → PROMPT "the second prompt"
    EXIT 2
RETURN: {one.output}
`);
      assert.equal(result.summary.status, 'returned', result.log);
      assert.equal(stage.read('new.txt')?.trim(), 'hi');
      assert.equal(stage.read('ran.txt'), null);
      const [first, second] = result.calls;
      assert.match(JSON.stringify(first.denied), /`allow` does not permit `execute`/);
      assert.equal(first.tokens, undefined);
      assert.equal(first.is_error, stops);
      if (!stops) return assert.match(result.summary.returned, /right$/);
      assert.match(first.stdout.text, /stopped early: a tool of the kind `execute` was denied/);
      assertReturned(result, 'right');
      assert.equal(first.session_id, second.session_id);
      const text = conversation(stage.requests.at(-1));
      for (const part of ['the first prompt', 'I run it.', 'the second prompt']) assert.ok(text.includes(part), part);
    },
  },
  {
    name: 'protocol: the service has failed',
    without,
    async play(stage) {
      configure(stage);
      await stage.model({ afterwards: { status: 401, body: { error: { message: 'the key is wrong', code: 401 } } } });
      const result = await stage.run(flow('Say hello.'));
      assert.equal(result.summary.status, 'failed', result.log);
      assert.equal(result.calls.at(-1).is_error, true);
      assert.match(result.log, /401|key is wrong|auth/i);
    },
  },
];
