/**
 * A thousand calls of one account, from two processes with two stores, with four limits, while the processes are killed five
 * times: no finished call is made again, and in each window at most those in flight start in vain.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, type Started, start } from '../../harness/process.js';

const STORES = ['one', 'two'];
const CALLS = 500;
/** Calls at once in each store. */
const MAX = 4;
const LIMITS_AT = [150, 400, 600, 850];
const KILLS_AT = [80, 170, 350, 620, 900];

const program = (store: string): string => `STATE: WORK
  TRACK: numbers = range(${CALLS})
  DO: answers = FOR EACH n in numbers in PARALLEL [max=${MAX}]:
    DO: answer = Task(it) "${store}-{n}"
  RETURN: {len(answers)}
`;

/** It reaches a limit whenever so many calls are done, and says when it ends. */
const AGENT = `#!/bin/bash
cd "\${0%/*}"
read -r prompt
now=\${EPOCHREALTIME/./}; now=\${now:0:13}
for at in ${LIMITS_AT.join(' ')}; do
  [ -e limit.$at ] || continue
  until=$(<limit.$at)
  (( now < until )) || continue
  echo "useless $at $prompt" >> calls
  printf '{"type":"result","is_error":true,"num_turns":0,"result":"usage limit reached, try again in %sms"}\\n' $((until - now))
  exit 1
done
echo "start $prompt" >> calls
sleep 0.05
printf x >> done
all=$(<done)
for at in ${LIMITS_AT.join(' ')}; do
  (( \${#all} >= at )) && ( set -C; echo $((now + 4000)) > limit.$at ) 2> /dev/null
done
echo "done $prompt" >> calls
printf '{"type":"result","num_turns":1,"session_id":"s","result":"%s"}\\n' "$prompt"
`;

interface Line {
  readonly type: string;
  readonly outcome?: { readonly kind: string; readonly exit?: number; readonly stdout?: { readonly text?: string } };
}

test('no finished call is made again, and few start in vain', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-account-'));
  const processes = new Map<string, Started>();
  try {
    writeFileSync(join(folder, 'agent.sh'), AGENT);
    chmodSync(join(folder, 'agent.sh'), 0o755);
    const callLines = (): string[] =>
      existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];
    const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
    const begin = (store: string, ...words: string[]): void => {
      const child = start(process.execPath, [cli, ...words, '--quiet'], {
        cwd: join(folder, store),
        env,
        detached: true,
      });
      processes.set(store, child);
    };
    for (const store of STORES) {
      mkdirSync(join(folder, store));
      writeFileSync(join(folder, store, 'flow.dsl'), program(store));
      const config = `agents:\n  it: {adapter: command, run: [${join(folder, 'agent.sh')}]}\n`;
      writeFileSync(join(folder, store, 'statedsl.config.yaml'), config);
      begin(store, 'run', 'flow.dsl', '--max-cost', '1000000');
    }
    const kills = [...KILLS_AT];
    /** What was on record at each kill, with the number of lines of the agent then. */
    const atKills: { readonly finished: ReadonlySet<string>; readonly lines: number }[] = [];
    while ([...processes.values()].some((one) => !one.hasEnded())) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const done = existsSync(join(folder, 'done')) ? readFileSync(join(folder, 'done')).length : 0;
      if (kills.length === 0 || done < (kills[0] as number)) continue;
      const store = STORES[kills.length % 2] as string;
      const child = processes.get(store) as Started;
      kills.shift();
      if (child.hasEnded()) continue;
      process.kill(-child.pid, 'SIGKILL');
      await child.end;
      atKills.push({ finished: finishedIn(join(folder, store)), lines: callLines().length });
      begin(store, 'resume');
    }
    for (const child of processes.values()) {
      const { code, stdout, stderr } = await child.end;
      expect({ code, stdout: stdout.trim(), stderr }).toEqual({ code: 0, stdout: String(CALLS), stderr: '' });
    }
    const lines = callLines();
    expect(atKills).toHaveLength(5);
    for (const { finished, lines: before } of atKills)
      expect(lines.slice(before).filter((line) => finished.has(line.split(' ').at(-1) as string))).toEqual([]);
    for (const store of STORES) expect(finishedIn(join(folder, store)).size).toBe(CALLS);
    const useless = LIMITS_AT.map((at) => lines.filter((line) => line.startsWith(`useless ${at} `)).length);
    console.log(`started in vain: ${useless.join(', ')} of ${lines.length}`);
    for (const count of useless) {
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThanOrEqual(1 + STORES.length * MAX);
    }
    expect(readdirSync(join(folder, 'state/statedsl/breakers')).length).toBeLessThanOrEqual(1);
  } finally {
    for (const child of processes.values()) if (!child.hasEnded()) process.kill(-child.pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The prompts of the calls whose answers are on record. Each is there once. */
function finishedIn(folder: string): ReadonlySet<string> {
  const runs = join(folder, '.statedsl/runs');
  const [run = ''] = readdirSync(runs).filter((name) => existsSync(join(runs, name, 'journal.ndjson')));
  const events = readFileSync(join(runs, run, 'journal.ndjson'), 'utf8')
    .split('\n')
    .flatMap((line): Line[] => {
      try {
        return [JSON.parse(line) as Line];
      } catch {
        // The last line of a process that was killed.
        return [];
      }
    });
  const finished = new Set<string>();
  for (const { type, outcome } of events) {
    if (type !== 'effect_settled' || outcome?.kind !== 'exited' || outcome.exit !== 0) continue;
    const what = outcome.stdout?.text ?? '';
    if (finished.has(what)) throw new Error(`${what} is on record twice`);
    finished.add(what);
  }
  return finished;
}
