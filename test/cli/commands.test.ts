import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { longTest } from '../amount.js';
import { runProgramSync } from '../harness/process.js';
import { cli, projectFolder } from './statedsl.js';

describe('check', () => {
  test('ends with 0 on warnings, with --strict with 2', async () => {
    const one = projectFolder({ 'a.dsl': 'STATE: A\n  RETURN\nSTATE: B\n  RETURN\n' });
    expect(await one.run(['check', 'a.dsl'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('1 warning'),
    });
    expect((await one.run(['check', 'a.dsl', '--strict'])).code).toBe(2);
    expect(JSON.parse((await one.run(['check', 'a.dsl', '--json'])).stdout).status).toBe('valid');
    expect(JSON.parse((await one.run(['check', 'a.dsl', '--json', '--strict'])).stdout).status).toBe('invalid');
  });

  test('reports all files; --json is one object', async () => {
    const one = projectFolder({ 'a.dsl': 'GOTO: A1\n', 'b.dsl': 'GOTO: B1\n', 'c.dsl': 'RETURN\n' });
    const { code, stdout, stderr } = await one.run(['check', 'a.dsl', 'b.dsl', 'c.dsl', '--json']);
    expect(code).toBe(2);
    const report = JSON.parse(stdout);
    expect(report.status).toBe('invalid');
    expect(report.diagnostics.map(({ file, line, column }: Record<string, unknown>) => [file, line, column])).toEqual([
      ['a.dsl', 1, 7],
      ['b.dsl', 1, 7],
    ]);
    expect(report.diagnostics[0]).toMatchObject({ severity: 'error', message: expect.stringContaining('`A1`') });
    expect(stderr).toBe('');
    expect(JSON.parse((await one.run(['check', 'c.dsl', '--json'])).stdout)).toEqual({
      status: 'valid',
      diagnostics: [],
    });
  });

  describe('--fix', () => {
    test('mends what leaves nothing to decide, in rounds, and says what it did', async () => {
      const one = projectFolder({
        'a.dsl':
          '\ufeffSTATE: A\r\n\tTRACK n\r\n  if: n = 3 → goto: A\r\n  WAIT: 5 seconds\r\n  WAIT: 5\r\n  GOTO: NOWHERE\r\n',
      });
      const { code, stdout, stderr } = await one.run(['check', '--fix', 'a.dsl']);
      expect(readFileSync(join(one.folder, 'a.dsl'), 'utf8')).toBe(
        '\ufeffSTATE: A\r\n  TRACK: n\r\n  IF: n == 3 → GOTO: A\r\n  WAIT: 5s\r\n  WAIT: 5\r\n  GOTO: NOWHERE\r\n',
      );
      expect(stderr).toContain('fixed[unexpected-text]: a.dsl:4\n-   WAIT: 5 seconds\n+   WAIT: 5s\n');
      expect(stderr).toContain('error[unknown-state]');
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    });

    test('leaves suggestions, imports and valid files alone', async () => {
      const texts = {
        'a.dsl': 'IMPORT: "b.dsl"\nDO: raw({x})\nUSE: P\n',
        'b.dsl': 'PATTERN: P\n  emit: A\n',
        'c.dsl': 'RETURN\n',
      };
      const one = projectFolder(texts);
      await one.run(['check', '--fix', 'a.dsl', 'c.dsl']);
      for (const [name, text] of Object.entries(texts)) expect(readFileSync(join(one.folder, name), 'utf8')).toBe(text);
    });

    test('reports what is left when all files are corrected', async () => {
      const one = projectFolder({
        'a.dsl': 'IMPORT: b.dsl\nuse: P\n',
        'b.dsl': 'PATTERN: P\n  emit: A\n',
      });
      const { code, stderr } = await one.run(['check', '--fix', 'a.dsl', 'b.dsl']);
      expect(stderr).not.toContain('error[');
      expect(code).toBe(0);
      expect((await one.run(['check', '--fix', 'a.dsl', 'b.dsl'])).stderr).not.toContain('fixed[');
    });

    test('mends documents, workflow files, plans and standard input', async () => {
      const one = projectFolder({
        'a.md': '# A\n\ngoto: A\n\n```dsl\nemit: X\n```\n',
        'w.yaml': 'steps:\n  - name: a\n    promt: hello\n    agent: claude-haiku\n',
        'p.json': '{"calls": [{"_tool": "a", "_outputpath": "†state.x"}]}\n',
        'tools.yaml': 'a: { run: ["true"] }\n',
      });
      await one.run(['check', '--fix', 'a.md', 'w.yaml', 'p.json']);
      const text = (name: string) => readFileSync(join(one.folder, name), 'utf8');
      expect(text('a.md')).toBe('# A\n\ngoto: A\n\n```dsl\nEMIT: X\n```\n');
      expect(text('w.yaml')).toContain('    prompt: hello\n');
      expect(text('p.json')).toContain('"_outputPath"');
      expect((await one.runProcess(['check', '--fix', '-'], { input: 'emit: X\n' })).stdout).toBe('EMIT: X\n');
      const { fixed } = JSON.parse(
        (await one.runProcess(['check', '--fix', '--json', '-'], { input: 'emit: X\n' })).stdout,
      );
      expect(fixed).toEqual([{ file: '<stdin>', code: 'unknown-verb', line: 1, column: 1, was: 'emit', text: 'EMIT' }]);
    });
  });

  test('one missing file does not hide the others', async () => {
    const one = projectFolder({ 'a.dsl': 'GOTO: A1\n' });
    const { code, stderr } = await one.run(['check', 'nowhere.dsl', 'a.dsl']);
    expect(code).toBe(2);
    expect(stderr).toContain('cannot read `nowhere.dsl`');
    expect(stderr).toContain('a.dsl:1:7');
  });

  test('--explain says which name was chosen', async () => {
    const one = projectFolder({ 'a.dsl': 'CHECK: git wait-explorers\nIF: wait_result.status == "x" → RETURN\n' });
    const { stdout } = await one.run(['check', 'a.dsl', '--explain']);
    expect(stdout).toMatch(/^a\.dsl:1:\d+: .*`wait_result`/m);
    const json = JSON.parse((await one.run(['check', 'a.dsl', '--explain', '--json'])).stdout);
    expect(json.explanations[0]).toMatchObject({ file: 'a.dsl', line: 1 });
  });

  test('warns of programs that are not here, also relative to --cwd', async () => {
    const one = projectFolder({ 'a.dsl': 'DO: ./tool.sh --x\n', 'work/tool.sh': '' });
    expect((await one.run(['check', 'a.dsl'])).stderr).toContain('command-not-found');
    one.file('work/tool.sh', '#!/bin/sh\n');
    expect((await one.run(['check', 'a.dsl', '--cwd', 'work'])).stderr).toContain('command-not-found');
  });
});

describe('fmt', () => {
  const loose = 'STATE:   A\n\n\n    RETURN:   x   \n';
  const tidy = 'STATE: A\n  RETURN: x\n';

  test('writes in place, only when something changes', async () => {
    const one = projectFolder({ 'a.dsl': loose });
    expect(await one.run(['fmt', 'a.dsl'])).toEqual({ code: 0, stdout: '', stderr: '' });
    const first = readFileSync(join(one.folder, 'a.dsl'), 'utf8');
    expect(first).toBe(tidy);
    expect((await one.run(['fmt', 'a.dsl'])).code).toBe(0);
    expect(readFileSync(join(one.folder, 'a.dsl'), 'utf8')).toBe(first);
  });

  test('--check names what would change and ends with 1', async () => {
    const one = projectFolder({ 'a.dsl': loose, 'b.dsl': tidy });
    expect(await one.run(['fmt', '--check', 'a.dsl', 'b.dsl'])).toEqual({ code: 1, stdout: 'a.dsl\n', stderr: '' });
    expect(readFileSync(join(one.folder, 'a.dsl'), 'utf8')).toBe(loose);
    expect(await one.run(['fmt', '--check', 'b.dsl'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('- reads and writes streams', async () => {
    const one = projectFolder();
    expect(await one.runProcess(['fmt', '-'], { input: loose })).toEqual({ code: 0, stdout: tidy, stderr: '' });
    expect(await one.runProcess(['fmt', '--check', '-'], { input: loose })).toMatchObject({
      code: 1,
      stdout: '<stdin>\n',
    });
  });

  test('a broken program is left as it is, with 2; the others are formatted', async () => {
    const one = projectFolder({ 'a.dsl': 'STATE: A\n  REUTRN\n', 'b.dsl': loose });
    const { code, stderr } = await one.run(['fmt', 'a.dsl', 'b.dsl']);
    expect(code).toBe(2);
    expect(stderr).toContain('a.dsl:2:3');
    expect(readFileSync(join(one.folder, 'a.dsl'), 'utf8')).toBe('STATE: A\n  REUTRN\n');
    expect(readFileSync(join(one.folder, 'b.dsl'), 'utf8')).toBe(tidy);
  });

  test('of Markdown, only the program changes', async () => {
    const before = '# Doc\n\nSome   prose.\n\n```dsl\nSTATE:   A\n  RETURN:   x\n```\n';
    const one = projectFolder({ 'a.md': before });
    expect((await one.run(['fmt', 'a.md'])).code).toBe(0);
    expect(readFileSync(join(one.folder, 'a.md'), 'utf8')).toBe(
      '# Doc\n\nSome   prose.\n\n```dsl\nSTATE: A\n  RETURN: x\n```\n',
    );
  });
});

describe('graph', () => {
  const program = 'STATE: A\n  TRACK: n\n  INCREMENT: n\n  IF: n < 3 → GOTO: A\n  GOTO: B\nSTATE: B\n  RETURN: x\n';

  longTest('is Mermaid unless another format is asked for', async () => {
    const one = projectFolder({ 'a.dsl': program });
    expect((await one.run(['graph', 'a.dsl'])).stdout).toBe(
      'stateDiagram-v2\n    A\n    B\n    [*] --> A\n    A --> A : n < 3\n    A --> B\n    B --> [*]\n',
    );
    expect((await one.run(['graph', 'a.dsl', '--format', 'dot'])).stdout).toMatch(
      /^digraph "a" \{[\s\S]*"A" -> "A" \[label="n < 3"\]/,
    );
    expect((await one.run(['graph', 'a.dsl', '--format', 'ascii'])).stdout).toContain('-- [n < 3] --> A');
    const svg = await one.runProcess(['graph', 'a.dsl', '--format', 'svg']);
    expect(svg.code, svg.stderr).toBe(0);
    expect(svg.stdout).toMatch(/<svg [\s\S]*n &lt; 3[\s\S]*<\/svg>/);
  });

  test('draws all machines, or the one that is named', async () => {
    const one = projectFolder({ 'a.dsl': 'MACHINE: one\nSTATE: A\n  RETURN\nMACHINE: two\nSTATE: B\n  RETURN\n' });
    const all = (await one.run(['graph', 'a.dsl', '--format', 'ascii'])).stdout;
    expect(all).toContain('one\n\nA');
    expect(all).toContain('two\n\nB');
    expect((await one.run(['graph', 'a.dsl', '--machine', 'two', '--format', 'ascii'])).stdout).not.toContain('one');
  });

  test('of a program with errors ends with 2', async () => {
    expect(await projectFolder({ 'a.dsl': 'GOTO: NOWHERE\n' }).run(['graph', 'a.dsl'])).toMatchObject({
      code: 2,
      stdout: '',
    });
  });
});

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { code, stdout } = await projectFolder().runProcess(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('statedsl');
    expect(stdout).toContain('complete --');
  });

  longTest('answers with commands, flags, choices and files', async () => {
    const one = projectFolder({ 'flow.dsl': '', 'other.txt': '' });
    const words = async (...line: string[]) =>
      (await one.runProcess(['complete', '--', ...line])).stdout.split('\n').map((answer) => answer.split('\t')[0]);
    expect(await words('gr')).toContain('graph');
    expect(await words('run', '--auto')).toContain('--auto-events');
    expect(await words('graph', '--format', '')).toContain('svg');
    expect(await words('run', 'fl')).toContain('flow.dsl');
    expect(await words('run', '')).not.toContain('other.txt');
  });

  longTest('answers with files for options that take one, and with no command that only shells call', async () => {
    const one = projectFolder({ 'mock.yaml': '', 'sub/x': '' });
    const answer = async (...line: string[]) => (await one.runProcess(['complete', '--', ...line])).stdout;
    expect(await answer('run', '--mock', 'mo')).toMatch(/^mock\.yaml\t/);
    expect(await answer('run', '--mock=mo')).toMatch(/^mock\.yaml\t/);
    expect(await answer('run', '--dir', '')).toMatch(/^sub\/\t\n:/);
    expect(await answer('run', './su')).toMatch(/^\.\/sub\/\t/);
    expect(await answer('comp')).not.toMatch(/^complete\t/m);
    expect(await one.runProcess(['complete'])).toMatchObject({ code: 2, stdout: '' });
  });

  longTest('answers with the runs that are kept', async () => {
    const one = projectFolder({ 'a.dsl': 'STATE: A\n  RETURN\n' });
    const answer = async (...line: string[]) => (await one.runProcess(['complete', '--', ...line])).stdout;
    expect(await answer('show', '')).not.toMatch(/returned/);
    await one.run(['run', 'a.dsl', '--quiet']);
    await one.run(['run', 'a.dsl', '--quiet', '--dir', 'other']);
    const listed = async (...args: string[]) =>
      JSON.parse((await one.run(['runs', '--json', ...args])).stdout).runs[0].run_id;
    const [id, other] = [await listed(), await listed('--dir', 'other')];
    expect(await answer('show', '')).toMatch(new RegExp(`^${id}\\treturned, a, `));
    expect(await answer('answer', id.slice(0, 20))).toContain(id);
    expect(await answer('show', 'z')).not.toContain(id);
    expect(await answer('report', '--dir', 'other', '')).toContain(other);
  });

  longTest('the script for bash works in a bash that has nothing else, however often it is loaded', () => {
    const one = projectFolder({ 'two words.dsl': '', 'sub/x.dsl': '' });
    one.file('statedsl', `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
    one.file(
      'try.bash',
      `chmod +x statedsl; PATH=$PWD:$PATH
source <(statedsl completion bash); source <(statedsl completion bash)
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _statedsl; echo "\${COMPREPLY[*]}"; }
try statedsl gr
try statedsl run tw
try statedsl run sub/
try statedsl graph --format = sv
try statedsl run '$(touch hacked)'
`,
    );
    const { stdout, stderr } = runProgramSync('bash', ['--norc', 'try.bash'], { cwd: one.folder });
    expect({ stdout, stderr }).toEqual({ stdout: 'graph\ntwo\\ words.dsl\nsub/x.dsl\nsvg\n\n', stderr: '' });
    expect(existsSync(join(one.folder, 'hacked'))).toBe(false);
  });
});
