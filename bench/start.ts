/** How long a person waits for the smallest program: everything between the shell's fork and the exit. */
import type { Row } from './row.js';
import { cli, inScratch } from './scratch.js';
import { milliseconds, spawned, takeTurns } from './timing.js';

export const start: Row = {
  name: 'start',
  measure: () =>
    inScratch(async ({ path, write }) => {
      write('hello.dsl', 'EMIT: "hello, world"\n');
      write('shell.dsl', 'DO: echo hello\n');
      const [node, hello, shell] = (await takeTurns(15, [
        () => spawned(process.execPath, ['-e', '0'], path),
        () => spawned(process.execPath, [cli, 'run', 'hello.dsl'], path),
        () => spawned(process.execPath, [cli, 'run', 'shell.dsl'], path),
      ])) as [number, number, number];
      const against = `${milliseconds(node)} of node -e 0`;
      return [
        {
          what: 'run hello.dsl / node -e 0',
          sides: `${milliseconds(hello)} vs ${against}`,
          ratio: hello / node,
          atMost: 2,
        },
        { what: 'the same with one `DO: echo`', sides: `${milliseconds(shell)} vs ${against}`, ratio: shell / node },
      ];
    }),
};
