import { describe, expect, test } from 'vitest';
import { type ProjectFolder, projectFolder } from './statedsl.js';

const program = `INPUT: objective
INPUT: limit = 20
INPUT: mode = "fast" (one of: fast, slow)
INPUT: code = "x" (string)
RETURN: "{objective:json} {limit:json} {mode:json} {code:json}"
`;

async function values(one: ProjectFolder, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await one.run(['run', 'a.dsl', '--quiet', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd();
}

describe('what a flag says', () => {
  test.each([
    '5',
    'five',
    '[1,{"a":null}]',
    'true',
    '"5"',
    '',
    'a=b',
    '1.10',
    '1e5',
    '12345678901234567890',
    '{not json',
  ])('%s is that text', async (text) => {
    expect(await values(projectFolder({ 'a.dsl': program }), '-i', `objective=${text}`)).toBe(
      `${JSON.stringify(text)} 20 "fast" "x"`,
    );
  });

  test('is what follows the first of two @', async () => {
    expect(await values(projectFolder({ 'a.dsl': program }), '-i', 'objective=@@x')).toBe('"@x" 20 "fast" "x"');
  });

  test.each([
    ['5', '5'],
    ['1.10', '1.10'],
    ['[1.0,{"a":null}]', '[1.0,{"a":null}]'],
    ['true', 'true'],
    ['"5"', '"5"'],
    ['null', 'null'],
    ['12345678901234567890', '12345678901234567890'],
    ['@v.json', '{"a":1}'],
  ])('after := %s is JSON', async (text, json) => {
    const one = projectFolder({ 'a.dsl': program, 'v.json': '{"a": 1}\n' });
    expect(await values(one, '-i', `objective:=${text}`)).toBe(`${json} 20 "fast" "x"`);
  });

  test('is of the type that is declared, or that the default has', async () => {
    const one = projectFolder({ 'a.dsl': program });
    expect(await values(one, '-i', 'objective=1', '-i', 'code=007', '-i', 'mode=slow', '-i', 'limit=3')).toBe(
      '"1" 3 "slow" "007"',
    );
    const types = 'INPUT: n (number)\nINPUT: on = false\nINPUT: all = []\nINPUT: one (object)\nRETURN: {n}/{n + 1}';
    const other = projectFolder({ 'a.dsl': `${types} {on:json} {all} {one}\n`.replace('{n + 1}', '{json(n)}') });
    const given = ['-i', 'n=1.10', '-i', 'on=true', '-i', 'all=[1.0]', '-i', 'one={"a":1}'];
    expect(await values(other, ...given)).toBe('1.10/1.10 true [1.0] {"a":1}');
  });

  test('is text where the default is one', async () => {
    const one = projectFolder({ 'a.dsl': 'INPUT: version = "1.0"\nRETURN: "{version:json} {version}"\n' });
    expect(await values(one, '-i', 'version=1.10')).toBe('"1.10" 1.10');
  });

  test('is the text of a file, exactly', async () => {
    const one = projectFolder({ 'a.dsl': program, 'v.txt': 'a\nb\n', 'v.json': '{"a": 1}\n', 'n.txt': '7\n' });
    expect(await values(one, '-i', 'objective=@v.txt', '-i', 'code=@v.json')).toBe(
      '"a\\nb\\n" 20 "fast" "{\\"a\\": 1}\\n"',
    );
    expect(await values(one, '--input', 'objective=@v.json', '-i', 'limit=@n.txt')).toBe(
      '"{\\"a\\": 1}\\n" 7 "fast" "x"',
    );
  });

  test('keeps its digits when the run is resumed', async () => {
    const text = 'INPUT: v (number)\nASK user: "go?" → go\nRETURN: {v} {go}\n';
    const one = projectFolder({ 'a.dsl': text });
    const report = JSON.parse((await one.run(['run', 'a.dsl', '--json', '--quiet', '-i', 'v=1.10'])).stdout);
    const answered = await one.run(['answer', report.run_id, 'go=yes', '--json', '--quiet']);
    expect(JSON.parse(answered.stdout).returned).toBe('1.10 yes');
  });
});

describe('mistakes are reported at once, with exit code 2, and nothing starts', () => {
  const cases: [string, string[], RegExp[]][] = [
    ['missing', [], [/missing-input.*`objective`/, /pass it with `-i objective=…`/, /a\.dsl:1:8/]],
    ['misspelt', ['-i', 'objectve=1'], [/`objectve` is not an input/, /did you mean `objective`\?/, /missing-input/]],
    ['given twice', ['-i', 'objective=1', '-i', 'objective=2'], [/`objective` is given twice/]],
    ['without a value', ['-i', 'objective'], [/an input must be a name/]],
    ['without a name', ['-i', '=1'], [/an input must be a name/]],
    [
      'not a choice',
      ['-i', 'objective=1', '-i', 'mode=slov'],
      [/must be one of `fast`, `slow`/, /did you mean `slow`/],
    ],
    ['an unreadable file', ['-i', 'objective=@nowhere'], [/cannot read `nowhere`.*no such file/, /@@/]],
    ['no number', ['-i', 'objective=1', '-i', 'limit=abc'], [/`limit` has a number as its default/, /-i limit=20/]],
    ['no JSON', ['-i', 'objective:={a}'], [/after `:=` for the input `objective` is not JSON/]],
    ['too deep', ['-i', `objective:=${'['.repeat(201)}${']'.repeat(201)}`], [/nested deeper than 200 levels/]],
  ];
  test.each(cases)('%s', async (_, args, words) => {
    const one = projectFolder({ 'a.dsl': program });
    const { code, stdout, stderr } = await one.run(['run', 'a.dsl', '--json', ...args]);
    for (const word of words) expect(stderr).toMatch(word);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).status).toBe('invalid');
    expect((await one.run(['run', 'a.dsl', ...args])).code).toBe(2);
  });
});

describe('an input file', () => {
  test('is JSON or YAML, and flags win', async () => {
    const one = projectFolder({
      'a.dsl': program,
      'i.json': '{"objective": [1, 2], "limit": 1}',
      'digits.json': '{"objective": 1.10}',
      'i.yaml': 'objective: {a: 1}\nmode: slow\ncode: "5"\n',
    });
    expect(await values(one, '--input-file', 'i.json')).toBe('[1,2] 1 "fast" "x"');
    expect(await values(one, '--input-file', 'digits.json')).toBe('1.10 20 "fast" "x"');
    expect(await values(one, '--input-file', 'i.yaml')).toBe('{"a":1} 20 "slow" "5"');
    expect(await values(one, '--input-file', 'i.yaml', '-i', 'objective=x')).toBe('"x" 20 "slow" "5"');
  });

  test.each([
    ['a number for text', '{"objective": 1, "code": 5}', /`code` is declared as a string, but this is a number/],
    ['no object', '[1]', /does not contain an object/],
    ['no JSON', '{', /not valid JSON/],
    ['a name that is not declared', '{"objective": 1, "limits": 5}', /`limits` is not an input/],
  ])('%s is an error', async (_, text, words) => {
    const { code, stderr } = await projectFolder({ 'a.dsl': program, 'i.json': text }).run([
      'run',
      'a.dsl',
      '--input-file',
      'i.json',
    ]);
    expect(stderr).toMatch(words);
    expect(code).toBe(2);
  });

  test('that is not there is one error, not one for each input', async () => {
    const { stderr } = await projectFolder({ 'a.dsl': program }).run(['run', 'a.dsl', '--input-file', 'nowhere.json']);
    expect(stderr).toContain('1 error\n');
    expect(stderr).toContain('no such file');
  });
});

test('choices may be numbers', async () => {
  const one = projectFolder({ 'a.dsl': 'INPUT: n = 1 (one of: 1, 2)\nRETURN: {n}\n' });
  expect(await one.run(['run', 'a.dsl', '--quiet', '-i', 'n=2'])).toEqual({ code: 0, stdout: '2\n', stderr: '' });
  expect((await one.run(['run', 'a.dsl', '--quiet', '-i', 'n=3'])).code).toBe(2);
});

test('the value of a secret input is not in messages', async () => {
  const one = projectFolder({ 'a.dsl': 'INPUT: token (string, secret)\nRETURN: ok\n' });
  const { stderr } = await one.run(['run', 'a.dsl', '-i', 'token=hush-hush', '-i', 'token=hush-hush']);
  expect(stderr).toContain('given twice');
  expect(stderr).not.toContain('hush');
  expect((await one.run(['run', 'a.dsl', '-i', 'token=@hunter2'])).stderr).not.toContain('hunter2');
});

describe('an object with a member twice is refused wherever a person wrote it', () => {
  const twice = '{"a": {"b": 1, "\\u0062": 2}}';
  const said = 'has the member `b` twice';
  const files = {
    'a.dsl': 'INPUT: v\nRETURN: {v}\n',
    'typed.dsl': 'INPUT: v (object)\nRETURN: {v}\n',
    'secret.dsl': 'INPUT: v (object, secret)\nRETURN: x\n',
    'in.json': `{"v": ${twice}}`,
    'p.json': '[{"_tool": "t", "v": "†state.v"}]',
    'tools.yaml': 't: { run: [cat] }\n',
    'wait.dsl': 'WAIT: signal GO\nRETURN: {GO}\n',
  };

  test.each([
    ['a.dsl', '-i', `v:=${twice}`],
    ['a.dsl', '-i', 'v:=@in.json'],
    ['typed.dsl', '-i', `v=${twice}`],
    ['a.dsl', '--input-file', 'in.json'],
    ['p.json', '--state', 'in.json'],
  ])('%s %s %s', async (...args) => {
    const { code, stderr } = await projectFolder(files).run(['run', ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
  });

  test('the payload of a signal, and a secret without its names', async () => {
    const one = projectFolder(files);
    const { run_id } = JSON.parse((await one.run(['run', 'wait.dsl', '--json', '--quiet'])).stdout);
    const { code, stderr } = await one.run(['signal', run_id, 'GO', twice]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
    const hidden = await one.run(['run', 'secret.dsl', '-i', `v:=${twice}`]);
    expect(hidden.stderr).toContain('the value of the input `v` has a member twice');
    expect((await one.run(['run', 'a.dsl', '--quiet', '-i', `v=${twice}`])).stdout).toBe(`${twice}\n`);
  });
});

test('--start with entry values', async () => {
  const states = 'STATE: A\n  GOTO: B with x=1\nSTATE: B\n  RETURN: "{x:json}"\n';
  const one = projectFolder({ 'a.dsl': states });
  expect((await one.run(['run', 'a.dsl', '--quiet', '--start', 'B with x=[1,2]'])).stdout).toBe('[1,2]\n');
  expect((await one.run(['run', 'a.dsl', '--quiet', '--start', 'B with x=some words'])).stdout).toBe('"some words"\n');
  const missing = await one.run(['run', 'a.dsl', '--start', 'B']);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('to start in state `B`, a run needs `x`');
  expect(missing.stderr).toContain('--start "B with x=…"');
  const unknown = await one.run(['run', 'a.dsl', '--start', 'C']);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no state `C`') });
  const extra = await one.run(['run', 'a.dsl', '--start', 'B with x=1, y=2']);
  expect(extra).toMatchObject({ code: 2, stderr: expect.stringContaining('no entry value `y`') });
});
