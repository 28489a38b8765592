/** Which positions in shell text are mistakes, which get a warning, and which are neither. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diagnosticsOf, findings } from './run-script.js';

const unsafe = [
  'echo $(( {v} + 1 ))',
  'echo "$(( x + {v} ))"',
  'echo $[ {v} ]',
  '(( {v} > 1 ))',
  'for (( i = 0; i < {v}; i++ )); do :; done',
  'let x={v}',
  'let "x = {v}"',
  '[[ {v} -eq 1 ]]',
  '[[ -n x && 1 -lt {v} ]]',
  'echo ${x:-{v}}',
  'echo "${x#{v}}"',
  'echo ${a[{v}]}',
  'a[{v}]=1',
  'a["{v}"]=1',
  'a[{v}]+=1 true',
  'a=([{v}]=1)',
  'eval {v}',
  'eval "echo {v}"',
  "trap 'rm {v}' EXIT",
  'trap {v} EXIT',
  "sh -c 'echo {v}'",
  'bash -c "echo {v}"',
  '/bin/bash -ec {v}',
  'bash -o pipefail -c {v}',
  'bash -c -e -- {v}',
  '"$SHELL" -c {v}',
  'sudo -u bob bash -lc {v}',
  'env A=1 sh -c {v}',
  "docker exec box sh -c 'ls {v}'",
  "xargs -n 1 sh -c 'echo {v}'",
  "find . -exec sh -c 'echo {v}' \\;",
  'find . -exec {v} {} +',
  'su bob -c {v}',
  'flock lock -c "x {v}"',
  'sh <<EOF\necho {v}\nEOF',
  'bash -s a <<< {v}',
  'docker exec -i box sh -e <<EOF\nls {v}\nEOF',
  '{v}',
  '{v} argument',
  '"{v}" argument',
  './bin/{v}.sh',
  'a | {v}',
  'a && {v}',
  'if {v}; then :; fi',
  '! {v}',
  'time {v}',
  'X=1 {v}',
  '> out {v}',
  'echo $({v})',
  'echo "`{v}`"',
  'cat <({v})',
  'case x in x) {v} ;; esac',
  'f() { {v}; }',
  'exec {v}',
  'exec -a name {v}',
  'env {v}',
  'env -i -u X A=1 {v}',
  'env -S {v}',
  'sudo {v}',
  'sudo -u bob {v}',
  'nohup {v}',
  'command {v}',
  'builtin {v}',
  'timeout 5 {v}',
  'nice -n 5 {v}',
  'xargs {v}',
  'xargs -n 1 {v}',
  'sudo env X=1 nohup {v}',
  'PATH={v} ls',
  'PATH="{v}:$PATH"',
  'IFS={v}',
  'PS4={v}',
  'BASH_ENV={v} bash x.sh',
  'ENV={v} sh x.sh',
  'LD_PRELOAD={v} ls',
  'export PATH={v}',
  'env LD_LIBRARY_PATH={v} ls',
  'cat >&{v}',
  'cat >& {v}',
  'cat 2>&{v}',
  'cat <&{v}',
  'printf -v {v} x',
  'printf -v{v} x',
  'read {v}',
  'read -r {v} < file',
  'mapfile -t {v} < file',
  'getopts {v} x',
  'declare {v}',
  'declare {v}=1',
  'declare x={v}',
  'declare -a x=({v})',
  'typeset x={v}',
  'f() { local x={v}; }',
  'export {v}',
  'readonly -a x={v}',
  'unset {v}',
  '[ -v {v} ]',
  'test -v "a[{v}]"',
  '[[ -v {v} ]]',
  '[ {v} {w:int} ]',
  'wait -p {v}',
  'declare -i n; n={v}',
  'RANDOM={v}',
  'for SECONDS in {v}; do :; done',
  'sh - <<< {v}',
  '. /dev/stdin <<< {v}',
  'for {v} in a b; do :; done',
];

const warned: [string, string][] = [
  ["awk '/{v}/' file", 'unsafe-program'],
  ['awk -F: "{v}" file', 'unsafe-program'],
  ["sed -n 's/{v}/x/p' file", 'unsafe-program'],
  ['sed -i -e s/{v}/x/ file', 'unsafe-program'],
  ["jq -r '.{v}' file", 'unsafe-program'],
  ["python3 -c 'print({v})'", 'unsafe-program'],
  ['python3 - <<EOF\nprint("{v}")\nEOF', 'unsafe-program'],
  ["node -e 'x({v})'", 'unsafe-program'],
  ['perl -ne "{v}"', 'unsafe-program'],
  ['ssh host ls {v}', 'unsafe-program'],
  ['ssh -p 22 host "ls {v}"', 'unsafe-program'],
  ['ssh host <<EOF\nls {v}\nEOF', 'unsafe-program'],
  ['ssh host bash -s <<< {v}', 'unsafe-program'],
  ['watch -n 1 ls {v}', 'unsafe-program'],
  ['parallel echo {v} ::: a', 'unsafe-program'],
  ['printf {v}', 'unsafe-program'],
  ['printf "a {v}\\n" x', 'unsafe-program'],
  ['. {v}', 'unsafe-program'],
  ['x={v}; echo $((x + 1))', 'unsafe-program'],
  ['x={v}; [[ $x -gt 1 ]]', 'unsafe-program'],
  ['x={v}; eval "$x"', 'unsafe-program'],
  ['read x <<< {v}; eval "$x"', 'unsafe-program'],
  ['x={v}; trap "$x" EXIT', 'unsafe-program'],
  ['x={v}; $x', 'unsafe-program'],
  ['x={v}; unset "$x"', 'unsafe-program'],
  ['y=x; x={v}; echo ${!y}', 'unsafe-program'],
  ['rm {v}', 'may-be-read-as-option'],
  ['rm "{v}/x"', 'may-be-read-as-option'],
  ['git checkout {v}', 'may-be-read-as-option'],
  ['sudo -u bob tar {v}', 'may-be-read-as-option'],
  ['xargs -0 grep {v}', 'may-be-read-as-option'],
  ['python3 tool.py {v}', 'may-be-read-as-option'],
  ['rm {files*}', 'may-be-read-as-option'],
  ['echo raw({v})', 'raw-splice'],
  ['./x.py update t1 complete|blocked', 'choice-word'],
  ['./x.py update t1 complete|blocked|failed --note x', 'choice-word'],
];

const fine = [
  'echo {v}',
  "printf '%s' {v}",
  'printf -- "%s" {v}',
  'tool {v}',
  'rm -- {v}',
  'rm -rf {v}',
  'rm {v:path}',
  'head {n:int}',
  'git commit -m {v}',
  'git log --author={v}',
  '[ {v} = x ]',
  '[ -n "{v}" ] && [ {n} -gt 1 ]',
  '[[ {v} == x* && -n {w} ]]',
  'case {v} in {p}|x) echo {v} ;; (b) : ;; esac',
  'for x in {list*} {v}; do echo "$x"; done',
  'x={v} y="{w}" tool',
  'export X={v}; readonly Y={v}',
  'a=({v} [2]={w} {list*})',
  'cat < {f} > {g} 2>&1',
  'cat &> {f}',
  'read -r x <<< {v}',
  'command -v {v}',
  'timeout {seconds} make',
  'sudo -u {user} make',
  'sh -c \'echo "$1"\' sh {v}',
  'sh script.sh -c {v}',
  'bash -s {v} <<\'EOF\'\necho "$1"\nEOF',
  'trap cleanup {signal}',
  'echo sh -c {v}',
  "jq --arg x {v} '.a == $x' file",
  'x={v}; n=$((n + 1))',
  'f() { local y="$x"; }; x={v}; f',
  'x={v:int}; echo $((x + 1))',
  'echo $(( {n:int} + 1 )) ${a[{n:int}]}; let x={n:int}; [[ {n:int} -gt 1 ]]; a[{n:int}]=1',
  'cat >&{n:int}',
  'f() { local x; x={v}; echo "$x"; }; f {v}',
  'ssh host "cat > file" <<< {v}',
  "python3 -c 'import sys' {v}",
  'docker exec -i box tee file <<< {v}',
  'cat x|grep y',
  'cat x|while read -r l; do :; done',
  'cat file|sort|uniq -c',
  "echo 'complete|blocked'",
  'case $x in complete|blocked) : ;; esac',
  '[[ $x =~ ^(a|{v})$ ]]',
  "# don't {v} (( {v} )) ${x:-{v}}",
  "echo a # it's {v}",
  'while read -r l; do echo "$l {v}"; done < {f}',
  'cat < <(sort -- {v})',
  "awk '{print $1}' < file; echo {v}",
];

describe('places of values', () => {
  it.each(unsafe)('%s is an unsafe position', (text) => {
    const found = findings(text).filter((line) => line.includes('{v}'));
    expect(found).toContain('unsafe-position «{v}»');
  });

  it.each(warned)('%s is the warning %s', (text, code) => {
    expect(findings(text).map((line) => line.replace(/^\((\S+).*$/, '$1'))).toEqual([code]);
  });

  it.each(fine)('%s is neither', (text) => {
    expect(findings(text)).toEqual([]);
  });

  it('warns of options of every external program with strict', () => {
    expect(findings('tool {v}', { strict: true })).toEqual(['(may-be-read-as-option «{v}»)']);
    expect(
      findings(`sh -c 'echo "$1"' sh {v}; tool -- {v}; tool -x {v}; echo {v}; f() { :; }; f {v}`, { strict: true }),
    ).toEqual([]);
  });

  it('mends arithmetic with `:int`, and says what to write elsewhere', () => {
    const [diagnostic] = diagnosticsOf('echo $(( {v} ))');
    expect(diagnostic?.fix?.text).toBe('{v:int}');
    expect(diagnosticsOf("sh -c 'echo {v}'")[0]?.help).toContain(`sh -c 'echo "$1"' sh {v}`);
    for (const text of unsafe)
      for (const { help, severity } of diagnosticsOf(text)) expect(help, severity).toBeTruthy();
  });
});

describe('braces', () => {
  it.each([
    ['{{v}}', '{{v}}'],
    ["echo '{{v}}'", '{{v}}'],
    ['echo "a {{v.x:json}}"', '{{v.x:json}}'],
    ['echo {v}>file', '{v}'],
    ['cat {v}<file', '{v}'],
    ['exec {v}>&1', '{v}'],
  ])('%s is ambiguous', (text, blamed) => {
    expect(findings(text)).toContain(`ambiguous-braces «${blamed}»`);
    expect(diagnosticsOf(text)[0]?.help).toContain('\\{');
  });

  it.each(['echo "<{v}>"', 'echo {v} >file', 'cat >{v}', "echo '{v}>'", '[[ "{v}"<x ]]'])('%s is not', (text) => {
    expect(findings(text)).toEqual([]);
  });

  it.each(['echo x{l*}', 'echo {l*}x', 'echo "{l*}"', "echo '{l*}'", '> {l*}', 'x={l*}', 'cat <<E\n{l*}\nE'])(
    '%s needs a whole word',
    (text) => expect(findings(text)).toContain('list-not-a-word «{l*}»'),
  );
});

describe('texts that do not end', () => {
  it.each([
    ["echo it's {v}", "unclosed-quote «'»"],
    ['echo "abc', 'unclosed-quote «"»'],
    ['echo $(ls', 'unclosed-substitution «$»'],
    ['echo `ls', 'unclosed-substitution «`»'],
    ['echo ${x', 'unclosed-substitution «$»'],
    ['cat <<EOF\nabc', 'unclosed-heredoc «<<EOF»'],
  ])('%s', (text, finding) => expect(findings(text)).toContain(finding));

  it('knows the mistakes of backticks and here-documents', () => {
    expect(findings('echo `echo \\$x {v}`')).toEqual(['backslash-in-backticks «\\»']);
    expect(findings('echo `echo {v}` \\$x')).toEqual([]);
    expect(findings('cat <<E\n{v} $(date)\nE')).toEqual(['substitution-in-heredoc «$(»']);
    expect(findings('cat <<E\n`date` {v}\nE')).toEqual(['substitution-in-heredoc «`»']);
    expect(findings("cat <<'E'\n{v} $(date)\nE\ncat <<F\n$(date)\nF")).toEqual([]);
    expect(findings('cat <<E\n${x:-{v}}\nE')).toEqual(['unsafe-position «{v}»']);
  });
});

it('has a text above for every code of shell text', () => {
  const words = readFileSync(new URL('../../src/source/catalogue/shell.ts', import.meta.url), 'utf8');
  const codes = [...words.matchAll(/message(?:<[^(]*>)?\(\s*'([\w-]+)'/g)].map((match) => match[1] as string);
  expect(codes.length).toBeGreaterThan(5);
  const shown = [...unsafe, ...warned.map(([text]) => text), '{{v}}', 'echo x{l*}', 'echo `\\$ {v}`', "'", '$(']
    .concat('cat <<E\n$(d) {v}\nE', 'cat <<E')
    .flatMap((text) => diagnosticsOf(text).map(({ code }) => code));
  expect(codes.filter((code) => !shown.includes(code))).toEqual([]);
});
