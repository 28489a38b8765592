/** The process of a worker: programs by their runs, and effects with the resources of their runs. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../interpreter/events/event.js';
import type { AgentRequest } from '../interpreter/request.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { AgentSettings } from '../runtime/agents/resolve.js';
import type { EffectContext, Effects, SharedLimits } from '../runtime/effect-context.js';
import { makeTemporaryFolder, removeTemporaryFolder } from '../runtime/process/temporary-folder.js';
import { createRedactor, type Redactor, type Secret } from '../runtime/redact.js';
import { isRemembered, performRemembered } from '../runtime/run/memo-effects.js';
import { type OpenResources, openResources } from '../runtime/run/resources.js';
import { noteLazySignal } from '../runtime/stop-signal.js';
import { artifactsFolder } from '../runtime/store/artifacts.js';
import { parseTraceparent, spanIdOf, spanOfEffect, traceparentFor } from '../runtime/trace/otlp.js';
import type { TraceOptions } from '../runtime/trace/trace-options.js';
import type { RunWorktrees } from '../runtime/worktree/run-worktrees.js';
import type { Reach } from './admin.js';
import type { EngineClient } from './client.js';
import { EffectGrowth, EffectOutputs, programOf } from './effect-outputs.js';
import { EngineLimits } from './engine-limits.js';
import { memoOfRuns } from './engine-memo.js';
import type { Doing, Submission } from './messages.js';
import { RecentlyUsed } from './recently-used.js';
import { machineProblem, maySubmit } from './refusals.js';
import { secretInputsOf, variableProblem } from './secret-inputs.js';
import type { ServiceNames } from './services.js';
import { type SharedArtifacts, sharedArtifacts } from './shared-artifacts.js';
import { StartedEffects } from './started-effects.js';
import {
  EXECUTE,
  type ProgramNeeds,
  ProgramRefused,
  presenceOn,
  type TurnHost,
  type TurnProgram,
  type WantedWorker,
} from './turn-host.js';
import { TurnOrigins } from './turn-origins.js';
import type { WorkerFolders } from './worker-folders.js';
import type { WorkerProcesses } from './worker-processes.js';
import type { SpanSettings, WorkerSpans } from './worker-spans.js';
import { missing, restoreFiles, type WorkerWorktrees } from './worker-worktrees.js';

export interface WorkerOptions {
  readonly services: ServiceNames;
  readonly client: Pick<EngineClient, 'about' | 'store' | 'artifact'> &
    Partial<Pick<EngineClient, 'note' | 'askShared'>>;
  readonly effects: Effects;
  /** The working directory of runs, absolute. */
  readonly cwd: string;
  /** The secrets of the process. */
  readonly secrets: readonly Secret[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whose programs are executed; null: those of everybody. */
  readonly submitters?: readonly string[] | null;
  /** SHA-256 of the module with functions; null: there is none. */
  readonly functions?: string | null;
  /** Records the processes that are started; absent: nothing records them. */
  readonly processes?: WorkerProcesses;
  /** Whether the engine knows such a worker. */
  readonly knows: (wanted: WantedWorker) => Promise<boolean>;
  /** A folder that all workers have, with a working directory for each run; null: all runs work in `cwd`. */
  readonly shared?: string | null;
  /** The worktrees of runs that have one; absent: such runs are refused. */
  readonly worktrees?: WorkerWorktrees;
  /** What is kept of runs for the time after the death of the process; absent: nothing. */
  readonly folders?: WorkerFolders;
  /** Agents by name, as the configuration of the worker says; absent: none. */
  readonly agents?: AgentSettings | undefined;
  readonly warn?: (message: string) => void;
  /** The address of the worker, once it listens. */
  readonly address?: () => string;
  readonly reach?: Reach;
  /** Where the spans of what the process executes go; absent: nobody wants them. */
  readonly spans?: SpanSettings | undefined;
  /** Gets a line about each effect that has ended. */
  readonly log?: ((line: EffectLine) => void) | null;
}

/** An effect that has ended, for a log. */
export interface EffectLine {
  readonly run: string;
  /** The name of the effect in the journal, with its attempt. */
  readonly effect: string;
  readonly kind: string;
  readonly ms: number;
  readonly outcome: string;
}

export interface WorkerHost extends TurnHost {
  /** Releases what runs use. Call it when no effect is in flight. */
  close(): Promise<void>;
}

/** The first turn of a run that was submitted here comes soon, or to another worker. Milliseconds. */
const SUBMITTED_MS = 10_000;
/** How many submissions are remembered, and how many programs of runs that were executed last, in characters of JSON. */
const MOST_SUBMITTED = 16_000_000;
const MOST_PROGRAMS = 64_000_000;
/** Runs that were refused, each of which is a warning once. */
const MOST_REFUSED = 1000;

export function workerHost(given: WorkerOptions): WorkerHost {
  const { services, client, effects, secrets, environment } = given;
  const ownRedactor = createRedactor(secrets);
  const redactorOf = (program: TurnProgram): Redactor | null =>
    program.secrets.length === 0 ? ownRedactor : createRedactor([...secrets, ...program.secrets]);
  const programs = new RecentlyUsed<KnownProgram>(MOST_PROGRAMS);
  const submitted = new RecentlyUsed<Submission>(MOST_SUBMITTED);
  const { note, askShared } = client;
  const limits = askShared === undefined ? undefined : new EngineLimits({ askShared });
  const memoHost = askShared === undefined ? null : memoOfRuns({ askShared }, given.agents);
  const presence = note === undefined || given.address === undefined ? undefined : presenceOn(note, given.address);
  const refused = new RecentlyUsed<Pick<Doing, 'turn' | 'since'> & { readonly reason: string }>(MOST_REFUSED);
  const { address, warn } = given;
  const origins = warn === undefined || address === undefined ? undefined : new TurnOrigins(warn, client, address);
  const shared = given.shared == null ? null : sharedArtifacts(given.shared);
  const runs = new SharedResources(client, redactorOf, given, shared, limits);
  const aboutOf = async (runId: string): Promise<Submission | null> =>
    programs.get(runId)?.about ?? (await client.about(runId).catch(() => null));
  return {
    services,
    started: new StartedEffects(),
    environment,
    submitters: given.submitters ?? null,
    functions: given.functions ?? null,
    newName: randomUUID,
    ...omitUndefined({
      presence,
      rememberEnd: memoHost?.rememberEnd,
      origins,
      reach: given.reach,
      shared: shared ?? undefined,
      worktrees: given.worktrees,
      sendSpans: given.spans === undefined ? undefined : sendSpansTo(given.spans, aboutOf),
    }),
    hasWorker: (wanted, until, stop) => untilThere(given, wanted, until, stop),
    remember(about) {
      const { runId } = about.header;
      submitted.set(runId, about, JSON.stringify(about).length);
      setTimeout(() => submitted.delete(runId), SUBMITTED_MS).unref();
    },
    noteRefusal({ runId, turn, invocation }, reason) {
      // The turn comes again and again.
      const known = refused.get(runId);
      const isKnown = known?.reason === reason && known.turn === turn;
      const since = isKnown ? known.since : new Date().toISOString();
      if (known?.reason !== reason) given.warn?.(reason);
      refused.set(runId, { reason, turn, since }, 1);
      const doing = { turn, worker: address?.() ?? '', invocation, since, waits: [], refused: reason };
      note?.(runId, doing).catch(() => undefined);
    },
    async program(runId, needs = EXECUTE) {
      let known = programs.get(runId);
      if (known === undefined) {
        const about = submitted.get(runId) ?? (await client.about(runId));
        submitted.delete(runId);
        if (about === null) throw new Error(`run \`${runId}\` was removed`);
        refuseUnreadable(about);
        const isWhole = variableProblem(about, environment) === null;
        const inputs = isWhole ? secretInputsOf(about, environment) : {};
        known = { about, program: { ...programOf(about, inputs), ...tracing(about, given.spans !== undefined) } };
        programs.set(runId, known, JSON.stringify(about).length);
      }
      refuseToExecute(known.about, needs, given);
      return known.program;
    },
    async perform(runId, program, request, bounds) {
      const worktrees = program.worktree === null ? null : await worktreesFor(given, runId, program);
      if (worktrees !== null) await restoreFiles(worktrees, request);
      const { resources, outputs, redactor, growth } = runs.open(runId, program, worktrees);
      const { originals } = resources.outputs;
      growth.begin(bounds);
      try {
        const cwd = worktrees?.main.cwd ?? directoryOf(given, runId);
        if (cwd instanceof Error) {
          const reason = `the working directory of the run cannot be made: ${cwd.message}`;
          return { outcome: { kind: 'not-started', reason }, at: Date.now(), printed: 0 };
        }
        const fetching = outputs.fetchInput(request);
        if (fetching !== null) await fetching;
        const { programDir } = program.options;
        const { shared: common } = given;
        const { traceparent } = request;
        const context = {
          runId,
          cwd,
          program: program.linked.machine.name,
          programDir,
          // As without an engine, not in the worktree.
          toolFolders: worktrees === null && common != null ? [cwd, given.cwd] : [given.cwd],
          show: null,
          notice: (text: string) => given.warn?.(`run ${runId}: ${redactor?.text(text) ?? text}`),
          resources,
          ...(traceparent === undefined ? {} : { traceparentOf: () => traceparent }),
          get stop() {
            return bounds.stopping.signal;
          },
        };
        noteLazySignal(context, bounds.stopping);
        const begin = performance.now();
        const { folders } = given;
        const inWorld = (): Outcome | Promise<Outcome> =>
          request.kind === 'agent' && program.home !== null && folders !== undefined
            ? callAgent({ effects, folders }, request, context)
            : effects.perform(request, context);
        const memo = isRemembered(request)
          ? (memoHost?.(context, request, { ...program.memo, redactor }) ?? null)
          : null;
        const outcome = await (memo === null ? inWorld() : performRemembered(request, context, memo, inWorld));
        given.log?.({
          ...{ run: runId, effect: `${request.effect}.${request.attempt}`, kind: request.kind },
          ...{ ms: Math.round(performance.now() - begin), outcome: outcome.kind },
        });
        // Another process would not have the bytes with secrets, so this one does not use them either.
        if ('stdout' in outcome && outcome.stdout.artifact !== undefined) originals.delete(outcome.stdout.artifact);
        const at = Date.now();
        const stored = outputs.store(redactor === null ? outcome : clean(redactor, outcome));
        return { outcome: stored instanceof Promise ? await stored : stored, at, printed: growth.report() };
      } finally {
        growth.end(bounds);
        runs.release(runId);
      }
    },
    async close() {
      await runs.closeAll();
      given.processes?.close();
    },
  };
}

/** As without an engine: a run that belongs to a trace passes it on, also if its spans go nowhere. */
function tracing({ header }: Submission, isWanted: boolean): Pick<TurnProgram, 'traceparentOf'> {
  const { runId, settings } = header;
  const parent = typeof settings.traceparent === 'string' ? settings.traceparent : null;
  if (!isWanted && parseTraceparent(parent) === null) return {};
  return {
    traceparentOf: (effect, seq) => traceparentFor({ runId, parent }, spanIdOf(runId, seq, spanOfEffect(effect))),
  };
}

/** Undefined: nobody wants spans. */
export function spanSettings(
  trace: TraceOptions | undefined,
  others: Pick<SpanSettings, 'client' | 'on' | 'warn'>,
): SpanSettings | undefined {
  if (trace === undefined || trace.endpoint === null) return undefined;
  return { ...others, endpoint: trace.endpoint, prompts: trace.prompts };
}

/** What makes spans is loaded when the first ones are sent. */
function sendSpansTo(
  settings: SpanSettings,
  aboutOf: (runId: string) => Promise<Submission | null>,
): NonNullable<TurnHost['sendSpans']> {
  let spans: WorkerSpans | null = null;
  return async (turn, recorded) => {
    const { WorkerSpans: Spans } = await import('./worker-spans.js');
    spans ??= new Spans(settings);
    const about = await aboutOf(turn.runId);
    if (about !== null) await spans.send(turn, recorded, about.header.settings);
  };
}

/** A program is read once. `program`: without secret inputs if the process does not have all of them. */
interface KnownProgram {
  readonly about: Submission;
  readonly program: TurnProgram;
}

/** The worker that accepted the submission may have had another version. */
function refuseUnreadable({ header, home }: Submission): void {
  const problem = machineProblem(header);
  if (problem !== null) throw new ProgramRefused(`run \`${header.runId}\`: ${problem}`, false, false, home ?? null);
}

/** Workers with a name are alike, so that none of them executes what one refuses, unless they have different functions. */
function refuseToExecute(
  about: Submission,
  needs: ProgramNeeds,
  { submitters = null, functions = null, environment }: WorkerOptions,
): void {
  const { header, home } = about;
  const refuse = (reason: string, isFinal: boolean, isOfFunctions = false): never => {
    throw new ProgramRefused(`run \`${header.runId}\` ${reason}`, isFinal, isOfFunctions);
  };
  const isFinal = home !== undefined;
  if (needs.submitter && !maySubmit(about, submitters))
    refuse(`is by ${about.by}, who may not execute programs`, isFinal);
  if (needs.functions && about.functions !== undefined && about.functions !== functions)
    refuse('needs the functions of another `engine.commands` than this worker has', false, true);
  const problem = needs.secrets ? variableProblem(about, environment) : null;
  if (problem === null) return;
  const { variable, isMissing, reason } = problem;
  if (isMissing) refuse(`needs the variable \`${variable}\`, which this worker does not have`, isFinal);
  refuse(`needs the variable \`${variable}\`, which this worker has, but ${reason}`, isFinal);
}

/** An effect that came here only because of its label works in the directory of this worker, unless the worktree is here. */
async function worktreesFor({ worktrees }: WorkerOptions, runId: string, { isRouted }: TurnProgram) {
  const found = (await worktrees?.of(runId)) ?? null;
  if (found === null && isRouted !== true) throw missing(runId);
  return found;
}

/** An agent learns that a killed worker of the home had begun its call: its session is on this machine. */
async function callAgent(
  { effects, folders }: { readonly effects: Effects; readonly folders: WorkerFolders },
  request: AgentRequest,
  context: EffectContext,
): Promise<Outcome> {
  const { runId } = context;
  const call = `${request.effect}.${request.attempt}.${request.waits ?? 0}`;
  const outcome = await effects.perform(folders.begin(runId, call) ? { ...request, again: true } : request, context);
  folders.end(runId, call);
  return outcome;
}

/** The working directory of a run, or why it cannot be made. */
function directoryOf({ cwd, shared = null }: WorkerOptions, runId: string): string | Error {
  if (shared === null) return cwd;
  const own = join(shared, 'runs', runId, 'work');
  try {
    mkdirSync(own, { recursive: true });
    return own;
  } catch (cause) {
    return cause as Error;
  }
}

/** How often the engine is asked for a worker. Milliseconds. */
const LOOK_MS = 1000;

async function untilThere(
  { knows, warn }: WorkerOptions,
  wanted: WantedWorker,
  until: number,
  stop: AbortSignal,
): Promise<boolean> {
  for (let isFirst = true; ; isFirst = false) {
    if (stop.aborted) return false;
    if (await knows(wanted)) return true;
    if (Date.now() >= until) return false;
    if (isFirst)
      warn?.(
        `no worker has the ${wanted.kind} \`${wanted.name}\`; ${wanted.kind === 'label' ? 'an effect' : 'a run'} waits for one`,
      );
    await sleep(Math.min(LOOK_MS, Math.max(1, until - Date.now())), undefined, { signal: stop }).catch(() => undefined);
  }
}

/** What the engine stores has no secrets. */
function clean(redactor: Redactor, outcome: Outcome): Outcome {
  const event = redactor.event({ type: 'effect_settled', effect: '', attempt: 1, outcome });
  return event.type === 'effect_settled' ? event.outcome : outcome;
}

/** A run that has no effect in flight for so long releases its resources. Milliseconds. */
const IDLE_MS = 2000;

interface RunUse {
  resources: OpenResources;
  readonly outputs: EffectOutputs;
  readonly redactor: Redactor | null;
  readonly growth: EffectGrowth;
  effects: number;
  /** Whether it has had no effect since the last look. */
  isIdle: boolean;
  timer: ReturnType<typeof setTimeout> | null;
}

/** The resources of all runs that have effects in this process. */
class SharedResources {
  private readonly runs = new Map<string, RunUse>();
  private folder: string | null = null;

  constructor(
    private readonly client: WorkerOptions['client'],
    private readonly redactorOf: (program: TurnProgram) => Redactor | null,
    private readonly kept: Pick<WorkerOptions, 'processes' | 'folders'>,
    private readonly shared: SharedArtifacts | null,
    /** Absent: each worker keeps to the limits that it notices. */
    private readonly limits: SharedLimits | undefined,
  ) {}

  open(runId: string, program: TurnProgram, worktrees: RunWorktrees | null): RunUse {
    let use = this.runs.get(runId);
    if (use === undefined) {
      this.folder ??= makeTemporaryFolder(tmpdir());
      const artifacts = artifactsFolder(join(this.folder, runId));
      const { processes, folders } = this.kept;
      const runFolder = folders === undefined ? null : (): string => folders.of(runId);
      const spec = { runId, artifacts, keptBytes: 0, worktrees, runFolder, limits: this.limits };
      const redactor = this.redactorOf(program);
      const resources = openResources({ ...spec, recordProcess: (record) => processes?.record(record) }, redactor);
      use = {
        redactor,
        outputs: new EffectOutputs(this.client, runId, artifacts, this.shared),
        resources,
        growth: new EffectGrowth(resources.outputs.use),
        effects: 0,
        isIdle: false,
        timer: null,
      };
      this.runs.set(runId, use);
    }
    // What belongs to a run is found by its resources, so they stay the same object.
    if (use.resources.worktrees !== worktrees) use.resources = { ...use.resources, worktrees };
    use.effects++;
    return use;
  }

  release(runId: string): void {
    const use = this.runs.get(runId);
    if (use === undefined) return;
    use.effects--;
    use.isIdle = false;
    // One timer for all effects of the run: a new one for each would take as long as a short effect.
    use.timer ??= setTimeout(() => this.closeIdle(runId, use), IDLE_MS).unref();
  }

  /** Closes it if it has had no effect since the last look. */
  private closeIdle(runId: string, use: RunUse): void {
    if (use.effects === 0 && use.isIdle) return void this.close(runId);
    use.isIdle = true;
    use.timer?.refresh();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.runs.keys()].map((runId) => this.close(runId)));
    if (this.folder !== null) removeTemporaryFolder(this.folder);
    this.folder = null;
  }

  private async close(runId: string): Promise<void> {
    const use = this.runs.get(runId);
    this.runs.delete(runId);
    if (use?.timer != null) clearTimeout(use.timer);
    await use?.resources.close();
    if (this.folder !== null && !this.runs.has(runId)) removeTemporaryFolder(join(this.folder, runId));
  }
}
