/** The manual is complete: it has every code, function and exit code of the program. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { functionNamed } from '../src/interpreter/values/functions.js';
import { definedCodes } from '../src/source/catalogue/message.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const reference = readFileSync(join(root, 'grammar/reference.md'), 'utf8');
const source = (path: string) => readFileSync(join(root, 'src', path), 'utf8');

/** Functions that the run answers itself, because they need more than their arguments. */
const BY_THE_RUN = ['default', 'exit_code', 'now', 'uuid', 'random', 'program_dir'];

function section(heading: string): string {
  const start = reference.indexOf(`\n${heading}\n`);
  expect(start).toBeGreaterThan(-1);
  const level = heading.indexOf(' ');
  const next = new RegExp(`\n#{1,${level}} `, 'g');
  next.lastIndex = start + heading.length;
  return reference.slice(start, next.exec(reference)?.index);
}

/** Words in code spans of the first column of a section's tables. */
function firstColumn(heading: string): string[] {
  const rows = section(heading).match(/^\|[^|\n]*/gm) ?? [];
  return rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string));
}

describe('the reference', () => {
  it('names every code', async () => {
    for (const file of readdirSync(join(root, 'src/source/catalogue')))
      await import(`../src/source/catalogue/${file.replace(/\.ts$/, '.js')}`);
    const codes = [...definedCodes().keys()];
    expect(codes.filter((code) => !reference.includes(`\`${code}\``))).toEqual([]);
  });

  it('lists the functions there are', () => {
    const names = firstColumn('## Functions').map((call) => call.replace(/\(.*/, ''));
    const table = source('interpreter/values/functions.ts').match(/const TABLE[\s\S]*?\n};/)?.[0] ?? '';
    const defined = [...table.matchAll(/^ {2}(\w+)[:,]/gm)].map((match) => match[1] as string);
    expect(defined.length).toBeGreaterThan(20);
    expect([...new Set(names)].sort()).toEqual([...defined, ...BY_THE_RUN].sort());
    for (const name of defined) expect(functionNamed(name)).not.toBeNull();
  });

  it('lists the exit codes', () => {
    const codes = [...source('cli/terminal/exit-code.ts').matchAll(/: (\d+),/g)].map((match) => match[1] as string);
    expect(codes.length).toBeGreaterThan(4);
    for (const code of codes) expect(section('## Command line')).toContain(`| ${code} |`);
  });
});
