/** The program of `run` with its flags: the flags are read here, and what is wrong with them is shown with the program. */
import { resolve } from 'node:path';
import type {
  DeclaredInputs,
  ExaminedInputs,
  ExaminedProgram,
  PrepareContext,
  PreparedProgram,
} from '../../app/project/preparation.js';
import { isPlan, isTestFile } from '../../app/project/preparation.js';
import { prepareProgram } from '../../app/project/prepare.js';
import { readJson as readValue } from '../../interpreter/values/json.js';
import { isObject, type Value } from '../../interpreter/values/value.js';
import { commandLineMessages as words } from '../../language/source/catalogue/command-line.js';
import type { Diagnostic } from '../../language/source/diagnostic.js';
import { type SourceSet, sourceFile } from '../../language/source/diagnostic.js';
import type { Json } from '../../machine/expression.js';
import type { Input } from '../../machine/machine.js';
import { ambiguityIn } from '../../prelude/ambiguous-json.js';
import { findLauncher } from '../../prelude/launcher.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { RunOptions } from '../../runtime/run/run-options.js';
import { commandLineHost, readNamedText } from '../files/command-line-host.js';
import type { RunFlags } from '../running/run-flags.js';
import { storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { printDiagnostics, reportInvalid } from '../terminal/report-diagnostics.js';
import { usageError } from '../terminal/usage-error.js';
import { type FileInputs, partsOfFlag, readInputs } from './inputs.js';
import { readStart } from './start-state.js';

/** Something to run, an exit code for what was wrong, or nothing to run at all (`nothing` is what the program is called). */
export type PreparedRun = PreparedProgram | { readonly code: ExitCode } | { readonly nothing: string };

export async function prepareRun(file: string, flags: RunFlags): Promise<PreparedRun> {
  if (isTestFile(file))
    return { code: await usageError(`\`${file}\` is a test file`, `run its tests: \`statedsl test ${file}\``) };
  if (isPlan(file) && flags.start !== undefined)
    return { code: await usageError('a plan has no states, so there is none to start in', 'leave out `--start`') };
  if (file === '-' && flags.inputFile === '-')
    return { code: await usageError('standard input contains the program, so it cannot contain the inputs too') };
  const { machine, tools, state, approved, cwd, worktree, mock } = flags;
  const request = omitUndefined({ machine, tools, state, approved, cwd, worktree, mock });
  const preparation = await prepareProgram(commandLineHost(), file, request, {
    store: storeOf(flags),
    instead: flags.agent ?? {},
    isPlayed: flags.cassette !== undefined,
    isDryRun: flags.dryRun === true,
    cache: findLauncher()?.cache ?? null,
    examine: (program) => examine(program, flags),
    option: (name) => `--${name}`,
    ...(flags.on === undefined ? {} : { elsewhere: await elsewhere(flags) }),
  });
  const { findings } = preparation;
  const said = preparation.kind === 'invalid' ? findings.slice(0, -1) : findings;
  for (const { diagnostics, sources } of said) await printDiagnostics(diagnostics, sources, flags);
  switch (preparation.kind) {
    case 'ready':
      return preparation.program;
    case 'nothing':
      // Notes without a program are not an empty program: what was meant to run is somewhere else.
      if (/\.md$/i.test(file)) return { code: EXIT.usage };
      return { nothing: preparation.name };
    case 'refused':
      return { code: await usageError(preparation.message, preparation.help) };
    default: {
      const { diagnostics, sources } = findings[findings.length - 1] ?? { diagnostics: [], sources: [] };
      return reportInvalid(diagnostics, sources, flags);
    }
  }
}

async function elsewhere({ home }: RunFlags): Promise<NonNullable<PrepareContext['elsewhere']>> {
  const { functionsOf } = await import('../../engine/engine-functions.js');
  return { home, functions: functionsOf };
}

/** Finds the named inputs and the first state. All mistakes are reported at once. */
async function examine(program: ExaminedProgram, flags: RunFlags): Promise<ExaminedInputs> {
  const { machine, sources } = program;
  const diagnostics = blameFlag(program.diagnostics, flags, sources);
  const given = await findInputs(program, flags, diagnostics);
  const isInput = program.declared?.inputs.some(({ name }) => name === 'name') === true;
  const isGiven = flags.inputFile !== undefined || (flags.input ?? []).some((one) => partsOfFlag(one).name === 'name');
  if (flags.name !== undefined && isInput && !isGiven) {
    const file = sources.push(sourceFile('command line', `--name ${flags.name}`)) - 1;
    diagnostics.push(words.titleOrInput({ file, start: 0, end: 6 }, { text: flags.name }));
  }
  const start = flags.start === undefined || machine === null ? null : readStart(flags.start, machine, sources);
  if (start !== null && 'diagnostics' in start) diagnostics.push(...start.diagnostics);
  const first: RunOptions['start'] = start !== null && 'start' in start ? start.start : undefined;
  return { ...given, diagnostics, ...omitUndefined({ start: first }) };
}

/** A machine that does not exist is a mistake in the flag that names it, not in the program. */
function blameFlag(diagnostics: readonly Diagnostic[], { machine }: RunFlags, sources: SourceSet): Diagnostic[] {
  if (machine === undefined) return [...diagnostics];
  const lead = '--machine ';
  return diagnostics.map((one) => {
    if (one.code !== 'unknown-machine') return one;
    const file = sources.push(sourceFile('command line', lead + machine)) - 1;
    return { ...one, span: { file, start: lead.length, end: lead.length + machine.length } };
  });
}

/** Adds what is wrong with the inputs to the diagnostics. */
async function findInputs(
  { declared, isPlan, isOpen, sources }: ExaminedProgram,
  flags: RunFlags,
  diagnostics: Diagnostic[],
): Promise<Omit<ExaminedInputs, 'diagnostics' | 'start'>> {
  const read = flags.inputFile === undefined ? null : await readInputFile(flags.inputFile);
  const file = read === null || 'reason' in read ? null : read;
  if (read !== null && 'reason' in read)
    diagnostics.push(badInputFile(flags.inputFile as string, read.reason, sources));
  if (declared === null || (isPlan && read !== null && file === null)) return { inputs: {} };
  const typed = flags.input ?? [];
  // A plan that takes any input has those that it is given.
  const named = isOpen ? [...typed.map((flag) => partsOfFlag(flag).name), ...Object.keys(file?.members ?? {})] : [];
  const more = [...new Set(named)].filter((name) => declared.inputs.every((one) => one.name !== name));
  const asked = more.map((name): Input => ({ name, optional: true }));
  const all: DeclaredInputs = { ...declared, inputs: [...declared.inputs, ...asked] };
  const isTaped = flags.cassette !== undefined && !isPlan;
  const recorded = isTaped ? await recordedInputs(flags.cassette as string, declared.inputs) : {};
  // The values of an unreadable file are not reported as missing as well. What a plan lacks, its own check says.
  const complete = !isPlan && flags.dryRun !== true && (read === null || file !== null) && recorded !== null;
  const isElsewhere = flags.on !== undefined && !isPlan;
  const given = readInputs(all, { flags: typed, file, complete, isElsewhere, sources, recorded });
  diagnostics.push(...given.diagnostics);
  return { inputs: Object.fromEntries(given.values), printed: given.printed, variables: given.variables };
}

function badInputFile(path: string, reason: string, sources: SourceSet): Diagnostic {
  const file = sources.push(sourceFile('command line', `--input-file ${path}`)) - 1;
  return words.inputFile({ file, start: 13, end: 13 + path.length }, { reason });
}

/** Null: the cassette cannot be read, which is reported when the run begins. */
async function recordedInputs(name: string, declared: readonly Input[]) {
  const { readCassette } = await import('../../runtime/cassette/read-cassette.js');
  const read = await readCassette(resolve(name), name, null);
  if ('problems' in read) return null;
  return (await import('../../runtime/cassette/recorded-inputs.js')).recordedInputsOf(read.cassette, declared);
}

/** The members, or a clause that says what is wrong with the file. */
async function readInputFile(path: string): Promise<FileInputs | { readonly reason: string }> {
  const file = readNamedText(path);
  if ('reason' in file) return file;
  const value = /\.ya?ml$/i.test(path) ? await readYaml(file.text, path) : readJson(file.text);
  if ('reason' in value) return value;
  if (!isObject(value.json)) return { reason: 'it does not contain an object' };
  return { name: path, text: file.text, members: value.json };
}

type ParsedFile = { readonly json: Value } | { readonly reason: string };

function readJson(text: string): ParsedFile {
  try {
    JSON.parse(text);
  } catch (error) {
    return { reason: `it is not valid JSON: ${withoutExcerpt((error as Error).message)}` };
  }
  const problem = ambiguityIn(text);
  if (problem !== null) return { reason: `it ${problem}` };
  // Numbers keep the digits of the file. A value that is nested too deeply is reported for its input.
  const read = readValue(text);
  return { json: read.ok ? read.value : (JSON.parse(text) as Value) };
}

/** JavaScript's message quotes the text around the mistake, which may be a secret. */
function withoutExcerpt(message: string): string {
  return message.replace(/^(Unexpected token .{1,4}?), .*$/su, '$1');
}

async function readYaml(text: string, path: string): Promise<ParsedFile> {
  const { readYaml: read } = await import('../../runtime/configuration/yaml-file.js');
  const { value, problems } = await read(text, path, true);
  const problem = problems[0];
  if (problem !== undefined)
    return { reason: problem.message + (problem.line === null ? '' : ` (line ${problem.line})`) };
  return hasInfinity(value) ? { reason: 'it contains a number that is not finite' } : { json: value as Value };
}

/**
 * YAML has infinities and NaN, but values are JSON. Walks level by level with a limit, because YAML aliases can nest
 * endlessly.
 */
function hasInfinity(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0 && depth < 1000; depth++) {
    if (level.some((one) => typeof one === 'number' && !Number.isFinite(one))) return true;
    level = level.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values(one) : []));
  }
  return false;
}
