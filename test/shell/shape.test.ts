/** What the compiler reports about a text: its commands, and whether it is one plain command. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { describe, expect, it } from 'vitest';
import { RepeatedTexts } from '../../src/language/check/shell/repeated-texts.js';
import type { ShellTextOptions } from '../../src/language/check/shell/shell-lexer.js';
import { compileShellText } from '../../src/language/check/shell/text.js';
import { amount } from '../amount.js';
import { interpolationsOf } from './interpolations.js';
import { compiled, findings } from './run-script.js';

function commands(text: string): string[] {
  return compiled(text).commands.map(({ name, words, program, pipedInto, builtinOrKeyword, depth }) => {
    const marks = `${pipedInto ? '|' : ''}${'$'.repeat(depth)}${builtinOrKeyword ? '!' : ''}`;
    const shown = words.map(({ text: word }, at) => (at === program ? `<${word ?? '?'}>` : (word ?? '?')));
    return `${marks}${name === null ? '? ' : ''}${shown.join(' ')}`;
  });
}

describe('commands', () => {
  it.each<[string, string[]]>([
    ['git commit -m {v} "a b"', ['<git> commit -m ? a b']],
    ['a | b x && c; d', ['<a>', '|<b> x', '<c>', '<d>']],
    ['x=1 y={v} tool z > f 2>&1', ['<tool> z']],
    ['x={v}', []],
    ['if a b; then c; else d; fi', ['<a> b', '<c>', '<d>']],
    ['for i in a b; do c "$i"; done', ['!<for> i in a b', '<c> ?']],
    ['while read -r l; do a; done < f', ['!<read> -r l', '<a>']],
    ['case $x in a|b) c d ;; (e) f ;; esac; g', ['!<case> ? in', '<c> d', '<f>', '<g>']],
    ['echo $(a b | c) `d`', ['!<echo> ? ?', '$<a> b', '|$<c>', '$<d>']],
    ['f() { a; }; f x; function g { b; }', ['<a>', '!<f> x', '<b>']],
    ['sudo -u bob env X=1 timeout 5 make all', ['sudo -u bob env X=1 timeout 5 <make> all']],
    ['$cmd a; "{v}" b; ./x', ['? <?> a', '? <?> b', '<./x>']],
    ['[[ a == b ]] && (( 1 )) || [ x ]', ['!<[[> a == b ]]', '!<(())>', '!<[> x ]']],
    ['a=(b c); d', ['<d>']],
    ['cat <<EOF | b\nx y\nEOF\nc', ['<cat>', '|<b>', '<c>']],
    ['a \\\n  b', ['<a> b']],
    ["ec''ho \\a 'b c'd", ['!<echo> a b cd']],
    ['a &\nb |\n c', ['<a>', '<b>', '|<c>']],
    ['a # b\nc', ['<a>', '<c>']],
    ['(a) | b', ['<a>', '|<b>']],
    ['{ a; b; } |\n c | (d; e)', ['<a>', '<b>', '|<c>', '|<d>', '<e>']],
    ['if a; then b; fi | c', ['<a>', '<b>', '|<c>']],
    ['for x in y; do a | b; done |& c; d', ['!<for> x in y', '<a>', '|<b>', '|<c>', '<d>']],
    ['a | while b; do c; done && d', ['<a>', '|<b>', '<c>', '<d>']],
    ['', []],
  ])('%s', (text, expected) => expect(commands(text)).toEqual(expected));

  it('finds the position of the command word', () => {
    const [first, second] = compiled('ab  cd; "e f" g').commands;
    expect([first?.nameStart, first?.nameEnd, second?.nameStart, second?.nameEnd]).toEqual([0, 2, 8, 13]);
    expect(first?.words[1]).toEqual({ text: 'cd', start: 4, end: 6 });
  });
});

/** The pipes of a script, each with the line on which it begins and its members by name; `?` for one of several commands. */
function pipesOf(text: string): string[] {
  const { pipes = [] } = compiled(text).template;
  return pipes.map(({ line, members }) => `${line}: ${members.map((name) => name ?? '?').join(' | ')}`);
}

describe('pipes', () => {
  it.each<[string, string[]]>([
    ['a', []],
    ['a && b; c', []],
    ['a | b', ['1: a | b']],
    ['a x | b "y z" |& c', ['1: a | b | c']],
    ['a | b; c | d', ['1: a | b', '1: c | d']],
    ['a | b && c | d || e', ['1: a | b', '1: c | d']],
    ['\na\n\nb |\n c\nd | e', ['4: b | c', '6: d | e']],
    ['\\\na | \\\n b', ['2: a | b']],
    ['! a | b', ['1: a | b']],
    ['time a | b', ['1: a | b']],
    ['(a; b) | c', ['1: ? | c']],
    ['a | (b) | c', ['1: a | ? | c']],
    ['{ a | b; } | c', ['1: ? | c']],
    ['a | { b | c; } | d', ['1: a | ? | d']],
    ['a | while b; do c | d; done', ['1: a | ?']],
    ['while a | b; do c; done | d', ['1: ? | d']],
    ['if a | b; then c | d; else e | f; fi', ['1: a | b', '1: c | d', '1: e | f']],
    ['for x in y; do a | b; done', ['1: a | b']],
    ['for x in y; do a; done | b', ['1: ? | b']],
    ['case x in (a|b) c | d ;; esac | e', ['1: ? | e']],
    ['case x in a) b | c ;; d) e | f ;; esac', ['1: b | c', '1: e | f']],
    ['f() { a | b; }; f | c', ['1: a | b', '1: f | c']],
    ['a "$(b | c)" | d', ['1: a | d']],
    ['x=1 a | y=2 b > f', ['1: a | b']],
    ['a <<E | b\nx | y\nE\nc | d', ['1: a | b', '4: c | d']],
    ['a & b | c', ['1: b | c']],
    ['a | coproc b', ['1: a']],
  ])('%s', (text, expected) => expect(pipesOf(text)).toEqual(expected));
});

describe('plain commands', () => {
  it.each(['wait-explorers', 'a b {v} --x={v} "c {v} d" \'e\' {l*}', 'a \\$b "\\"c" {} %', '  a b  ', 'a \\\n b'])(
    '%s is one',
    (text) => expect(compiled(text).simple).toBe(true),
  );

  it.each([
    'a; b',
    'a | b',
    'a &',
    'a > f',
    'a < f',
    'x=1 a',
    'a $x',
    'a "$(b)"',
    'a `b`',
    'a *',
    'a ~/x',
    'a {b,c}',
    'a {1..3}',
    '! a',
    '(a)',
    '{ a; }',
    'if a; then b; fi',
    'a\nb',
    '[[ a ]]',
    'x={v}',
    'a <<E\nE',
    'a raw({v})',
    '',
  ])('%s is not', (text) => expect(compiled(text).simple).toBe(false));

  it('gives its words as templates', () => {
    const { functionWords } = compiled(`f a{x}b "c \\" {y}" 'd'"" '' {l*} e\\ f`);
    const shown = functionWords().map(({ template, list }) => [
      template.map((part) => (typeof part === 'string' ? part : part.source)),
      list === true,
    ]);
    expect(shown).toEqual([
      [['f'], false],
      [['a', '{x}', 'b'], false],
      [['c " ', '{y}'], false],
      [['d'], false],
      [[''], false],
      [['{l*}'], true],
      [['e f'], false],
    ]);
  });
});

/** How the time for these grows is measured in `bench/growth.ts`. */
describe('any text', () => {
  it.each([
    '$(',
    '{v}',
    "'{v}'",
    '{',
    '{a',
    '`',
    '((',
    '<<E ',
    '\\{a',
    'case x in a) ',
    'a|b',
    'env ',
    'sh -c {v} ',
    '[[ {v} -eq ',
    '"$(\'',
    'f() ',
  ])('%s, repeated, is read to its end', (piece) => {
    const text = piece.repeat(Math.ceil(amount(2500, 160_000) / piece.length));
    const { commands, findings } = compiled(text);
    const ends = [...commands.map(({ nameEnd }) => nameEnd), ...findings.map(({ end }) => end)];
    expect(ends.filter((end) => end > text.length)).toEqual([]);
  });
});

/** What the shell gets, each value as `‹value context›`, what is reported, and the variables that are read. */
function readAs(text: string, shell: 'bash' | 'sh'): string {
  const { template, variables } = compiled(text, { shell });
  const parts = template.parts.map((part) =>
    typeof part === 'string'
      ? part
      : `‹${part.source} ${part.context}${part.list === true ? ' list' : ''}${part.raw === true ? ' raw' : ''}›`,
  );
  const read = variables.map(({ name, zone }) => (zone == null ? name : `${name} ${zone}`));
  return [
    ...parts.join('').split('\n'),
    ...findings(text, { shell }).map((one) => `  ${one}`),
    ...(read.length === 0 ? [] : [`  reads ${read.join(', ')}`]),
  ].join('\n');
}

describe('texts with values as the shell gets them', () => {
  const TEXTS = [
    'cat <<EOF\na {v} $x `d` \\{v} \\$ \\\\ {v.f}\nEOF\nls',
    "cat <<'EOF'\na {v} $x `d` \\{v} \\$ \\\\{v}\nEOF",
    "cat <<'E F'\na __sd_end {v}\nE F",
    'cat <<-EOF\n\ta {v}\n\t\tEOF\nls',
    "cat <<'EOF'\nno value \\{v} $x\nEOF",
    'cat <<EOF\n${x:-{v}} $[1 + {v}] ${y} {l*}\nEOF',
    'cat <<EOF\n$(ls) {v}\nEOF',
    'cat <<"EOF"\n$(ls) \\{v} {v}\nEOF',
    'x=`cat <<EOF\n{v}\nEOF\n`',
    'cat <<EOF',
    'cat <<',
    'echo "${x:-a\\}b{v}`ls`"',
    'echo ${x:-"a {v}" \'b {v}\' \\{v} {v}}',
    'echo "${x:-\'{v}\'}"',
    'echo $((1 + \\{v} + {v} + (2) + `ls` + "{v}" + \'3\' + y))',
    'echo $[x[1] + {v}]',
    'echo a?(b|c) x@(d{v}) !(e)',
    'ls ?(a)',
    '?(a) b',
    'for ((i=0; i<{v}; i++)); do ls; done',
    'a=(b {v} c) ls',
    'f () { ls; }',
    'f() ( ls {v} )',
    'case {v} in (a) ls;; b) rm {v};; esac; ls',
    'echo {v}\\\n{v} \\{v} a\\{b',
    "echo $'a\\'{v}' 'b{v}' \"c{v}\\\"\"",
    'ls | (cat {v}) | while read -r x; do echo $x {v}; done',
    'x={v} y=$x ls {v}',
    'echo ~{v} {v}* {a,{v}} [{v}]',
    'eval "ls {v}"; sh -c "ls {v}"; env -S "ls {v}"',
    '{v} a; "$x{v}" b',
    'read x; echo ${x[{v}]} ${!y} ${#z} ${x:{v}:1} ${x@P}',
    'printf -v name %s {v}; mapfile arr; echo $name $arr $REPLY',
    'test -e {v} && [ {v} = a ] || [[ {v} == {v} ]]',
    'echo `ls {v} \\`pwd {v}\\``',
    'ls 2>&1 >{v} <<<"{v}" 3<{v}',
    'echo {raw(v)} {l*} {v.a[0]} {len(l)}',
    'ls & ls |& cat; ! ls; time ls {v}',
    'export A={v} B; declare -a C=({v}); local D; unset A',
    'find . -exec rm {v} {} \\;',
    '(( x = {v} )); let y={v}',
  ];
  it('in bash', () =>
    expect(TEXTS.map((text) => readAs(text, 'bash')).join('\n')).toMatchInlineSnapshot(`
      "cat <<EOF
      a ‹{v} heredoc› $x \`d\` {v} \\$ \\\\ ‹{v.f} heredoc›
      EOF
      ls
        substitution-in-heredoc «\`»
        reads x
      cat <<EOF
      a ‹{v} heredoc› \\$x \\\`d\\\` {v} \\\\\\$ \\\\{v}
      EOF
      cat <<__sd_end_
      a __sd_end ‹{v} heredoc›
      __sd_end_
      cat <<-EOF
      	a ‹{v} heredoc›
      		EOF
      ls
      cat <<'EOF'
      no value {v} $x
      EOF
      cat <<EOF
      \${x:-‹{v} heredoc›} $[1 + ‹{v} heredoc›] \${y} ‹{l*} heredoc list›
      EOF
        unsafe-position «{v}»
        unsafe-position «{v}»
        list-not-a-word «{l*}»
        reads y
      cat <<EOF
      $(ls) ‹{v} heredoc›
      EOF
        substitution-in-heredoc «$(»
      cat <<EOF
      \\$(ls) {v} ‹{v} heredoc›
      EOF
      x=\`cat <<EOF
      ‹{v} heredoc›
      EOF
      \`
      cat <<EOF
        unclosed-heredoc «<<EOF»
      cat <<
      echo "\${x:-a\\}b‹{v} double›\`ls\`"
        unclosed-quote «"»
        unsafe-position «{v}»
      echo \${x:-"a ‹{v} double›" 'b ‹{v} single›' {v} ‹{v} double›}
        unsafe-position «{v}»
        unsafe-position «{v}»
        unsafe-position «{v}»
      echo "\${x:-'‹{v} double›'}"
        unsafe-position «{v}»
      echo $((1 + {v} + ‹{v} double› + (2) + \`ls\` + "‹{v} double›" + '3' + y))
        unsafe-position «{v}»
        unsafe-position «{v}»
        reads y arithmetic
      echo $[x[1] + ‹{v} double›]
        unsafe-position «{v}»
        reads x arithmetic
      echo a?(b|c) x@(d‹{v} word›) !(e)
      ls ?(a)
      ?(a) b
      for ((i=0; i<‹{v} double›; i++)); do ls; done
        unsafe-position «{v}»
      a=(b ‹{v} word› c) ls
      f () { ls; }
      f() ( ls ‹{v} word› )
        (may-be-read-as-option «{v}»)
      case ‹{v} word› in (a) ls;; b) rm ‹{v} word›;; esac; ls
        (may-be-read-as-option «{v}»)
      echo ‹{v} word›\\
      ‹{v} word› \\{v} a\\{b
      echo $'a\\'‹{v} ansi›' 'b‹{v} single›' "c‹{v} double›\\""
      __sdm() { case $1 in (*e*) set -e;; esac; };__sdz() { case $1 in (141) return 0;; esac; return "$1"; };{ __sdo=$-;set +e;(__sdm "$__sdo";ls  );__sdz "$?";} | { __sdo=$-;set +e;(__sdm "$__sdo";(cat ‹{v} word›)  );__sdz "$?";} | while read -r x; do echo $x ‹{v} word›; done
        (may-be-read-as-option «{v}»)
      x=‹{v} word› y=$x ls ‹{v} word›
        (may-be-read-as-option «{v}»)
      echo ~‹{v} word› ‹{v} word›* {a,‹{v} word›} [‹{v} word›]
      eval "ls ‹{v} double›"; sh -c "ls ‹{v} double›"; env -S "ls ‹{v} double›"
        unsafe-position «{v}»
        unsafe-position «{v}»
        unsafe-position «{v}»
      ‹{v} word› a; "$x‹{v} double›" b
        unsafe-position «{v}»
        unsafe-position «{v}»
        reads x
      read x; echo \${x[‹{v} double›]} \${!y} \${#z} \${x:‹{v} double›:1} \${x@P}
        unsafe-position «{v}»
        (unsafe-program «\${!y}»)
        unsafe-position «{v}»
        reads z
      printf -v name %s ‹{v} word›; mapfile arr; echo $name $arr $REPLY
        reads REPLY
      test -e ‹{v} word› && [ ‹{v} word› = a ] || [[ ‹{v} word› == ‹{v} word› ]]
      echo \`ls ‹{v} word› \\\`pwd ‹{v} word›\\\`\`
        (may-be-read-as-option «{v}»)
        backslash-in-backticks «\\»
      ls 2>&1 >‹{v} word› <<<"‹{v} double›" 3<‹{v} word›
      echo ‹{raw(v)} word› ‹{l*} word list› ‹{v.a[0]} word› ‹{len(l)} word›
      __sdm() { case $1 in (*e*) set -e;; esac; };__sdz() { case $1 in (141) return 0;; esac; return "$1"; };ls & { __sdo=$-;set +e;(__sdm "$__sdo";ls  );__sdz "$?";} |& cat; ! ls; time ls ‹{v} word›
        (may-be-read-as-option «{v}»)
      export A=‹{v} word› B; declare -a C=(‹{v} word›); local D; unset A
        unsafe-position «{v}»
      find . -exec rm ‹{v} word› {} \\;
        (may-be-read-as-option «{v}»)
      (( x = ‹{v} double› )); let y=‹{v} word›
        unsafe-position «{v}»
        unsafe-position «{v}»"
    `));
  /** Another program writes the same text: its values are others, and `changed` is another kind of value. */
  const again = (text: string, round: number, shell: 'bash' | 'sh', changed: string): ShellTextOptions => {
    const found = interpolationsOf(text);
    return {
      shell,
      strict: false,
      wrapsPipes: shell === 'bash',
      isValue: (name) => changed === 'names' && name === 'x',
      interpolation: (at) => {
        const one = found(at);
        if (one === null) return null;
        const source = changed === 'sources' ? `${one.hole.source} ` : one.hole.source;
        const value =
          changed === 'constants'
            ? ({ op: 'const', value: `${source} ${round}` } as const)
            : ({ op: 'read', name: `${source} ${round}`, places: [] } as const);
        return { ...one, hole: { ...one.hole, source, value } };
      },
    };
  };
  it('are compiled once and are always as if they were compiled alone', () => {
    const repeated = new RepeatedTexts();
    const shown = (one: ReturnType<typeof compileShellText>) => ({
      ...one,
      findings: one.findings.map(({ start, end, make }) => make({ file: 0, start, end })),
      functionWords: one.simple ? one.functionWords() : [],
    });
    const words = ['tool {v} a{w}b "{v}" {l*}', 'tool "x {v}" y'];
    let round = 0;
    for (const changed of ['', '', 'names', '', 'sources', 'constants', '', ''])
      for (const shell of ['bash', 'sh'] as const)
        for (const text of [...TEXTS, ...words]) {
          const alone = compileShellText(text, again(text, ++round, shell, changed));
          const options = again(text, round, shell, changed);
          const asked: number[] = [];
          const whole = repeated.compile(text, {
            ...options,
            // A value that is looked up twice would report its mistakes twice.
            interpolation: (at) => options.interpolation(asked[asked.push(at) - 1] as number),
          });
          expect(shown(whole), text).toEqual(shown(alone));
          expect(asked).toEqual([...new Set(asked)]);
        }
  });
  it('in sh', () =>
    expect(
      TEXTS.filter((text) => readAs(text, 'sh') !== readAs(text, 'bash'))
        .map((text) => readAs(text, 'sh'))
        .join('\n'),
    ).toMatchInlineSnapshot(`
      "cat <<EOF
      \${x:-‹{v} heredoc›} $[1 + ‹{v} heredoc›] \${y} ‹{l*} heredoc list›
      EOF
        unsafe-position «{v}»
        list-not-a-word «{l*}»
        reads y
      echo $[x[1] + ‹{v} word›]
      for ((i=0; i<‹{v} word›; i++)); do ls; done
      echo $'a\\'‹{v} word›' 'b‹{v} word›' "c‹{v} single›\\""
        unclosed-quote «'»
      ls | (cat ‹{v} word›) | while read -r x; do echo $x ‹{v} word›; done
        (may-be-read-as-option «{v}»)
      ls & ls |& cat; ! ls; time ls ‹{v} word›
        (may-be-read-as-option «{v}»)
      (( x = ‹{v} word› )); let y=‹{v} word›
        unsafe-position «{v}»"
    `));
});

/** For each value: the number of its argument and the bytes that are written next to it; `-`: no program gets it as one. */
function argumentsOf(text: string): string[] {
  return compiled(text).template.parts.flatMap((part) =>
    typeof part === 'string' ? [] : [part.word === undefined ? '-' : `${part.word.id}:${part.word.bytes}`],
  );
}

describe('values that become arguments of a program, whose size is limited', () => {
  it.each<[string, string[]]>([
    ['tool {v} {w}', ['0:0', '1:0']],
    ['tool {v}{w}', ['0:0', '0:0']],
    ['tool --x={v} "ä{w}b"', ['0:4', '1:3']],
    ['X={v} tool y', ['0:2']],
    ['sudo tool {v}', ['0:0']],
    ['a {v} | b {w}', ['0:0', '1:0']],
    ['a && b "$(c {v})"', ['1:0']],
    ['echo {v}', ['-']],
    ['printf %s {v} | tool {w}', ['-', '0:0']],
    ['f() { tool "$1"; }; f {v}', ['-']],
    ['"{v}" a {w}', ['-', '-']],
    ['x={v}', ['-']],
    ['cat <<EOF\n{v}\nEOF', ['-']],
    ['tool > {v}', ['-']],
    ['[ {v} = a ]', ['-']],
    ['for i in {v}; do tool; done', ['-']],
  ])('%s', (text, expected) => expect(argumentsOf(text)).toEqual(expected));
});
