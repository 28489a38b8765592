/**
 * `check --fix` makes no unsafe change. Programs with mistakes are corrected, and whatever was wrong: a program without
 * errors stays as it is; no error comes; what compiled compiles to the same; nothing is left to correct; and a program that
 * was correct before its mistakes is that program again, if it is correct now.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Compilation, type CompileOptions, compile } from '../../src/check/compile.js';
import { reuseFrom } from '../../src/check/incremental-reuse.js';
import { fixText } from '../../src/cli/files/fix.js';
import { parseFile } from '../../src/frontends/parse-file.js';
import type { Json } from '../../src/machine/expression.js';
import type { Machine, State } from '../../src/machine/machine.js';
import { type Diagnostic, hasErrors } from '../../src/source/diagnostic.js';
import { withFixes } from '../../src/source/repair.js';
import { positionAt, type SourceFile } from '../../src/source/source-file.js';
import { type Case, casesOf, programOf, sectionText } from '../corpus/case-file.js';
import { compileOptions } from '../corpus/compile-case.js';
import { numbersFrom, withMistakes } from '../corpus/mistakes.js';
import { compiledPlan } from '../corpus/plan-case.js';
import { seed } from '../random.js';

interface Checked extends Pick<Compilation, 'diagnostics' | 'sources'> {
  /** What runs; null if there are errors. */
  readonly runs: unknown;
}

interface Program {
  readonly name: string;
  readonly text: string;
  readonly check: (text: string) => Checked;
  /** For programs of the language. */
  readonly options?: CompileOptions;
}

function program(name: string, text: string, options: CompileOptions): Program {
  const check = (edited: string): Checked => {
    const { diagnostics, sources, machine } = compile(edited, options);
    return { diagnostics, sources, runs: machine === null ? null : meaningOf(machine) };
  };
  return { name, text, check, ...(options.parse === undefined ? { options } : {}) };
}

function plan(the: Case): Program {
  const check = (edited: string): Checked => {
    const { compiled, diagnostics, sources } = compiledPlan(the, edited);
    return { diagnostics: withFixes(diagnostics, sources), sources, runs: meaning(compiled?.plan ?? null) };
  };
  return { name: the.path, text: sectionText(the, 'plan') ?? '', check };
}

/** Programs of the repository, as they are without a configuration. */
function files(folder: string): Program[] {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.(?:dsl|md|yaml)$/.test(name) && !/config\.yaml$/.test(name))
    .sort();
  return found.map((name) =>
    program(join(folder, name), readFileSync(join(folder, name), 'utf8'), {
      name: basename(name),
      lookups: { agents: { isKnown: () => true }, onPath: () => true },
      load: (path) => readShipped(path),
      ...(name.endsWith('.dsl') ? {} : { parse: parseFile }),
    }),
  );
}

function readShipped(path: string): { name: string; text: string } | null {
  const file = `patterns/${path.replace(/^std\//, '')}.dsl`;
  return existsSync(file) ? { name: file, text: readFileSync(file, 'utf8') } : null;
}

const LARGE = 4000;
const programs: readonly Program[] = [
  ...(['run', 'check', 'syntax', 'format'] as const)
    .flatMap(casesOf)
    .map((the) => program(the.path, programOf(the).text, compileOptions(the))),
  ...casesOf('workflows').map((the) =>
    program(the.path, sectionText(the, 'workflow') ?? '', { name: 'flow.yaml', parse: parseFile }),
  ),
  ...(['plans', 'plan-runs'] as const).flatMap(casesOf).map(plan),
  ...['examples', 'patterns', 'workflows'].flatMap(files),
  // What a program finds in another file comes and goes with the mistake in its name, and is no change by the fix.
].filter(({ text }) => text.length < LARGE && text !== '' && !/^\s*PLAN:/im.test(text));

const errorsOf = ({ diagnostics }: Pick<Compilation, 'diagnostics'>): readonly Diagnostic[] =>
  diagnostics.filter(({ severity }) => severity === 'error');

function counts(list: readonly Diagnostic[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { code, message } of list) found.set(`${code}: ${message}`, (found.get(`${code}: ${message}`) ?? 0) + 1);
  return found;
}

/** Where an instruction is, and the text that shows it, do not change what it does. */
const SHOWN: ReadonlySet<string> = new Set(['origin', 'text', 'line', 'holes', 'names', 'files', 'printed', 'boundAt']);

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

async function problemsOf(
  { text, check, options }: Program,
  seed: string,
): Promise<{ problems: string; isFixed: boolean }> {
  const nothing = { problems: '', isFixed: false };
  const mutated = withMistakes(text, seed, (one) => errorsOf(check(one)).length);
  if (mutated === null) return nothing;
  const before = check(mutated.text);
  const result = await fixText(mutated.text, async (edited) => check(edited));
  if (result.text === mutated.text) return nothing;
  const after = check(result.text);
  const problems: string[] = [];
  if (!hasErrors(before.diagnostics)) problems.push('changes a program without errors');
  const known = counts(errorsOf(before));
  for (const [error, count] of counts(errorsOf(after)))
    if (count > (known.get(error) ?? 0)) problems.push(`adds: ${error}`);
  if (errorsOf(after).length >= errorsOf(before).length) problems.push('corrects nothing');
  const again = await fixText(result.text, async (edited) => check(edited));
  if (again.text !== result.text) problems.push('has no end');
  if (options !== undefined) {
    const left = compiled(result.text, options);
    for (const one of compiled(mutated.text, options)) {
      const at = left.indexOf(one);
      if (at < 0) problems.push(`changes: ${one}`);
      else left.splice(at, 1);
    }
  }
  const meant = check(text);
  if (mutated.isSpelling && after.runs !== null && meant.runs !== null)
    try {
      expect(after.runs).toEqual(meant.runs);
    } catch {
      problems.push('is another program');
    }
  if (problems.length === 0) return { problems: '', isFixed: true };
  const what = `${problems.join('\n')}\n[${mutated.made.map(({ name }) => name).join(', ')}] ${seed}`;
  return {
    problems: `${what}\n${difference(text, mutated.text)}\n=== fixed\n${difference(mutated.text, result.text)}`,
    isFixed: true,
  };
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
  // Other mistakes than these are tried every night: about one fix in a hundred still changes something else.
  const isNight = process.env.NIGHTLY !== undefined;
  const random = numbersFrom(isNight ? String(seed) : '1');
  const wanted = isNight ? 2000 : 20;
  const found: string[] = [];
  let fixed = 0;
  for (let tried = 0; fixed < wanted && tried < 20 * wanted; tried++) {
    const one = programs[random(programs.length)] as Program;
    const { problems, isFixed } = await problemsOf(one, `${one.name} ${random(1e9)}`);
    if (problems !== '') found.push(problems);
    if (isFixed) fixed++;
  }
  expect(found.slice(0, 20).join('\n\n')).toBe('');
  expect(fixed).toBe(wanted);
});
