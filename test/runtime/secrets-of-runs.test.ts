/** Runs whose commands know secrets: what is recorded and shown of them, and what their commands get. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/index.js';
import { done, emit, hole, input, local, machine, shell } from '../interpreter/machine-builder.js';
import { bound, commands, runKept } from './running.js';

describe('a run', () => {
  const env = { ...process.env, API_TOKEN: 'hunter22-token', STRUCT_KEY: 'state_entered' };

  function everything(folder: string): string {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
  }

  test('keeps secrets out of events, artifacts, state, report and what is shown', async () => {
    const shown: string[] = [];
    const code = [
      shell('echo "$API_TOKEN"; for i in $(seq 9000); do echo "$API_TOKEN"; done; echo "$API_TOKEN" >&2'),
      bound('echo "$API_TOKEN"; printf "\\377$API_TOKEN" >&2'),
      { op: 'track' as const, slot: 0, value: local(0) },
      emit('SEEN', { value: [hole(local(0))], text: ['<', hole(local(0)), '>'] }),
      done(local(0)),
    ];
    const { folder, report, events } = await runKept(machine({ MAIN: { locals: ['x'], code } }, { tracked: ['t'] }), {
      env,
      onOutput: (_, bytes) => shown.push(Buffer.from(bytes).toString('latin1')),
    });
    for (const text of [everything(folder), JSON.stringify(events), JSON.stringify(report), shown.join('')]) {
      expect(text).toContain('***');
      expect(text).not.toContain('hunter22');
    }
    expect(report).toMatchObject({ status: 'returned', returned: '***', tracked: { t: '***' } });
    expect(events.map(({ type }: RunEvent) => type)).toContain('state_entered');
  });

  test('computes and pipes with the real values', async () => {
    const code = [
      shell('for i in $(seq 9000); do echo "$API_TOKEN"; done'),
      shell('grep -c hunter22-token', { piped: true, reading: 'capture', bind: { slot: 0 } }),
      shell('printf %s "$API_TOKEN"', { reading: 'capture', bind: { slot: 1 } }),
      shell('', {
        template: { parts: ['test ', { ...hole(local(1)), context: 'word' }, ' = hunter22-token'], source: '' },
      }),
      done(local(0)),
    ];
    const { report } = await runKept(machine({ MAIN: { locals: ['x', 'y'], code } }), { env });
    expect(report).toMatchObject({ status: 'returned', returned: 9000 });
  });

  test('hides inputs declared secret, also numbers, and warns of short ones', async () => {
    const program = machine(
      { MAIN: { code: [emit('IN', { a: [hole(input(0))], b: [hole(input(1))] }), done(input(1))] } },
      {
        inputs: [
          { name: 'pin', secret: true },
          { name: 'code', secret: true },
        ],
      },
    );
    const { folder, report, events } = await runKept(program, { inputs: { pin: '12', code: 987654 } });
    expect(report.returned).toBe('***');
    expect(everything(folder)).not.toContain('987654');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warned', message: expect.stringContaining('`pin`') }),
    );
  });

  test('a run without secrets is recorded as it is', async () => {
    const { report } = await runKept(commands('echo plain'), { env: { PATH: process.env.PATH } });
    expect(report.returned).toBe('plain');
  });
});
