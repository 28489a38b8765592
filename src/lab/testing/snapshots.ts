/** The snapshots of a test file, in one text file next to it: a heading for each test, and below it what its run did. */
import { differentLines } from '../../runtime/cassette/drift.js';
import type { Judged } from './judge.js';

export type SnapshotMode = 'update' | 'write-missing' | 'read-only';

const HEADING = /(?<=^|\n)=== ([^\n]*)/g;

export class Snapshots {
  private readonly known = new Map<string, string>();
  private readonly used = new Set<string>();
  private isChanged = false;

  /** `text`: of the file; null: there is none. */
  constructor(
    text: string | null,
    private readonly mode: SnapshotMode,
  ) {
    const headings = [...(text ?? '').matchAll(HEADING)];
    for (const [at, heading] of headings.entries()) {
      const end = headings[at + 1]?.index ?? text?.length;
      const body = text?.slice(heading.index + heading[0].length + 1, end) ?? '';
      this.known.set(heading[1] as string, body.replace(/\n+$/, ''));
    }
  }

  /** Compares, or stores. */
  compare(name: string, text: string): Judged | null {
    const before = this.known.get(name);
    this.used.add(name);
    if (before === text) return null;
    if (before === undefined && this.mode === 'read-only')
      return { message: 'there is no snapshot of this test; write it with `statedsl test --update`' };
    if (before === undefined || this.mode === 'update') {
      this.known.set(name, text);
      this.isChanged = true;
      return null;
    }
    return {
      message: 'the snapshot is different; accept it with `--update`',
      difference: differentLines(before, text),
    };
  }

  /** Names of snapshots that no test has, if all tests of the file have run. */
  get obsolete(): readonly string[] {
    return [...this.known.keys()].filter((name) => !this.used.has(name));
  }

  /** The text to write; null: nothing changed. `isComplete`: all tests of the file have run. */
  textToWrite(isComplete: boolean): string | null {
    const removed = isComplete && this.mode === 'update' ? this.obsolete : [];
    if (!this.isChanged && removed.length === 0) return null;
    for (const name of removed) this.known.delete(name);
    const sorted = [...this.known].sort(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([name, text]) => `=== ${name}\n${text}\n`).join('\n');
  }
}
