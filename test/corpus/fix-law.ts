/**
 * The law of safe fixes, for programs with mistakes: a program without errors stays as it is; no error comes; what compiled
 * compiles to the same; nothing is left to correct; and a program that was correct before its mistakes is that program again,
 * if it is correct now.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Compilation, type CompileOptions, compile, loweredOf } from '../../src/language/check/compile.js';
import { parseFile } from '../../src/language/frontends/markdown.js';
import {
  type Diagnostic,
  hasErrors,
  positionAt,
  type SourceFile,
  type Span,
} from '../../src/language/source/diagnostic.js';
import { fixText } from '../../src/language/source/fix-text.js';
import { withFixes } from '../../src/language/source/repair.js';
import type { Json } from '../../src/machine/expression.js';
import type { Instruction, Machine } from '../../src/machine/machine.js';
import { root } from '../harness/process.js';
import { type Case, casesOf, programOf, sectionText } from './case-file.js';
import { compileOptions } from './compile-case.js';
import { type Mistaken, withMistakes } from './mistakes.js';
import { compiledPlan } from './plan-case.js';

interface Checked extends Pick<Compilation, 'diagnostics' | 'sources'> {
  /** What runs; null if there are errors. */
  readonly runs: unknown;
}

export interface FixedProgram {
  readonly name: string;
  readonly text: string;
  readonly check: (text: string) => Checked;
  /** For programs of the language. */
  readonly options?: CompileOptions;
}

/** The mistakes are drawn from it, so it is the same in each copy of the repository. */
const nameOf = (path: string): string => relative(root, path);

function program(path: string, text: string, options: CompileOptions): FixedProgram {
  const name = nameOf(path);
  const check = (edited: string): Checked => {
    const { diagnostics, sources, machine } = compile(edited, options);
    return { diagnostics, sources, runs: machine === null ? null : meaningOf(machine) };
  };
  return { name, text, check, ...(options.parse === undefined ? { options } : {}) };
}

function plan(the: Case): FixedProgram {
  const check = (edited: string): Checked => {
    const { compiled, diagnostics, sources } = compiledPlan(the, edited);
    return { diagnostics: withFixes(diagnostics, sources), sources, runs: meaning(compiled?.plan ?? null) };
  };
  return { name: nameOf(the.path), text: sectionText(the, 'plan') ?? '', check };
}

/** Programs of the repository, as they are without a configuration. */
function files(folder: string): FixedProgram[] {
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
export const programs: readonly FixedProgram[] = [
  ...(['run', 'check', 'syntax', 'format'] as const)
    .flatMap(casesOf)
    .map((the) => program(the.path, programOf(the).text, compileOptions(the))),
  ...casesOf('workflows').map((the) =>
    program(the.path, sectionText(the, 'workflow') ?? '', { name: 'flow.yaml', parse: parseFile }),
  ),
  ...(['plans', 'plan-runs'] as const).flatMap(casesOf).map(plan),
  ...['examples', 'patterns', 'workflows'].flatMap(files),
].filter(({ text }) => text.length < LARGE && text !== '');

const errorsOf = ({ diagnostics }: Pick<Compilation, 'diagnostics'>): readonly Diagnostic[] =>
  diagnostics.filter(({ severity }) => severity === 'error');

function counts(list: readonly Diagnostic[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const one of list) found.set(keyOf(one), (found.get(keyOf(one)) ?? 0) + 1);
  return found;
}

const keyOf = ({ code, message }: Diagnostic): string => `${code}: ${message}`;

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
  /^(?:boundAt|to|pc|from|join|exit|again|deadline|timedOut|items|index|collect|otherwise|done|level|variable|body|bind|exitSlot|slot|state|keep|failures|handling|turns|chance|reads|frames|places|mark)$/;

interface Code {
  readonly states: readonly string[];
  readonly instructions: readonly CodeLine[];
}

/** An instruction as text. */
interface CodeLine {
  readonly state: string;
  readonly code: string;
  /** Its code without a time limit, if a line around it is wrong: a PARALLEL gives its limit to its members. */
  readonly unlimited: string | null;
}

/**
 * The instructions that no error has a part in: not on their lines, not in the block below a STEP, a PARALLEL or a script, which
 * they hold, and not in a name that a wrong line was to bind. `left` are the messages after the fix; null: all instructions.
 */
function compiled(text: string, options: CompileOptions, left: ReadonlyMap<string, number> | null): Code {
  const compilation = compile(text, { ...options, previous: null });
  const [source] = compilation.sources as [SourceFile];
  const lines = text.split('\n');
  // A warning that goes with the mistake is about something that the mistake changes, as a name that a wrong line binds.
  const mistaken = compilation.diagnostics.filter(
    (one) => left !== null && (one.severity === 'error' || (one.severity === 'warning' && !left.has(keyOf(one)))),
  );
  const wrong = new Set(mistaken.flatMap(({ span }) => (span.file === 0 ? linesOf(span, source) : [])));
  const isWrong = (one: Instruction, span: Span): boolean => {
    const { op } = one;
    const own = linesOf(span, source);
    // `DO: r = in PARALLEL` binds an object of what its members bind.
    const isOfMembers = op === 'set' && one.value.op === 'object';
    const block = isOfMembers || /^(?:fork|shell|step-)/.test(op) ? blockBelow(lines, own.at(-1) as number) : [];
    // A WAIT below a PARALLEL belongs to it.
    const below = op === 'fork' ? [(block.at(-1) ?? (own.at(-1) as number)) + 1] : [];
    return [...own, ...block, ...below].some((line) => wrong.has(line));
  };
  // Which session a step continues follows from the steps around it.
  const isStepWrong = [...wrong].some((line) => /\b(?:STEP|GATE)\b/i.test(lines[line - 1] ?? ''));
  const boundWrong = new Set([...wrong].flatMap((line) => namesBoundIn(lines[line - 1] ?? '')));
  const usesPattern = [...wrong].some((line) => /^\S|\bUSE\b/i.test(lines[line - 1] ?? ''));
  const states = loweredOf(compilation).flatMap((machine) => machine.states.map((one) => ({ ...one, machine })));
  const instructions = states.flatMap(({ state: { name, code }, spans, machine: { machine } }) => {
    const isWrongAt = (pc: number) => isWrong(code[pc] as Instruction, spans[pc] as Span);
    // All instructions of a step hold its parts.
    const wrongSteps = new Set(code.flatMap((one, pc) => ('plan' in one && isWrongAt(pc) ? [one.plan] : [])));
    // An agent whose PROMPT is wrong gets the task and the inputs instead.
    const isGiven = (one: Instruction, pc: number): boolean => {
      if (one.op !== 'set' || !one.name.startsWith('$')) return false;
      const asks = code.slice(pc).find(({ op }) => op === 'step-agent');
      return asks?.op === 'step-agent' && wrongSteps.has(asks.plan);
    };
    return code
      .filter((one, pc) => {
        const span = spans[pc] as Span;
        // What stands for the end of a script, state or turn, and a part of a condition.
        if (
          one.op === 'jump' ||
          one.op === 'next' ||
          one.op === 'fell-off' ||
          one.op === 'join-detached' ||
          isImplied(one, text.slice(span.start, span.end))
        )
          return false;
        if (
          span.file !== 0 ||
          isWrongAt(pc) ||
          isGiven(one, pc) ||
          ('plan' in one && wrongSteps.has(one.plan)) ||
          (isStepWrong && /^(?:step|gate)-/.test(one.op))
        )
          return false;
        return !readsUnknown(one, boundWrong) && !(usesPattern && isOfPattern(lines, span, source));
      })
      .map((one): CodeLine => {
        const meant = one.op === 'plan' ? { ...one, plan: machine.plans?.[one.plan] } : one;
        const isWithin = left === null || linesAround(lines, one.origin.line).some((line) => wrong.has(line));
        const unlimited = isWithin ? codeText({ ...meant, timeout: undefined }) : null;
        return { state: name, code: codeText(meant), unlimited };
      });
  });
  // What is below an indented declaration is in another state until it is at the margin.
  const isIndented = mistaken.some(({ code }) => code === 'indented-declaration');
  return { states: isIndented ? [] : states.map(({ state }) => state.name), instructions };
}

/** The names that a line of a program may bind, whatever is wrong with it. */
function namesBoundIn(line: string): string[] {
  return [...line.matchAll(/([A-Za-z_]\w*)\s*=(?!=)|(?:→|->)\s*([A-Za-z_]\w*)\s*$/g)].map(
    ([, set, shown]) => (set ?? shown) as string,
  );
}

/**
 * Whether a name of it has no value, or is in braces that stay text for that reason, or a value of it could not be read.
 * `boundWrong` are names that a wrong line was to bind: a path of such a name is a text until then.
 */
function readsUnknown(one: Instruction, boundWrong: ReadonlySet<string>): boolean {
  const code = JSON.stringify(one, (key, value) => (key === 'source' ? undefined : value));
  if (code.includes('"op":"literal","value":null')) return true;
  // `DO: x = date` is the variable, if a line that is wrong declares one.
  if (one.op === 'shell' && one.reading === 'do' && /^\w+$/.test(one.template.source)) return true;
  if (one.op !== 'shell')
    for (const [, name = ''] of code.matchAll(/"([A-Za-z_]\w*)[.[]/g)) if (boundWrong.has(name)) return true;
  return code.includes('"places":[]') || (one.op !== 'shell' && /\{ ?[a-z_]/i.test(code));
}

const isImplied = (one: Instruction, text: string): boolean =>
  one.op === 'return' && one.value === null && !/RETURN|EXIT/i.test(text);

function codeText(instruction: unknown): string {
  // The names of stored plans are numbered in the order of the program.
  return JSON.stringify(instruction, (key, value) =>
    SHOWN.has(key) || POSITIONS.test(key) || (key === 'plan' && typeof value === 'string') ? undefined : value,
  );
}

/** The instructions that are no longer there. In which state they are is compared if the states are the same. */
function changedCode(was: Code, is: Code): string[] {
  const withStates = was.states.join() === is.states.join();
  const left = [...is.instructions];
  return was.instructions.flatMap(({ state, code, unlimited }) => {
    const at = left.findIndex(
      (one) =>
        (!withStates || one.state === state) && (unlimited === null ? one.code === code : one.unlimited === unlimited),
    );
    if (at >= 0) left.splice(at, 1);
    return at < 0 ? [withStates ? `${state}: ${code}` : code] : [];
  });
}

function linesOf({ start, end }: Span, source: SourceFile): number[] {
  const [first, last] = [positionAt(source, start).line, positionAt(source, end).line];
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

const indentationOf = (line: string): number => (/^\s*/.exec(line)?.[0] ?? '').replaceAll('\t', '  ').length;

/** The lines below a line that are deeper. */
function blockBelow(lines: readonly string[], line: number): number[] {
  const own = indentationOf(lines[line - 1] ?? '');
  const end = lines.findIndex((text, at) => at >= line && text.trim() !== '' && indentationOf(text) <= own);
  return Array.from({ length: (end < 0 ? lines.length : end) - line }, (_, at) => line + 1 + at);
}

/** The lines in whose blocks a line is. */
function linesAround(lines: readonly string[], line: number): number[] {
  let own = indentationOf(lines[line - 1] ?? '');
  const found: number[] = [];
  for (let above = line - 1; above > 0 && own > 0; above--) {
    const text = lines[above - 1] ?? '';
    if (text.trim() === '' || indentationOf(text) >= own) continue;
    own = indentationOf(text);
    found.push(above);
  }
  return found;
}

/** The instructions of a pattern have the values of the line that uses it. */
function isOfPattern(lines: readonly string[], { start }: Span, source: SourceFile): boolean {
  const above = lines.slice(0, positionAt(source, start).line).findLast((line) => /^\S/.test(line)) ?? '';
  // Its verb may be misspelt, too.
  return /^[\W\d]*P[A-Z]*N/i.test(above);
}

interface Judged {
  readonly problems: string;
  readonly isFixed: boolean;
}

const nothing: Judged = { problems: '', isFixed: false };

/** What is wrong with the fixes of a program with mistakes, which a seed draws. */
export async function problemsOf(the: FixedProgram, seed: string): Promise<Judged> {
  const mutated = withMistakes(the.text, seed, (one) => errorsOf(the.check(one)).length);
  if (mutated === null) return nothing;
  return judgeFixes(the, mutated, `[${mutated.made.map(({ name }) => name).join(', ')}] ${seed}`);
}

/** The same for mistakes that are known. */
export function problemsOfText(text: string, mistaken: string): Promise<Judged> {
  return judgeFixes(program('program.dsl', text, {}), { text: mistaken, isSpelling: true }, 'program.dsl');
}

async function judgeFixes(
  { text, check, options }: FixedProgram,
  mutated: Pick<Mistaken, 'text' | 'isSpelling'>,
  label: string,
): Promise<Judged> {
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
    const was = compiled(mutated.text, options, counts(after.diagnostics));
    const is = compiled(result.text, options, null);
    // A line that is outside of all states since these are known, and is wrong itself, takes what is below it along.
    const isComparable = after.runs !== null || was.states.join() === is.states.join();
    for (const one of isComparable ? changedCode(was, is) : []) problems.push(`changes: ${one}`);
  }
  const meant = check(text);
  if (mutated.isSpelling && after.runs !== null && meant.runs !== null && !isDeepStrictEqual(after.runs, meant.runs))
    problems.push('is another program');
  if (problems.length === 0) return { problems: '', isFixed: true };
  const what = `${problems.join('\n')}\n${label}`;
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
