/** Snapshots are read again as they were written, whatever a program asked or said. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { snapshotText } from '../../src/lab/testing/run-facts.js';
import { Snapshots } from '../../src/lab/testing/snapshots.js';

const asked = (question: string): RunEvent => ({ type: 'asked', question }) as RunEvent;

test('a snapshot equals itself after it was written and read', () => {
  const part = fc.constantFrom('a', ' ', '\n', '\r', '\u2028', '=== first', '=== second', '    | ');
  const question = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(question, question, (one, other) => {
      const texts = { first: snapshotText([asked(one)]), second: snapshotText([asked(other), asked(one)]) };
      const written = new Snapshots(null, 'update');
      for (const [name, text] of Object.entries(texts)) written.compare(name, text);
      const read = new Snapshots(written.textToWrite(true), 'read-only');
      const differences = Object.entries(texts).map(([name, text]) => read.compare(name, text));
      expect([differences, read.obsolete]).toEqual([[null, null], []]);
    }),
  );
});
