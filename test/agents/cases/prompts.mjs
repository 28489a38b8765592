/** Values that programs could take for something else: what a prompt says reaches the model as its text, and nothing more. */
import assert from 'node:assert/strict';
import { asked, assertCall, assertReturned, conversation, flow } from './expected.mjs';

function textual(name, value, check = () => undefined) {
  return {
    name,
    async play(stage) {
      stage.write('secret.txt', 'THE-CONTENT-OF-THE-FILE\n');
      await stage.model({ turns: [{ text: 'Understood.' }] });
      const result = await stage.run(`INPUT: what\n${flow('{what}')}`, ['-i', `what=${value}`]);
      assertReturned(result, 'Understood.');
      assert.equal(stage.requests.length, 1);
      assertCall(stage.program, result.calls[0], 1);
      check(stage, asked(stage.requests[0]));
    },
  };
}

/** On lines of its own: a command that was replaced may still be named somewhere. */
const verbatim = (value) => (_stage, text) =>
  assert.ok(
    `\n${text}\n`
      .replace(/[ \t]+/g, ' ')
      .replace(/\n /g, '\n')
      .includes(`\n${value}\n`),
    `not verbatim: ${text.slice(-300)}`,
  );

export const prompts = [
  textual('prompt: /help', '/help me find it', verbatim('/help me find it')),
  textual('prompt: /init', '/init', verbatim('/init')),
  textual('prompt: !command', '!touch banged.txt', (stage, text) => {
    verbatim('!touch banged.txt')(stage, text);
    assert.equal(stage.read('banged.txt'), null);
  }),
  textual('prompt: #note', '#remember this', verbatim('#remember this')),
  textual('prompt: @path', 'Look at @secret.txt and me@secret.txt, please.', (stage, text) => {
    assert.ok(!conversation(stage.requests[0]).includes('THE-CONTENT-OF-THE-FILE'), 'the file was attached');
    assert.match(text, /secret\.txt and me\\?@secret\.txt, please\./);
  }),
];
