/** A debugger and the run that it is attached to are killed at any moment: the run resumes correctly. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cli, start } from '../harness/process.js';
import { seed, sequenceFrom } from '../random.js';
import { projectFolder } from './statedsl.js';

const KILLS = Number(process.env.DEBUGGER_KILLS ?? (process.env.NIGHTLY === undefined ? 20 : 200));
const ROUNDS = `STATE: A
  TRACK: n = 0
  SET: n = n + 1
  DO: echo {n} >> lines.txt
  IF: n < 30 → GOTO: A
  RETURN: {n}
`;

/** What an editor would write: all at once, since nobody waits for the answers. */
function requests(run: string, program: string): string {
  const all = [
    ['initialize', { adapterID: 'statedsl', clientName: 'a test' }],
    ['attach', { run }],
    ['setBreakpoints', { source: { path: program }, breakpoints: [{ line: 5, condition: 'n % 7 == 3' }] }],
    ['configurationDone', {}],
  ] as const;
  return all
    .map(([command, given], at) => JSON.stringify({ seq: at + 1, type: 'request', command, arguments: given }))
    .map((text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
    .join('');
}

test(`${KILLS} kills of a debugger and of the run that it is attached to`, async () => {
  const random = sequenceFrom(seed);
  for (let kill = 0; kill < KILLS; kill++) {
    const { folder, run } = projectFolder({ 'rounds.dsl': ROUNDS });
    const runner = start(process.execPath, [cli, 'run', 'rounds.dsl', '--quiet'], { cwd: folder });
    const runs = join(folder, '.statedsl/runs');
    const id = () => (existsSync(runs) ? readdirSync(runs).find((name) => name.length === 36) : undefined);
    while (id() === undefined || !existsSync(join(runs, id() as string, 'journal.ndjson'))) await pause(5);
    // Its standard input stays open: an adapter whose editor has gone ends.
    const words = ['-c', 'exec "$0" "$@" <&3', process.execPath, cli, 'dap', '--stdio'];
    const adapter = start('bash', words, { cwd: folder, talks: true });
    adapter.talk?.on('error', () => undefined);
    adapter.talk?.write(requests(id() as string, join(folder, 'rounds.dsl')));
    await pause(random(900));
    const victims = [[adapter], [runner], [adapter, runner], [runner, adapter]][kill % 4] as (typeof adapter)[];
    for (const victim of victims) victim.kill('SIGKILL');
    if (victims.includes(runner)) {
      await runner.end;
      adapter.kill('SIGKILL');
      await adapter.end;
      const resumed = await run(['resume', id() as string, '--quiet']);
      expect(resumed).toMatchObject({ code: 0, stdout: '30\n' });
    } else {
      await adapter.end;
      // It goes on without the debugger.
      expect(await runner.end).toMatchObject({ code: 0 });
    }
    const lines = readFileSync(join(folder, 'lines.txt'), 'utf8').trim().split('\n');
    expect([...new Set(lines)]).toEqual(Array.from({ length: 30 }, (_, at) => String(at + 1)));
    expect((await run(['replay', id() as string])).code).toBe(0);
  }
}, 1_200_000);
