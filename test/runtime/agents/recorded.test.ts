/**
 * What recorded streams of agent programs mean, with the exit codes with which the programs ended. Nothing is started: the
 * adapters read the streams as if they had just arrived. UPDATE=1 writes what they mean.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Outcome, TokenCounts } from '../../../src/interpreter/events/event.js';
import { decodeCall, watchGuards } from '../../../src/runtime/agents/decode-call.js';
import { jsonLines, textLines } from '../../../src/runtime/agents/json-lines.js';
import { findAdapter } from '../../../src/runtime/agents/programs/adapters.js';
import { AgentTally } from '../../../src/runtime/agents/tally.js';
import type { EffectContext } from '../../../src/runtime/effect-context.js';
import { createScratch, outputStore } from '../../../src/runtime/process/scratch.js';

interface Recorded {
  readonly exit: number | null;
  readonly signal?: string;
  /** The session that the call continued, and what that had used before. */
  readonly session?: string;
  readonly session_tokens?: TokenCounts;
  readonly expected: unknown;
}

const folder = fileURLToPath(new URL('../../fixtures/streams/', import.meta.url));
const streams = readdirSync(folder).flatMap((program) =>
  readdirSync(join(folder, program))
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => [program, name.slice(0, -'.ndjson'.length)] as const),
);

beforeEach(() => {
  // The streams name times of the day on which they were recorded.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 22, 14) });
});
afterEach(() => {
  vi.useRealTimers();
});

async function decodeStream(program: string, name: string, { exit, signal, session_tokens }: Recorded) {
  const adapter = findAdapter(program);
  if (adapter === null) throw new Error(program);
  const scratch = createScratch();
  onTestFinished(() => scratch.remove());
  const tally = new AgentTally();
  const noLimits = { maxTurns: null, maxCost: null, maxTimeMs: null, idleMs: null, changedFile: null };
  const watch = watchGuards(noLimits, () => undefined);
  const lines = jsonLines((line) => {
    tally.lines++;
    adapter.decodeLine(line, tally);
  });
  const errorLines = textLines((line) => adapter.decodeErrorLine?.(line, tally));
  const path = (ending: string): string => join(folder, program, `${name}${ending}`);
  const [stdout, stderr] = ['.ndjson', '.stderr.txt'].map((ending) =>
    existsSync(path(ending)) ? readFileSync(path(ending)) : Buffer.alloc(0),
  ) as [Buffer, Buffer];
  lines.push(stdout);
  lines.end();
  errorLines.push(stderr);
  const ended: Outcome = {
    kind: 'exited',
    exit,
    stdout: { text: stdout.toString('utf8'), bytes: stdout.length },
    stderr: stderr.toString('utf8'),
    duration_ms: 1,
    ...(signal === undefined ? {} : { signal }),
  };
  const context = { resources: { outputs: outputStore(null, scratch, null) } } as unknown as EffectContext;
  const sessionTokens = session_tokens ?? null;
  return decodeCall(ended, { adapter, tally, sessionTokens, plain: lines.plain, watch, context });
}

/** Through JSON, as it is stored: what is absent is absent. */
function readMeaning(outcome: Outcome): unknown {
  if (outcome.kind !== 'exited') return outcome;
  const { stdout, unavailable, own_retries: retries, is_error, cost, tokens, session_tokens, turns, ...rest } = outcome;
  const { session_id, denied } = rest;
  const facts = { answer: stdout.text ?? '', is_error, cost, tokens, session_tokens, turns, session_id, denied };
  const waits = retries === undefined ? undefined : { count: retries.count, message: retries.message };
  const { at_ms: _, ...problem } = unavailable ?? {};
  return JSON.parse(JSON.stringify({ ...facts, retries: waits, unavailable: unavailable && problem }));
}

test('all streams are there', () => {
  expect(streams).toHaveLength(73);
});

describe.each([...new Set(streams.map(([program]) => program))])('%s', (program) => {
  test.each(streams.filter(([owner]) => owner === program).map(([, name]) => name))('%s', async (name) => {
    const file = join(folder, program, `${name}.json`);
    const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
    const meaning = readMeaning(await decodeStream(program, name, recorded));
    if (process.env.UPDATE) writeFileSync(file, `${JSON.stringify({ ...recorded, expected: meaning }, null, 2)}\n`);
    else expect(meaning).toEqual(recorded.expected);
    expect(meaning).not.toBeUndefined();
  });
});
