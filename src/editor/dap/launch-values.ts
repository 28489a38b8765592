/** What the members of `launch` mean. */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { FolderOptions } from '../../app/programs.js';
import type { DebuggedProgram } from '../../app/project/debugged-program.js';
import type { PreparedProgram } from '../../app/project/preparation.js';
import { nameBelow, type ProjectHost } from '../../app/project/project-host.js';
import type { StoredRecord } from '../../app/project/stored-record.js';
import { prepareFor } from '../../app/read-programs.js';
import type { Refusal } from '../../app/result.js';
import { link } from '../../interpreter/run.js';
import { printJson } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { drawDiagnostics } from '../../views/diagnostics/draw-diagnostic.js';
import { DebugProgram } from '../debug/debug-program.js';
import { AdapterRefusal, type RequestArguments, textIn } from './adapter-protocol.js';
import type { EffectMode } from './debugged-run.js';

export function inFolder(folder: string, path: string): string {
  return isAbsolute(path) ? path : resolve(folder, path);
}

export function effectMode(text: string): EffectMode {
  if (text === 'none' || text === 'agents' || text === 'all') return text;
  throw new AdapterRefusal(`\`${text}\` is not one of none, agents, all`);
}

const FORMS: Readonly<Record<string, readonly [what: string, is: (value: unknown) => boolean]>> = {
  text: ['a text', (value) => typeof value === 'string'],
  values: ['an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value)],
  choice: ['true or false', (value) => typeof value === 'boolean'],
  count: ['a number from 1', (value) => Number.isInteger(value) && (value as number) > 0],
  moment: ['the number of an event, or a state', (value) => typeof value === 'number' || typeof value === 'string'],
};
const MEMBERS: Readonly<Record<string, keyof typeof FORMS>> = {
  ...{ program: 'text', run: 'text', machine: 'text', state: 'text', mock: 'text', dir: 'text', cwd: 'text' },
  ...{ inputs: 'values', with: 'values', env: 'values', worktree: 'choice', stopOnEntry: 'choice', noDebug: 'choice' },
  ...{ stopBeforeEffects: 'text', jobs: 'count', at: 'moment' },
};

/** A member of another form would be left out without a word. */
export function refuseWrongForms(given: RequestArguments): void {
  for (const [name, form] of Object.entries(MEMBERS)) {
    const [what, is] = FORMS[form] as (typeof FORMS)[string];
    if (given[name] != null && !is(given[name])) throw new AdapterRefusal(`\`${name}\` is not ${what}`, true);
  }
}

export function refusedBy({ message, help, findings }: Refusal): AdapterRefusal {
  const drawn = findings === undefined ? '' : drawDiagnostics(findings.diagnostics as never, findings.sources as never);
  return new AdapterRefusal(drawn === '' ? [message, help].filter((one) => one !== null).join('; ') : drawn, true);
}

/** Secret inputs are not on record. */
export function secretInputs(inputs: Readonly<Record<string, Json>>, program: DebugProgram | null) {
  const secret = program?.linked.machine.inputs.filter((input) => input.secret === true).map(({ name }) => name) ?? [];
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => secret.includes(name)));
}

/** A run may have begun in another folder than that of the client or of the process. A copied record has none here. */
export function folderOfRun({ folder }: StoredRecord, { folder: own }: { readonly folder: string }): string {
  return existsSync(folder) ? folder : own;
}

/** Where programs and runs are, for a launch from a folder. */
export function foldersOf(
  {
    folder,
    environment,
  }: { readonly folder: string; readonly environment: Readonly<Record<string, string | undefined>> },
  given: RequestArguments,
  program: string | undefined,
): FolderOptions {
  const file = program === undefined ? null : resolve(folder, program);
  const own = file !== null && nameBelow(folder, file) === null ? resolve(file, '..') : folder;
  const more = (given.env ?? {}) as Record<string, string>;
  const dir = textIn(given, 'dir');
  return {
    folder: own,
    env: { ...environment, ...more },
    ...(dir === undefined ? {} : { dir: inFolder(own, dir) }),
  };
}

/** The program that `launch` names. `dir`: where runs are kept; `folder`: where relative paths start. */
export async function prepareLaunched(
  host: ProjectHost,
  { dir, folder, file }: { readonly dir: string; readonly folder: string; readonly file: string },
  given: RequestArguments,
): Promise<PreparedProgram> {
  const cwd = textIn(given, 'cwd');
  const options = omitUndefined({
    machine: textIn(given, 'machine'),
    mock: textIn(given, 'mock'),
    cwd: cwd === undefined ? undefined : inFolder(folder, cwd),
    worktree: typeof given.worktree === 'boolean' ? given.worktree : undefined,
    inputs: (given.inputs ?? {}) as Readonly<Record<string, Json>>,
  });
  const prepared = await prepareFor(host, { dir }, nameBelow(host.folder, file) || file, options);
  if (!prepared.ok) throw refusedBy(prepared.refusal);
  const state = textIn(given, 'state');
  if (state === undefined) return prepared.value;
  const { states } = prepared.value.machine;
  if (!states.some((one) => one.name === state)) throw new AdapterRefusal(`there is no state \`${state}\``, true);
  return { ...prepared.value, start: { state, with: (given.with ?? {}) as Readonly<Record<string, Json>> } };
}

/** The program for each machine of a record: with its places where it is the one that was compiled. */
export function programsOf(
  debugged: DebuggedProgram | null,
  program: DebugProgram | null,
): (machine: Machine) => DebugProgram {
  const sources = debugged?.sources ?? [];
  return (machine) => {
    const isKnown = debugged?.places?.machine !== undefined && program !== null;
    const isSame = isKnown && machine.name === debugged.machine.name && sameCode(machine, debugged.machine);
    return new DebugProgram(link(machine), sources, isSame ? debugged.places : null);
  };
}

function sameCode(machine: Machine, own: Machine): boolean {
  return machine.states.length === own.states.length && JSON.stringify(machine.states) === JSON.stringify(own.states);
}

/** The returned value as `run` prints it. */
export function printedReturn({ returned, printed_returned: printed }: RunReport): string {
  return typeof returned === 'string' ? returned : (printed ?? printJson(returned as Value));
}
