/**
 * The examples of `docs/codes/`: for each code a program that causes it and one that does not. Each is written to a folder
 * and checked there; where something else than a check causes a code, the example has the command line.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CodeExample, examplesIn } from '../src/cli/commands/explain.js';
import { commandLine } from './harness/command-line.js';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs/codes');

/** An example with the name of its page. */
export interface PlacedExample extends CodeExample {
  readonly page: string;
}

/** By code, in the order of their pages. A code that is there twice is an error of the pages. */
export function codeExamples(): Map<string, PlacedExample> {
  const found = new Map<string, PlacedExample>();
  for (const page of readdirSync(folder))
    for (const [code, example] of examplesIn(readFileSync(join(folder, page), 'utf8'))) {
      if (found.has(code)) throw new Error(`${code} is also in ${found.get(code)?.page}`);
      found.set(code, { ...example, page });
    }
  return found;
}

export interface Shown {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly help: string;
}

/** A page cannot show every byte: `␀` stands for a zero, `�` for one that is not UTF-8. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('␀', '\0')).toString('latin1');
  return Buffer.from(bytes.replaceAll('\xef\xbf\xbd', '\xff'), 'latin1');
}

/** What is said about one of the two sides of an example. */
export async function shownBy(example: CodeExample, side: 'wrong' | 'right'): Promise<Shown[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'statedsl-codes-'));
  try {
    for (const { name, text } of example[side].files) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), bytesOf(text));
    }
    const words = example[side].command.match(/"[^"]*"|\S+/g) ?? [];
    const env = { PATH: process.env.PATH, HOME: cwd, NO_COLOR: '1', XDG_CACHE_HOME: cwd };
    const { stderr, stdout } = await commandLine(
      words.slice(1).map((word) => word.replace(/^"(.*)"$/, '$1')),
      { cwd, env },
    );
    return (stderr + stdout).split(/\n\n|\n(?=(?:error|warning|note)\[)/).flatMap((paragraph) => {
      const [, severity = '', code = '', message = ''] =
        /^ *(error|warning|note)\[([\w-]+)\]: (.+)/m.exec(paragraph) ?? [];
      const [, help = ''] = /^ *= help: (.+)/m.exec(paragraph) ?? [];
      return code === '' ? [] : [{ code, severity, message, help }];
    });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
