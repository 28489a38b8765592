/** A test file that can run: its tree, the compiled program, and what its lines can refer to. */
import type { Property } from '../foresight/properties.js';
import type { Machine } from '../machine/machine.js';
import type { Cassette } from '../runtime/cassette/cassette.js';
import type { Configuration } from '../runtime/configuration/configuration.js';
import type { SourceSet } from '../source/source-file.js';
import type { TestFile } from '../syntax/tests/line-cursor.js';
import type { TestExpressions } from './expressions.js';
import type { MachineFacts } from './machine-facts.js';

export interface Suite {
  /** As messages call it. */
  readonly name: string;
  readonly tree: TestFile;
  readonly machine: Machine;
  readonly facts: MachineFacts;
  readonly expressions: TestExpressions;
  readonly properties: readonly Property[];
  readonly configuration: Configuration;
  /** The path of the program, as messages call it. */
  readonly program: string;
  /** The folder of the program, absolute. */
  readonly programDir: string;
  /** By their paths as the test file has them. An updated cassette takes the place of the one that was read. */
  readonly cassettes: Map<string, Cassette>;
  /** The text of the file of snapshots; null: there is none. */
  readonly snapshots: string | null;
  /** The test file first, then the program and its imports. */
  readonly sources: SourceSet;
}

/** Names that a condition can use besides the variables of the program. */
export const RUN_NAMES = ['returned', 'error', 'cost', 'time'] as const;
