/** Tests for what the tests of a program do not execute: from ways to it that an exploration finds and a test repeats. */
import { basename } from 'node:path';
import { waysTo } from '../foresight/ways-to.js';
import type { Machine } from '../machine/machine.js';
import type { Coverage, CoveredItem } from './coverage.js';
import { draftOf, execute, testOf, type WrittenFile } from './write-tests.js';

export interface SuggestedTests {
  readonly text: string;
  readonly count: number;
  /** What no test was found for. */
  readonly left: readonly CoveredItem[];
}

/** `machine` was watched; `names` are those that other tests of the file have. What the new tests execute counts as covered. */
export async function suggestTests(
  machine: Machine,
  coverage: Coverage,
  given: WrittenFile & { readonly names: ReadonlySet<string> },
): Promise<SuggestedTests> {
  const names = new Set(given.names);
  /** Of two ways that one run goes there is one test. */
  const bodies = new Set<string>();
  let text = '';
  let count = 0;
  // Defaults first: a test says less when it sets no inputs.
  for (const inputs of machine.inputs.length === 0 ? (['defaults'] as const) : (['defaults', 'free'] as const)) {
    const missing = [...(coverage.missing().get(machine) ?? [])].filter(([item]) => coverage.isCounted(item));
    if (missing.length === 0) break;
    missing.sort(([one], [other]) => Number(one.kind === 'line') - Number(other.kind === 'line'));
    const ways = waysTo(
      machine,
      missing.map(([item, positions]) => ({
        positions,
        isShownBy: coverage.shows(item),
      })),
      inputs,
    );
    for (const [at, [item]] of missing.entries()) {
      // A line follows from the way that leads to it.
      if (item.kind === 'line' && item.hits > 0) continue;
      const name = freeName(nameOf(item, machine), names);
      for (const trace of ways[at]?.() ?? []) {
        const draft = trace.isConfirmed ? draftOf(name, trace, null) : null;
        const test = draft === null ? null : await testOf(draft, given);
        if (test === null) continue;
        const body = test.slice(test.indexOf('\n'));
        if (bodies.has(body)) {
          if (item.hits > 0) break;
          continue;
        }
        const before = item.hits;
        await execute(test, given, coverage);
        if (item.hits === before) continue;
        names.add(name);
        bodies.add(body);
        text += `\n${test}`;
        count++;
        break;
      }
    }
  }
  const left = [...(coverage.missing().get(machine)?.keys() ?? [])].filter((item) => coverage.isCounted(item));
  return { text, count, left };
}

/** In a pattern, lines have the name of its file. */
function nameOf({ file, line, label }: CoveredItem, { files }: Machine): string {
  const at = file === files[0] ? `line ${line}` : `${basename(file)} line ${line}`;
  return label === '' ? at : `${at}: ${label.replaceAll(/\s+/g, ' ')}`;
}

function freeName(name: string, names: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; names.has(free); number++) free = `${name} (${number})`;
  return free;
}
