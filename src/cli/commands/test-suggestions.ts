/** `test --suggest`: writes a TEST for each way that the tests of a program do not go. */
import { readFileSync } from 'node:fs';
import type { Coverage, CoveredItem } from '../../lab/testing/coverage.js';
import type { Suite } from '../../lab/testing/suite.js';
import { suggestTests } from '../../lab/testing/write-tests.js';
import { quoteText } from '../../language/format/print-expression.js';
import { entryAt } from '../../runtime/store/own-file.js';
import { commandLineHost, writeNamed } from '../files/command-line-host.js';
import { whyNotWritable } from '../files/replace-file.js';
import { stderr } from '../terminal/streams.js';

const COMMENT =
  '# Suggested by `statedsl test --suggest`: what the program does now. Look whether that is what it should do.\n';

/** False: a file cannot be written, and it was printed. */
export async function writeSuggestions(suites: readonly Suite[], coverage: Coverage): Promise<boolean> {
  const read = new Set(suites.map(({ name }) => name));
  const left = new Set<CoveredItem>();
  const done = new Set<string>();
  let isWritten = true;
  let total = 0;
  for (const suite of suites) {
    const { machine, tree, name } = suite;
    // Several files may test one program.
    const key = JSON.stringify([machine.files[0], machine.name]);
    if (done.has(key) || tree.program === null) continue;
    done.add(key);
    const file = name.replace(/(?:\.suggested)?\.test\.(dsl|statedsl)$/, '.suggested.test.$1');
    const refused = whyNotWritable(file);
    if (refused !== null) {
      stderr.write(`error: cannot write \`${file}\`: ${refused}\n`);
      isWritten = false;
      continue;
    }
    const names = new Set(
      suites.flatMap((other) => (other.name === file ? other.tree.tests.map((test) => test.name) : [])),
    );
    const head = headOf(suite);
    const found = await suggestTests(machine, coverage, { file, head, host: commandLineHost(), names });
    for (const item of found.left) left.add(item);
    total += found.count;
    if (found.count === 0) continue;
    const problem = write(file, read.has(file), `${COMMENT}${head}\n`, found.text);
    stderr.write(
      problem === null
        ? `wrote ${found.count} ${found.count === 1 ? 'test' : 'tests'} to ${file}\n`
        : `error: cannot write \`${file}\`: ${problem}\n`,
    );
    isWritten &&= problem === null;
  }
  // Another program may come to a line of a pattern.
  const never = [...left].filter(({ hits }) => hits === 0);
  if (never.length > 0) stderr.write(`no test was found for\n${never.map(lineOf).join('')}`);
  else if (total === 0) stderr.write('there is nothing to suggest: the tests execute everything\n');
  return isWritten;
}

const lineOf = ({ file, line, label }: CoveredItem): string => `  ${file}:${line}${label === '' ? '' : ` ${label}`}\n`;

function headOf({ tree: { program } }: Suite): string {
  const machine = program?.machine ?? null;
  return `TESTS: ${quoteText(program?.path ?? '')}${machine === null ? '' : ` machine=${machine.text}`}`;
}

/** Adds to a file whose tests have been counted. Why it cannot be written; null: it is. */
function write(file: string, isRead: boolean, head: string, tests: string): string | null {
  try {
    const old = entryAt(file)?.isFile() ? readFileSync(file, 'utf8') : null;
    if (old !== null && isRead) return writeNamed(file, `${old.trimEnd()}\n${tests}`);
    if (old !== null && !old.startsWith(COMMENT)) return 'it exists, and this command did not write it';
    return writeNamed(file, `${head}${tests}`);
  } catch (cause) {
    return (cause as Error).message;
  }
}
