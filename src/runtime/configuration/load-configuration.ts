/**
 * `statedsl.config.yaml`: finds, reads and checks it. A file with mistakes stops a run before it starts; otherwise a
 * misspelt key would silently have no effect.
 */
import { dirname } from 'node:path';
import type { ValidateFunction } from 'ajv';
import type { Json, JsonObject } from '../../machine/expression.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { AgentConfiguration } from '../agents/programs/adapter.js';
import { findAdapter, nameableAdapters } from '../agents/programs/adapters.js';
import { leakGroups, looseningArgument } from '../agents/programs/leaks.js';
import { listedTools } from '../agents/programs/listed-tools.js';
import type { DailyBudget } from '../agents/resolve.js';
import { projectOf, whyUnreadable } from '../readable-file.js';
import type { TraceConfiguration } from '../trace/trace-options.js';
import { agentsWithoutReserve, wrongBudget, wrongSandboxes } from './agent-problems.js';
import { problemsOf } from './configuration-problems.js';
import { configurationSchema } from './configuration-schema.js';
import { findConfiguration, type Ignored } from './find-configuration.js';
import type { Schedule } from './schedules.js';
import { type FileProblem, LARGEST_BYTES, type ReadFile, readYaml, readYamlFile } from './yaml-file.js';

export interface Configuration {
  /** The path of the file; null if there is none. */
  readonly file: string | null;
  /** The folder from which its relative paths start. */
  readonly folder: string | null;
  readonly agents: Readonly<Record<string, AgentConfiguration>>;
  readonly gates: Readonly<
    Record<string, string | { readonly run: string; readonly timeout?: string; readonly idle?: string }>
  >;
  /** Names of environment variables. */
  readonly secrets: readonly string[];
  readonly defaults: ConfigurationDefaults;
  /** A run whose bound exceeds one of these has to be confirmed: calls of agents, and US dollars. */
  readonly confirm_above?: { readonly calls?: number; readonly cost?: number };
  /** What each program may spend in a day, in all its runs of a store. */
  readonly budget?: DailyBudget;
  /** Who may answer: all questions, or each by its name. */
  readonly approvers?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** Who the service reports the ends of runs to. */
  readonly notify?: NotifyTarget | readonly NotifyTarget[];
  /** The environment variable with the key that signs records. */
  readonly signing_key_env?: string;
  /** What the service starts at certain times. */
  readonly schedules?: readonly Schedule[];
  readonly engine?: EngineConfiguration;
  readonly otel?: TraceConfiguration;
  readonly workflows: readonly string[];
  readonly mcp: Readonly<
    Record<string, { readonly command: readonly string[]; readonly env?: Record<string, string> }>
  >;
}

/** A command that gets a notice on its standard input, or an address that gets it in a POST. */
export type NotifyTarget =
  | { readonly run: readonly string[] }
  /** `secret_env`: the variable with the secret that signs what is sent. */
  | { readonly url: string; readonly secret_env?: string };

/** The workers that runs on an engine need. Durations are texts such as `10m`. */
export interface EngineConfiguration {
  /** The address of the ingress, for commands without `--on`. */
  readonly on?: string;
  /** A module with functions that programs use as commands. */
  readonly commands?: string;
  /** Who may execute programs on the workers. */
  readonly submitters?: readonly string[];
  /** The name of the workers that execute the runs. */
  readonly home?: string;
  readonly patience?: string;
  /** Labels of workers, by the names of agents and commands, and by kinds of effects. */
  readonly routes?: Readonly<Partial<Record<'agents' | 'commands' | 'kinds', Readonly<Record<string, string>>>>>;
}

/** Durations are texts such as `10m`. */
interface ConfigurationDefaults {
  readonly agent?: string;
  readonly jobs?: number;
  readonly suspend_after?: string;
  readonly worktree?: boolean;
  readonly gate_timeout?: string;
}

interface LoadedConfiguration {
  readonly configuration: Configuration;
  readonly problems: readonly FileProblem[];
  /** Warnings about it. */
  readonly warnings: readonly FileProblem[];
}

export const noConfiguration: Configuration = {
  file: null,
  folder: null,
  agents: {},
  gates: {},
  secrets: [],
  defaults: {},
  workflows: [],
  mcp: {},
};

/** Finds, reads and checks the configuration. If there are problems, the configuration is empty. */
export async function loadConfiguration(
  workingDirectory: string,
  programFolder: string | null = null,
  allowOutside = false,
): Promise<LoadedConfiguration> {
  const { file, ignored } = findConfiguration(workingDirectory, programFolder);
  const warnings = ignored === null ? [] : [notUsed(ignored)];
  if (file === null) return { configuration: noConfiguration, problems: [], warnings };
  const why = whyUnreadable(file, allowOutside ? 'all' : [projectOf(dirname(file))], LARGEST_BYTES);
  if (why !== null) {
    const problem = { file, line: null, column: null, message: `\`${file}\` cannot be used: ${why}` };
    return { configuration: noConfiguration, problems: [problem], warnings };
  }
  const loaded = await checkConfiguration(await readYamlFile(file), file);
  return { ...loaded, warnings: [...warnings, ...loaded.warnings] };
}

function notUsed({ file, why, help = 'copy what you need into a directory that you own' }: Ignored): FileProblem {
  const message = `\`${file}\` is ignored because ${why}`;
  return { file, line: null, column: null, message, help };
}

/** As `readConfiguration`, for a text as the content of `file`. */
export async function parseConfiguration(text: string, file: string): Promise<LoadedConfiguration> {
  return checkConfiguration(await readYaml(text, file), file);
}

async function checkConfiguration(read: ReadFile, file: string): Promise<LoadedConfiguration> {
  // An empty file, or one with only comments, configures nothing.
  const value = read.value ?? {};
  const problems = [...(read.problems.length > 0 ? read.problems : await schemaProblems(value, read, file))];
  if (problems.length === 0)
    problems.push(
      ...agentsWithoutProgram(value, read, file),
      ...serversWithoutProgram(value, read, file),
      ...wrongSandboxes(value, read, file),
      ...wrongBudget(value, read, file),
    );
  const { schedules = [] } = value as unknown as Partial<Configuration>;
  if (problems.length === 0 && schedules.length > 0) {
    const { scheduleProblems } = await import('./schedules.js');
    problems.push(...(await scheduleProblems(schedules, read, file)));
  }
  if (problems.length === 0) problems.push(...(await unknownTools(value, read, file)));
  if (problems.length > 0) return { configuration: noConfiguration, problems, warnings: [] };
  const given = { ...(value as unknown as Partial<Configuration>), ...writtenSchedules(schedules, read) };
  const configuration = { ...noConfiguration, ...given, mcp: serversOf(value), file, folder: dirname(file) };
  const warnings = [...replacedAgents(configuration, read, file), ...unlimitedAgents(configuration, read, file)];
  warnings.push(...agentsWithoutReserve(configuration, read, file));
  return { configuration, problems: [], warnings };
}

/** The inputs of schedules go to programs, with their numbers as they are written. */
function writtenSchedules(schedules: readonly Schedule[], read: ReadFile): Pick<Configuration, 'schedules'> {
  if (schedules.every(({ inputs }) => inputs === undefined)) return {};
  const written = (read.inWrittenForm() as unknown as Partial<Configuration>).schedules ?? [];
  return {
    schedules: schedules.map((one, at) =>
      one.inputs === undefined ? one : { ...one, ...omitUndefined({ inputs: written[at]?.inputs }) },
    ),
  };
}

/** An agent of the adapter `command` is any program, so the program has to be named. */
function agentsWithoutProgram(value: Json, read: ReadFile, file: string): FileProblem[] {
  const { agents = {} } = value as unknown as Partial<Configuration>;
  return Object.entries(agents).flatMap(([name, { adapter, run = [] }]) => {
    if ((adapter !== 'command' && adapter !== 'acp') || run.length > 0) return [];
    const location = read.locationOf(['agents', name], true);
    const message = `\`agents.${name}\` needs the key \`run\`: the adapter \`${adapter}\` starts a program of yours`;
    const help = `write for example \`${name}: { adapter: ${adapter}, run: ["./agent.sh"] }\``;
    return [{ file, line: location?.line ?? null, column: location?.column ?? null, message, help }];
  });
}

/** The tools that a model lists have to exist. */
async function unknownTools(value: Json, read: ReadFile, file: string): Promise<FileProblem[]> {
  const { agents = {} } = value as unknown as Partial<Configuration>;
  const problems: FileProblem[] = [];
  for (const [name, { tools = [] }] of Object.entries(agents)) {
    const found = await listedTools(tools, dirname(file), serversOf(value));
    if (!('reason' in found)) continue;
    const location = read.locationOf(['agents', name, 'tools', found.at]);
    const message = `\`agents.${name}.tools\`: ${found.reason}`;
    problems.push({ file, line: location?.line ?? null, column: location?.column ?? null, message, help: found.help });
  }
  return problems;
}

/** A server of tools as it may be written: other files say `command` where this one says `run` elsewhere. */
interface WrittenServer {
  readonly run?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: Record<string, string>;
}

function writtenServers(value: Json): [string, WrittenServer][] {
  return Object.entries((value as { readonly mcp?: Readonly<Record<string, WrittenServer>> }).mcp ?? {});
}

function serversOf(value: Json): Configuration['mcp'] {
  return Object.fromEntries(
    writtenServers(value).map(([name, { run, command = run ?? [], ...rest }]) => [name, { command, ...rest }]),
  );
}

function serversWithoutProgram(value: Json, read: ReadFile, file: string): FileProblem[] {
  return writtenServers(value).flatMap(([name, { run, command }]) => {
    if ((run === undefined) !== (command === undefined)) return [];
    const both = run !== undefined;
    const location = read.locationOf(both ? ['mcp', name, 'command'] : ['mcp', name], true);
    const message = both
      ? `\`mcp.${name}\` has both \`run\` and \`command\`, which mean the same`
      : `\`mcp.${name}\` needs the key \`run\`: the program of the server and its arguments`;
    const help = both ? 'remove one of them' : `write for example \`${name}: { run: ["./server"] }\``;
    return [{ file, line: location?.line ?? null, column: location?.column ?? null, message, help }];
  });
}

/** A name such as `claude-opus` means an agent without any configuration, and readers of a program rely on that. */
function replacedAgents({ agents }: Configuration, read: ReadFile, file: string): FileProblem[] {
  return Object.entries(agents).flatMap(([name, { adapter }]) => {
    const prefix = name.split('-', 1)[0] as string;
    if (adapter === prefix || !nameableAdapters.some((one) => one.name === prefix)) return [];
    const location = read.locationOf(['agents', name], true);
    const message = `the configuration replaces the built-in agent \`${name}\` with one of the adapter \`${adapter}\``;
    const help = 'give it another name if you did not mean to replace the built-in agent';
    return [{ file, line: location?.line ?? null, column: location?.column ?? null, message, help }];
  });
}

/** `allow` looks like a guarantee, so actions that it cannot prevent are reported at its location. */
function unlimitedAgents({ agents }: Configuration, read: ReadFile, file: string): FileProblem[] {
  return Object.entries(agents).flatMap(([name, configuration]) => {
    const adapter = findAdapter(configuration.adapter);
    if (adapter === null) return [];
    const location = read.locationOf(['agents', name, 'allow'], true);
    return leakGroups(adapter, configuration).map(({ permissions, reason }) => {
      const list = inWords(permissions.map((permission) => `\`${permission}\``));
      const own = looseningArgument(adapter, configuration);
      const message = `\`allow\` does not keep the agent \`${name}\` from ${list}: ${reason}`;
      const help =
        own === null
          ? `add ${list} to \`allow\` if the agent may do this, or use an agent of another adapter`
          : `remove \`${own}\` from \`args\``;
      return { file, line: location?.line ?? null, column: location?.column ?? null, message, help };
    });
  });
}

function inWords(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Null until the first configuration that has a problem, because it takes longer than running a small program. */
let validator: Promise<ValidateFunction> | null = null;

async function compileSchema(): Promise<ValidateFunction> {
  const { default: ajv } = await import('ajv/dist/2020.js');
  return new ajv.Ajv2020({ allErrors: true, verbose: true, strict: false }).compile(configurationSchema);
}

async function schemaProblems(value: Json, read: ReadFile, file: string): Promise<FileProblem[]> {
  if (surelyFits(configurationSchema, value)) return [];
  validator ??= compileSchema();
  const validate = await validator;
  if (validate(value)) return [];
  return problemsOf(validate.errors ?? [], read, file);
}

type AnySchema = Readonly<Record<string, unknown>>;

/** False: it does not fit, or the schema has a keyword that is not known here. */
export function surelyFits(schema: AnySchema, value: Json): boolean {
  return Object.entries(schema).every(([keyword, wanted]) => fits(keyword, wanted, value, schema));
}

function fits(keyword: string, wanted: unknown, value: Json, schema: AnySchema): boolean {
  switch (keyword) {
    case '$schema':
    case 'title':
    case 'description':
    case 'default':
      return true;
    case 'type':
      return isOf(value, wanted);
    case 'enum':
      return typeof value === 'string' && (wanted as readonly unknown[]).includes(value);
    case 'anyOf':
      return (wanted as readonly AnySchema[]).some((one) => surelyFits(one, value));
    case 'items':
    case 'minItems':
      return !Array.isArray(value) || fitsAsList(keyword, wanted, value);
    case 'pattern':
    case 'minLength':
      return typeof value !== 'string' || fitsAsText(keyword, wanted, value);
    case 'minimum':
    case 'exclusiveMinimum':
      return (
        typeof value !== 'number' || (keyword === 'minimum' ? value >= (wanted as number) : value > (wanted as number))
      );
    default:
      return !isJsonObject(value)
        ? ABOUT_OBJECTS.has(keyword)
        : fitsAsObject(keyword, wanted, value as JsonObject, schema);
  }
}

function isOf(value: Json, type: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    default:
      return (type === 'string' || type === 'boolean') && typeof value === type;
  }
}

function fitsAsList(keyword: 'items' | 'minItems', wanted: unknown, value: readonly Json[]): boolean {
  return keyword === 'items'
    ? value.every((item) => surelyFits(wanted as AnySchema, item))
    : value.length >= (wanted as number);
}

function fitsAsText(keyword: 'pattern' | 'minLength', wanted: unknown, value: string): boolean {
  return keyword === 'pattern'
    ? new RegExp(wanted as string, 'u').test(value)
    : [...value].length >= (wanted as number);
}

const ABOUT_OBJECTS: ReadonlySet<string> = new Set([
  'properties',
  'additionalProperties',
  'propertyNames',
  'required',
  'minProperties',
  'maxProperties',
  'dependentSchemas',
  'dependentRequired',
]);

function fitsAsObject(keyword: string, wanted: unknown, value: JsonObject, { properties = {} }: AnySchema): boolean {
  const names = Object.keys(value);
  const own = properties as Readonly<Record<string, AnySchema>>;
  switch (keyword) {
    case 'properties':
      return Object.keys(own).every(
        (name) => !Object.hasOwn(value, name) || surelyFits(own[name] as AnySchema, value[name] as Json),
      );
    case 'additionalProperties':
      return names.every(
        (name) =>
          Object.hasOwn(own, name) || (wanted !== false && surelyFits(wanted as AnySchema, value[name] as Json)),
      );
    case 'propertyNames':
      return names.every((name) => surelyFits(wanted as AnySchema, name));
    case 'required':
      return (wanted as readonly string[]).every((name) => Object.hasOwn(value, name));
    case 'minProperties':
      return names.length >= (wanted as number);
    case 'maxProperties':
      return names.length <= (wanted as number);
    case 'dependentRequired':
      return Object.entries(wanted as Readonly<Record<string, readonly string[]>>).every(
        ([name, others]) => !Object.hasOwn(value, name) || others.every((other) => Object.hasOwn(value, other)),
      );
    case 'dependentSchemas':
      return Object.entries(wanted as Readonly<Record<string, AnySchema>>).every(
        ([name, schema]) => !Object.hasOwn(value, name) || surelyFits(schema, value),
      );
    default:
      return false;
  }
}
