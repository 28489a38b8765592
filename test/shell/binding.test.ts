/** How values reach the script: what is untouched, what is refused, how large ones travel. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { describe, expect, it } from 'vitest';
import type { ShellValue } from '../../src/interpreter/request.js';
import { bindShellText } from '../../src/runtime/process/shell-values.js';
import { compiled, runText, type Shell } from './run-script.js';

const noFiles = (): string => {
  throw new Error('no file expected');
};

function bound(text: string, ...values: ShellValue[]) {
  return bindShellText(compiled(text).template, values, { shell: 'bash', scratchFile: noFiles });
}

describe('files of others stay unchanged', () => {
  it.each([
    'echo ${X} ${X:-a} $X {} {a,b} {1..3}',
    '{ echo a; }; f() { echo b; }',
    "awk '{print $1}' f; jq '{id: .x, name}' g; sed 's/x\\{2,3\\}/y/' h",
    "docker ps --format '{{.Names}} {{ .ID }}' {{ x }} {{range .}}",
    "cat <<'EOF'\n$a `b` \\c {} ${x}\nEOF",
    'cat <<"END OF"\n$a {a,b}\nEND OF',
    "echo '{1}' \"{ a }\" {a b} {-} {a-b} $'{\\x7d'",
    "# {v} isn't read\necho $((1 + 2)) # nor {v}",
    'find . -exec rm {} \\;',
  ])('%s', (text) => {
    expect(compiled(text).template).toEqual({ parts: [text], source: text });
    expect(bound(text)).toEqual({ ok: true, script: text, env: {} });
  });

  it('takes the backslash of `\\{name}` where the shell would keep it', () => {
    const text = `echo \\{v} "\\{v}" '\\{v}' '\\{{v}}' "\\{\\{v}}" '\\\\{v}' 's/a\\{n\\}/'`;
    const { template } = compiled(text);
    expect(template.parts).toEqual([`echo \\{v} "{v}" '{v}' '{{v}}' "{{v}}" '\\{v}' 's/a\\{n\\}/'`]);
  });
});

describe('the script', () => {
  it('refers to variables and holds no byte of a value', () => {
    const { script, env } = bound(`echo {a} "x {b}" 'y {c}'`, { text: 'A;' }, { text: 'B' }, { text: 'C' }) as {
      script: string;
      env: Record<string, string>;
    };
    expect(script).toBe(
      '__sd0=$SDV_0;__sd1=$SDV_1;__sd2=$SDV_2;unset SDV_0 SDV_1 SDV_2;' +
        `echo "\${__sd0}" "x \${__sd1}" 'y '"\${__sd2}"''`,
    );
    expect(env).toEqual({ SDV_0: 'A;', SDV_1: 'B', SDV_2: 'C' });
  });

  it('keeps the line numbers of the text', async () => {
    const ran = await runText('true\nprintf "%s" "$LINENO" {v}', () => ({ text: 'a\nb' }));
    expect(ran.stdout).toBe('2a\nb');
  });

  it('applies `:path` and passes checked numbers only', () => {
    expect(bound('ls {v:path}', { text: '-x' })).toMatchObject({ env: { SDV_0: './-x' } });
    expect(bound('ls {v:path}', { text: 'x' })).toMatchObject({ env: { SDV_0: 'x' } });
    expect(bound('echo $(( {v:int} ))', { text: '-5' })).toMatchObject({ env: { SDV_0: '-5' } });
    expect(bound('echo $(( {v:int} ))', { text: 'a[0]' })).toMatchObject({ ok: false, errorType: 'bad_value' });
  });

  it('refuses what no argument can hold', () => {
    expect(bound('echo {v}', { text: 'a\0b' })).toMatchObject({ ok: false, errorType: 'bad_value' });
    expect(bound('echo {v}', { text: 'a\ud800b' })).toMatchObject({ ok: false, errorType: 'bad_value' });
    expect(bound('echo {v*}', { list: ['a', '\udc00'] })).toMatchObject({ ok: false, errorType: 'bad_value' });
    expect(bound('echo {v}', { text: '\ud83d\ude00' })).toMatchObject({ ok: true });
  });

  it('splices with raw() and nowhere else', () => {
    expect(bound('echo raw({v}) {v}', { text: '$HOME' }, { text: '$HOME' })).toMatchObject({
      script: '__sd0=$SDV_0;unset SDV_0;echo $HOME "${__sd0}"',
    });
  });
});

describe('large values', () => {
  const large = (bytes: number): string => `${'é€🎉x'.repeat(bytes / 10)}\n\n`;

  it('cannot be arguments of programs', () => {
    const text = 'x'.repeat(131_072);
    const refused = bound('tool --a {v}', { text });
    expect(refused).toMatchObject({ ok: false, errorType: 'value_too_large' });
    expect(refused.ok ? '' : refused.message).toContain('{v:file}');
    expect(bound('tool {v}', { text: text.slice(1) })).toMatchObject({ ok: true });
    expect(bound('tool --name={v}', { text: text.slice(1) })).toMatchObject({ ok: false });
    expect(bound('tool {v}{w}', { text: text.slice(2) }, { text: 'ab' })).toMatchObject({ ok: false });
    expect(bound('tool {v} {w}', { text: text.slice(1) }, { text: text.slice(1) })).toMatchObject({ ok: true });
    expect(bound('X={v} tool', { text })).toMatchObject({ ok: false });
    expect(bound('tool {v*}', { list: ['a', text] })).toMatchObject({ ok: false });
    expect(bound('echo {v}', { text })).toMatchObject({ ok: true });
    expect(bound('tool <<< {v}', { text })).toMatchObject({ ok: true });
    expect(bound('f() { :; }; f {v}', { text })).toMatchObject({ ok: true });
  });

  it.each<[Shell, number]>([
    ['bash', 300_000],
    ['sh', 300_000],
    ['bash', 2_500_000],
    ['sh', 2_500_000],
  ])('reach %s whole at %i bytes', async (shell, bytes) => {
    const text = large(bytes);
    const ran = await runText("printf '%s' {v}; printf '%s' \"$?\"; env | grep -c '^SD[VF]_' || :", () => ({ text }), {
      shell,
    });
    expect(ran.stdout === `${text}00\n`, ran.stderr).toBe(true);
  });

  it('stay whole when many share the environment', async () => {
    const list = Array.from({ length: 30 }, (_, at) => `${at}${'y'.repeat(60_000)}\n`);
    const ran = await runText("printf '%s' {v*}", () => ({ list }), { shell: 'sh' });
    expect(ran.stdout === list.join('')).toBe(true);
    const words = Array.from({ length: 5_000 }, (_, at) => `w${at}`);
    const many = await runText("printf '%s,' {v*}", () => ({ list: words }));
    expect(many.stdout === `${words.join(',')},`).toBe(true);
  });

  it('are refused as lists too long for any command line', () => {
    const list = Array.from({ length: 100_000 }, (_, at) => `element ${at}`);
    let files = 0;
    const { template } = compiled('echo {v*}');
    const refused = bindShellText(template, [{ list }], { shell: 'bash', scratchFile: () => `/tmp/${files++}` });
    expect(refused).toMatchObject({ ok: false, errorType: 'value_too_large' });
    expect(files).toBeLessThan(1000);
  });

  it('can be passed as files', async () => {
    const text = large(400_000);
    const ran = await runText('cat {v:file}', () => ({ text, file: true }), { shell: 'sh' });
    expect(ran.stdout === text).toBe(true);
  });

  it('reach a script that is itself too long for an argument', async () => {
    const ran = await runText(`${': x\n'.repeat(50_000)}printf '%s' {v}`, () => ({ text: 'v' }));
    expect(ran.stdout).toBe('v');
  });
});
