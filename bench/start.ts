/**
 * How long a person waits for the smallest program: everything between the shell's fork and the exit. It is measured as
 * after an installation: the first start fills the cache of a home that was empty, and does not count.
 */
import { join } from 'node:path';
import type { Row } from './row.js';
import { cli, inScratch } from './scratch.js';
import { compare, measureTurns, milliseconds, spawned, type Taken } from './timing.js';

export const start: Row = {
  name: 'start',
  measure: () =>
    inScratch(async ({ path, write }) => {
      write('hello.dsl', 'EMIT: "hello, world"\n');
      write('shell.dsl', 'DO: echo hello\n');
      write('tmp/x', '');
      const home = { HOME: path, XDG_CACHE_HOME: '' };
      const noHome = { HOME: '/dev/null', XDG_CACHE_HOME: '', TMPDIR: join(path, 'tmp') };
      const run = (file: string, environment: Readonly<Record<string, string>>) => () =>
        spawned(process.execPath, [cli, 'run', file], path, environment);
      const [node, hello, homeless, shell] = (await measureTurns(15, [
        () => spawned(process.execPath, ['-e', '0'], path),
        run('hello.dsl', home),
        run('hello.dsl', noHome),
        run('shell.dsl', home),
      ])) as [Taken, Taken, Taken, Taken];
      const against = (one: Taken) => ({
        sides: `${milliseconds(one.ms)} vs ${milliseconds(node.ms)} of node -e 0`,
        ...compare(one, node),
      });
      return [
        { what: 'run hello.dsl / node -e 0', ...against(hello), atMost: 2.2 },
        { what: 'the same where HOME cannot be written', ...against(homeless), atMost: 2.2 },
        { what: 'the same with one `DO: echo`', ...against(shell) },
        {
          what: 'one `DO: echo` more than hello.dsl',
          sides: `${milliseconds(shell.ms)} vs ${milliseconds(hello.ms)}`,
          ratio: shell.ms - hello.ms,
          unit: 'ms',
          atMost: 30,
        },
      ];
    }),
};
