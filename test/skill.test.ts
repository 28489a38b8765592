/**
 * The skill, which is also the guide: its size, its programs, its commands, and its references, which are parts of the
 * manual. `UPDATE=1` cuts them again.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, test } from 'vitest';
import { fences } from './fences.js';
import { commandLine } from './harness/command-line.js';
import { git, runProgramSync } from './harness/process.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SKILL = 'skills/statedsl/SKILL.md';
const read = (path: string) => readFileSync(join(root, path), 'utf8');
/** As agents count what they read, roughly. */
const tokens = (text: string): number => Math.ceil(text.length / 4);

/** What each reference is cut from: pages, and headings on them. */
const REFERENCES: Readonly<Record<string, readonly (readonly [page: string, ...headings: string[]])[]>> = {
  agents: [['agents.md', 'Calling an agent', 'What an agent may do', 'The adapter `command`']],
  commands: [['shell.md', 'DO', 'Options', 'CHECK']],
  failures: [['failures.md', 'Kinds of failures', 'ON ERROR', 'FAIL', 'UNDO, ROLLBACK and KEEP']],
  parallel: [['instructions.md', 'PARALLEL', 'FOR EACH', 'WAIT']],
  plans: [['plans.md', 'CALL and PLAN', 'Plans', 'Output paths']],
  properties: [['foresight.md', 'Properties', 'Lines of a property', 'Moments', 'Verdicts']],
  runs: [
    ['language.md', 'Inputs'],
    [
      'runs.md',
      '`statedsl resume [RUN]`',
      '`statedsl answer RUN NAME=VALUE…` and `statedsl signal RUN NAME [JSON]`',
      '`statedsl rollback RUN`',
      '`statedsl replay RUN`',
    ],
  ],
  steps: [['steps.md', 'Writing a step', 'Types of steps', 'Gates', 'Entries of RETRY']],
  tests: [['testing.md', 'Lines of a test file', 'Mocks of tests', 'Expectations']],
  values: [['language.md', 'Expressions', 'Functions']],
  workflows: [['steps.md', 'Workflow files', 'Tasks of a split', 'Keys of steps']],
};

/** A section up to the next heading, without its links, which lead nowhere from a skill. */
function cut(page: string, heading: string): string {
  const lines = read(`docs/${page}`).split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  expect(start, `${page} has no heading ${heading}`).toBeGreaterThan(-1);
  let isBlock = false;
  const end = lines.findIndex((line, at) => {
    if (line.startsWith('```')) isBlock = !isBlock;
    return at > start && !isBlock && /^#+ /.test(line);
  });
  const text = lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
  return `## ${heading}\n${text.replace(/\[([^\]]+)\]\([^)\s]*\)/g, '$1').trimEnd()}\n`;
}

describe('the references of the skill', () => {
  test.each(Object.entries(REFERENCES))('%s is cut from the manual', (name, parts) => {
    const sections = parts.flatMap(([page, ...headings]) => headings.map((heading) => cut(page, heading)));
    const text = sections.join('\n');
    const path = `skills/statedsl/references/${name}.md`;
    if (process.env.UPDATE === '1') writeFileSync(join(root, path), text);
    expect(read(path)).toBe(text);
    expect(tokens(text)).toBeLessThanOrEqual(1500);
  });

  it('are those that the skill names', () => {
    const there = readdirSync(join(root, 'skills/statedsl/references')).map((name) => name.replace('.md', ''));
    expect(there.sort()).toEqual(Object.keys(REFERENCES));
    const named = /^statedsl guide .*$/m
      .exec(read(SKILL))?.[0]
      .match(/[a-z]+/g)
      ?.slice(2);
    expect(named?.filter((word) => word !== 'also').sort()).toEqual(there);
  });
});

describe('the skill', () => {
  const head = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(read(SKILL));

  it('has the name of its folder, and says when it is needed', () => {
    expect(head?.[1]).toBe('statedsl');
    expect(head?.[2]).toContain('Use when');
    expect(head?.[2]?.length).toBeLessThanOrEqual(1024);
  });

  it('fits into 2,000 tokens', () => {
    expect(tokens(read(SKILL))).toBeLessThanOrEqual(2000);
  });
});

describe('the commands of the skill', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-skill-'));
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, NO_COLOR: '1', XDG_CACHE_HOME: folder };
  const blocks = fences(SKILL);
  /** What the flows call, standing in for the real programs. */
  for (const name of ['publish', 'unpublish', 'announce', 'part', 'status', 'notify'])
    writeFileSync(join(folder, `${name}.sh`), '#!/bin/sh\necho ok\n');
  const tools = ['build', 'publish', 'tell'].map((name) => `${name}: { run: [./part.sh] }\n`);
  writeFileSync(join(folder, 'tools.yaml'), tools.join(''));
  // A gate looks at what changed.
  git(folder, 'init', '--quiet');
  for (const name of ['make', 'claude']) writeFileSync(join(folder, name), '#!/bin/sh\necho ok\n');
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o755);
  for (const { language, info, text } of blocks)
    if (language === 'dsl' && info[0] !== undefined) writeFileSync(join(folder, info[0]), text);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const programs = blocks.filter(({ language }) => language !== 'sh');
  test.each(programs)('$title has no finding', async ({ text, info }) => {
    const name = info[0] ?? 'flow.dsl';
    writeFileSync(join(folder, name), text);
    const { stdout, stderr, code } = await commandLine(['check', '--strict', name], { cwd: folder, env });
    // A plan says what it needs.
    expect(stdout + stderr).toBe(name === 'plan.json' ? 'signature: input.version\ngates: approvals.publish\n' : '');
    expect(code).toBe(0);
  });

  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line.startsWith('statedsl '))
    .map((line) => line.replace(/ +#.*/, ''));

  it('has some', () => {
    expect(commands.length).toBeGreaterThan(4);
  });

  test.each(commands)('%s', async (line) => {
    mkdirSync(join(folder, 'runs'), { recursive: true });
    const { code, stderr } = await commandLine(line.split(' ').slice(1), { cwd: folder, env });
    // The flow waits for a person.
    expect(code, stderr).toBe(line.startsWith('statedsl run') ? 75 : 0);
  });

  it('are followed by an answer, which ends the run', async () => {
    const { runs } = JSON.parse((await commandLine(['runs', '--json'], { cwd: folder, env })).stdout) as {
      runs: { run_id: string }[];
    };
    const { code, stdout } = await commandLine(['answer', runs[0]?.run_id ?? '', 'go=yes'], { cwd: folder, env });
    expect(stdout).toBe('published 1.0\n');
    expect(code).toBe(0);
  });
});

describe('the plugin', () => {
  const files = (folder: string): string[] =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, folder).length + 1))
      .sort();

  test('has the same skill', () => {
    const copy = 'plugin/skills/statedsl';
    if (process.env.UPDATE !== undefined) cpSync(join(root, 'skills/statedsl'), join(root, copy), { recursive: true });
    expect(files(copy)).toEqual(files('skills/statedsl'));
    for (const name of files(copy)) expect(read(`${copy}/${name}`), name).toBe(read(`skills/statedsl/${name}`));
  });

  test('has the version of the package, and its files are in the package', () => {
    const { version, files: packed } = JSON.parse(read('package.json'));
    const plugin = JSON.parse(read('plugin/.claude-plugin/plugin.json'));
    const { plugins } = JSON.parse(read('plugin/.claude-plugin/marketplace.json'));
    expect(plugin).toMatchObject({ name: 'statedsl', version });
    expect(plugins).toMatchObject([{ name: 'statedsl', source: './' }]);
    expect(JSON.parse(read('plugin/.mcp.json')).mcpServers.statedsl).toEqual({ command: 'statedsl', args: ['mcp'] });
    const [written] = fences('docs/editors.md').filter(({ text }) => text.includes('extensionToLanguage'));
    expect(JSON.parse(read('plugin/.lsp.json'))).toEqual(JSON.parse(written?.text ?? ''));
    expect(packed).toContain('plugin');
  });

  const bin = mkdtempSync(join(tmpdir(), 'statedsl-plugin-'));
  afterAll(() => rmSync(bin, { recursive: true, force: true }));

  /** Runs the hook as an agent program does, with the built program on PATH. */
  function runHook(event: unknown, env: Record<string, string> = { PATH: `${bin}:${process.env.PATH}` }) {
    writeFileSync(join(bin, 'statedsl'), `#!/bin/sh\nexec "${process.execPath}" "${root}/dist/cli.js" "$@"\n`);
    chmodSync(join(bin, 'statedsl'), 0o755);
    const { hooks } = JSON.parse(read('plugin/hooks/hooks.json'));
    const { command } = hooks.PostToolUse[0].hooks[0];
    const input = typeof event === 'string' ? event : JSON.stringify(event);
    return runProgramSync('/bin/sh', ['-c', command.replace(/^node/, `"${process.execPath}"`)], {
      cwd: bin,
      input,
      env: { ...env, CLAUDE_PLUGIN_ROOT: join(root, 'plugin') },
    });
  }

  test('its hook shows the findings of a flow that was written, and nothing of other files', () => {
    writeFileSync(join(bin, 'wrong.dsl'), 'STATE: A\n  GOTO: B\n');
    writeFileSync(join(bin, 'right.dsl'), 'STATE: A\n  RETURN: 1\n');
    const wrote = (file_path: unknown) => ({ tool_name: 'Write', tool_input: { file_path } });
    const wrong = runHook(wrote('wrong.dsl'));
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/^`statedsl check` refuses this flow.*\nwrong\.dsl:2:9: error\[unknown-state\]: /);
    for (const event of [wrote('right.dsl'), wrote('notes.md'), wrote(7), {}, 'half a {'])
      expect(runHook(event)).toMatchObject({ code: 0, stderr: '', stdout: '' });
    expect(runHook(wrote('wrong.dsl'), { PATH: '/nonexistent' })).toMatchObject({ code: 0, stderr: '' });
  });
});
