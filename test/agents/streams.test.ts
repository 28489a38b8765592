/**
 * What the agent programs printed in calls of `npm run test:agents` means the same when it is printed again: a stand-in on PATH
 * prints each recorded stream and ends as the program did. `fixtures.mjs` makes the fixtures anew.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { TokenCounts } from '../../src/interpreter/events/event.js';
import { type Exited, stage } from '../runtime/agents/calling.js';

interface Recorded {
  readonly exit: number;
  readonly stderr: string;
  /** The session that the call continued or branched off from, and what that had used before. */
  readonly session?: string;
  readonly session_tokens?: TokenCounts;
  readonly expected: Record<string, unknown>;
}

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'fixtures', 'agents');
const programs = readdirSync(folder);

const streamsOf = (program: string): string[] =>
  readdirSync(join(folder, program))
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => name.slice(0, -'.ndjson'.length));

function readMeaning({ stdout, guard, unavailable, ...facts }: Exited): Record<string, unknown> {
  const { is_error, cost, tokens, session_tokens, turns, session_id, denied } = facts;
  const meaning = { answer: stdout.text ?? '', is_error, cost, tokens, session_tokens, turns, session_id, denied };
  return { ...meaning, guard: guard?.name, unavailable: unavailable?.cause };
}

test('all programs have streams', () => {
  expect(programs).toEqual(['claude', 'codex', 'gemini', 'opencode', 'qwen']);
});

describe.each(programs)('%s', (program) => {
  test.each(streamsOf(program))('%s', async (name) => {
    const recorded = JSON.parse(readFileSync(join(folder, program, `${name}.json`), 'utf8')) as Recorded;
    const { exit, stderr, session, session_tokens: sessionTokens, expected } = recorded;
    const one = stage();
    const output = join(folder, program, `${name}.ndjson`);
    one.program(program, `cat > /dev/null\ncat '${output}'\ncat '${one.file('stderr', stderr)}' >&2\nexit ${exit}`);
    const outcome = await one.exited({
      agent: program,
      ...(session === undefined ? {} : { session }),
      ...(sessionTokens === undefined ? {} : { sessionTokens }),
    });
    // Through JSON, as it is stored: what is absent is absent.
    expect(JSON.parse(JSON.stringify(readMeaning(outcome)))).toEqual(expected);
  });
});
