/**
 * `check --fix` makes no unsafe change. Programs with mistakes are corrected, and whatever was wrong: a program without
 * errors stays as it is; no error comes; what compiled compiles to the same; nothing is left to correct; and a program that
 * was correct before its mistakes is that program again, if it is correct now.
 */
import { expect, test } from 'vitest';
import { type Compilation, type CompileOptions, compile } from '../../src/check/compile.js';
import { reuseFrom } from '../../src/check/incremental-reuse.js';
import { fixText } from '../../src/cli/files/fix.js';
import { parseFile } from '../../src/frontends/parse-file.js';
import type { Json } from '../../src/machine/expression.js';
import type { Machine, State } from '../../src/machine/machine.js';
import { type Diagnostic, hasErrors } from '../../src/source/diagnostic.js';
import { positionAt, type SourceFile } from '../../src/source/source-file.js';
import { amount } from '../amount.js';
import { casesOf, programOf, sectionText } from '../corpus/case-file.js';
import { compileOptions } from '../corpus/compile-case.js';
import { numbersFrom, withMistakes } from '../corpus/mistakes.js';

interface Program {
  readonly name: string;
  readonly text: string;
  readonly options: CompileOptions;
}

const LARGE = 4000;
const programs: readonly Program[] = [
  ...(['run', 'check', 'syntax', 'format'] as const).flatMap(casesOf).map((the) => ({
    name: the.path,
    text: programOf(the).text,
    options: compileOptions(the),
  })),
  ...casesOf('workflows').map((the) => ({
    name: the.path,
    text: sectionText(the, 'workflow') ?? '',
    options: { name: 'flow.yaml', parse: parseFile },
  })),
].filter(({ text }) => text.length < LARGE && text !== '');

const errorsOf = ({ diagnostics }: Compilation): readonly Diagnostic[] =>
  diagnostics.filter(({ severity }) => severity === 'error');

function counts(list: readonly Diagnostic[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { code, message } of list) found.set(`${code}: ${message}`, (found.get(`${code}: ${message}`) ?? 0) + 1);
  return found;
}

/** Where an instruction is, and the text that shows it, do not change what it does. */
const SHOWN: ReadonlySet<string> = new Set(['origin', 'text', 'line', 'holes', 'names', 'files', 'printed']);

function meaning(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, one) => (SHOWN.has(key) ? undefined : (one as Json))));
}

/** Inputs may be declared in another order. */
function meaningOf(machine: Machine): unknown {
  const { inputs } = machine;
  const sorted = [...inputs].sort((a, b) => (a.name < b.name ? -1 : 1));
  return JSON.parse(JSON.stringify(meaning({ ...machine, inputs: sorted })), (_, one) =>
    one !== null && typeof one === 'object' && one.in === 'input' && typeof one.slot === 'number'
      ? { ...one, slot: inputs[one.slot]?.name }
      : one,
  );
}

/** Positions in the code and in the lists of names, which change when another line is understood. */
const POSITIONS =
  /^(?:boundAt|to|pc|from|join|exit|again|deadline|timedOut|items|index|variable|body|bind|exitSlot|slot|state|keep|failures|handling|turns|chance|reads|frames)$/;

/** The instructions of the lines without errors. */
function compiled(text: string, options: CompileOptions): string[] {
  const compilation = compile(text, { ...options, previous: null });
  const [source] = compilation.sources as [SourceFile];
  const wrong = new Set(
    errorsOf(compilation).flatMap(({ span }) => {
      if (span.file !== 0) return [];
      const [first, last] = [positionAt(source, span.start).line, positionAt(source, span.end).line];
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    }),
  );
  const states = ['main', options.name?.replace(/\.\w+$/, '') ?? '']
    .flatMap((name) => [...(reuseFrom(compilation).statesOf(name)?.previous?.byText.values() ?? [])])
    .map(({ lowered }) => lowered.state);
  return states.flatMap(({ name, code }: State) =>
    code
      .filter(({ origin, op }) => origin.file === 0 && !wrong.has(origin.line) && op !== 'jump' && op !== 'fell-off')
      .map(
        (one) =>
          `${name}: ${JSON.stringify(one, (key, value) => (SHOWN.has(key) || POSITIONS.test(key) ? undefined : value))}`,
      ),
  );
}

async function problemsOf({ text, options }: Program, seed: string): Promise<string[]> {
  const mutated = withMistakes(text, seed, (one) => errorsOf(compile(one, options)).length);
  if (mutated === null) return [];
  const before = compile(mutated.text, options);
  const result = await fixText(mutated.text, async (edited) => compile(edited, options));
  const after = compile(result.text, options);
  const problems: string[] = [];
  if (!hasErrors(before.diagnostics) && result.text !== mutated.text) problems.push('changes a program without errors');
  if (result.text === mutated.text) return problems;
  const known = counts(errorsOf(before));
  for (const [error, count] of counts(errorsOf(after)))
    if (count > (known.get(error) ?? 0)) problems.push(`adds: ${error}`);
  if (errorsOf(after).length >= errorsOf(before).length) problems.push('corrects nothing');
  const again = await fixText(result.text, async (edited) => compile(edited, options));
  if (again.text !== result.text) problems.push('has no end');
  if (options.parse === undefined) {
    const left = compiled(result.text, options);
    for (const one of compiled(mutated.text, options)) {
      const at = left.indexOf(one);
      if (at < 0) problems.push(`changes: ${one}`);
      else left.splice(at, 1);
    }
  }
  const meant = compile(text, options);
  if (mutated.isSpelling && after.machine !== null && meant.machine !== null)
    try {
      expect(meaningOf(after.machine)).toEqual(meaningOf(meant.machine));
    } catch {
      problems.push('is another program');
    }
  return problems.length === 0
    ? []
    : [
        `${problems.join('\n')}\n[${mutated.made.map(({ name }) => name).join(', ')}]\n--- ${seed}\n${difference(text, mutated.text)}\n=== fixed\n${difference(mutated.text, result.text)}`,
      ];
}

function difference(one: string, other: string): string {
  const [were, are] = [one.split('\n'), other.split('\n')];
  const lines = [
    ...were.filter((line) => !are.includes(line)).map((line) => `- ${line}`),
    ...are.filter((line) => !were.includes(line)).map((line) => `+ ${line}`),
  ];
  return lines.slice(0, 12).join('\n');
}

test('a safe fix changes nothing but what is wrong', async () => {
  const random = numbersFrom(process.env.MISTAKES ?? '1');
  const count = Number(process.env.COUNT ?? amount(120, 8000));
  const found: string[] = [];
  for (let at = 0; at < count; at++) {
    const program = programs[random(programs.length)] as Program;
    for (const problem of await problemsOf(program, `${program.name} ${random(1e9)}`))
      found.push(`${program.name}\n${problem}`);
  }
  expect(found.slice(0, Number(process.env.SHOW ?? 5)).join('\n\n')).toBe('');
});
