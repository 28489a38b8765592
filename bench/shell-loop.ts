/** 300 commands one after the other, each durable before the next, against tools that keep no journal. */
import { join } from 'node:path';
import type { Row } from './row.js';
import { cli, inScratch, root } from './scratch.js';
import { compare, measureTurns, milliseconds, spawned, type Taken } from './timing.js';

const COUNT = 300;

function lobsterWorkflow(): string {
  const steps = Array.from({ length: COUNT }, (_, index) => `  - id: s${index}\n    run: "true"\n`);
  return `name: bench\nsteps:\n${steps.join('')}`;
}

export const shellLoop: Row = {
  name: `${COUNT} × DO: true`,
  measure: () =>
    inScratch(async ({ path, write }) => {
      write('loop.dsl', 'DO: true\n'.repeat(COUNT));
      // `true` alone needs no shell; this does.
      write('shell.dsl', 'DO: true && true\n'.repeat(COUNT));
      write('loop.lobster', lobsterWorkflow());
      const zx = JSON.stringify(join(root, 'node_modules/zx/build/index.js'));
      write('loop.mjs', `import { $ } from ${zx};\nfor (let i = 0; i < ${COUNT}; i++) await $\`true\`;\n`);
      const lobster = join(root, 'node_modules/@clawdbot/lobster/bin/lobster.js');
      const bashLoop = (text: string): string[] => ['-c', `for i in $(seq ${COUNT}); do bash -c '${text}'; done`];
      const [bash, ours, bashOfTwo, oursWithShell, zxTime, lobsterTime] = (await measureTurns(5, [
        () => spawned('bash', bashLoop('true'), path),
        () => spawned(process.execPath, [cli, 'run', '--quiet', 'loop.dsl'], path),
        () => spawned('bash', bashLoop('true && true'), path),
        () => spawned(process.execPath, [cli, 'run', '--quiet', 'shell.dsl'], path),
        () => spawned(process.execPath, ['loop.mjs'], path),
        () => spawned(process.execPath, [lobster, 'run', '--file', 'loop.lobster'], path),
      ])) as [Taken, Taken, Taken, Taken, Taken, Taken];
      const against = (other: Taken, own = ours) => ({
        sides: `${milliseconds(own.ms)} vs ${milliseconds(other.ms)}`,
        ...compare(own, other),
      });
      return [
        { what: `${COUNT} × DO: true / bash loop`, ...against(bash), atMost: 1.7 },
        { what: `${COUNT} × DO: true && true / bash loop`, ...against(bashOfTwo, oursWithShell), atMost: 1.7 },
        { what: `${COUNT} × DO: true / zx`, ...against(zxTime), atMost: 1 },
        { what: `${COUNT} × DO: true / lobster`, ...against(lobsterTime), atMost: 1 },
      ];
    }),
};
