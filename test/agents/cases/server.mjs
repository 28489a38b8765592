/** The programs have the tools of `statedsl mcp`, see them and use them. */
import assert from 'node:assert/strict';

/** One prompt without a person; every tool may be used. */
const WORDS = {
  claude: (prompt) => ['--print', prompt, '--allowedTools', 'Bash,mcp__statedsl'],
  codex: (prompt) => ['exec', '--json', '--skip-git-repo-check', prompt],
  gemini: (prompt) => ['--prompt', prompt, '--approval-mode', 'yolo', '--skip-trust'],
  qwen: (prompt) => ['--prompt', prompt, '--approval-mode', 'yolo'],
  opencode: (prompt) => ['run', '--format', 'json', prompt],
};

const TOOLS = ['check', 'run', 'get', 'answer', 'list', 'control'];
const FLOW = 'DO: x = echo 41\nASK user: "Go?" → go choices=yes,no\nRETURN: {x}';
/** The servers start while the program works: so often it is sent to wait. */
const MOST_WAITS = 20;

/** The name under which the program offers a tool of ours, or says that it has it; undefined: not yet, or not at all. */
const nameOf = (tool, { tools, body }) =>
  tools.find((one) => new RegExp(`statedsl.*[_.]${tool}$`).test(one)) ??
  new RegExp(`mcp__statedsl__${tool}\\b`).exec(JSON.stringify(body))?.[0];
const waitIn = ({ tools }) =>
  tools.includes('tool_search')
    ? {
        say: 'I search.',
        tool: { name: 'tool_search', input: { query: 'statedsl check run get answer list control', limit: 20 } },
      }
    : { say: 'I wait.', shell: 'sleep 0.5' };

export const server = [
  {
    name: 'server: check, run, a question, get',
    async play(stage) {
      stage.hasServer = true;
      const calls = [
        ['check', { text: FLOW }],
        ['run', { text: FLOW, wait_s: 30 }],
        ['get', {}],
      ];
      const results = [];
      let waits = 0;
      const { requests } = await stage.model({
        afterwards(asked) {
          if (nameOf('check', asked) === undefined && waits++ < MOST_WAITS) return waitIn(asked);
          if (calls.length < 3) results.push(asked.said.at(-1).text);
          const [tool, input] = calls.shift() ?? [];
          return tool === undefined
            ? { text: 'Done.' }
            : { say: `I ${tool}.`, tool: { name: nameOf(tool, asked), input } };
        },
      });
      const { code, stdout, log } = await stage.startProgram(WORDS[stage.program]('Write a flow.')).ended;
      stage.log = `${stdout}\n${log}`;
      assert.equal(code, 0, stage.log);
      const last = requests.at(-1);
      const missing = TOOLS.filter((tool) => nameOf(tool, last) === undefined);
      assert.deepEqual(missing, [], `offered: ${last.tools}`);
      // Some show their models the text of a result, and others its structure.
      const [checked, started, looked] = results.map((text) => text.replace(/\\+n/g, '\n').replaceAll('\\', ''));
      assert.match(checked, /\bvalid\b/);
      assert.doesNotMatch(checked, /error|"valid": ?false/);
      assert.match(started, /\bsuspended\b.*Go\?.*a person has to answer/s);
      assert.match(looked, /\bgo@1\b/);
    },
  },
];
