/** Secrets of every origin, and everything that a run writes or prints: none of them is found anywhere. */
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ended, type ProjectFolder, projectFolder, type Result } from './statedsl.js';

/** What quoting changes is part of them. */
const secrets = {
  API_TOKEN: 'tok"en\\with-quotes-4711',
  DEPLOY_PASS: 'pass word of the deployment',
  input: 'the-secret-input-0815',
};

const text = `INPUT: pin (secret)
STATE: A
  TRACK: kept = ""
  DO: printf '%s' "$API_TOKEN"
  DO: x = printf '%s' "$API_TOKEN" && echo
  SET: kept = x
  EMIT: GOT x={x} pin={pin} y={[x, pin]}
  DO: printf '%.8s' "$API_TOKEN"; sleep 0.2; printf '%s\\n' "\${API_TOKEN:8}"
  DO: for i in $(seq 3000); do echo "$i $DEPLOY_PASS"; done
  DO: for i in $(seq 3000); do echo "$i $DEPLOY_PASS" >&2; done
  DO [env.SEEN={pin}]: echo {pin} {x}
  DO: ["printf", "%s", {pin}]
  DO: answer = Task(mirror) "Use {pin} and {x}." with token={x}
  EMIT: "the agent said {answer}"
  GOTO: B with passed={pin}
STATE: B
  DO: echo {passed}; echo "no: $DEPLOY_PASS" >&2; exit 3
  RETURN: unexpected
  ON ERROR: →
    EMIT: FAILED error={error}
    GOTO: C
STATE: C
  ASK user: "Is {pin} right, and {kept}?" → go show=pin,kept
  WAIT: signal ready
  DO: echo {go} {ready.token}
  EMIT: END go={go} ready={ready}
  RETURN: {go} {ready.token} {pin}
`;

const config = `agents:
  mirror:
    adapter: command
    run: ["./mirror"]
secrets: [DEPLOY_PASS]
`;

function planted(): ProjectFolder {
  const one = projectFolder({ 'p.dsl': text, 'statedsl.config.yaml': config, mirror: '#!/bin/sh\ncat\n' });
  chmodSync(join(one.folder, 'mirror'), 0o755);
  return one;
}

const env = { API_TOKEN: secrets.API_TOKEN, DEPLOY_PASS: secrets.DEPLOY_PASS };
const pin = ['-i', `pin=${secrets.input}`];

/** Each secret as it is and as JSON writes it. */
const needles = Object.values(secrets).flatMap((value) => {
  const escaped = JSON.stringify(value).slice(1, -1);
  return [value, escaped, JSON.stringify(escaped).slice(1, -1)];
});

function found(one: ProjectFolder, results: readonly Result[]): string[] {
  const places: [string, string][] = results.flatMap(({ stdout, stderr }, index) => [
    [`stdout ${index}`, stdout],
    [`stderr ${index}`, stderr],
  ]);
  const store = join(one.folder, '.statedsl');
  for (const name of readdirSync(store, { recursive: true, encoding: 'utf8' }))
    if (statSync(join(store, name)).isFile()) places.push([name, readFileSync(join(store, name), 'latin1')]);
  return places.filter(([, content]) => needles.some((needle) => content.includes(needle))).map(([name]) => name);
}

describe('secrets', () => {
  test('are found in no file and no output, even of a resumed run', async () => {
    const one = planted();
    const first = await one.run(['run', 'p.dsl', ...pin, '--auto-events'], { env });
    expect(first.code, first.stderr).toBe(75);
    const runs = await one.run(['runs', '--json'], { env });
    const id = JSON.parse(runs.stdout)[0]?.run_id ?? JSON.parse(runs.stdout).runs[0].run_id;
    const without = await one.run(['resume', id], { env });
    expect(without.code).toBe(2);
    expect(without.stderr).toContain('pass it again: -i pin=…');
    const results = [
      first,
      runs,
      without,
      await one.run(['answer', id, `go=${secrets.API_TOKEN} ${secrets.DEPLOY_PASS}`, ...pin, '--json'], { env }),
      await one.run(['signal', id, 'ready', JSON.stringify({ token: secrets.API_TOKEN }), ...pin, '--no-resume'], {
        env,
      }),
      await one.run(['resume', id, '-i', `pin:=${JSON.stringify(secrets.input)}`, '--events'], { env }),
      await one.run(['show', id], { env }),
      await one.run(['show', id, '--json'], { env }),
      await one.run(['report', id], { env }),
      await one.run(['replay', id, ...pin], { env }),
    ];
    expect(results.map(({ code }) => code)).toEqual([75, 0, 2, 75, 0, 0, 0, 0, 0, 0]);
    expect(found(one, results)).toEqual([]);
  });

  test('are not left in the inbox of a run that is being executed', async () => {
    const one = projectFolder({
      'p.dsl':
        'INPUT: pin (secret)\nDO: touch started; until [ -e told ]; do sleep 0.02; done\nWAIT: signal ready\nRETURN: {len(ready)}\n',
    });
    const child = one.start(['run', 'p.dsl', ...pin, '--json'], env);
    const end = ended(child);
    while (!readdirSync(one.folder).includes('started')) await new Promise((resolve) => setTimeout(resolve, 20));
    const [id = ''] = readdirSync(join(one.folder, '.statedsl/runs')).filter((name) => name.length === 36);
    const told = await one.run(['signal', id, 'ready', `${secrets.API_TOKEN} ${secrets.input}`], { env });
    expect(told.stderr).toContain('passed on to the process');
    one.file('told', '');
    const result = await end;
    expect(JSON.parse(result.stdout).returned).toBe('*** '.length + secrets.input.length);
    expect(found(one, [told, result])).toEqual([]);
  });
});
