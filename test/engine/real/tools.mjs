/** What a case on a real engine may use. */
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';

const cli = join(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))), 'dist', 'cli.js');
const LOOP = `STATE: A
  TRACK: n = 0
  GOTO: B
STATE: B
  IF: n >= COUNT → RETURN: {n}
  INCREMENT: n
  DO: WORK
  GOTO: B
`;
/** A program that executes a command so many times. */
export const loop = (count, work) => LOOP.replace('COUNT', count).replace('WORK', work);

export function tools(engine, folder) {
  const { compile, engineClient, fixedOptions, headerOf, mirrorRun, newRunId } = engine.core;
  const client = engineClient({ url: engine.ingress, namespace: 'statedsl', token: null, patienceMs: 60_000 });
  const machines = new Map();
  /** A program that submits many runs compiles once. */
  const compiled = (text) => {
    const known = machines.get(text);
    if (known !== undefined) return known;
    const { machine, diagnostics } = compile(text, { name: 'case.dsl', commands: ['noop', 'mark'] });
    assert.notEqual(machine, null, diagnostics.map(({ message }) => message).join('\n'));
    machines.set(text, machine);
    return machine;
  };
  /** `key`: undefined, the run has none. */
  const submit = async (text, key) => {
    const machine = compiled(text);
    const fixed = fixedOptions(machine, { jobs: 4, cwd: folder });
    const made = { runId: newRunId(), startedAt: new Date().toISOString(), redactor: null, fixed };
    const sources = [{ name: 'case.dsl', text }];
    await client.submit({
      header: headerOf(machine, { cwd: folder, sources, key }, made),
      inDoubt: 'fail',
      by: 'tester',
    });
    return made.runId;
  };
  /** Follows a run until it has ended. A connection that breaks is made again. */
  const ended = async (runId, onEvent = null) => {
    for (let from = 1; ; ) {
      try {
        for await (const { lines, report } of client.events(runId, from)) {
          from += lines.length;
          if (onEvent !== null) for (const line of lines) await onEvent(JSON.parse(line));
          if (report !== undefined) return { report };
        }
        return await client.status(runId);
      } catch {
        await sleep(100);
      }
    }
  };
  const seen = async (runId, type) => {
    for await (const { lines } of client.events(runId))
      if (lines.some((line) => JSON.parse(line).type === type)) return;
  };
  /** The events on record. */
  const journal = async (runId) => {
    const events = [];
    for await (const { lines } of client.events(runId)) events.push(...lines.map((line) => JSON.parse(line)));
    return events;
  };
  const begun = async (runId) => {
    while (!engine.effects().some(({ run }) => run === runId)) await sleep(20);
  };
  const mirror = (runId) =>
    mirrorRun(client, { url: engine.ingress, namespace: 'statedsl' }, runId, join(folder, 'store'));
  const statedsl = (...words) =>
    execaSync(process.execPath, [cli, ...words, '--dir', join(folder, 'store')], { reject: false });
  return { client, submit, ended, seen, journal, begun, mirror, statedsl, engine };
}
