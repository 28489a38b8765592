import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { adapterNames } from '../../src/runtime/agents/programs/adapters.js';
import { configurationSchema } from '../../src/runtime/configuration/configuration-schema.js';
import { findConfiguration } from '../../src/runtime/configuration/find-configuration.js';
import { loadConfiguration, parseConfiguration } from '../../src/runtime/configuration/load-configuration.js';
import { readYaml } from '../../src/runtime/configuration/yaml-file.js';
import { VERSION } from '../../src/runtime/version.js';
import { temporaryFolder } from './running.js';

async function problems(text: string): Promise<string[]> {
  const { problems: found } = await parseConfiguration(text, '/p/statedsl.config.yaml');
  return found.map(({ line, column, message, help }) => `${line}:${column} ${message}${help ? ` (${help})` : ''}`);
}

describe('its owner', () => {
  test('a file or folder that everyone can write to does not count, and ends the search', () => {
    const root = temporaryFolder();
    const deep = join(root, 'open', 'deep');
    mkdirSync(deep, { recursive: true });
    const file = join(root, 'open', 'statedsl.config.yaml');
    writeFileSync(file, '');
    writeFileSync(join(root, 'statedsl.config.yaml'), '');
    chmodSync(file, 0o666);
    expect(findConfiguration(deep)).toEqual({ file: null, ignored: { file, why: 'everyone can write to it' } });
    chmodSync(file, 0o644);
    chmodSync(join(root, 'open'), 0o777);
    expect(findConfiguration(deep)).toEqual({
      file: null,
      ignored: { file, why: 'everyone can write to its folder' },
    });
    rmSync(file);
    expect(findConfiguration(deep)).toEqual({ file: null, ignored: null });
  });

  test('neither does one above the home directory', () => {
    const root = temporaryFolder();
    const home = join(root, 'home');
    mkdirSync(join(home, 'project'), { recursive: true });
    writeFileSync(join(root, 'statedsl.config.yaml'), '');
    const before = process.env.HOME;
    process.env.HOME = home;
    try {
      expect(findConfiguration(join(home, 'project')).file).toBeNull();
      writeFileSync(join(home, 'statedsl.config.yaml'), '');
      expect(findConfiguration(join(home, 'project')).file).toBe(join(home, 'statedsl.config.yaml'));
    } finally {
      process.env.HOME = before;
    }
  });

  test('a link out of the project and a pipe are refused', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'project'));
    writeFileSync(join(root, 'other.yaml'), 'secret: value\n');
    symlinkSync(join(root, 'other.yaml'), join(root, 'project', 'statedsl.config.yaml'));
    const { problems: found } = await loadConfiguration(join(root, 'project'));
    expect(found).toMatchObject([{ message: expect.stringContaining('it is outside of') }]);
    expect((await loadConfiguration(join(root, 'project'), null, true)).problems[0]?.message).toContain('secret');
  });

  test('a built-in agent is not replaced without a word', async () => {
    const text =
      'agents:\n  claude: { adapter: claude, model: opus }\n  codex-mini: { adapter: fake }\n  mine: { adapter: fake }\n';
    const { warnings } = await parseConfiguration(text, '/p/statedsl.config.yaml');
    expect(warnings).toMatchObject([
      { line: 3, message: expect.stringContaining('replaces the built-in agent `codex-mini`') },
    ]);
  });
});

describe('finding the file', () => {
  test('from the working directory upwards, not past the repository', () => {
    const root = temporaryFolder();
    const deep = join(root, 'repository', 'a', 'b');
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(root, 'statedsl.config.yaml'), '');
    expect(findConfiguration(deep).file).toBe(join(root, 'statedsl.config.yaml'));
    mkdirSync(join(root, 'repository', '.git'));
    expect(findConfiguration(deep).file).toBeNull();
    writeFileSync(join(root, 'repository', 'statedsl.config.yaml'), '');
    expect(findConfiguration(deep).file).toBe(join(root, 'repository', 'statedsl.config.yaml'));
  });

  test('else from the folder of the program', async () => {
    const root = temporaryFolder();
    for (const name of ['here/.git', 'there/.git']) mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, 'there', 'statedsl.config.yaml'), 'secrets: [MINE]\n');
    const { configuration } = await loadConfiguration(join(root, 'here'), join(root, 'there'));
    expect(configuration).toMatchObject({ secrets: ['MINE'], folder: join(root, 'there') });
    expect((await loadConfiguration(join(root, 'here'))).configuration.file).toBeNull();
  });
});

describe('what it says', () => {
  test('all keys', async () => {
    const text = `
agents:
  scout: { adapter: command, run: [./scout.sh, --fast], env: { A: b } }
  claude-opus: { adapter: claude, model: opus, args: [--verbose], max_cost: 0.5, max_concurrent: 2 }
gates:
  test: npm test
  lint: { run: npm run lint, timeout: 90s }
secrets: [DEPLOY]
defaults: { agent: scout, jobs: 4, suspend_after: 10s, worktree: false, gate_timeout: 1.5m }
workflows: [flows]
confirm_above: { calls: 0, cost: 2.5 }
mcp: { files: { run: [server, --stdio], env: { A: b } }, web: { command: [web] } }
`;
    const { configuration, problems: found } = await parseConfiguration(text, '/p/statedsl.config.yaml');
    expect(found).toEqual([]);
    expect(configuration).toMatchObject({
      file: '/p/statedsl.config.yaml',
      folder: '/p',
      agents: { scout: { adapter: 'command', run: ['./scout.sh', '--fast'] } },
      defaults: { jobs: 4, worktree: false },
      confirm_above: { calls: 0, cost: 2.5 },
      mcp: { files: { command: ['server', '--stdio'], env: { A: 'b' } }, web: { command: ['web'] } },
    });
  });

  test('nothing, in an empty file', async () => {
    expect(await problems('')).toEqual([]);
    expect(await problems('# nothing yet\n')).toEqual([]);
  });

  test.each([
    ['agent: {}\n', '1:1 there is no key `agent` in the configuration (did you mean `agents`?)'],
    ['defaults:\n  job: 4\n', '2:3 there is no key `job` in `defaults` (did you mean `jobs`?)'],
    ['defaults:\n  jobs: many\n', '2:9 `defaults.jobs` must be a whole number (write `jobs: 4`)'],
    ['defaults:\n  jobs: 0\n', '2:9 `defaults.jobs` must be at least 1 (write a larger number)'],
    [
      'mcp:\n  a: { env: {} }\n',
      '2:3 `mcp.a` needs the key `run`: the program of the server and its arguments (write for example `a: { run: ["./server"] }`)',
    ],
    [
      'mcp:\n  a: { run: [x], command: [y] }\n',
      '2:18 `mcp.a` has both `run` and `command`, which mean the same (remove one of them)',
    ],
    ['confirm_above: { calls: -1 }\n', '1:25 `confirm_above.calls` must be at least 0 (write a larger number)'],
    ['agents:\n  a:\n    run: [x]\n', '3:5 `agents.a` needs the key `adapter` (write `adapter: command`)'],
    ['agents:\n  a:\n    model: x\n', '3:5 `agents.a` needs the key `adapter` (write `adapter: claude`)'],
    ['agents: { a: { type: codex } }\n', '1:16 there is no key `type` in `agents.a` (write `adapter: codex`)'],
    ['agents: { a: { type: x } }\n', '1:16 there is no key `type` in `agents.a` (write `adapter: claude`)'],
    [
      'agents: { a: { adapter: command, cmd: ./a.sh x } }\n',
      '1:34 there is no key `cmd` in `agents.a` (write `run: ["./a.sh", "x"]`)',
    ],
    ['gates: { a: { command: make a } }\n', '1:15 there is no key `command` in `gates.a` (write `run: make a`)'],
    [
      'max_cost: 5\n',
      '1:1 there is no key `max_cost` in the configuration (give it to the run: `statedsl run FILE --max-cost 5`)',
    ],
    ['agents:\n  a: { adapter: comand }\n', '2:17 `agents.a.adapter` cannot be `comand` (did you mean `command`?)'],
    ['mcp: { a: { run: node a.mjs } }\n', '1:18 `mcp.a.run` must be a list (write `run: ["node", "a.mjs"]`)'],
    [
      'mcp: { a: { command: "node a | cat" } }\n',
      '1:22 `mcp.a.command` must be a list (write `command: ["bash", "-c", "node a | cat"]`)',
    ],
    ['mcp: { a: node }\n', '1:11 `mcp.a` must be a mapping of keys to values (write `a: { run: ["node"] }`)'],
    [
      'mcp: { a: [node, a.mjs] }\n',
      '1:11 `mcp.a` must be a mapping of keys to values (write `a: { run: ["node", "a.mjs"] }`)',
    ],
    ['notify: { run: ./send.sh a }\n', '1:16 `notify.run` must be a list (write `run: ["./send.sh", "a"]`)'],
    [
      'agents: { a: { adapter: command, run: 5 } }\n',
      '1:39 `agents.a.run` must be a list (write `run: ["program", "argument"]`)',
    ],
    [
      'agents: { a: { adapter: command, run: [x], env: { V: 1.10 } } }\n',
      '1:54 `agents.a.env.V` must be a text (write `V: "1.10"`)',
    ],
    ['agents: { a: { adapter: command, run: [x, 2.50] } }\n', '1:43 `agents.a.run.1` must be a text (write `"2.50"`)'],
    ['secrets: NAME\n', '1:10 `secrets` must be a list (write `secrets: [NAME]`)'],
    [
      'defaults: { gate_timeout: 10 minutes }\n',
      '1:27 `defaults.gate_timeout` must be a duration (write a number and a unit: `500ms`, `30s`, `10m`, `2h`, `1d`)',
    ],
    [
      'gates: { test: 5 }\n',
      '1:16 `gates.test` must be a text or a mapping of keys to values (write `test: make test`)',
    ],
    ['gates: { test: { run: 5 } }\n', '1:23 `gates.test.run` must be a text (write `run: "5"`)'],
    ['- a\n', '1:1 the configuration must be a mapping of keys to values (begin with a key, such as `agents:`)'],
    [
      'notify: 5\n',
      '1:9 `notify` must be a mapping of keys to values or a list (write `notify: { url: "https://chat.example/hook" }`)',
    ],
    ['notify: {}\n', '1:9 `notify` needs exactly one of the keys `run` and `url`'],
    ['notify: [{ run: [a], url: "http://x" }]\n', '1:10 `notify.0` needs exactly one of the keys `run` and `url`'],
    ['notify: { urk: "http://x" }\n', '1:11 there is no key `urk` in `notify` (did you mean `url`?)'],
    [
      'notify: { url: "http://name:secret@x/" }\n',
      '1:16 `notify.url` must be an address without a password (begin it with `http://` or `https://`)',
    ],
    [
      'agents:\n  a: { adapter: model, model: m, tools: [run, read_fil] }\n',
      '2:47 `agents.a.tools`: there is no tool `read_fil` (did you mean `read_file`?)',
    ],
    [
      'mcp:\n  hub: { run: [hub] }\nagents:\n  a: { adapter: model, model: m, tools: [hib/issues] }\n',
      '4:42 `agents.a.tools`: the configuration names no server `hib` (did you mean `hub/issues`?)',
    ],
    [
      'mcp:\n  hub: { run: [hub] }\nagents:\n  a: { adapter: model, model: m, tools: [hub/] }\n',
      '4:42 `agents.a.tools`: `hub/` names no tool (write `hub/*` for all tools of the server)',
    ],
    ['notify: { secret_env: KEY }\n', '1:9 `notify` needs the key `url` (write `url: https://chat.example/hook`)'],
    [
      'notify: { url: "http://x", secret_env: "a b" }\n',
      '1:40 `notify.secret_env` must be the name of an environment variable',
    ],
    ['notify: { run: [] }\n', '1:16 `notify.run` must not be empty'],
  ])('%j is refused', async (text, message) => {
    expect(await problems(text)).toEqual([message]);
  });

  test('labels and homes are names', async () => {
    const words = (name: string) => `${name} must begin with a letter and have only letters, digits, \`_\` and \`-\``;
    expect(await problems('engine:\n  home: a b\n  routes: { commands: { echo: 1x } }\n')).toEqual([
      expect.stringContaining(words('`engine.home`')),
      expect.stringContaining(words('`engine.routes.commands.echo`')),
    ]);
  });

  test('all mistakes at once', async () => {
    expect(await problems('agent: 1\ndefaults: { jobs: x }\n')).toHaveLength(2);
  });

  test('broken YAML has a location', async () => {
    const [first] = await problems('agents:\n  a: [1\n');
    expect(first).toMatch(/^[23]:\d+ flow sequence/);
  });

  test('nesting has a limit that does not hurt', async () => {
    for (const text of ['['.repeat(100_000), '- '.repeat(5000), `${'{a: '.repeat(100_000)}`]) {
      const { problems: found } = await readYaml(text, 'deep.yaml');
      expect(found.map(({ message }) => message)).toEqual(['the values are nested deeper than 200 levels']);
    }
  });
});

test('the schema for editors is the one that is checked', () => {
  const published = new URL('../../grammar/config.schema.json', import.meta.url);
  const printed = `${JSON.stringify(configurationSchema, null, 2)}\n`;
  if (process.env.UPDATE === '1') writeFileSync(published, printed);
  expect(readFileSync(published, 'utf8')).toBe(printed);
});

test('the adapters that it names are those there are', () => {
  const { adapter } = configurationSchema.properties.agents.additionalProperties.properties;
  expect(adapter.enum).toEqual(adapterNames);
});

test('the version is that of the package', () => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  expect(JSON.parse(text).version).toBe(VERSION);
});
