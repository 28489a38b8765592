/** The programs work in a sandbox of the system: in their directory, and with their model alone. */
import assert from 'node:assert/strict';
import { assertReturned, flow } from './expected.mjs';

export const sandbox = [
  {
    name: 'sandbox: strict',
    async play(stage) {
      // A script, because programs look for paths in commands.
      stage.write('try.sh', 'pwd > ran.txt\ntouch ../kept-from.txt .git/hooks/pre-commit "$HOME/kept-from.txt"\n');
      const { url } = await stage.model({ turns: [{ say: 'I run it.', shell: 'sh try.sh' }, { text: 'Ran it.' }] });
      stage.configure({ allow: ['edit', 'shell'], sandbox: 'strict', hosts: [new URL(url).host] });
      const result = await stage.run(flow('Run it.', { type: 'code' }));
      if (/has `sandbox: strict`, and `bwrap`|`sandbox-exec`/.test(result.log)) {
        assert.equal(stage.requests.length, 0);
        return;
      }
      assertReturned(result);
      assert.equal(stage.read('ran.txt')?.trim(), stage.project);
      assert.equal(result.calls[0].stdout.text, 'Ran it.');
      for (const path of ['../kept-from.txt', '.git/hooks/pre-commit', '../home/kept-from.txt'])
        assert.equal(stage.read(path), null, path);
      assert.ok(result.calls[0].session_id);
    },
  },
];
