/** The plugin in a program that has plugins: the tools of the server, the check of written flows, and the language server. */
import assert from 'node:assert/strict';

const WITHOUT = 'the plugin is for Claude Code';
const without = { codex: WITHOUT, gemini: WITHOUT, qwen: WITHOUT, opencode: WITHOUT };
const named = (name) => `mcp__plugin_statedsl_statedsl__${name}`;
const TOOLS = ['check', 'run', 'get', 'answer', 'list', 'control'].map(named);
const calling = (name, input) => ({ say: `I call ${name}.`, tool: { name: named(name), input } });

/** What the model was asked, request by request, when it does these things. */
async function requestsOf(stage, turns) {
  const { requests } = await stage.model({ turns, afterwards: { text: 'Done.' } });
  const allowed = ['Write', 'Bash', ...TOOLS].join(',');
  const words = ['--print', 'Write a flow.', '--plugin-dir', stage.plugin, '--allowedTools', allowed];
  const { code, stdout, log } = await stage.startProgram(words).ended;
  stage.log = `${stdout}\n${log}`;
  assert.equal(code, 0, log);
  return requests.map(({ body }) => JSON.stringify(body.messages.slice(-2)));
}

/** The servers start while the program works. */
const waiting = { say: 'I wait.', shell: 'sleep 8' };

export const plugin = [
  {
    name: 'plugin: a mistake in a written flow',
    without,
    async play(stage) {
      const content = 'STATE: A\n  GOTO: NOWHERE\n';
      const write = { say: 'I write it.', write: { path: `${stage.project}/flow.dsl`, content } };
      const requests = await requestsOf(stage, [write, waiting, waiting]);
      assert.match(requests[1], /flow\.dsl:2:9: error\[unknown-state\]: the machine has no state `NOWHERE`/);
      const diagnostics = requests.slice(1).filter((one) => one.includes('<new-diagnostics>'));
      assert.match(diagnostics.join(), /\[Line 2:9\] the machine has no state `NOWHERE`\\nhelp: .*\[unknown-state\]/);
    },
  },
  {
    name: 'plugin: check, run, a question, get',
    without,
    async play(stage) {
      const text = 'DO: x = echo 41\nASK user: "Go?" → go choices=yes,no\nRETURN: {x}';
      const turns = [waiting, calling('check', { text }), calling('run', { text, wait_s: 30 }), calling('get', {})];
      const requests = await requestsOf(stage, turns);
      for (const name of TOOLS)
        assert.ok(
          requests.slice(0, 2).some((one) => one.includes(name)),
          `${name} is not offered`,
        );
      assert.match(requests[2], /\{\\"valid\\":true,\\"findings\\":\[\]\}/);
      assert.match(requests[3], /\\"status\\":\\"suspended\\".*Go\?.*a person has to answer/);
      assert.match(requests[4], /\\"waiting\\":\[\{\\"kind\\":\\"ask\\",\\"id\\":\\"go@1\\"/);
    },
  },
];
