/**
 * The runs of a folder, usually `.statedsl`: runs are executed by this process, and read from disk whichever process
 * executes them. Each operation is loaded when it is called, so that a command which lists runs loads no parser.
 */

import { resolve } from 'node:path';
import type { Project, ProjectOptions, ProjectRunOptions } from '../../library/project.js';
import type { Json } from '../../machine/expression.js';
import { diskFiles, type ProjectHost } from '../../project/host.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { DEFAULT_STORE } from '../../runtime/store/open-own-run.js';
import { openStoredRun, type StoredRun } from '../../runtime/store/stored-run.js';
import { resultOf } from '../result.js';
import type { Runs, Startable } from '../runs.js';
import { findRun } from './find-run.js';
import type { RunInspector } from './inspect.js';
import { RunIndex } from './run-index.js';

/** How `openRuns` opens runs; `dir` is the folder in which they are kept, by default `.statedsl` in the project. */
export interface RunsOptions extends ProjectOptions {
  /** The folder of the project, with the programs and their configuration; default the working directory. */
  readonly folder?: string;
}

const DEFAULT_PERSON = 'user';

/** What the operations share. */
interface Folder {
  /** The folder of the project. */
  readonly folder: string;
  /** Where the runs are. */
  readonly directory: string;
  readonly host: ProjectHost;
  readonly options: ProjectOptions;
  readonly project: () => Promise<Project>;
}

export function folderRuns(options: RunsOptions): Runs {
  const folder = resolve(options.folder ?? '.');
  const directory = resolve(folder, options.dir ?? DEFAULT_STORE);
  const allowOutside = options.allowOutside === true;
  const host: ProjectHost = { folder, files: diskFiles, allowOutside, environment: options.env ?? process.env };
  const project = async () =>
    (await import('../../library/open-project.js')).openProject(folder, { ...options, dir: directory });
  const shared = { folder, directory, host, options, project };
  return { ...readOperations(shared), ...executeOperations(shared), ...changeOperations(shared) };
}

type ReadOperation =
  | 'list'
  | 'inspect'
  | 'events'
  | 'output'
  | 'outputs'
  | 'artifact'
  | 'program'
  | 'report'
  | 'detail';

function readOperations({ directory }: Folder): Pick<Runs, ReadOperation> {
  const openRun = (run: string | null): StoredRun => openStoredRun(directory, findRun(directory, run));
  const index = new RunIndex(directory);
  let inspector: RunInspector | null = null;
  return {
    list: (filter = {}) => resultOf(async () => (await import('./list.js')).listFolder(index, filter)),
    async inspect(run, at = null) {
      inspector ??= new (await import('./inspect.js')).RunInspector(index);
      const own = inspector;
      const result = await resultOf(() => own.inspect(run, at));
      return result.ok ? result.value : result;
    },
    events: (run, after = 0, signal, follow = 'forever') =>
      resultOf(async () => {
        const { eventStream } = await import('./event-stream.js');
        return eventStream({ folder: openRun(run).path, after, follow, signal });
      }),
    output: (run, effect, given = {}) =>
      resultOf(async () => {
        const { outputStream } = await import('./output-stream.js');
        const { path, about } = openRun(run);
        return outputStream(path, about.run_id, effect, given);
      }),
    outputs: (run, given = {}) =>
      resultOf(async () => {
        const { printedStream } = await import('./printed-stream.js');
        return printedStream(directory, openRun(run), given);
      }),
    artifact: (run, hash, { from } = {}) =>
      resultOf(async () => {
        const { artifactStream } = await import('./output-stream.js');
        const { path, about } = openRun(run);
        return artifactStream(path, about.run_id, hash, from);
      }),
    program: (run, digest) => resultOf(async () => (await import('./program.js')).programOf(openRun(run), digest)),
    report: (scope = {}) => resultOf(async () => (await import('./report.js')).reportOnRuns(directory, scope)),
    detail: (name, scope = {}) =>
      resultOf(async () => (await import('./report.js')).detailOfRuns(directory, name, scope)),
  };
}

function executeOperations({
  directory,
  host,
  options,
  project,
}: Folder): Pick<Runs, 'start' | 'resume' | 'replay' | 'compare'> {
  const stored = { directory, host, options };
  const machineOf = (id: string): string => openStoredRun(directory, id).about.machine;
  const runProgram = async (program: Startable, given: ProjectRunOptions) => {
    const opened = await project();
    const isText = typeof program !== 'string' && 'text' in program;
    return opened.run(isText ? await opened.checkText(program.text, program) : program, given);
  };
  return {
    async start(program, given = {}) {
      const { begin } = await import('./execute.js');
      return begin((onStart) => runProgram(program, { ...given, onStart }), machineOf, given.onStart);
    },
    async resume(run, given = {}) {
      return (await import('./execute-stored.js')).resumeStored(stored, run, given);
    },
    async replay(run, from, given = {}) {
      return (await import('./execute-stored.js')).replayStored(stored, run, { ...given, from });
    },
    compare: (run, given = {}) =>
      resultOf(async () => (await import('./execute-stored.js')).compareStored(stored, run, given)),
  };
}

function changeOperations({
  folder,
  directory,
  host,
}: Folder): Pick<Runs, 'answer' | 'signal' | 'cancel' | 'apply' | 'remove'> {
  const deliver = (run: string, deliveries: readonly Delivery[], inputs: Readonly<Record<string, Json>>) =>
    resultOf(async () => (await import('./deliver.js')).deliverTo(run, deliveries, { directory, host, inputs }));
  return {
    answer: (run, answers, { by = DEFAULT_PERSON, inputs = {} } = {}) =>
      deliver(
        run,
        Object.entries(answers).map(([name, value]) => ({ kind: 'answer', name, value, by })),
        inputs,
      ),
    signal: (run, name, payload = null, { by = DEFAULT_PERSON, inputs = {} } = {}) =>
      deliver(run, [{ kind: 'signal', name, payload, by }], inputs),
    cancel: (run, { by = DEFAULT_PERSON } = {}) =>
      resultOf(async () => {
        const { cancelStored } = await import('../../runtime/run/cancel.js');
        const run_id = findRun(directory, run);
        const undo = await cancelStored(directory, run_id, by);
        const left = undo.length === 0 ? {} : { undo };
        return { run_id, status: 'failed', error: { kind: 'cancelled' }, ...left };
      }),
    async apply(run, { cwd = folder, by } = {}) {
      const { applyRun } = await import('./apply.js');
      const result = await resultOf(() => applyRun(directory, run, resolve(folder, cwd), by));
      return result.ok ? result.value : result;
    },
    remove: (given) => resultOf(async () => (await import('./remove.js')).removeRuns(directory, given)),
  };
}
