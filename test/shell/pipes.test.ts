/** Members of pipes under `errexit` and `pipefail`: what stops a script, and what does not. */
import { describe, expect, test } from 'vitest';
import { bindShellText } from '../../src/runtime/process/shell-values.js';
import { type Result, runProgramSync } from '../harness/process.js';
import { compiled } from './run-script.js';

function run(text: string, options = ['-e', '-o', 'pipefail']): Result {
  const bound = bindShellText(compiled(text).template, [], { shell: 'bash', scratchFile: () => '' });
  if (!bound.ok) throw new Error(bound.message);
  return runProgramSync('bash', ['--norc', '--noprofile', ...options, '-c', bound.script]);
}

describe('a member that is stopped by its reader has not failed', () => {
  test.each([
    ['yes | head -1', 'y\n'],
    ['yes | head -1\necho after', 'y\nafter\n'],
    ['yes|cat|head -1;echo after', 'y\nafter\n'],
    ['for i in $(seq 100000); do echo $i; done | head -1; echo after', '1\nafter\n'],
    ['while true; do echo x | cat; done | head -1', 'x\n'],
    ['{ seq 100000; seq 100000; } | head -1', '1\n'],
    ['( seq 100000 ) | head -1', '1\n'],
    ['if true; then seq 100000; fi | head -1', '1\n'],
    ['case a in a|b) seq 100000;; *) echo no;; esac | head -1', '1\n'],
    ['f() { seq 100000 | head -1; }; f; echo after', '1\nafter\n'],
    ['f() { seq 100000; }; f | head -1', '1\n'],
    ['(seq 100000 | head -1); echo after', '1\nafter\n'],
    ['x=$(seq 100000 | head -1); echo "$x" "`seq 100000 | head -1`" "$(seq 100000|head -1)"', '1 1 1\n'],
    ['LC_ALL=C seq 100000 2>/dev/null | head -1 && echo and || echo or', '1\nand\n'],
    ['time -p seq 100000 | head -1', '1\n'],
    ['seq 100000 |& head -1', '1\n'],
    ['cat <<EOF | head -1\nfirst\nsecond\nEOF\necho after', 'first\nafter\n'],
    ['seq 100000 \\\n  | head -1', '1\n'],
    ['seq 100000 |\n  # a comment\n  head -1', '1\n'],
    ['[[ a =~ ^(a|b)$ ]] && seq 100000 | head -1', '1\n'],
    ['echo "a | b" \'c | d\' | cat', 'a | b c | d\n'],
    ['for i in a b\ndo\n  case $i in\n    (a|b) seq 100000 | head -1 ;;\n  esac\ndone', '1\n1\n'],
    ['a=(x y); echo $a "$a" | cat', 'x x\n'],
    ['cat <(seq 100000 | head -1)', '1\n'],
    ['until false | true; do break; done; echo end', 'end\n'],
    ['! seq 100000 | head -1\necho after', '1\nafter\n'],
    ['select x in a; do echo $x | cat; break; done < <(echo 1) | cat', 'a\n'],
    ['(( 1 | 2 )) && echo $(( 4 | 1 )) | cat', '5\n'],
  ])('%s', (text, stdout) => {
    expect(run(text)).toMatchObject({ stdout, code: 0 });
  });
});

describe('a member that failed stops the script', () => {
  test.each([
    ['false | cat; echo never', '', 1],
    ['sh -c "exit 7" | cat\necho never', '', 7],
    ['{ echo a; false; echo never; } | cat', 'a\n', 1],
    ['seq 3 | while read -r x; do echo $x; false; done | cat; echo never', '1\n', 1],
    ['f() { false; echo in-f; }; f | cat; echo never', '', 1],
    ['if false | cat; then echo yes; else echo no; fi', 'no\n', 0],
    ['false | true || echo or', 'or\n', 0],
    ['set +e; false | cat; echo on', 'on\n', 0],
    ['echo a | sh -c "kill -PIPE \\$\\$"; echo never', '', 141],
  ])('%s', (text, stdout, code) => {
    expect(run(text)).toMatchObject({ stdout, code });
  });
});

test('lines keep their numbers', () => {
  expect(run('echo a | cat\necho b |\n  cat\nnosuchcommand').stderr).toMatch(/line 4: nosuchcommand/);
});

test('without -e nothing stops, and the exit code is that of the pipe', () => {
  expect(run('false; false | cat', ['-o', 'pipefail'])).toMatchObject({ code: 1 });
  expect(run('false; yes | head -1', ['-o', 'pipefail'])).toMatchObject({ stdout: 'y\n', code: 0 });
});
