/**
 * Caches the compiled program, so that its next start needs no parser. The cache is used only if the text and the
 * options are the same, and if all questions that the compiler asked its surroundings, asked again, have the same
 * answers.
 */
import type { Compilation } from '../check/compile.js';
import type { Json } from '../machine/expression.js';
import type { Machine } from '../machine/machine.js';
import type { Cache } from '../prelude/launcher.js';
import { digestOf, presetDigest } from '../runtime/store/machine-digest.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { sourceFile } from '../source/source-file.js';
import type { ProgramOptions } from './compile-program.js';
import type { ProjectHost } from './host.js';
import { type NamedText, type Surroundings, surroundingsOf } from './surroundings.js';

/** The part of a compilation that running the program needs. */
export type Runnable = Pick<Compilation, 'machine' | 'declared' | 'diagnostics' | 'sources'>;

/** A question, as the path of its function in the surroundings and its arguments, and its answer as JSON. */
type Answered = readonly [path: readonly string[], args: readonly Json[], answer: string];

interface Stored {
  readonly answered: readonly Answered[];
  readonly machine: Machine;
  readonly digest: string;
  readonly diagnostics: readonly Diagnostic[];
  /** The files that the program imports. */
  readonly imported: readonly NamedText[];
}

/**
 * Compiles the program each time if there is no cache, for standard input, and for CALL and PLAN, which read more
 * files.
 */
export async function compileOnce(
  cache: Cache | null,
  host: ProjectHost,
  program: NamedText,
  options: Omit<ProgramOptions, 'strict' | 'explain'>,
): Promise<Runnable> {
  const surroundings = surroundingsOf(host, program, options);
  const isKept = cache !== null && program.name !== '<stdin>';
  const name = `program ${JSON.stringify([host.folder, program.name])}`;
  const label = JSON.stringify([program.text, options.machine ?? null, surroundings]);
  const known = isKept ? recall(cache, name, label, surroundings, program) : null;
  if (known !== null) return known;
  const answered = new Map<string, Answered>();
  const { compileWithin } = await import('./compile-program.js');
  const { compilation, usesCalls } = await compileWithin(observe(surroundings, [], answered), host, program, options);
  const { machine, diagnostics, sources } = compilation;
  if (!isKept || usesCalls || machine === null) return compilation;
  const imported = sources.slice(1).map((source) => ({ name: source.name, text: source.text }));
  const stored: Stored = {
    answered: [...answered.values()],
    machine,
    digest: digestOf(machine),
    diagnostics,
    imported,
  };
  cache.write(name, label, Buffer.from(JSON.stringify(stored)));
  return compilation;
}

function recall(
  cache: Cache,
  name: string,
  label: string,
  surroundings: Surroundings,
  { name: file, text }: NamedText,
): Runnable | null {
  const entry = cache.read(name);
  if (entry === null || entry.label !== label) return null;
  const { answered, machine, digest, diagnostics, imported }: Stored = JSON.parse(entry.content.toString());
  if (!answered.every((question) => isSame(question, surroundings))) return null;
  presetDigest(machine, digest);
  const sources = [{ name: file, text }, ...imported].map((source) => sourceFile(source.name, source.text));
  return { machine, declared: { name: machine.name, inputs: machine.inputs }, diagnostics, sources };
}

function isSame([path, args, answer]: Answered, surroundings: Surroundings): boolean {
  let owner: unknown = surroundings;
  for (const name of path) owner = (owner as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof owner === 'function' && asJson(owner(...args)) === answer;
}

/** The same surroundings, which add each question and its answer to `answered`. */
function observe<T extends object>(surroundings: T, path: readonly string[], answered: Map<string, Answered>): T {
  const observeMember = (name: string, member: unknown): unknown => {
    const inside = [...path, name];
    if (typeof member === 'function')
      return (...args: Json[]) => {
        const answer = member(...args);
        answered.set(JSON.stringify([inside, args]), [inside, args, asJson(answer)]);
        return answer;
      };
    return typeof member === 'object' && member !== null && !Array.isArray(member)
      ? observe(member, inside, answered)
      : member;
  };
  return Object.fromEntries(
    Object.entries(surroundings).map(([name, member]) => [name, observeMember(name, member)]),
  ) as T;
}

const asJson = (value: unknown): string => JSON.stringify(value ?? null);
