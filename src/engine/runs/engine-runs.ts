/**
 * The runs on an engine: workers execute them, and the engine remembers them. What looks at a run copies its record into
 * the folder of the options first, as much as is missing there, and then reads the copy.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { answersOf, guardAnswers } from '../../app/approvers.js';
import { applyRun, filesOfRun } from '../../app/folder/apply-run.js';
import { folderRuns } from '../../app/folder/folder-runs.js';
import { shownProgram } from '../../app/folder/program-of-run.js';
import { type FolderOptions, hostOf, storeOf } from '../../app/programs.js';
import { type Refused, type Result, refuse, resultOf, resultWith } from '../../app/result.js';
import { runCondition } from '../../app/run-filter.js';
import type {
  AppliedRun,
  ApplyOptions,
  CancelledRun,
  Delivered,
  Execution,
  Inspected,
  LimitList,
  RunFilter,
  RunList,
  RunProgram,
  Runs,
  ShownRun,
} from '../../app/runs.js';
import { isOver } from '../../interpreter/events/status-after.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { BreakerState } from '../../runtime/agents/breakers/breaker.js';
import type { DaySpending } from '../../runtime/agents/spending.js';
import { checkSendable } from '../../runtime/run/apply-delivery.js';
import { secretsOf } from '../../runtime/run/run-options.js';
import { emptyReport } from '../../runtime/run/run-report.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { isRunId, openStoredRun } from '../../runtime/store/stored-run.js';
import { keptFacts } from '../../runtime/worktree/worktree-facts.js';
import { EngineFailure } from '../ask-engine.js';
import { type EngineClient, engineClient } from '../client.js';
import { sharedStates } from '../engine-limits.js';
import { type EngineAddress, mirrorRun, unknownRun } from '../mirror.js';
import type { RunState } from '../run-readers.js';
import type { EngineFolder } from './continue-runs.js';
import { followOnEngine, replayRun, resumeRun } from './continue-runs.js';
import { engineEvents } from './engine-events.js';
import { removeFromEngine } from './remove-from-engine.js';
import { refusalOfEngine, startOn } from './start-on-engine.js';

/** Where the engine is. `dir` of the other options is the folder for copies. */
export interface EngineRunsOptions extends FolderOptions {
  /** The address of its ingress. */
  readonly on: string;
  /** Separates runs that share an engine; default `statedsl`. */
  readonly namespace?: string;
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string | null;
  /** Encrypts what the engine stores, as 32 bytes in base64. */
  readonly key?: string | null;
  /** How long the engine may not answer, in milliseconds. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 5000;
/** How long it may not answer while a run is followed, in milliseconds: a server may start again. */
const FOLLOWING_MS = 60_000;
/** How long the end of a cancelled run is waited for, in milliseconds. */
const CANCELING_MS = 15_000;
/** How long the first event of a run is waited for, in milliseconds. */
const BEGINNING_MS = 5000;

export function engineRuns(options: EngineRunsOptions): Runs {
  const { on: url, namespace = 'statedsl', token = null, key = null, patienceMs = PATIENCE_MS } = options;
  const client = engineClient({ url, namespace, token, key, patienceMs });
  const patient = engineClient({ url, namespace, token, key, patienceMs: Math.max(patienceMs, FOLLOWING_MS) });
  const directory = storeOf(options);
  const folder = folderRuns(options);
  const find = (run: string | null): Promise<string> => findOnEngine(client, url, run);
  const copy: EngineFolder['copy'] = async (run) => {
    const id = await find(run);
    await copyRun(client, { url, namespace }, id, directory);
    return id;
  };
  const shared = { client, patient, url, find, copy };
  return {
    ...readCopies(shared, folder),
    ...listOperations(shared),
    schedules: () => answerOf(async () => (await import('./schedules-on-engine.js')).listOnEngine(client, options)),
    ...changeOperations(shared, options),
    files: async (run, { cwd = '.' } = {}) => {
      const found = await answerOf(async () => {
        const id = await shared.find(run);
        await shared.copy(id);
        return filesOfRun(directory, id, resolve(options.folder ?? '.', cwd));
      });
      return found.ok ? found.value : found;
    },
    apply: async (run, { cwd = '.', by } = {}) => {
      const given = { cwd: resolve(options.folder ?? '.', cwd), ...omitUndefined({ by }) };
      const applied = await answerOf(() => applyFromEngine(shared, directory, run, given));
      return applied.ok ? applied.value : applied;
    },
    follow: (run, given) => startRun(() => followOnEngine(shared, run, given)),
    resume: (run, given) => startRun(() => resumeRun(shared, options, run, given)),
    replay: (run, from, given) => startRun(() => replayRun(shared, options, run, { ...given, from })),
    start: (program, given) =>
      startRun(() => startOn({ client, patient, options, isEncrypted: (key ?? '') !== '' }, program, given)),
  };
}

/** A run has its first events soon after a worker has begun it. */
async function copyRun(client: EngineClient, address: EngineAddress, id: string, directory: string): Promise<void> {
  const state = await client.status(id);
  if (state?.seq === 0) {
    await refuseWaiting(client, id);
    const signal = AbortSignal.timeout(BEGINNING_MS);
    try {
      for await (const _ of client.events(id, 1, signal)) break;
    } catch (cause) {
      if (!signal.aborted) throw cause;
      const home = (await client.about(id))?.home;
      const [which, flag] = home === undefined ? ['', ''] : [` with the home \`${home}\``, ` --home ${home}`];
      throw new RunRefused(
        'wrong-use',
        `no worker${which} has begun run \`${id}\` yet`,
        `start one: \`statedsl worker${flag}\``,
      );
    }
  }
  await mirrorRun(client, address, id, directory);
}

/** A run whose key another one has is not executed yet, and has no record. */
async function refuseWaiting(client: EngineClient, id: string): Promise<void> {
  const { waits_for_key: wanted } = (await client.whereabouts(id)) ?? {};
  if (wanted?.run_id == null) return;
  const help = `end it with \`statedsl cancel ${id}\`, or the other one: \`statedsl cancel ${wanted.run_id}\``;
  throw new RunRefused(
    'wrong-use',
    `run \`${id}\` has not begun: run ${wanted.run_id} has its key \`${wanted.key}\``,
    help,
  );
}

async function startRun(start: () => Promise<Result<Execution>>): Promise<Result<Execution>> {
  const asked = await answerOf(start);
  return asked.ok ? asked.value : asked;
}

/** As `resultOf`, where an engine is asked. */
async function answerOf<T>(action: () => Promise<T>): Promise<Result<T>> {
  try {
    return await resultOf(action);
  } catch (cause) {
    if (cause instanceof EngineFailure) return refusalOfEngine(cause);
    throw cause;
  }
}

/** The id of the run that is meant; null: the latest. Rejects with a `RunRefused` or an `EngineFailure`. */
async function findOnEngine(client: EngineClient, url: string, run: string | null): Promise<string> {
  if (run !== null && isRunId(run)) return run;
  const runs = await client.list(run === null ? 1 : Number.POSITIVE_INFINITY);
  if (run === null) {
    const latest = runs[0];
    if (latest !== undefined) return latest.run_id;
    throw new RunRefused('unknown', `there are no runs on the engine at \`${url}\``);
  }
  const found = run === '' ? [] : runs.filter(({ run_id }) => run_id.startsWith(run));
  if (found.length === 1) return found[0]?.run_id ?? '';
  if (found.length > 1)
    throw new RunRefused('unknown', `\`${run}\` is the beginning of ${found.length} runs`, 'write more of the id');
  throw new RunRefused(
    'unknown',
    `there is no run \`${run}\` on the engine at \`${url}\``,
    `list the runs: \`statedsl runs --on ${url}\``,
  );
}

type CopiedOperation =
  | 'inspect'
  | 'output'
  | 'outputs'
  | 'artifact'
  | 'program'
  | 'verify'
  | 'audit'
  | 'compare'
  | 'report'
  | 'detail';

/** Operations that read the copy of a run. */
function readCopies({ client, url, find, copy }: EngineFolder, folder: Runs): Pick<Runs, CopiedOperation> {
  const withCopy = async <T>(run: string | null, action: (id: string) => Promise<Result<T>>): Promise<Result<T>> => {
    const copied = await answerOf(() => copy(run));
    const known = copied.ok ? copied.value : await endedCopy(folder, run, copied);
    return known === null ? (copied as Refused) : action(known);
  };
  return {
    async inspect(run, at = null) {
      const begun = new Date().toISOString();
      let failure: EngineFailure['kind'] | null = null;
      const copied = await answerOf(() =>
        copy(run).catch((cause: unknown) => {
          if (cause instanceof EngineFailure) failure = cause.kind;
          throw cause;
        }),
      );
      if (!copied.ok && failure === 'absent') {
        const ended = await endedCopy(folder, run, copied);
        return ended === null ? copied : folder.inspect(ended, at);
      }
      const unbegun = copied.ok || at !== null ? null : await answerOf(async () => waitingRun(client, await find(run)));
      if (unbegun?.ok === true && unbegun.value !== null) return { ok: true, value: unbegun.value, recent: [] };
      if (!copied.ok)
        return run === null || failure !== 'no-worker'
          ? copied
          : withoutWorker(await folder.inspect(run, at), begun, copied);
      const shown = await folder.inspect(copied.value, at);
      return shown.ok ? withLiveStatus(client, shown) : shown;
    },
    output: (run, effect, given) => withCopy(run, (id) => folder.output(id, effect, { ...given, follow: false })),
    outputs: async (run, given = {}) =>
      given.follow === true
        ? refuse('wrong-use', 'outputs on an engine cannot be followed', 'follow the run: `statedsl show --follow`')
        : withCopy(run, (id) => folder.outputs(id, given)),
    artifact: (run, hash, given) => withCopy(run, (id) => folder.artifact(id, hash, given)),
    async program(run, digest) {
      if (digest !== undefined) return withCopy(run, (id) => folder.program(id, digest));
      const known = await answerOf(async () => programOnEngine(client, await find(run), url));
      const copied = known.ok ? null : await endedCopy(folder, run, known);
      return copied === null ? known : folder.program(copied);
    },
    verify: (run, key) => withCopy(run, (id) => folder.verify(id, key)),
    audit: (run, key) => withCopy(run, (id) => folder.audit(id, key)),
    compare: (run, given) => withCopy(run, (id) => folder.compare(id, given)),
    async report(scope = {}) {
      const ids = await answerOf(() => copyScope(client, copy, scope));
      const known = ids.ok || scope.last !== undefined ? null : await endedCopy(folder, scope.run ?? null, ids);
      if (known !== null) return folder.report({ run: known });
      return ids.ok ? folder.report(scope.last === undefined ? { run: ids.value[0] ?? null } : scope) : ids;
    },
    async detail(name, scope = {}) {
      const ids = await answerOf(() => copyScope(client, copy, scope));
      return ids.ok ? folder.detail(name, scope.last === undefined ? { run: ids.value[0] ?? null } : scope) : ids;
    },
  };
}

/** As a run before its first event; null: it has one, or waits for no other run. */
async function waitingRun(client: EngineClient, run_id: string): Promise<ShownRun | null> {
  const engine = await client.whereabouts(run_id);
  if (engine?.waits_for_key === undefined || (await client.status(run_id))?.seq !== 0) return null;
  const header = (await client.about(run_id))?.header;
  if (header === undefined) return null;
  const { machine, startedAt, options, inputs, key } = header;
  return {
    ...emptyReport(run_id, machine.name, 'interrupted'),
    ...{ status: 'running', title: options.title ?? machine.name, inputs, bound: {}, values: {} },
    ...{ seq: 0, last_seq: 0, at: startedAt, started_at: startedAt, engine },
    ...omitUndefined({ key: key?.name }),
  };
}

/** Also of a run that no worker has begun. */
async function programOnEngine(client: EngineClient, run_id: string, url: string): Promise<RunProgram> {
  const about = await client.about(run_id);
  if (about === null) throw unknownRun(run_id, url);
  const { machine, sources, inputs } = about.header;
  const program = sources[0]?.name ?? null;
  return shownProgram({ run_id, program, machine, sources, folders: [] }, secretsOf(machine, { inputs }));
}

/** A run that has ended can be looked at without its engine, as far as it was copied. Null: it cannot. */
async function endedCopy(folder: Runs, run: string | null, { refusal }: Refused): Promise<string | null> {
  if (refusal.code !== 'unreachable' || run === null) return null;
  const known = await folder.inspect(run);
  return known.ok && isOver(known.value) ? known.value.run_id : null;
}

async function copyScope(
  client: EngineClient,
  copy: EngineFolder['copy'],
  { run = null, last }: { readonly run?: string | null; readonly last?: number },
): Promise<readonly string[]> {
  if (last === undefined) return [await copy(run)];
  const runs = await client.list(last);
  return Promise.all(runs.slice(0, last).map(({ run_id }) => copy(run_id)));
}

/**
 * No process holds the copy of a run that is executed, so the copy looks as if its process had died, or as if it waited, if the
 * turn that continues it has not begun.
 */
async function withLiveStatus(client: EngineClient, shown: Extract<Inspected, { ok: true }>): Promise<Inspected> {
  const { run_id, status, seq, last_seq } = shown.value;
  const isWaiting = status === 'suspended' && seq === last_seq;
  if (status !== 'killed' && !isWaiting) return shown;
  const state = await client.status(run_id).catch(() => null);
  if (state === null || (isWaiting && state.status !== 'running')) return shown;
  const engine = state.status === 'running' ? await client.whereabouts(run_id).catch(() => null) : null;
  return { ...shown, value: { ...shown.value, status: state.status, ...(engine === null ? {} : { engine }) } };
}

/** The copy of a run as it was when a worker answered last. */
function withoutWorker(shown: Inspected, since: string, refused: Refused): Inspected {
  if (!shown.ok) return refused;
  const { value } = shown;
  if (isOver(value)) return shown;
  const unknown = {
    turn: null,
    worker: null,
    invocation: null,
    since: null,
    is_reachable: false,
    made_by: null,
    refused: null,
  };
  const status = value.status === 'killed' ? 'running' : value.status;
  return { ...shown, value: { ...value, status, engine: { ...unknown, waits: [], no_worker_since: since } } };
}

function listOperations({
  client,
  url,
  find,
}: EngineFolder): Pick<Runs, 'find' | 'list' | 'events' | 'limits' | 'clearLimits'> {
  return {
    limits: () => answerOf(() => limitsOnEngine(client)),
    clearLimits: (account) => answerOf(() => clearOnEngine(client, account)),
    find: (run) =>
      answerOf(async () => {
        const run_id = await find(run);
        const about = await client.about(run_id);
        if (about === null) throw unknownRun(run_id, url);
        const { machine, settings } = about.header;
        const here = typeof settings.here === 'string' ? settings.here : '';
        const program = machine.files[0] ?? '<stdin>';
        const path = program === '<stdin>' ? null : resolve(here, program);
        return { run_id, machine: machine.name, program: path, engine: { on: url } };
      }),
    list: (filter = {}) => answerOf(async () => listRuns(client, filter)),
    events: (run, after = 0, signal, follow = 'forever') =>
      answerOf(async () => {
        const id = await find(run);
        if ((await client.status(id)) === null) throw new RunRefused('unknown', `there is no run \`${id}\``);
        return engineEvents(client, id, { after, signal, follow });
      }),
  };
}

/** What all runs of the namespace share. */
async function limitsOnEngine(client: EngineClient): Promise<LimitList> {
  const { limitList } = await import('../../app/account-limits.js');
  const [breakers, spendings] = await Promise.all([
    sharedStates<BreakerState>(client, 'breaker'),
    sharedStates<DaySpending>(client, 'spending'),
  ]);
  return limitList(breakers, spendings, []);
}

async function clearOnEngine(client: EngineClient, name: string): Promise<readonly string[]> {
  const { accountsCalled } = await import('../../app/account-limits.js');
  const cleared = accountsCalled(name, await sharedStates<BreakerState>(client, 'breaker'));
  for (const account of cleared) await client.askShared({ kind: 'breaker', name: account }, 'clear', null);
  return cleared;
}

async function listRuns(client: EngineClient, filter: RunFilter): Promise<RunList> {
  const { limit = Number.POSITIVE_INFINITY, ...conditions } = filter;
  if (filter.program !== undefined || filter.begunIn !== undefined)
    throw new RunRefused('wrong-use', 'an engine does not know from which file or folder a run came', 'name the run');
  if (filter.input !== undefined)
    throw new RunRefused(
      'wrong-use',
      'the list of an engine does not have the inputs of its runs',
      'leave out `input`',
    );
  const isWanted = runCondition(conditions);
  const isFiltered = Object.values(conditions).some((one) => one !== undefined && one !== '');
  const all = await client.list(isFiltered ? Number.POSITIVE_INFINITY : limit + 1);
  const runs = all.filter((run) => isWanted(run));
  const page = runs.slice(0, limit);
  return runs.length > page.length ? { runs: page, next: page.at(-1)?.run_id ?? '' } : { runs: page };
}

function changeOperations(
  { client, find, copy }: EngineFolder,
  options: FolderOptions,
): Pick<Runs, 'answer' | 'signal' | 'cancel' | 'remove'> {
  const deliver = (run: string, deliveries: readonly Delivery[]): Promise<Result<Delivered>> =>
    answerOf(async () => {
      checkSendable(deliveries);
      const run_id = await find(run);
      await guardAnswers(
        deliveries,
        async () => (await import('../../app/project/settings.js')).loadSettings(hostOf(options), '-'),
        (refused) => client.deliver(run_id, refused),
      );
      await client.deliver(run_id, deliveries);
      return { run_id, delivery: 'passed-on' };
    });
  return {
    answer: (run, answers, given = {}) => deliver(run, answersOf(answers, given)),
    signal: (run, name, payload: Json = null, { by = 'user' } = {}) =>
      deliver(run, [{ kind: 'signal', name, payload, by }]),
    async cancel(run, { by = 'user' } = {}) {
      const asked = await answerOf(async () => {
        const run_id = await find(run);
        await client.deliver(run_id, [{ kind: 'cancel', by }]);
        await untilEnd(client, run_id);
        return { run_id, state: await client.status(run_id) };
      });
      return asked.ok ? cancelledRun(asked.value.run_id, asked.value.state) : asked;
    },
    remove: (given) => answerOf(() => removeFromEngine({ client, copy }, given)),
  };
}

/** Waits for the end, which needs a worker, for a while. */
async function untilEnd(client: EngineClient, runId: string): Promise<void> {
  const signal = AbortSignal.timeout(CANCELING_MS);
  try {
    for await (const _ of client.events(runId, 1, signal));
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
}

/** Says what became of the wish to end a run. */
export function cancelledRun(run_id: string, state: RunState | null): Result<CancelledRun> {
  const report = state !== null && isOver(state) ? state.report : null;
  if (report === null)
    return refuse(
      'unfinished',
      `the wish to end run \`${run_id}\` is on record, but no worker has ended it yet`,
      `start a worker with \`statedsl worker\`; \`statedsl show ${run_id}\` says what the run waits for`,
    );
  if (report.error?.kind !== 'cancelled')
    return refuse('over', `run \`${run_id}\` ${report.status} before it could be ended`);
  return resultWith({
    run_id,
    status: 'failed',
    error: { kind: 'cancelled' },
    ...omitUndefined({ undo: report.undo }),
  });
}

/** `directory`: the store for copies. Rejects with a `RunRefused`, a `StoreError` or an `EngineFailure`. */
async function applyFromEngine(
  { client, find, copy }: EngineFolder,
  directory: string,
  run: string | null,
  { cwd = '.', by }: ApplyOptions = {},
): Promise<Result<AppliedRun>> {
  const id = await find(run ?? (await latestReturned(client)));
  // The copy of a run that is executed looks as if its process had died, and may not say yet that it has a worktree.
  if ((await client.status(id))?.status === 'running')
    return refuse('unfinished', `run \`${id}\` has not returned: its status is running`, 'wait until it ends');
  await copy(id);
  const facts = keptFacts(openStoredRun(directory, id).path);
  if (facts === null)
    return refuse(
      'wrong-use',
      `run \`${id}\` has no worktree`,
      'only runs that were submitted with `--worktree` have one',
    );
  const applied = await applyRun(directory, id, cwd, by);
  const isHere = existsSync(facts.directory);
  if (applied.ok || isHere || (applied.refusal.facts as { reason?: string } | undefined)?.reason !== 'lost')
    return applied;
  const home = (await client.about(id))?.home ?? '';
  return refuse(
    'not-applied',
    `the worktree \`${facts.directory}\` of run \`${id}\` is on a worker with the home \`${home}\``,
    `apply the run there, or fetch the branch first: \`git fetch REPOSITORY ${facts.branch}:${facts.branch}\``,
  );
}

async function latestReturned(client: EngineFolder['client']): Promise<string | null> {
  const runs = await client.list(Number.POSITIVE_INFINITY);
  return runs.find(({ status }) => status === 'returned')?.run_id ?? null;
}
