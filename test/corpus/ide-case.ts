/** Questions that an editor asks about a program, as texts. The place of the cursor is `<|>` in the program. */
import { type Compilation, compile } from '../../src/language/check/compile.js';
import { positionAt, type SourceSet, type Span } from '../../src/language/source/diagnostic.js';
import { type Case, programOf } from './case-file.js';
import { compileOptions } from './compile-case.js';

export function answers(the: Case): Record<string, string> {
  const { text } = programOf(the);
  const compilation = compile(text, { ...compileOptions(the), index: true });
  const actual: Record<string, string> = {};
  for (const { name } of the.sections) if (name === 'index') actual[name] = indexText(compilation);
  return actual;
}

/** A line for each occurrence: its place, the name as written, its role, and what it can mean. */
export function indexText({ index, sources }: Compilation): string {
  if (index === null) throw new Error('there is no index');
  const symbolText = (id: number): string => {
    const { kind, name, owner } = index.symbols[id] as (typeof index.symbols)[number];
    return `${kind} ${owner === '' ? '' : `${ownerText(owner, sources)} `}${name}`;
  };
  const line = (span: Span, role: string, symbols: readonly number[]): string => {
    const text = sources[span.file]?.text.slice(span.start, span.end);
    return `${placeText(span, sources)} ${text}: ${role} ${symbols.map(symbolText).join(', else ')}\n`;
  };
  return [
    ...index.occurrences.map(({ span, role, symbols }) => line(span, role, symbols)),
    ...index.targets.map(({ span, symbols }) => line(span, 'leads to', symbols)),
    ...index.symbols
      .filter(({ doc }) => doc !== null)
      .map(({ name, doc }) => `doc of ${name}: ${JSON.stringify(doc)}\n`),
  ].join('');
}

/** Places of steps and loops are offsets. */
function ownerText(owner: string, sources: SourceSet): string {
  const [, file, start] = /^(\d+):(\d+)$/.exec(owner) ?? [];
  return file === undefined ? owner : `at ${placeText({ file: Number(file), start: Number(start), end: 0 }, sources)}`;
}

function placeText({ file, start }: Span, sources: SourceSet): string {
  const source = sources[file];
  if (source === undefined) throw new Error(`file ${file} does not exist`);
  const { line, column } = positionAt(source, start);
  return `${file === 0 ? '' : `${source.name}:`}${line}:${column}`;
}
