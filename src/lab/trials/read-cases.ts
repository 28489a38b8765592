/**
 * The cases of a trial: inputs of a program, and what is expected of its runs, as a list in YAML. Expectations are the lines of
 * test files: their lines are read as one test for each case, and what is wrong with them is shown where it is in the YAML.
 */
import { printJson } from '../../interpreter/values/json.js';
import { isBeyondJson, isObject, type Value } from '../../interpreter/values/value.js';
import { testMessages as say } from '../../language/source/catalogue/tests.js';
import {
  type Diagnostic,
  hasErrors,
  moveDiagnostic,
  type SourceFile,
  type Span,
  sortDiagnostics,
  sourceFile,
} from '../../language/source/diagnostic.js';
import { parseTests } from '../../language/syntax/tests/parse-tests.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';
import { type ReadFile, readYaml } from '../../runtime/configuration/yaml-file.js';
import { inputProblems } from '../../runtime/run/run-inputs.js';
import { checkSuite } from '../testing/check-suite.js';
import { factsOf } from '../testing/machine-facts.js';
import type { ExpectLine } from '../testing/schedule.js';
import { RUN_NAMES } from '../testing/suite.js';
import { compileExpressions, type TestExpressions, typesByName } from '../testing/test-expressions.js';

export interface TrialCase {
  readonly name: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** The JSON text of inputs with a number that JavaScript would print differently. */
  readonly printed: Readonly<Record<string, string>>;
  readonly expects: readonly ExpectLine[];
}

/** The cases for one program, which gives their expectations their meaning. */
export interface CompiledCases {
  readonly cases: readonly TrialCase[];
  readonly expressions: TestExpressions;
}

export interface ReadCases {
  /** Null: they cannot be right. */
  readonly compiled: CompiledCases | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: readonly SourceFile[];
}

/** The names of cases that were read before. */
export async function caseNames({ name, text }: { readonly name: string; readonly text: string }) {
  const { value } = await readYaml(text, name, true);
  return (Array.isArray(value) ? value : []).map((one, at) => ({ name: labelOf(isMap(one) ? one : {}, at) }));
}

/** Empty: it cannot be a name. */
const labelOf = ({ name }: Readonly<Record<string, Json>>, at: number): string =>
  name === undefined ? `case ${at + 1}` : ['string', 'number'].includes(typeof name) ? String(name).trim() : '';

const MEMBERS = ['name', 'inputs', 'expect'];
type Path = readonly (string | number)[];

/** `program`: how messages call it where there are two; null: there is one. */
export async function readCases(
  { name, text }: { readonly name: string; readonly text: string },
  machine: Machine,
  program: string | null,
): Promise<ReadCases> {
  const read = await readYaml(text, name, true);
  const reader = new CasesReader(sourceFile(name, text), read, machine);
  const compiled = reader.read();
  const diagnostics = sortDiagnostics(reader.diagnostics).map((one) =>
    program === null ? one : { ...one, message: `${one.message}, in \`${program}\`` },
  );
  return { compiled: hasErrors(diagnostics) ? null : compiled, diagnostics, sources: [reader.source] };
}

/** An expectation in the text that is read as a test file, and where it is in the YAML. */
interface QuotedLine {
  readonly from: number;
  readonly to: number;
  /** In the YAML; null: not the same characters, because the text is quoted with escapes or folded. */
  readonly start: number | null;
  readonly whole: Span;
}

class CasesReader {
  readonly diagnostics: Diagnostic[] = [];
  private text = '';
  private readonly regions: QuotedLine[] = [];

  constructor(
    readonly source: SourceFile,
    private readonly yaml: ReadFile,
    private readonly machine: Machine,
  ) {}

  read(): CompiledCases | null {
    for (const { line, column, message } of this.yaml.problems)
      this.diagnostics.push(say.line(this.at(line === null ? null : { line, column: column ?? 1 }), { what: message }));
    if (this.yaml.problems.length > 0) return null;
    const { value } = this.yaml;
    if (!Array.isArray(value) || value.length === 0) {
      this.report([], 'the file with the cases holds no list of them', 'begin each with `- name: …`');
      return null;
    }
    const given = value.map((one, at) => this.readCase(one, at));
    const names = new Map<string, number>();
    for (const [at, one] of given.entries()) {
      const before = one === null ? undefined : names.get(one.name);
      if (before !== undefined)
        this.report([at, 'name'], `there are two cases \`${one?.name}\``, 'give each its own name');
      if (one !== null) names.set(one.name, at);
    }
    const { tree, expressions } = this.compile();
    if (hasErrors(this.diagnostics)) return null;
    const cases = given.flatMap((one, at): TrialCase[] => {
      const lines = tree.tests[at]?.lines ?? [];
      return one === null ? [] : [{ ...one, expects: lines.filter((line) => line.kind === 'expect') }];
    });
    return { cases, expressions };
  }

  private readCase(value: Json, at: number): Omit<TrialCase, 'expects'> | null {
    this.text += `TEST: ${at}\n`;
    if (!isMap(value)) {
      this.report([at], 'a case is an object with `name`, `inputs` and `expect`', 'write `- name: …`');
      return null;
    }
    for (const member of Object.keys(value))
      if (!MEMBERS.includes(member)) {
        const near = nearest(member, MEMBERS);
        const help = near === undefined ? 'a case has `name`, `inputs` and `expect`' : `did you mean \`${near}\`?`;
        this.report([at, member], `a case has no \`${member}\``, help, true);
      }
    const { expect = [] } = value;
    const label = labelOf(value, at);
    if (label === '' || /[\n\r]/.test(label))
      this.report([at, 'name'], 'the name of a case is a text on one line', 'write `name: …`');
    const expected = typeof expect === 'string' ? [expect] : expect;
    if (Array.isArray(expected))
      for (const [index, one] of expected.entries())
        this.addExpectation(one, typeof expect === 'string' ? [at, 'expect'] : [at, 'expect', index]);
    else this.report([at, 'expect'], '`expect` is a list of expectations', 'write `- returned "…"` below it');
    return { name: label, ...this.readInputs(value, at) };
  }

  private readInputs(value: Readonly<Record<string, Json>>, at: number): Pick<TrialCase, 'inputs' | 'printed'> {
    const given = value.inputs ?? {};
    const inputs: Record<string, Json> = {};
    const printed: Record<string, string> = {};
    if (!isMap(given)) {
      this.report([at, 'inputs'], '`inputs` is an object with values by name', 'write `{name: value}`');
      return { inputs, printed };
    }
    for (const [name, one] of Object.entries(given)) {
      if (hasInfinity(one, 0))
        this.report([at, 'inputs', name], 'the value has a number that is not finite', 'write a number');
      else if (isBeyondJson(one as Value)) {
        const text = printJson(one as Value);
        inputs[name] = JSON.parse(text) as Json;
        printed[name] = text;
      } else inputs[name] = one;
    }
    for (const { name, message, help, kind } of inputProblems(this.machine, inputs)) {
      if (kind === 'missing' && Object.hasOwn(given, name)) continue;
      const where: Path = kind === 'missing' ? ('inputs' in value ? [at, 'inputs'] : [at]) : [at, 'inputs', name];
      this.report(where, message, help ?? (kind === 'missing' ? `add \`${name}\` to \`inputs\`` : 'correct it'), true);
    }
    return { inputs, printed };
  }

  private addExpectation(value: Json, path: Path): void {
    if (typeof value !== 'string')
      return this.report(path, 'an expectation is a text', 'write it in quotes, such as `\'returned "done"\'`');
    const line = value.trim();
    if (line === '' || /[\n\r]/.test(line) || line.endsWith('\\'))
      return this.report(path, 'an expectation is one line of text', 'write each as an element of the list');
    const verb = /^EXPECT(?:\s*\[[^\]]*\])?\s*:/.test(line) ? '' : 'EXPECT: ';
    const from = this.text.length + 2 + verb.length;
    this.text += `  ${verb}${line}\n`;
    const whole = this.at(this.yaml.locationOf(path));
    const { text } = this.source;
    const start = [whole.start, whole.start + 1].find((offset) => text.startsWith(line, offset)) ?? null;
    this.regions.push({ from, to: from + line.length, start, whole });
  }

  private compile() {
    const tested = sourceFile(this.source.name, this.text);
    const { tree, diagnostics } = parseTests(tested, 0);
    const { machine } = this;
    const variables = [...machine.inputs, ...machine.tracked.map((name) => ({ name }))].map(({ name }) => name);
    const names = new Set<string>([...variables, ...RUN_NAMES]);
    const expressions = compileExpressions(tree, 0, names, typesByName(machine));
    const found = [...diagnostics, ...expressions.diagnostics];
    found.push(...checkSuite({ machine, facts: factsOf(machine), sources: [tested], tree, expressions }));
    for (const { lines } of tree.tests)
      for (const line of lines)
        if (line.kind === 'expect' && line.expectation.kind === 'snapshot') {
          const what = 'a trial compares its runs with no snapshot';
          found.push(say.line(line.span, { what, help: 'write what you expect of the result' }));
        }
    this.diagnostics.push(...found.map((one) => moveDiagnostic(one, (span) => this.inYaml(span))));
    return { tree, expressions };
  }

  private inYaml({ start, end }: Span): Span {
    const region = this.regions.findLast(({ from }) => from <= end) ?? this.regions[0];
    if (region === undefined) return { file: 0, start: 0, end: 0 };
    const { from, to, start: there, whole } = region;
    if (there === null) return whole;
    const within = (offset: number): number => there + Math.min(Math.max(offset - from, 0), to - from);
    return { file: 0, start: within(start), end: within(end) };
  }

  private report(path: Path, what: string, help: string, key = false): void {
    const found =
      this.yaml.locationOf(path, key) ?? this.yaml.locationOf(path) ?? this.yaml.locationOf(path.slice(0, 1));
    this.diagnostics.push(say.line(this.at(found), { what, help }));
  }

  /** From a location to the end of its word, or of its line if it is quoted. */
  private at(location: { readonly line: number; readonly column: number } | null): Span {
    if (location === null) return { file: 0, start: 0, end: 0 };
    const { text, lineStarts } = this.source;
    const start = (lineStarts[location.line - 1] ?? 0) + location.column - 1;
    const rest = text.slice(start, lineStarts[location.line]);
    return { file: 0, start, end: start + (/^[\w.-]+/.exec(rest)?.[0] ?? rest.trimEnd()).length };
  }
}

const isMap = (value: Json): value is { readonly [name: string]: Json } => isObject(value as Value);

const DEEPEST = 1000;

function hasInfinity(value: Json, depth: number): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (value === null || typeof value !== 'object' || depth > DEEPEST) return false;
  return Object.values(value).some((one) => hasInfinity(one, depth + 1));
}
