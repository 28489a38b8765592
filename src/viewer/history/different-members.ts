/** What of an event is not the same in another one, as text. */
import type { RecordLine } from '../data/run-data.js';

/** They always differ. */
const ALWAYS_DIFFER = new Set(['seq', 'ts', 'crc']);

export function differentMembers(line: RecordLine, other: RecordLine): string {
  const others = other as unknown as Readonly<Record<string, unknown>>;
  return Object.entries(line)
    .filter(([name, value]) => !ALWAYS_DIFFER.has(name) && JSON.stringify(value) !== JSON.stringify(others[name]))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ');
}
