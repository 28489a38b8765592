/** What agents may do means the same for all programs, and what was denied is told. */
import assert from 'node:assert/strict';
import { assertReturned, flow } from './expected.mjs';
import { leave } from './work.mjs';

const SHELL_NAMES = { claude: 'Bash', gemini: 'run_shell_command', qwen: 'run_shell_command', opencode: 'bash' };

const denied = (result) => JSON.stringify(result.calls.map((call) => call.denied ?? null));

/** Codex reads files with commands, so they run, in its sandbox; the check says so. */
async function assertSandboxed(stage) {
  stage.configure({ allow: [] });
  const shell = 'touch ran.txt; cat flow.dsl > "$STATEDSL_OUT/artifact.txt"';
  await stage.model({ turns: [{ say: 'I run it.', shell }, { text: 'I could not.' }] });
  const result = await stage.run(flow('Run it.'));
  assert.match(result.log, /`allow` does not keep the agent `it` from `shell`/);
  assert.equal(stage.read('ran.txt'), null);
  assertReturned(result, stage.read('flow.dsl').trim());
}

export const permissions = [
  {
    name: 'denied: shell',
    async play(stage) {
      stage.configure({ allow: ['edit'] });
      if (stage.program === 'codex') return assertSandboxed(stage);
      const tool = {
        name: SHELL_NAMES[stage.program],
        input: { command: 'touch ran.txt', description: 'run', is_background: false },
      };
      await stage.model({ turns: [{ say: 'I run it.', tool }, { text: 'I could not.' }] });
      const result = await stage.run(flow('Run it.'));
      assertReturned(result, 'I could not.');
      assert.equal(stage.read('ran.txt'), null);
      assert.notEqual(denied(result), '[null]', 'the denial is on record');
      assert.match(result.log, /denied/i);
    },
  },
  {
    name: 'denied: edit',
    async play(stage) {
      stage.configure({ allow: [] });
      await stage.model({
        turns: [
          { say: 'I write it.', write: { path: `${stage.project}/new.txt`, content: 'x\n' } },
          { text: 'I could not.' },
        ],
      });
      const result = await stage.run(flow('Write it.'));
      assert.equal(stage.read('new.txt'), null);
      assertReturned(result, 'I could not.');
      assert.match(result.log, /denied/i);
    },
  },
  {
    name: 'nothing allowed: STATEDSL_OUT',
    async play(stage) {
      stage.configure({ allow: [] });
      await stage.model({ afterwards: leave('artifact.txt', 'from a file\n', 'It is in the file.') });
      const result = await stage.run(flow('Answer in artifact.txt of the folder $STATEDSL_OUT.'));
      assertReturned(result);
      assert.equal(result.summary.returned.trim(), 'from a file');
    },
  },
];
