/** What agents may do means the same for all programs, and what was denied is told. */
import assert from 'node:assert/strict';
import { assertReturned, flow } from './expected.mjs';

const SHELL_NAMES = { claude: 'Bash', gemini: 'run_shell_command', qwen: 'run_shell_command', opencode: 'bash' };

const denied = (result) => JSON.stringify(result.calls.map((call) => call.denied ?? null));

export const permissions = [
  {
    name: 'denied: shell',
    needs: 'allow',
    async play(stage) {
      stage.configure({ allow: ['edit'] });
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
    needs: 'allow',
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
    },
  },
];
