/** Conversations: they go on in a retry, branch off for other steps, and cost what their calls cost. */
import assert from 'node:assert/strict';
import { assertCall, assertReturned, assertRun, conversation, flow } from './expected.mjs';

const RETRIED = (guards = '') => `STEP: one type=artifact
  PROMPT: "the first prompt"
  AGENT: it${guards}
  GATE: expr one.output contains "right"
  RETRY:
    ATTEMPT 2 → PROMPT "the second prompt"
    EXIT 2
RETURN: {one.output}
`;

export const sessions = [
  {
    name: 'session: retry',
    async play(stage) {
      await stage.model({ turns: [{ text: 'wrong' }, { text: 'right' }] });
      const result = await stage.run(RETRIED());
      assertReturned(result, 'right');
      assert.equal(result.calls.length, 2);
      for (const call of result.calls) assertCall(stage.program, call, 1);
      assertRun(stage.program, result.summary, 2);
      assert.equal(result.calls[0].session_id, result.calls[1].session_id);
      const text = conversation(stage.requests[1]);
      for (const part of ['the first prompt', 'wrong', 'the second prompt']) assert.ok(text.includes(part), part);
      assert.equal(result.state['one.attempt'], '2');
    },
  },
  {
    name: 'session: cost of two calls',
    async play(stage) {
      stage.configure({ max_cost: 0.001 });
      await stage.model({ turns: [{ text: 'wrong' }, { text: 'right' }] });
      const result = await stage.run(RETRIED(' with max_cost=0.001'));
      assertReturned(result, 'right');
      assertRun(stage.program, result.summary, 2);
    },
  },
  {
    name: 'session: fork',
    async play(stage) {
      await stage.model({ turns: [{ text: 'plan made' }, { text: 'left made' }, { text: 'right made' }] });
      const step = (name) => `STEP: ${name} type=artifact
  PROMPT: "the ${name} prompt"
  SESSION: from=plan
  AGENT: it
`;
      const result = await stage.run(`STEP: plan type=artifact
  PROMPT: "the plan prompt"
  AGENT: it
${step('left')}${step('right')}RETURN: {right.output}
`);
      assertReturned(result, 'right made');
      const [plan, left, right] = result.calls;
      for (const call of result.calls) assertCall(stage.program, call, 1);
      assert.equal(
        new Set([plan, left, right].map(({ session_id }) => session_id)).size,
        3,
        'each has its own session',
      );
      const text = conversation(stage.requests[2]);
      for (const part of ['the plan prompt', 'plan made', 'the right prompt']) assert.ok(text.includes(part), part);
      for (const part of ['the left prompt', 'left made']) assert.ok(!text.includes(part), `it reads ${part}`);
    },
  },
  {
    name: 'session: tasks in worktrees',
    async play(stage) {
      const tasks = ['east', 'west'].map((name) => ({ name, description: `write ${name}`, files: [] }));
      const structured = ({ tools }) => tools.find((tool) => /^structured_?output$/i.test(tool));
      // Each task writes in the folder that its program works in, and says so.
      const answer = (asked) => {
        const last = conversation(asked);
        const side = tasks.map(({ name }) => name).find((name) => last.includes(`write ${name} now`));
        if (side === undefined) {
          const name = structured(asked);
          return name === undefined
            ? { text: JSON.stringify(tasks) }
            : { tool: { name, input: wrapped(asked, name, tasks) } };
        }
        if (last.includes('I write it.')) return { text: `${side} made` };
        return { say: 'I write it.', shell: `pwd > ${side}.txt` };
      };
      stage.configure({ allow: ['edit', 'shell'] });
      await stage.model({ turns: [], afterwards: answer });
      const result = await stage.run(
        `STEP: plan type=split
  PROMPT: "the plan prompt"
  AGENT: it
  EACH [parallel max=2]:
    STEP: make type=code
      PROMPT: "write {task.name} now"
      SESSION: from=plan
      AGENT: it
      GATE: touched "{task.name}.txt"
`,
        ['--worktree'],
      );
      assertReturned(result);
      const made = stage.requests.filter((request) => /write (east|west) now/.test(conversation(request)));
      for (const request of made) {
        const text = conversation(request);
        assert.ok(text.includes('the plan prompt'), 'the session or its content is there');
        assert.ok(!(text.includes('write east now') && text.includes('write west now')), 'tasks read each other');
      }
      const sessions = result.calls.map(({ session_id }) => session_id);
      assert.equal(new Set(sessions).size, sessions.length, 'each task has its own session');
    },
  },
  {
    name: 'killed and resumed',
    endsProcesses: true,
    async play(stage) {
      await stage.model({ turns: [{ hang: true }], afterwards: { text: 'Hello again.' } });
      stage.write('flow.dsl', flow('Say hello.'));
      stage.commit();
      const { child, ended } = stage.start(['run', 'flow.dsl']);
      while (stage.requests.length === 0) {
        assert.equal(child.exitCode, null, 'it ended before the model was asked');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      child.kill('SIGKILL');
      await ended;
      const result = await stage.statedsl(['resume']);
      assertReturned(result, 'Hello again.');
      assert.equal(result.calls.length, 1);
    },
  },
  {
    name: 'killed in the middle and resumed',
    endsProcesses: true,
    without: { codex: 'it chooses the ids of its sessions', opencode: 'it chooses the ids of its sessions' },
    async play(stage) {
      stage.configure({ allow: ['edit', 'shell'] });
      const turns = [{ say: 'I change the door.', write: { path: 'door.txt', content: 'open' } }, { hang: true }];
      await stage.model({ turns, afterwards: { text: 'Hello again.' } });
      stage.write('flow.dsl', flow('Say hello.'));
      stage.commit();
      const { child, ended } = stage.start(['run', 'flow.dsl', '--worktree=off']);
      while (stage.requests.length < 2) {
        assert.equal(child.exitCode, null, 'it ended before the model was asked twice');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      child.kill('SIGKILL');
      await ended;
      const result = await stage.statedsl(['resume']);
      assertReturned(result, 'Hello again.');
      const text = conversation(stage.requests.at(-1));
      for (const part of ['I change the door.', 'You may have begun with this before'])
        assert.ok(text.includes(part), part);
    },
  },
];

/** A list of tasks may stand in an object where the tool takes objects alone. */
function wrapped({ body }, name, tasks) {
  const tool = (body.tools ?? []).map((one) => one.function ?? one).find((one) => one.name === name);
  const schema = tool?.input_schema ?? tool?.parameters ?? {};
  const member = Object.keys(schema.properties ?? {})[0];
  return schema.type === 'array' || member === undefined ? tasks : { [member]: tasks };
}
