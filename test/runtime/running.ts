/** Runs of machines written by hand, in folders of their own that are removed with the test. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import type { Machine } from '../../src/machine/machine.js';
import type { RunOptions } from '../../src/runtime/run/run-options.js';
import type { RunReport } from '../../src/runtime/run/run-report.js';
import { run } from '../../src/runtime/run/start-run.js';
import { type Code, check, done, local, machine, shell } from '../interpreter/machine-builder.js';

/** `whenFinished` is that of the test's context, where several tests run at the same time. */
export function temporaryFolder(whenFinished: (action: () => void) => void = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'runtime-test-')));
  whenFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Ran {
  readonly report: RunReport;
  readonly events: readonly RunEvent[];
  /** Folder of the run; empty when nothing is kept. */
  readonly folder: string;
}

/** Runs with everything on disk and every event seen. */
export async function runKept(program: Machine, options: RunOptions = {}): Promise<Ran> {
  const events: RunEvent[] = [];
  let folder = '';
  const report = await run(program, {
    dir: join(temporaryFolder(), '.statedsl'),
    ...options,
    onStart: (started) => {
      folder = started.folder ?? '';
      options.onStart?.(started);
    },
    onEvent: (event, place) => {
      events.push(event);
      options.onEvent?.(event, place);
    },
  });
  return { report, events, folder };
}

/** A machine of one state that runs commands and returns what the last one printed. */
export function commands(...texts: string[]): Machine {
  const last = texts.length - 1;
  const code: Code[] = texts.map((text, at) => (at === last ? bound(text) : shell(text)));
  return machine({ MAIN: { locals: ['x'], code: [...code, done(local(0))] } });
}

export function bound(text: string): Code {
  return shell(text, { reading: 'capture', bind: { slot: 0 } });
}

export { check };

/** Whether a process still runs. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
