/** A full disk ends a run with an error, before the next effect. When there is room again, the run can be resumed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runProgram } from '../harness/process.js';
import { cli, projectFolder } from './statedsl.js';

const text = `STATE: A
  TRACK: n
  DO: echo "$STATEDSL_EFFECT_ID" >> log; seq 200
  DO: x = seq 3000
  INCREMENT: n
  IF: n < 8 → GOTO: A
  RETURN: {n}
`;

describe('a disk without room', () => {
  // Files may have so many KiB; each number hits another write, of the journal, an output or a checkpoint.
  test.each([8, 11, 12, 13, 14, 24])('at %i KiB', async (limit) => {
    const one = projectFolder({ 'p.dsl': text });
    const limited = `ulimit -f ${limit}; exec "$0" "$@"`;
    const limitedRun = ['-c', limited, process.execPath, cli, 'run', 'p.dsl', '--json'];
    const { code, stdout, stderr } = await runProgram('bash', limitedRun, { cwd: one.folder });
    expect(code, stderr).toBe(1);
    const { error, run_id } = JSON.parse(stdout);
    expect(error).toMatchObject({ kind: 'store' });
    expect(error.message).toMatch(/^cannot write `.*`: the file would be too large$/);
    expect(stderr).toContain('error[store]');
    const again = await one.run(['resume', run_id, '--json']);
    expect(JSON.parse(again.stdout), again.stderr).toMatchObject({ status: 'returned', returned: 8 });
    const log = readFileSync(join(one.folder, 'log'), 'utf8').trim().split('\n');
    expect(new Set(log).size).toBe(8);
    expect(log.length, 'only the effect that was under way is done again').toBeLessThanOrEqual(9);
  });

  test('at the beginning: there is no run', async () => {
    const one = projectFolder({ 'p.dsl': text });
    const { code, stdout } = await one.run(['run', 'p.dsl', '--json', '--dir', '/proc/store']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({ kind: 'store' });
    expect(existsSync(join(one.folder, 'log'))).toBe(false);
  });
});
