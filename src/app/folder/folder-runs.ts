/**
 * The runs of a folder, usually `.statedsl`: runs are executed by this process, and read from disk whichever process
 * executes them. Each operation is loaded when it is called, so that a command which lists runs loads no parser.
 */

import { join, resolve } from 'node:path';
import type { Json } from '../../machine/expression.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { entryAt } from '../../runtime/store/own-file.js';
import { lockHolder } from '../../runtime/store/run-lock.js';
import { openStoredRun, type StoredRun } from '../../runtime/store/stored-run.js';
import { answersOf, DEFAULT_PERSON } from '../approvers.js';
import { type CompareOptions, preparedBy, splitOptions, wrongForm } from '../execution-options.js';
import { hostOf, type OpenedFolder, storeOf } from '../programs.js';
import type { ProjectHost } from '../project/project-host.js';
import { resultOf } from '../result.js';
import type { Runs } from '../runs.js';
import type { ContinuedOptions } from './continued-options.js';
import { describeRun, findRun } from './find-run.js';
import type { RunInspector } from './inspect.js';
import { RunIndex } from './run-index.js';
import type { StartingOptions } from './start-in-folder.js';

/** What the operations share. */
interface Folder {
  /** Where the runs are. */
  readonly directory: string;
  readonly host: ProjectHost;
  readonly options: OpenedFolder;
}

export function folderRuns(options: OpenedFolder): Runs {
  const shared = { directory: storeOf(options), host: hostOf(options), options };
  const read = readOperations(shared);
  const change = changeOperations(shared);
  return { ...read, ...executeOperations(shared, { ...read, ...change }), ...change };
}

type ReadOperation =
  | 'find'
  | 'schedules'
  | 'limits'
  | 'list'
  | 'inspect'
  | 'events'
  | 'output'
  | 'outputs'
  | 'artifact'
  | 'program'
  | 'verify'
  | 'audit'
  | 'report'
  | 'detail';

function readOperations({ directory, host }: Folder): Pick<Runs, ReadOperation> {
  const openRun = (run: string | null): StoredRun => openStoredRun(directory, findRun(directory, run));
  const index = new RunIndex(directory);
  let inspector: RunInspector | null = null;
  return {
    schedules: () =>
      resultOf(async () => {
        const [{ listSchedules }, { listFolder }] = await Promise.all([
          import('./list-schedules.js'),
          import('./list-folder.js'),
        ]);
        const { readSchedule } = await import('../../runtime/store/kept-schedules.js');
        const service = join(directory, 'service');
        return listSchedules(host, {
          keptOf: async ({ name }) => readSchedule(directory, name),
          isActive: async () => entryAt(service) !== null && lockHolder(service).owner !== null,
          statusOf: async (q) => listFolder(index, { q, limit: 1 }).runs[0]?.status,
        });
      }),
    limits: () => resultOf(async () => (await import('../account-limits.js')).listLimits(directory, host.environment)),
    find: (run) => resultOf(() => describeRun(directory, run)),
    list: (filter = {}) => resultOf(async () => (await import('./list-folder.js')).listFolder(index, filter)),
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
    program: (run, digest) =>
      resultOf(async () => (await import('./program-of-run.js')).programOf(openRun(run), digest)),
    verify: (run, key) =>
      resultOf(async () =>
        (await import('../../runtime/verify-record.js')).verifyRecord(directory, openRun(run), { key }),
      ),
    audit: (run, key) => resultOf(async () => (await import('./audit-run.js')).auditOf(directory, openRun(run), key)),
    report: (scope = {}) => resultOf(async () => (await import('./report-on-runs.js')).reportOnRuns(directory, scope)),
    detail: (name, scope = {}) =>
      resultOf(async () => (await import('./report-on-runs.js')).detailOfRuns(directory, name, scope)),
  };
}

type ExecuteOperation = 'start' | 'follow' | 'resume' | 'replay' | 'compare';

function executeOperations(folder: Folder, others: Pick<Runs, 'answer' | 'inspect'>): Pick<Runs, ExecuteOperation> {
  const { directory, host, options } = folder;
  const loadExecution = () => import('./execute-stored.js');
  return {
    async start(program, given = {}) {
      const { preparing, running } = splitOptions(given);
      const prepared = await preparedBy(program, preparing, async (source) => {
        const { prepareFor } = await import('../read-programs.js');
        return prepareFor(host, { ...options, dir: directory }, source, preparing);
      });
      return prepared.ok
        ? (await import('./start-in-folder.js')).startIn(folder, prepared.value, running as StartingOptions)
        : prepared;
    },
    follow: (run, given = {}) =>
      resultOf(async () => {
        const { followStored } = await import('./follow-stored.js');
        return followStored(others, openStoredRun(directory, findRun(directory, run)), given);
      }),
    resume: async (run, given = {}) =>
      wrongEdited(given) ?? (await loadExecution()).resumeStored(folder, run, given as ContinuedOptions),
    replay: async (run, from, given = {}) =>
      wrongEdited(given) ?? (await loadExecution()).replayStored(folder, run, from, given as ContinuedOptions),
    compare: async (run, given = {}) =>
      wrongEdited(given) ?? resultOf(async () => (await loadExecution()).compareStored(folder, run, given)),
  };
}

const wrongEdited = ({ program }: CompareOptions) => (program === undefined ? null : wrongForm(program));

function changeOperations({
  directory,
  host,
}: Folder): Pick<Runs, 'answer' | 'signal' | 'cancel' | 'apply' | 'files' | 'remove' | 'clearLimits'> {
  const deliver = (run: string, deliveries: readonly Delivery[], inputs: Readonly<Record<string, Json>>) =>
    resultOf(async () => (await import('./deliver-to.js')).deliverTo(run, deliveries, { directory, host, inputs }));
  return {
    answer: (run, answers, options = {}) => deliver(run, answersOf(answers, options), options.inputs ?? {}),
    signal: (run, name, payload = null, { by = DEFAULT_PERSON, inputs = {} } = {}) =>
      deliver(run, [{ kind: 'signal', name, payload, by }], inputs),
    cancel: (run, { by = DEFAULT_PERSON } = {}) =>
      resultOf(async () => {
        const { cancelStored } = await import('../../runtime/run/cancel.js');
        const run_id = findRun(directory, run);
        const { loadSettings, signingOf } = await import('../project/settings.js');
        const { programOf } = await import('../project/stored-program.js');
        const settings = await loadSettings(host, programOf(openStoredRun(directory, run_id)) ?? '-');
        const undo = await cancelStored(directory, run_id, by, signingOf(settings.configuration).signer);
        const left = undo.length === 0 ? {} : { undo };
        return { run_id, status: 'failed', error: { kind: 'cancelled' }, ...left };
      }),
    async files(run, { cwd = '.' } = {}) {
      const { filesOfRun } = await import('./apply-run.js');
      const result = await resultOf(() => filesOfRun(directory, run, resolve(host.folder, cwd)));
      return result.ok ? result.value : result;
    },
    async apply(run, { cwd = '.', by } = {}) {
      const { applyRun } = await import('./apply-run.js');
      const result = await resultOf(() => applyRun(directory, run, resolve(host.folder, cwd), by));
      return result.ok ? result.value : result;
    },
    clearLimits: (account) =>
      resultOf(async () => (await import('../account-limits.js')).clearLimits(account, host.environment)),
    remove: (given) => resultOf(async () => (await import('./remove.js')).removeRuns(directory, given)),
  };
}
