/** Whether a configuration fits its schema is found out without a validator, which must come to the same result. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { Json } from '../../src/machine/expression.js';
import { configurationSchema } from '../../src/runtime/configuration/configuration-schema.js';
import { surelyFits } from '../../src/runtime/configuration/load-configuration.js';
import { tries } from '../amount.js';
import { seed, sequenceOf } from '../random.js';

const RIGHT: Json = {
  agents: {
    a: {
      adapter: 'claude',
      model: 'm',
      args: ['x'],
      env: { K: 'v' },
      allow: ['edit'],
      max_cost: 0.5,
      max_concurrent: 2,
    },
    b: { adapter: 'command', run: ['./b'] },
  },
  gates: { tests: 'npm test', slow: { run: 'make', timeout: '10m' } },
  secrets: ['TOKEN'],
  defaults: { agent: 'a', jobs: 2, suspend_after: '1h', worktree: true, gate_timeout: '30s' },
  notify: [{ run: ['./tell'] }, { url: 'https://example.org/x' }],
  engine: {
    on: 'http://example.org',
    commands: './c.mjs',
    home: 'h',
    routes: { agents: { a: 'x' }, kinds: { shell: 'y' } },
  },
  mcp: { files: { command: ['./serve'], env: { A: 'b' } } },
};

const PIECES: readonly Json[] = [
  null,
  true,
  0,
  1.5,
  -1,
  '',
  'x',
  '5m',
  'claude',
  [],
  ['x'],
  [1],
  {},
  { run: 'x' },
  { z: 1 },
];

test('a value fits exactly if the validator says so', () => {
  const validate = new Ajv2020({ strict: false }).compile(configurationSchema);
  const random = sequenceOf(`${seed}`);
  const change = (value: Json): Json => {
    if (random(4) === 0) return PIECES[random(PIECES.length)] as Json;
    if (Array.isArray(value))
      return value.length === 0 ? [...value, 'x'] : value.map((item) => (random(2) === 0 ? change(item) : item));
    if (typeof value !== 'object' || value === null) return PIECES[random(PIECES.length)] as Json;
    const members = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
      if (random(12) === 0) return [];
      return [[random(16) === 0 ? 'other' : name, random(4) === 0 ? change(inner) : inner]];
    });
    return Object.fromEntries(members);
  };
  const seen = new Set<boolean>();
  for (let round = 0; round < tries(3000, 100_000); round++) {
    const value = change(RIGHT);
    const fits = surelyFits(configurationSchema, value);
    expect(fits, JSON.stringify(value)).toBe(validate(value));
    seen.add(fits);
  }
  expect(seen.size).toBe(2);
});

test('each keyword of the schema is known', () => {
  expect(surelyFits(configurationSchema, RIGHT)).toBe(true);
  expect(surelyFits({ unknown: 1 }, {})).toBe(false);
  expect(surelyFits({ unknown: 1 }, 'text')).toBe(false);
});
