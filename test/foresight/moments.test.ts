/** A property that names what the program does not have is an error: it would hold without saying anything. */
import { expect, test } from 'vitest';
import { missingIn, readMoment } from '../../src/foresight/moments.js';
import { machineOf } from './programs.js';

const machine = machineOf('STATE: A\n  DO: test -e a\n  RETURN: 1\n');

test.each([
  ['failed', null],
  ['failed timeout', null],
  ['failed in A', null],
  ['failed in A merge_conflict', null],
  ['failed in B', 'no state `B`'],
  ['failed timout', 'no error `timout`'],
  ['failed in A timout', 'no error `timout`'],
])('%s', (text, missing) => {
  const moment = readMoment(text);
  expect('problem' in moment ? moment : missingIn(machine, moment)).toEqual(missing);
});

test.each(['failed in', 'failed at A', 'state', 'returned twice'])('%s is not a moment', (text) => {
  expect(readMoment(text)).toHaveProperty('problem');
});
