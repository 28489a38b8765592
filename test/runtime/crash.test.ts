/**
 * Processes of the command line are killed at random moments, several times in a run, and the run must end like an
 * undisturbed one. `LONG=1` tries more. A failure is printed with what was done.
 */
import { describe, expect, test } from 'vitest';
import { some, tries } from '../amount.js';
import { randomNumbers, seed } from '../random.js';
import { type Blow, type Came, type Crashing, type Kill, survive } from './crashing.js';

const rounds = tries(1, 32);
/** Rounds that run at once: most of their time they wait. */
const LANES = 4;

const programs: Readonly<Record<string, Crashing>> = {
  'one command after the other': {
    program: `STATE: WORK
  TRACK: n
  DO: ./mark 0.03
  INCREMENT: n
  CHECK: at = printf '{"n": %s}' {n}
  EMIT: STEP n={at.n}
  IF: n < 5 → GOTO: WORK
  GOTO: DONE
STATE: DONE
  RETURN: {n}
`,
  },
  'branches and tries': {
    program: `STATE: WORK
  TRACK: seen = []
  DO: in PARALLEL [max=3]
    - ./mark 0.08
    - DO [retry=2/20ms]: ./flaky 0.03
    - size = ./mark 0.02 && echo 4
    - ./mark 0.01
  EMIT: JOINED size={size}
  FOR EACH: name in ["a", "b", "c"] in PARALLEL [max=2]:
    DO: word = ./mark 0.04 && printf %s {name}
    EMIT: WORD word={word}
  SET: seen = word
  GOTO: DONE
STATE: DONE
  RETURN: {seen}
`,
  },
  'waiting and failures': {
    program: `STATE: WORK
  WAIT: 60ms
  WAIT: count >= 4 OR timeout=20s [every=20ms]
    CHECK: count = ./tick
  EMIT: WAITED timed_out={timed_out}
  DO: ./mark 0.03 7
  RETURN: unexpected
  ON ERROR: →
    DO: ./mark 0.03
    EMIT: HANDLED exit={exit_code}
    GOTO: AGAIN
STATE: AGAIN
  DO [retry=1/10ms]: ./mark 0.02 3
  RETURN: unexpected
STATE: ERROR
  DO: ./mark 0.03
  EMIT: FAILED kind={error_type}
  RETURN: {error_type}
`,
  },
  'people and signals': {
    program: `STATE: WORK
  DO: ./mark 0.03
  ASK user: "Go on?" → go choices=yes,no
  DO: ./mark 0.03
  EMIT: WENT go={go}
  WAIT: signal ready OR timeout=1h
  DO: ./mark 0.03
  RETURN: {ready.n}
`,
    tell: { go: ['answer', 'RUN', 'go=yes'], ready: ['signal', 'RUN', 'ready', '{"n": 3}'] },
  },
};

function blowsOf(roll: () => number, spanMs: number): Blow[] {
  const kills: readonly Kill[] = ['alone', 'group', 'everything'];
  return Array.from({ length: 1 + Math.floor(roll() * 3) }, () => ({
    afterMs: Math.floor(roll() * spanMs),
    kill: kills[Math.floor(roll() * 3)] as Kill,
  }));
}

async function inLanes(count: number, action: (round: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await action(next++);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

describe.each(some(Object.entries(programs), 2))('%s', (_, crashing) => {
  const share = Math.ceil(rounds / Object.keys(programs).length);
  const timeout = 30_000 + share * 10_000;

  test('survives kill -9 at any moment', { timeout }, async () => {
    const begun = performance.now();
    const undisturbed = await survive(crashing, []);
    const span = performance.now() - begun;
    expect(undisturbed.wrong).toEqual([]);
    await inLanes(share, async (round) => {
      const blows = blowsOf(randomNumbers(seed + round * 7919), span);
      const came: Came = await survive(crashing, blows);
      expect(came, `TEST_SEED=${seed}, round ${round}: ${JSON.stringify(blows)}`).toEqual(undisturbed);
    });
  });
});
