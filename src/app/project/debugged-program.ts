/** Where the instructions of a program come from, for debuggers: the program is compiled once more, with places. */
import type { MachineLocations } from '../../language/check/code-locations.js';
import type { SourceSet } from '../../language/source/diagnostic.js';
import type { Machine } from '../../machine/machine.js';
import { digestOf } from '../../runtime/store/image.js';
import type { StoredRun } from '../../runtime/store/stored-run.js';
import { compileProgram } from './compile-program.js';
import { type Instead, isPlan, type PreparedProgram } from './preparation.js';
import { surroundingOptions } from './prepare.js';
import { type ProjectHost, pathOf, withOpenTexts } from './project-host.js';
import { loadSettings } from './settings.js';
import { programOf, sourcesOf } from './stored-program.js';

/** A machine with the texts that it was made from. `places`: null if these texts make another machine, as in another version. */
export interface DebuggedProgram {
  readonly machine: Machine;
  readonly sources: SourceSet;
  readonly places: MachineLocations | null;
}

export async function debugPrepared(host: ProjectHost, program: PreparedProgram): Promise<DebuggedProgram> {
  const { name, machine, sources, configuration, cwd, repository, instead, mock, settings } = program;
  const [first] = sources;
  if (first === undefined || isPlan(name)) return { machine, sources, places: null };
  const compiled = await compileProgram(
    host,
    { name: first.name, text: first.text },
    {
      ...surroundingOptions(host, configuration, {
        cwd,
        instead,
        tools: typeof settings.tools === 'string' ? settings.tools : undefined,
        worktree: repository !== null,
        isPlayed: mock !== null,
      }),
      machine: machine.name,
      debug: true,
    },
  );
  return sameMachine(machine, compiled.places, compiled.sources, sources);
}

/** The program of a stored run, from the texts that are kept with it. */
export async function debugStored(given: ProjectHost, stored: StoredRun, machine: Machine): Promise<DebuggedProgram> {
  const { about } = stored;
  const sources = sourcesOf(stored);
  const [first] = sources;
  if (first === undefined || isPlan(first.name)) return { machine, sources, places: null };
  const kept = new Map(sources.map((source) => [pathOf(given, source.name), source.text]));
  const host = { ...given, files: withOpenTexts(given.files, (path) => kept.get(path)), allowOutside: true };
  const { configuration } = await loadSettings(host, programOf(stored) ?? '-');
  const compiled = await compileProgram(
    host,
    { name: first.name, text: first.text },
    {
      ...surroundingOptions(host, configuration, {
        cwd: about.cwd,
        instead: (about.settings.agent as Instead | undefined) ?? {},
        tools: typeof about.settings.tools === 'string' ? about.settings.tools : undefined,
        worktree: about.options.worktree !== undefined,
        isPlayed: about.settings.mock !== undefined,
      }),
      machine: machine.name,
      debug: true,
    },
  );
  return sameMachine(machine, compiled.places, compiled.sources, sources);
}

function sameMachine(
  machine: Machine,
  locations: MachineLocations | null,
  sources: SourceSet,
  otherwise: SourceSet,
): DebuggedProgram {
  if (locations === null) return { machine, sources: otherwise, places: null };
  const compiled = { ...locations.machine, initial: machine.initial };
  const files = areSameFiles(compiled.files, machine.files) ? machine.files : compiled.files;
  const isSame = digestOf({ ...compiled, files }) === digestOf(machine);
  return isSame ? { machine, sources, places: locations } : { machine, sources: otherwise, places: null };
}

/** A program in a program may have been compiled under a shorter name than that of the source which it gave to the run. */
function areSameFiles(some: readonly string[], others: readonly string[]): boolean {
  const isSame = (one: string, other: string): boolean => one === other || one.endsWith(`/${other}`);
  return some.length === others.length && some.every((one, at) => isSame(one, others[at] as string));
}
