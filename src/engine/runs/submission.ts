/** A checked program as an engine gets it. What the engine must not store is refused or left out. */
import { resolve } from 'node:path';
import { keyFor, type StartingOptions } from '../../app/folder/start-in-folder.js';
import { type Result, refuse, resultOf, resultWith } from '../../app/result.js';
import { fromRecord, packValue } from '../../interpreter/values/json.js';
import { parseDuration } from '../../machine/duration.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import type { ToolBinding } from '../../machine/plan.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EngineConfiguration } from '../../runtime/configuration/load-configuration.js';
import { pathInProject } from '../../runtime/readable-file.js';
import { createRedactor } from '../../runtime/redact.js';
import { headerOf } from '../../runtime/run/header.js';
import type { InDoubt } from '../../runtime/run/in-doubt.js';
import { newRunId } from '../../runtime/run/run-id.js';
import { checkInputs } from '../../runtime/run/run-inputs.js';
import { fixedOptions, type RunOptions, secretsOf } from '../../runtime/run/run-options.js';
import type { RunKey } from '../../runtime/store/run-header.js';
import type { Submission } from '../messages.js';
import { LABEL_PATIENCE_MS, type Placement } from '../messages.js';
import { bytesOf, MOST_MESSAGE, MOST_VALUE } from '../turn-record.js';

/** The largest program that an engine gets, in characters of JSON. */
const MOST_PROGRAM = 4 * 1024 * 1024;
/** In a machine as JSON: an instruction, or a tool of a plan. */
const FUNCTION = /"(?:op|kind)":"function"/;
/** What the record has instead of the value of a secret input. */
const HIDDEN = '***';

interface Submitted {
  readonly machine: Machine;
  /** With the inputs. */
  readonly options: RunOptions;
  /** Variables of the workers that have the values of secret inputs, by inputs. */
  readonly variables?: Readonly<Record<string, string>>;
  /** SHA-256 of the module with the functions of the workers; null: there is none. */
  readonly functions: string | null;
  readonly engine: EngineConfiguration;
  /** Only workers with this name execute the run, instead of those that the configuration names. */
  readonly home?: string | undefined;
  /** Whether the run works in a worktree, which its home has. */
  readonly worktree?: boolean;
  readonly inDoubt?: InDoubt | undefined;
  /** Its key, instead of that of the program, and what it does if another run has it. */
  readonly exclusive?: Pick<StartingOptions, 'key' | 'onBusy' | 'keyWhile'>;
  /** Who submits it. */
  readonly by: string;
  /** Whether everything that the engine stores is encrypted. */
  readonly isEncrypted: boolean;
}

export async function submissionOf(given: Submitted): Promise<Result<Submission>> {
  const { options, variables = {}, functions, engine, inDoubt = 'fail', by } = given;
  const machine = withToolsOfWorkers(given.machine, resolve(options.cwd ?? '.'));
  const home = given.home ?? engine.home;
  if (given.worktree === true && home === undefined)
    return refuse(
      'wrong-use',
      'a run on an engine has a worktree only if all of it is executed on one machine',
      'name its workers: `--home NAME`; or leave out `--worktree`: commands then work in the directory of the worker',
    );
  const { inputs = {} } = options;
  // Workers have the values of variables.
  const problem = checkInputs(machine, inputs).problems.find(
    ({ kind, name }) => kind !== 'missing' || !Object.hasOwn(variables, name),
  );
  if (problem !== undefined) return refuse('wrong-use', problem.message, problem.help);
  const secrets = machine.inputs.filter((one) => one.secret === true && Object.hasOwn(inputs, one.name));
  const [secret] = secrets;
  if (secret !== undefined && !given.isEncrypted)
    return refuse(
      'wrong-use',
      `the input \`${secret.name}\` is secret, and an engine stores the inputs of its runs`,
      `name a variable that the workers have: \`-i ${secret.name}=@env:NAME\`, or set \`STATEDSL_ENGINE_KEY\` here and there`,
    );
  const json = JSON.stringify(machine);
  const { length } = json;
  if (length > MOST_PROGRAM)
    return refuse(
      'wrong-use',
      `the compiled program has ${length} characters of JSON, and an engine gets at most 4 MiB`,
      'read large texts from files while the program runs',
    );
  const hiddenInKey = (machine.key ?? []).find(
    (part) => typeof part !== 'string' && Object.hasOwn(variables, part.input),
  );
  if (hiddenInKey !== undefined && given.exclusive?.key === undefined)
    return refuse('wrong-use', 'the key of the run contains a secret', 'use another key: lists show the keys of runs');
  const keyed = await resultOf(() => keyFor({ machine }, given.exclusive ?? {}, options));
  if (!keyed.ok) return keyed;
  const { onBusy, ...key } = keyed.value ?? { name: null };
  const redactor = createRedactor(secretsOf(machine, options));
  const startedAt = new Date().toISOString();
  const runId = options.runId ?? newRunId();
  const hidden = [...secrets.map(({ name }) => name), ...Object.keys(variables)];
  const open = <T>(given: Readonly<Record<string, T>> = {}): Record<string, T> =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !hidden.includes(name)));
  const printedInputs = open(options.printedInputs);
  const fixed = fixedOptions(machine, { ...options, inputs: open(options.inputs), printedInputs });
  const header = headerOf(
    machine,
    { ...options, ...(key.name === null ? {} : { key: key as RunKey }) },
    { runId, startedAt, redactor, fixed },
  );
  const secretInputs = Object.fromEntries(
    secrets.map(({ name }): [string, Json] => {
      const value = fromRecord(inputs[name] ?? null, options.printedInputs?.[name]);
      return [name, packValue(value)];
    }),
  );
  const large = Object.keys(inputs).find((one) => bytesOf(inputs[one]) > MOST_VALUE);
  if (large !== undefined)
    return refuse(
      'wrong-use',
      `the input \`${large}\` has ${bytesOf(inputs[large])} bytes of JSON, and a value on an engine has at most 4 MiB`,
      'pass the name of a file that the workers have',
    );
  const submission: Submission = {
    header: { ...header, inputs: { ...header.inputs, ...Object.fromEntries(hidden.map((name) => [name, HIDDEN])) } },
    ...omitUndefined({
      functions: FUNCTION.test(json) ? (functions ?? undefined) : undefined,
      variables: Object.keys(variables).length === 0 ? undefined : variables,
      secretInputs: secrets.length === 0 ? undefined : secretInputs,
      home,
      worktree: given.worktree === true ? {} : undefined,
      placement: placementOf(engine),
      onBusy,
    }),
    inDoubt,
    by,
  };
  const bytes = bytesOf(submission);
  if (bytes > MOST_MESSAGE)
    return refuse(
      'wrong-use',
      `the program, its sources and its inputs have ${bytes} bytes of JSON, and an engine gets at most 16 MiB`,
      'read large texts from files while the program runs',
    );
  return resultWith(submission);
}

/**
 * Workers have the project elsewhere, so tools that are files of it have paths relative to `cwd`. What is outside of the
 * project has no place there that is known, and keeps its path.
 */
function withToolsOfWorkers(machine: Machine, cwd: string): Machine {
  const { plans } = machine;
  if (plans === undefined) return machine;
  const relocate = (path: string): string => pathInProject(path, cwd) ?? path;
  const bindingOf = (binding: ToolBinding): ToolBinding => {
    const { calls } = binding;
    if (calls.kind === 'module' && calls.near) return { ...binding, calls: { ...calls, file: relocate(calls.file) } };
    if (calls.kind !== 'run' || calls.near === undefined) return binding;
    const { near } = calls;
    const argv = calls.argv.map((word, at) => (near.includes(at) ? relocate(word) : word));
    return { ...binding, calls: { ...calls, argv } };
  };
  const linked = Object.entries(plans).map(([name, plan]) => {
    const tools = Object.entries(plan.tools).map(([tool, binding]) => [tool, bindingOf(binding)] as const);
    return [name, { ...plan, tools: Object.fromEntries(tools) }] as const;
  });
  return { ...machine, plans: Object.fromEntries(linked) };
}

/** Which labels its effects need; undefined: none does. */
function placementOf({ routes, patience }: EngineConfiguration): Placement | undefined {
  if (routes === undefined) return undefined;
  const patienceMs = patience === undefined ? null : parseDuration(patience);
  return { routes, patienceMs: patienceMs ?? LABEL_PATIENCE_MS };
}
