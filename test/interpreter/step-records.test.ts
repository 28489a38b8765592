/** Keys of steps are removed and copied by their beginnings: with many keys by an index, which must find the same ones. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StepRecords } from '../../src/interpreter/run-state/step-records.js';

const path = fc.constantFrom('a', 'b', 'prev', 'prev.a', 'a/b', 'prev.prev', 'gate', 'a.gate.b.state.c', 'x1', 'x10');
const field = fc.constantFrom(
  'output',
  'gate.output',
  'gate.tests',
  'gate.tests.error',
  'denied',
  'gate.b.state.c.output',
);
const prefix = fc.oneof(
  path.map((one) => `${one}.`),
  path.map((one) => `prev.${one}.`),
  path.map((one) => `${one}.gate.`),
  path.map((one) => `${one}.denied`),
);
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('set' as const), path, field }) },
  fc.record({ do: fc.constant('remove' as const), prefix }),
  fc.record({ do: fc.constant('copy' as const), path }),
);

test('a copy does not change what is still to be copied', () => {
  const records = new StepRecords();
  records.setKey('prev', 'output', 'new');
  records.setKey('prev.prev', 'output', 'old');
  records.copyKeys('prev.', 'prev.prev.');
  expect(Object.fromEntries(records.keys)).toEqual({
    'prev.output': 'new',
    'prev.prev.output': 'new',
    'prev.prev.prev.output': 'old',
  });
});

test('an index finds the keys that looking through all of them finds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(0, 500),
      fc.array(change, { maxLength: 60 }),
      fc.boolean(),
      (more, changes, restored) => {
        let records = new StepRecords();
        let keys = new Map<string, string>();
        for (let at = 0; at < more; at++) {
          records.setKey(`other${at}`, 'output', '');
          keys.set(`other${at}.output`, '');
        }
        for (const [at, one] of changes.entries()) {
          if (one.do === 'set') {
            records.setKey(one.path, one.field, String(at));
            keys.set(`${one.path}.${one.field}`, String(at));
          } else if (one.do === 'remove') {
            records.removeKeysBelow(one.prefix);
            keys = new Map([...keys].filter(([key]) => !key.startsWith(one.prefix)));
          } else {
            const from = `${one.path}.`;
            records.copyKeys(from, `prev.${from}`);
            for (const [key, value] of [...keys])
              if (key.startsWith(from)) keys.set(`prev.${from}${key.slice(from.length)}`, value);
          }
          if (restored && at % 7 === 0) {
            const { image } = records;
            records = new StepRecords();
            records.restore(image);
          }
        }
        expect([...records.keys]).toEqual([...keys]);
      },
    ),
  );
});
