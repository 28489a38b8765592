import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/language/source/diagnostic.js';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import { drawDiagnostic, drawDiagnostics } from '../../src/views/diagnostics/draw-diagnostic.js';

function span(text: string, piece: string, file = 0) {
  const start = text.indexOf(piece);
  if (start < 0) throw new Error(`no ${piece}`);
  return { file, start, end: start + piece.length };
}

/** Draws one diagnostic that blames `piece` in `text`. */
function draw(text: string, piece: string, more: Partial<Diagnostic> = {}): string {
  const base = { code: 'some-code', severity: 'error', message: 'something is wrong' } as const;
  return drawDiagnostic({ ...base, span: span(text, piece), ...more }, [sourceFile('plan.dsl', text)]);
}

describe('the picture of a diagnostic', () => {
  test('two locations in one file are one picture with a gap', () => {
    const lines = [
      ...Array.from({ length: 9 }, (_, i) => `# ${i}`),
      'CHECK: python3 lib/orchestration.py wait-explorers --required=3',
      '',
      '',
      '',
      'IF: wait_result.missing is empty → PROCEED',
    ];
    const text = lines.join('\n');
    const picture = draw(text, 'wait_result', {
      code: 'local-out-of-scope',
      message: '`wait_result` does not exist in state `EXECUTE`',
      label: 'nothing in EXECUTE binds this',
      labels: [{ span: span(text, 'CHECK:'), text: 'bound here, in EXPLORE, and dropped by the next GOTO' }],
      help: 'run the CHECK again in EXECUTE, or keep the value with `TRACK:` and `SET:`',
    });
    expect(picture).toBe(
      [
        'error[local-out-of-scope]: `wait_result` does not exist in state `EXECUTE`',
        '   --> plan.dsl:14:5',
        '   |',
        '10 | CHECK: python3 lib/orchestration.py wait-explorers --required=3',
        '   | ------ bound here, in EXPLORE, and dropped by the next GOTO',
        '   ⋮',
        '14 | IF: wait_result.missing is empty → PROCEED',
        '   |     ^^^^^^^^^^^ nothing in EXECUTE binds this',
        '   = help: run the CHECK again in EXECUTE, or keep the value with `TRACK:` and `SET:`',
      ].join('\n'),
    );
  });

  test('labels of locations on one line are below each other', () => {
    const text = 'IF: alpha == beta → GOTO: X';
    const picture = draw(text, 'beta', {
      label: 'a text',
      labels: [
        { span: span(text, 'alpha'), text: 'a number' },
        { span: span(text, 'IF'), text: 'tested here' },
      ],
    });
    expect(picture.split('\n').slice(3)).toEqual([
      '1 | IF: alpha == beta → GOTO: X',
      '  | --  -----    ^^^^ a text',
      '  | |   |',
      '  | |   a number',
      '  | tested here',
    ]);
  });

  test('a location inside another gets a separate row', () => {
    const text = 'GOTO: X with y';
    const picture = draw(text, 'y', { labels: [{ span: span(text, text), text: 'this instruction' }] });
    expect(picture.split('\n').slice(3)).toEqual([
      '1 | GOTO: X with y',
      '  |              ^',
      '  | -------------- this instruction',
    ]);
  });

  test('a location in another file is a separate picture', () => {
    const main = 'STATE: Q';
    const other = '\nPATTERN: B';
    const diagnostic: Diagnostic = {
      code: 'twice',
      severity: 'error',
      message: 'twice',
      span: span(main, 'Q'),
      labels: [{ span: span(other, 'B', 1), text: 'first here' }],
    };
    const picture = drawDiagnostic(diagnostic, [sourceFile('a.dsl', main), sourceFile('lib/b.dsl', other)]);
    expect(picture.split('\n')).toEqual([
      'error[twice]: twice',
      '  --> a.dsl:1:8',
      '  |',
      '1 | STATE: Q',
      '  |        ^',
      '  ::: lib/b.dsl:2:10',
      '  |',
      '2 | PATTERN: B',
      '  |          - first here',
    ]);
  });

  test('tabs, wide characters and control characters do not move the carets', () => {
    expect(draw('\tX: 日本 here', 'here').split('\n').slice(3)).toEqual([
      '1 |     X: 日本 here',
      '  |             ^^^^',
    ]);
    expect(draw('a\u001b[2Jb', 'b').split('\n').slice(3)).toEqual(['1 | a␛[2Jb', '  |      ^']);
    expect(draw('X: 日本', '日本').split('\n').slice(3)).toEqual(['1 | X: 日本', '  |    ^^^^']);
  });

  test('an empty location, the end of a line and CRLF', () => {
    const text = 'GOTO:\r\nX';
    const picture = drawDiagnostic(
      { code: 'c', severity: 'warning', message: 'm', span: { file: 0, start: 5, end: 5 } },
      [sourceFile('p.dsl', text)],
    );
    expect(picture.split('\n')).toEqual([
      'warning[c]: m',
      ' --> p.dsl:1:6'.padStart(15),
      '  |',
      '1 | GOTO:',
      '  |      ^',
    ]);
  });

  test('a span over several lines is marked where it begins', () => {
    expect(draw('DO:\n  a\n  b', 'a\n  b').split('\n').slice(3)).toEqual(['2 |   a', '  |   ^']);
  });

  test('a line of a megabyte is cut to a window', () => {
    const text = `${'x'.repeat(500_000)}HERE${'y'.repeat(500_000)}`;
    const rows = draw(text, 'HERE').split('\n');
    const source = rows[3] as string;
    expect(source.length).toBeLessThan(160);
    expect(source.startsWith('1 | …x')).toBe(true);
    expect(source.endsWith('y…')).toBe(true);
    expect((rows[4] as string).indexOf('^')).toBe(source.indexOf('HERE'));
  });

  test('messages cannot fake lines of their own', () => {
    const picture = draw('x', 'x', { message: 'a\nerror[fake]: b \u001b[31m' });
    expect(picture.split('\n')[0]).toBe('error[some-code]: a error[fake]: b \\x1b[31m');
  });

  test('notes come before help, and further lines of help are below it', () => {
    const picture = draw('x', 'x', { notes: ['a rule'], help: 'do\nthis' });
    expect(picture.split('\n').slice(5)).toEqual(['  = note: a rule', '  = help: do', '          this']);
  });
});

test('all diagnostics end in a count', () => {
  const source = sourceFile('p.dsl', 'x');
  const one: Diagnostic = { code: 'c', severity: 'error', message: 'm', span: { file: 0, start: 0, end: 1 } };
  const text = drawDiagnostics([one, { ...one, severity: 'warning' }], [source]);
  expect(text.endsWith('\n\n1 error, 1 warning\n')).toBe(true);
  expect(drawDiagnostics([], [source])).toBe('');
});
