/** Runs on an engine, for programs that embed statedsl: their client, and the services of a worker in an endpoint of their own. */
import { resolve } from 'node:path';
import type { Machine } from '../../app/library/compile-text.js';
import { type HostOptions, hostEffects } from '../../app/library/run-machine.js';
import { refuse, unwrap } from '../../app/result.js';
import type { Json } from '../../machine/expression.js';
import type { Machine as CompiledMachine, Limits } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { AgentSettings } from '../../runtime/agents/resolve.js';
import type { Effects } from '../../runtime/effect-context.js';
import type { InDoubt } from '../../runtime/run/in-doubt.js';
import { secretsOf } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { traceOptions } from '../../runtime/trace/trace-options.js';
import { deploymentOf } from '../admin.js';
import { engineClient as clientOfEngine } from '../client.js';
import { mirrorRun } from '../mirror.js';
import type { RestateSdk } from '../restate-sdk.js';
import { restateServices } from '../restate-services.js';
import { serviceNames } from '../services.js';
import { valueCodec } from '../value-codec.js';
import { WorkerFolders } from '../worker-folders.js';
import { spanSettings, workerHost } from '../worker-host.js';
import { WorkerWorktrees } from '../worker-worktrees.js';
import { submissionOf } from './submission.js';

/** How an engine is reached. */
export interface EngineClientOptions {
  /** Separates runs that share an engine; default `statedsl`. */
  readonly namespace?: string;
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string;
  /** Encrypts everything that the engine stores: 32 bytes in base64. */
  readonly key?: string;
  /** How long the server may not be reached, in milliseconds; default 60 s. */
  readonly patienceMs?: number;
}

/** Options of `submit`. */
export interface SubmitOptions {
  readonly inputs?: Readonly<Record<string, Json>>;
  /** The id of the run, a UUID of version 7; a new one by default. Submitting it twice is one run. */
  readonly runId?: string;
  /** Who submits it, for the record. */
  readonly by?: string;
  /** Limits that override those of the program. */
  readonly limits?: Limits;
  /** Only workers with this name execute the run. */
  readonly home?: string;
  /** Whether the run works in a git worktree, which its home has; requires `home`. */
  readonly worktree?: boolean;
  /** What happens with effects that must not run twice and may have run. */
  readonly inDoubt?: InDoubt;
  /** Runs of the engine with the same key are executed one at a time; default: the KEY of the program. */
  readonly runKey?: string;
  /** What happens if another run has the key: this one waits (the default), is skipped, or cancels the other one. */
  readonly onBusy?: 'wait' | 'skip' | 'cancel';
  /** The run has its key only while it is executed, and not while it is suspended. */
  readonly keyWhile?: 'running';
}

/** Lines of a journal, as `journalLine` makes them. */
export interface EngineEvents {
  readonly status: 'running' | 'suspended' | 'returned' | 'failed' | 'skipped';
  /** The number of the last event on record. */
  readonly seq: number;
  readonly lines: readonly string[];
}

/** Resolves with the report of a run when it has ended. */
export type ReportAtEnd = (runId: string) => Promise<RunReport>;

/** The runs of an engine. Methods reject with an `Error` that has `kind` if the engine cannot be asked. */
export interface EngineRuns {
  /** Begins a run, and resolves with its id. Rejects with an `OperationRefused` for what an engine must not get. */
  submit(machine: Machine, options?: SubmitOptions): Promise<string>;
  /** Delivers answers, signals or the wish to end the run. Resolves with the number of the last event before. */
  readonly tell: (runId: string, deliveries: readonly Delivery[]) => Promise<number>;
  /** The events from a number on: what is there, then what comes, until the run has ended. */
  events(runId: string, from?: number, signal?: AbortSignal): AsyncGenerator<EngineEvents>;
  /** Waits for the end of a run. */
  readonly ended: ReportAtEnd;
  /** Writes the run as an ordinary run folder of a store, usually `.statedsl`. Resolves with its path. */
  mirror(runId: string, directory: string): Promise<string>;
}

/** The runs of an engine. `url`: the address of its ingress, such as `http://127.0.0.1:8080`. Nothing is asked yet. */
export function engineClient(url: string, options: EngineClientOptions = {}): EngineRuns {
  const { namespace = 'statedsl', token = null, key = null, patienceMs = 60_000 } = options;
  const client = clientOfEngine({ url, namespace, token, key, patienceMs });
  const reportAtEnd: ReportAtEnd = async (runId) => {
    for await (const _ of client.events(runId));
    const report = (await client.status(runId))?.report ?? null;
    return report ?? unwrap(refuse('unknown', `there is no run \`${runId}\` on the engine at \`${url}\``));
  };
  return {
    async submit(machine, given = {}) {
      const { by = 'user', home, worktree, inDoubt, runKey, onBusy, keyWhile, ...others } = given;
      const submission = await submissionOf({
        machine: machine as unknown as CompiledMachine,
        options: others,
        functions: null,
        engine: {},
        ...{ home, inDoubt, by },
        ...omitUndefined({ worktree }),
        exclusive: omitUndefined({ key: runKey, onBusy, keyWhile }),
        isEncrypted: key !== null,
      });
      await client.submit(unwrap(submission));
      return unwrap(submission).header.runId;
    },
    tell: (runId, deliveries) => client.deliver(runId, deliveries),
    events: (runId, from, signal) => client.events(runId, from, signal),
    ended: reportAtEnd,
    mirror: (runId, directory) => mirrorRun(client, { url, namespace }, runId, directory),
  };
}

/** Options of `engineServices`. */
export interface EngineServicesOptions extends EngineClientOptions {
  /** The module `@restatedev/restate-sdk`. */
  readonly sdk: object;
  /** The address of the ingress. */
  readonly on: string;
  /** The address of the admin API, which knows the other workers. */
  readonly engine: string;
  /** Performs the requests of runs, or options of `hostEffects`; default: real processes. */
  readonly effects?: Effects | HostOptions;
  /** The working directory of runs; default that of the process. */
  readonly cwd?: string;
  /** A folder that all workers have. */
  readonly shared?: string;
  /** The folder for what belongs to runs with a home: worktrees and begun sessions of agents. Absent: runs with a worktree are refused. */
  readonly dir?: string;
  readonly labels?: readonly string[];
  readonly homes?: readonly string[];
  /** Whose programs are executed; default: those of everybody. */
  readonly submitters?: readonly string[];
}

function keptIn(directory: string | undefined, cwd: string, engine: string) {
  if (directory === undefined) return {};
  const folder = resolve(directory);
  return { worktrees: new WorkerWorktrees({ cwd, folder, engine }), folders: new WorkerFolders(folder, engine) };
}

/**
 * The services of a worker, for `endpoint().bind(…)` of the SDK in an endpoint of your own, which you register at the engine.
 * Give each process an address of its own: only `statedsl worker` passes the attempts of a run on between processes that
 * share one, because that takes place before the SDK reads a request.
 */
export function engineServices(options: EngineServicesOptions): readonly object[] {
  const { sdk, on, engine, namespace = 'statedsl', token = null, key = null, patienceMs = 60_000 } = options;
  const services = serviceNames(namespace);
  const { effects = {}, labels = [], homes = [], cwd = process.cwd(), shared = null, submitters = null } = options;
  const client = clientOfEngine({ url: on, namespace, token, key, patienceMs });
  const trace = traceOptions(process.env, undefined, null);
  const host = workerHost({
    services,
    client,
    spans: spanSettings(trace, { client, on, warn: (message) => process.emitWarning(message) }),
    effects: 'perform' in effects ? effects : (hostEffects(effects) as unknown as Effects),
    ...('perform' in effects ? {} : { agents: effects.agents as AgentSettings | undefined }),
    secrets: secretsOf({ inputs: [] }, { trace }),
    environment: process.env,
    ...{ cwd, shared, submitters },
    ...keptIn(options.dir, cwd, `${on} ${namespace}`),
    knows: async ({ kind, name }) => {
      const { service } = kind === 'label' ? services.effects(name) : services.turn(name);
      return (await deploymentOf(engine, service, patienceMs)) !== null;
    },
  });
  const offer = omitUndefined({ isGeneral: labels.length + homes.length === 0, labels, homes });
  return restateServices(sdk as RestateSdk, host, offer, valueCodec(key)) as readonly object[];
}
