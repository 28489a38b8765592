/** What agents do: they answer, use tools, leave files. */
import assert from 'node:assert/strict';
import { assertCall, assertReturned, assertRun, flow } from './expected.mjs';

const FOLDER = /\/[^\s"'\\<>,]*\/\d+-out(?=[/\s"'\\<>,]|$)/;

/** Writes a file into the folder for answers. Where the model was not told its path, it asks the variable first. */
export function leave(name, content, text) {
  let written = false;
  return (asked) => {
    if (written) return { text };
    const path = FOLDER.exec(JSON.stringify(asked.body))?.[0];
    if (path === undefined) return { say: 'I look for the folder.', shell: 'echo "$STATEDSL_OUT"' };
    written = true;
    return { say: 'I write it.', write: { path: `${path}/${name}`, content } };
  };
}

const LARGE = Array.from({ length: 6000 }, (_, line) => `line ${line} of a long answer, with words enough in it`).join(
  '\n',
);
const SCRIPTS = 'naïve — 日本語 עברית 👩‍👩‍👧 e\u0301 \u{1d11e} "quotes" \\back {braces} $HOME `ticks`';

export const work = [
  {
    name: 'answer',
    async play(stage) {
      await stage.model({ turns: [{ text: 'Hello.' }] });
      const result = await stage.run(flow('Say hello.'));
      assertReturned(result, 'Hello.');
      assert.equal(result.calls.length, 1);
      assertCall(stage.program, result.calls[0], 1);
      assertRun(stage.program, result.summary, 1);
      assert.match(result.log, /Hello\./);
    },
  },
  {
    name: 'tool: shell',
    async play(stage) {
      stage.configure({ allow: ['edit', 'shell'] });
      await stage.model({ turns: [{ say: 'I run it.', shell: 'pwd > ran.txt' }, { text: 'Ran it.' }] });
      const result = await stage.run(flow('Run it.', { type: 'code' }));
      assertReturned(result);
      assert.equal(stage.read('ran.txt')?.trim(), stage.project);
      assertCall(stage.program, result.calls[0], 2);
      assert.equal(result.calls[0].stdout.text, 'Ran it.');
    },
  },
  {
    name: 'tool: edit',
    async play(stage) {
      await stage.model({
        turns: [
          { say: 'I write it.', write: { path: `${stage.project}/new.txt`, content: 'hi\n' } },
          { text: 'Done.' },
        ],
      });
      const result = await stage.run(flow('Write it.', { type: 'code' }));
      assertReturned(result);
      assert.equal(stage.read('new.txt')?.trim(), 'hi');
      assertCall(stage.program, result.calls[0], 2);
    },
  },
  {
    name: 'STATEDSL_OUT',
    async play(stage) {
      await stage.model({ afterwards: leave('artifact.txt', 'from a file\n', 'It is in the file.') });
      const result = await stage.run(flow('Answer in artifact.txt of the folder $STATEDSL_OUT.'));
      assertReturned(result);
      assert.equal(result.summary.returned.trim(), 'from a file');
    },
  },
  {
    name: 'schema',
    async play(stage) {
      const verdict = { pass: true, comments: 'fine' };
      const answer = (asked) => {
        const name = asked.tools.find((tool) => /^structured_?output$/i.test(tool));
        return name === undefined ? { text: JSON.stringify(verdict) } : { tool: { name, input: verdict } };
      };
      await stage.model({ turns: [answer, { text: JSON.stringify(verdict) }] });
      const result = await stage.run(flow('Judge it.', { type: 'validate' }));
      assertReturned(result, 'true');
      const [first] = stage.requests;
      const enforced = first.schema !== undefined || first.tools.some((tool) => /^structured_?output$/i.test(tool));
      assert.equal(
        enforced,
        ['claude', 'codex', 'qwen'].includes(stage.program),
        'the schema is handed to the program',
      );
    },
  },
  {
    name: 'schema: prose first',
    async play(stage) {
      const verdict = JSON.stringify({ pass: false, comments: 'too long' });
      const answer = (asked) => {
        const name = asked.tools.find((tool) => /^structured_?output$/i.test(tool));
        return name === undefined ? { text: verdict } : { tool: { name, input: JSON.parse(verdict) } };
      };
      await stage.model({ turns: [{ text: 'It is too long.' }], afterwards: answer });
      const result = await stage.run(flow('Judge it.', { type: 'validate', more: '' }));
      // A validation that says no fails the step, and says why.
      assert.equal(result.summary.status, 'failed', result.log);
      assert.equal(result.state['one.output'], 'false');
      assert.equal(result.state['one.comments'], 'too long');
      assert.equal(result.state['one.attempt'], '1');
    },
  },
  {
    name: 'big prompt',
    async play(stage) {
      const text = LARGE.slice(0, 200 * 1024);
      stage.write('spec.txt', text);
      await stage.model({ turns: [{ text: 'Read it.' }] });
      const result = await stage.run(`INPUT: spec\n${flow('Read: {spec}')}`, ['-i', 'spec=@spec.txt']);
      // Gemini prints the prompt again, and may exit before all of that is read. The call then fails, but has had the prompt.
      const leftEarly = stage.program === 'gemini' && result.log.includes('the program ended without saying how');
      if (!leftEarly) assertReturned(result, 'Read it.');
      const body = JSON.stringify(stage.requests[0].body);
      assert.ok(body.includes(JSON.stringify(text).slice(1, -1)), 'the whole prompt arrived');
    },
  },
  {
    name: 'big answer',
    without: { qwen: 'it may exit before all of its output is read, and the call then fails' },
    async play(stage) {
      await stage.model({ turns: [{ text: LARGE }] });
      const result = await stage.run(flow('Say much.'));
      assertReturned(result, LARGE);
      assertCall(stage.program, result.calls[0], 1);
    },
  },
  {
    name: 'unicode',
    async play(stage) {
      await stage.model({ turns: [{ text: SCRIPTS }] });
      const result = await stage.run(`INPUT: words\n${flow('Repeat: {words}')}`, ['-i', `words=${SCRIPTS}`]);
      assertReturned(result, SCRIPTS);
      assert.ok(JSON.stringify(stage.requests[0].body).includes(JSON.stringify(SCRIPTS).slice(1, -1)), 'verbatim');
    },
  },
];
