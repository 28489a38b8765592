/** A program in front of git that notes its calls, and can die instead of making them. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './repositories.js';

/** Notes the commands of git that are called until the end of the test. */
export function countCalls(): { taken(): string[] } {
  const log = join(temporaryFolder(), 'calls');
  standIn(`echo "$command" >> '${log}'\nexec "$real" "$@"`);
  return {
    taken() {
      const calls = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
      rmSync(log, { force: true });
      return calls;
    },
  };
}

/** Executes a script of the shell once, before the first call of a command of git. There, `$real` is git. */
export function beforeFirst(command: string, script: string): void {
  const done = join(temporaryFolder(), 'done');
  standIn(`if [ $command = ${command} ] && [ ! -e '${done}' ]; then
  echo > '${done}'
  ${script}
fi
exec "$real" "$@"`);
}

/** Commands that write nothing: dying there is dying after the one before. */
const READING = 'version|rev-parse|rev-list|status|merge-base|diff-tree|cat-file|ls-files';

/**
 * Dies once, at the writing call with this number, counted from 0: after it did all, or in the middle of it as far as
 * that can be met.
 */
export function dieAt(number: number, when: 'during' | 'after'): { died(): boolean; off(): void } {
  const folder = temporaryFolder();
  const count = join(folder, 'count');
  const died = join(folder, 'died');
  writeFileSync(count, '');
  const death = {
    during: `"$real" "$@" & sleep 0.00${(number * 2 + 1) % 5}; kill -9 $!`,
    after: '"$real" "$@" > /dev/null 2>&1 < /dev/null',
  }[when];
  const off = standIn(`count='${count}'
case $command in ${READING}) exec "$real" "$@";; esac
if [ ! -e '${died}' ]; then
  calls=; read -r calls < $count
  if [ \${#calls} = ${number} ]; then
    echo > '${died}'
    ${death}
    kill -9 $$
  fi
  printf x >> $count
fi
exec "$real" "$@"`);
  return { died: () => existsSync(died), off };
}

/** Replaces git by a script; `$command` is what git is asked to do, `$real` is git. */
function standIn(script: string): () => void {
  const folder = temporaryFolder();
  const { PATH } = process.env;
  const real = (PATH ?? '').split(':').find((one) => existsSync(join(one, 'git')));
  const text = `#!/bin/sh
real='${real}/git'
command=
skip=0
for word in "$@"; do
  if [ $skip = 1 ]; then skip=0; continue; fi
  if [ "$word" = -c ]; then skip=1; continue; fi
  command=$word
  break
done
${script}
`;
  writeFileSync(join(folder, 'git'), text);
  chmodSync(join(folder, 'git'), 0o755);
  process.env.PATH = `${folder}:${PATH}`;
  const off = (): void => {
    process.env.PATH = PATH;
  };
  onTestFinished(off);
  return off;
}
