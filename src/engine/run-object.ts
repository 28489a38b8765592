/**
 * The object of a run on the engine: its record, its image, its mail, and who waits for it. Handlers are short, and only one
 * of them at a time changes the object. None waits for an effect, so that a run can be seen and reached at any time.
 *
 * Its state: `about` (the submission, which never changes), `head`, `image` and `questions` (while the run has not ended),
 * `report` (when it is suspended or has ended), `doing` (what a worker said last), `e<number>` (the lines of the journal from that number on, with their checksums),
 * `a<hash>` (an artifact), and `early` (artifacts came before the submission).
 */
import type { RunEvent } from '../interpreter/events/event.js';
import type { OpenWait } from '../interpreter/run.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { ListedRun } from '../runtime/list-runs.js';
import { endFacts, type RunReport } from '../runtime/run/run-report.js';
import { artifactName } from '../runtime/store/artifacts.js';
import type { Image } from '../runtime/store/image.js';
import type { Delivery } from '../runtime/store/inbox.js';
import type { Reach, RunWhereabouts } from './admin.js';
import { alreadyOver, EngineRefusal, type ObjectContext, type SharedContext } from './engine-context.js';
import type {
  ArtifactContent,
  ArtifactWanted,
  Doing,
  Head,
  HomeTurn,
  ListeningTurn,
  Mail,
  Resuming,
  StoredArtifact,
  Submission,
  Submitting,
  Turned,
  TurnProgress,
  TurnStart,
  WaitingFor,
} from './messages.js';
import {
  markUnverified,
  refuseImage,
  refuseLarge,
  refuseResumer,
  refuseSubmission,
  refuseUnexpected,
  refuseUnfit,
  type WorkerRules,
} from './refusals.js';
import { append, type EventsWanted, isOver, readEvents } from './run-journal.js';
import type { NotedRun } from './services.js';
import { dayOf, type ServiceNames } from './services.js';
import type { SharedArtifacts } from './shared-artifacts.js';
import { bytesOfArtifact } from './turn-record.js';

/** The state of a run, in short. */
export interface RunState {
  readonly status: Head['status'];
  /** The number of the last event on record. */
  readonly seq: number;
  readonly turn: number;
  /** Of a run that is suspended or has ended; null: a turn executes it. */
  readonly report: RunReport | null;
  /** Set while a turn executes the run and has not reported yet what it asks, so that answers cannot be checked. */
  readonly asksUnknown?: true;
}

/** Without a worker that looks. */
const NOWHERE: Reach = { absentSince: async () => null, worker: async () => 'none' };

const ALL: WorkerRules = { environment: {}, submitters: null, functions: null };

const FIRST: Omit<Head, 'turn' | 'listed'> = {
  status: 'running',
  seq: 0,
  chunks: [],
  written: { journal: 0, output: 0 },
  mail: [],
  mailNumber: 0,
  seen: 0,
  listening: null,
  watchers: [],
  hasImage: false,
};

/** Handlers that change the object, by their names on the engine. */
export function runHandlers(services: ServiceNames, worker: WorkerRules = ALL) {
  const bind =
    <M, R>(handle: (context: ObjectContext, services: ServiceNames, message: M) => Promise<R>) =>
    (context: ObjectContext, message: M): Promise<R> =>
      handle(context, services, message);
  return {
    submit: bind((context, _, submitting: Submitting) => submit(context, services, submitting, worker)),
    tell: bind(deliver),
    resume: bind((context, _, resuming: Resuming) => resumeRun(context, services, resuming, worker)),
    listening: bind(listen),
    progress: bind(addProgress),
    turned: bind(endTurn),
    due: bind(wake),
    watch: bind(watch),
    drop: bind((context, names, known: { readonly seq: number } | null) => drop(context, names, known, worker)),
    store: bind(storeArtifact),
    doing: bind(noteDoing),
  };
}

/** Begins the run. Submitting it again changes nothing. */
async function submit(
  context: ObjectContext,
  services: ServiceNames,
  { beginning, ...given }: Submitting,
  worker: WorkerRules,
): Promise<{ run_id: string; status: Head['status'] }> {
  const known = await context.get<Head>('head');
  if (known !== null) return { run_id: context.key, status: known.status };
  const by = context.user ?? markUnverified(given.by);
  const { options } = given.header;
  // The first event of another run says who started that.
  const header = beginning === undefined ? { ...given.header, options: { ...options, started_by: by } } : given.header;
  const submission = { ...given, header, by };
  refuseSubmission(submission, worker);
  refuseUnfit(context.key, submission);
  if (beginning !== undefined) refuseImage(context.key, submission, beginning.image);
  context.set('about', submission);
  worker.remember?.(submission);
  const { home } = submission;
  const { machine, startedAt } = header;
  const head = {
    ...FIRST,
    turn: 0,
    listed: { machine: machine.name, title: header.options.title ?? machine.name, startedAt },
    ...omitUndefined({ home }),
  };
  note(context, services, head, 0);
  if (beginning === undefined) beginTurn(context, services, head, { image: null, resumedBy: null, due: null });
  else {
    const { image, events, lines, written } = beginning;
    let begun: Head = { ...head, written };
    for (const part of lines) begun = append(context, begun, { from: begun.seq + 1, lines: part });
    beginTurn(context, services, begun, { image, resumedBy: null, due: null, begin: resumedEvents(events, by) });
  }
  return { run_id: context.key, status: 'running' };
}

/** Delivers answers, signals or the wish to end the run: all of them or none. */
async function deliver(
  context: ObjectContext,
  services: ServiceNames,
  deliveries: readonly Delivery[],
): Promise<{ seq: number }> {
  const head = await headOf(context);
  if (isOver(head)) throw new EngineRefusal(409, alreadyOver(context.key, head.status));
  const image = head.status === 'suspended' ? await context.get<Image>('image') : null;
  const questions = image === null ? head.questions : await context.get<readonly OpenWait[]>('questions');
  const addressed = refuseUnexpected(questions ?? null, deliveries, head.mail);
  refuseLarge(head, addressed);
  const signed = addressed.map((one) => ({ ...one, by: context.user ?? markUnverified(one.by) }));
  const mail = signed.map((delivery, at): Mail => ({ number: head.mailNumber + at + 1, delivery }));
  const next = { ...head, mail: [...head.mail, ...mail], mailNumber: head.mailNumber + mail.length };
  if (image !== null) {
    noteResumed(context, services, next);
    beginTurn(context, services, next, { image, resumedBy: signed[0]?.by ?? 'user', due: null });
  } else {
    if (next.listening !== null) context.resolveAwakeable(next.listening, next.mail);
    context.set('head', { ...next, listening: null });
  }
  return { seq: head.seq };
}

/** Continues from the image that a client made of the whole record. */
async function resumeRun(
  context: ObjectContext,
  services: ServiceNames,
  { seq, image, events, by: given }: Resuming,
  worker: WorkerRules,
): Promise<{ turn: number }> {
  const head = await headOf(context);
  const about = await context.get<Submission>('about');
  if (head.status === 'returned') throw new EngineRefusal(409, alreadyOver(context.key, head.status));
  if (head.status === 'running' || head.seq !== seq) throw new EngineRefusal(409, hasChanged(context));
  const by = context.user ?? markUnverified(given);
  refuseResumer(about, by, worker);
  refuseImage(context.key, about, image);
  noteResumed(context, services, head);
  const begin = resumedEvents(events, by);
  // Who wanted to end the run has learned that it had failed.
  const mail = head.mail.filter(({ delivery }) => delivery.kind !== 'cancel');
  beginTurn(context, services, { ...head, mail }, { image, resumedBy: null, due: null, begin });
  return { turn: head.turn + 1 };
}

/** Who resumes the run is what the engine knows of it. */
function resumedEvents(events: readonly RunEvent[], by: string): readonly RunEvent[] {
  return events.map((event) => (event.type === 'run_resumed' ? { ...event, by } : event));
}

/** The current turn hears mail from now on. */
async function listen(
  context: ObjectContext,
  _: ServiceNames,
  { turn, awakeable, seen }: ListeningTurn,
): Promise<void> {
  const head = await currentHead(context, turn);
  if (head === null) return;
  const mail = head.mail.filter(({ number }) => number > seen);
  if (mail.length > 0) context.resolveAwakeable(awakeable, mail);
  context.set('head', { ...head, seen, mail, listening: mail.length > 0 ? null : awakeable });
}

async function addProgress(context: ObjectContext, _: ServiceNames, progress: TurnProgress): Promise<void> {
  const head = await currentHead(context, progress.turn);
  if (head === null) return;
  const { questions, seen = head.seen } = progress;
  const mail = head.mail.filter(({ number }) => number > seen);
  context.set('head', { ...append(context, head, progress), seen, mail, ...omitUndefined({ questions }) });
}

/** A turn has ended. */
async function endTurn(context: ObjectContext, services: ServiceNames, turned: Turned): Promise<void> {
  const current = await currentHead(context, turned.turn);
  if (current === null) return;
  const { seen, written, image, report, end, due } = turned;
  const mail = current.mail.filter(({ number }) => number > seen);
  const { questions: _, ...others } = current;
  const received: Head = { ...others, seen, mail, written, listening: null };
  if (image !== null && (end === 'limit' || mail.length > 0)) {
    const head = append(context, received, turned);
    const resumedBy = end === 'limit' ? null : (mail[0]?.delivery.by ?? 'user');
    return beginTurn(context, services, head, { image, resumedBy, due: null });
  }
  context.set('report', report);
  storeImage(context, current, turned);
  const status = report?.status === 'returned' || report?.status === 'suspended' ? report.status : 'failed';
  const head = append(context, { ...received, status, hasImage: image !== null }, turned);
  context.set('head', head);
  note(context, services, head, 2 * turned.turn + 1, { report, endedAt: turned.endedAt });
  if (due !== null && end === 'suspended')
    context.send(services.run(context.key, 'due'), { turn: turned.turn, until: due.until }, due.ms);
}

/** What a run that waits continues from. Most runs never wait: then there is nothing to remove. */
function storeImage(context: ObjectContext, { hasImage }: Head, { image, questions }: Turned): void {
  if (image !== null) {
    context.set('image', image);
    context.set('questions', questions);
  } else if (hasImage) {
    context.clear('image');
    context.clear('questions');
  }
}

/** The time that a suspended run waits for has come. */
async function wake(
  context: ObjectContext,
  services: ServiceNames,
  { turn, until }: { readonly turn: number; readonly until: number },
): Promise<void> {
  const head = await currentHead(context, turn);
  const image = head?.status === 'suspended' ? await context.get<Image>('image') : null;
  if (head === null || image === null) return;
  noteResumed(context, services, head);
  beginTurn(context, services, head, { image, resumedBy: 'clock', due: until });
}

/** A reader waits for an event with this number, or for the end of the run. */
async function watch(
  context: ObjectContext,
  _: ServiceNames,
  { from, awakeable }: { readonly from: number; readonly awakeable: string },
): Promise<void> {
  const head = await context.get<Head>('head');
  if (head === null || head.seq >= from || isOver(head)) context.resolveAwakeable(awakeable, null);
  else context.set('head', { ...head, watchers: [...head.watchers, { from, awakeable }] });
}

/** Tells the list of runs how the run is. `version`: of two notes the later one counts. */
function note(
  context: ObjectContext,
  services: ServiceNames,
  { status, listed }: Head,
  version: number,
  last: { readonly report: RunReport | null; readonly endedAt: string | null } = { report: null, endedAt: null },
): void {
  const noted: NotedRun = { version, run: listedRun(context.key, listed, { status, ...last }) };
  context.send(services.runs(dayOf(context.key), 'note'), noted);
}

/** `head`: of the last turn. */
function noteResumed(context: ObjectContext, services: ServiceNames, head: Head): void {
  note(context, services, { ...head, status: 'running' }, 2 * head.turn + 2);
}

/** Removes everything about a run that has ended, or the artifacts of one that was never submitted. */
async function drop(
  context: ObjectContext,
  services: ServiceNames,
  known: { readonly seq: number } | null,
  { shared }: WorkerRules,
): Promise<void> {
  if (known?.seq === 0) return (await context.get('head')) === null ? context.clearAll() : undefined;
  const head = await headOf(context);
  if (!isOver(head)) throw new EngineRefusal(409, `run \`${context.key}\` has not ended`);
  if (known !== null && known.seq !== head.seq) throw new EngineRefusal(409, hasChanged(context));
  // Again if this is executed again, which removes nothing more.
  shared?.drop(context.key);
  context.clearAll();
  context.send(services.runs(dayOf(context.key), 'remove'), context.key);
}

/** Handlers that only read the object. */
export function readerHandlers(services: ServiceNames, reach: Reach = NOWHERE, shared: SharedArtifacts | null = null) {
  return {
    whereabouts: (context: SharedContext): Promise<RunWhereabouts | null> => whereaboutsOf(context, reach),

    async status(context: SharedContext): Promise<RunState | null> {
      const head = await context.get<Head>('head');
      if (head === null) return null;
      const { status, seq, turn, questions } = head;
      if (status !== 'running') return { status, seq, turn, report: await context.get<RunReport>('report') };
      return { status, seq, turn, report: null, ...(questions === undefined ? { asksUnknown: true } : {}) };
    },

    async about(context: SharedContext): Promise<Submission | null> {
      return context.get<Submission>('about');
    },

    /** Null: the run has no such artifact. */
    async artifact(context: SharedContext, wanted: ArtifactWanted): Promise<ArtifactContent | null> {
      const { name, from } = typeof wanted === 'string' ? { name: wanted, from: 0 } : wanted;
      return (await context.get<ArtifactContent>(`a${name}`)) ?? shared?.read(context.key, name, from) ?? null;
    },

    events: (context: SharedContext, wanted: EventsWanted) => readEvents(context, services, wanted),
  };
}

/** Null: the message is of a turn that is over. */
async function currentHead(context: ObjectContext, turn: number): Promise<Head | null> {
  const head = await context.get<Head>('head');
  return head === null || head.turn !== turn || isOver(head) ? null : head;
}

function hasChanged({ key }: ObjectContext): string {
  return `run \`${key}\` has gone on; look at it again`;
}

function beginTurn(
  context: ObjectContext,
  services: ServiceNames,
  head: Head,
  first: Pick<TurnStart, 'image' | 'resumedBy' | 'due' | 'begin'>,
): void {
  const { seq, written, mail, seen } = head;
  const turn = head.turn + 1;
  const start: TurnStart = { runId: context.key, turn, seq, written, mail, seen, ...first };
  // A message to a service that the engine does not know would be repeated, and the object could not be reached meanwhile.
  if (head.home === undefined) context.send(services.turn(null), start);
  else context.send(services.passToHome(), { home: head.home, start } satisfies HomeTurn);
  context.set('head', { ...head, turn, status: 'running', listening: null });
}

/** How long artifacts wait for the submission of their run: its client may have died. Milliseconds. */
const EARLY_MS = 24 * 3_600_000;

/** Stores an artifact of the run. Lines that refer to it come later. */
async function storeArtifact(
  context: ObjectContext,
  services: ServiceNames,
  { name, content, isEarly }: StoredArtifact,
): Promise<void> {
  if (isEarly !== true) await headOf(context);
  if (artifactName(bytesOfArtifact(content)) !== name)
    throw new EngineRefusal(400, `the content of the artifact \`${name}\` does not match its name`);
  context.set(`a${name}`, content);
  if (isEarly !== true || (await context.get('early')) !== null) return;
  context.set('early', true);
  context.send(services.run(context.key, 'drop'), { seq: 0 }, EARLY_MS);
}

/** What every handler of a run reads first. */
async function headOf(context: Pick<SharedContext, 'key' | 'get'>): Promise<Head> {
  const head = await context.get<Head>('head');
  if (head === null) throw new EngineRefusal(404, `there is no run \`${context.key}\``);
  return head;
}

/** The run as it is listed. `endedAt`: when the last event was recorded. */
function listedRun(
  runId: string,
  { machine, title = machine, startedAt }: Head['listed'],
  known: {
    readonly status: Head['status'];
    readonly report: RunReport | null;
    readonly endedAt: string | null;
  },
): ListedRun {
  const { status, report, endedAt } = known;
  return {
    run_id: runId,
    machine,
    title,
    status,
    state: report?.state ?? null,
    started_at: startedAt,
    ended_at: endedAt,
    duration_ms: report?.duration_ms ?? null,
    cost: report?.cost ?? null,
    effects: report?.effects ?? null,
    ...(report === null ? {} : endFacts(report)),
  };
}

/** How long a word of a worker may be, in characters, and how many workers it may wait for. */
const LONGEST = 2000;
const MOST_WAITS = 1000;

/** A worker says what a turn does. Anybody who reaches the engine can say it, so it has little room. */
export async function noteDoing(context: ObjectContext, _: unknown, given: Doing): Promise<void> {
  const doing = checkedDoing(given);
  if (doing === null) throw new EngineRefusal(400, 'this is not what a worker says about a turn');
  const head = await context.get<Head>('head');
  if (head?.turn === doing.turn && head.status === 'running') context.set('doing', doing);
}

/** Only the members that it has, if they are what they should be; otherwise null. */
function checkedDoing(given: unknown): Doing | null {
  if (typeof given !== 'object' || given === null) return null;
  const {
    turn,
    worker,
    invocation,
    since,
    waits,
    made_by: by,
    refused,
  } = given as Partial<Record<keyof Doing, unknown>>;
  const isText = (one: unknown): one is string => typeof one === 'string' && one.length <= LONGEST;
  const isWait = (one: unknown): one is WaitingFor => {
    const { kind, name, since: from } = (one ?? {}) as Partial<WaitingFor>;
    return (kind === 'label' || kind === 'home') && isText(name) && isText(from);
  };
  if (!Number.isInteger(turn) || !isText(worker) || !isText(invocation) || !isText(since)) return null;
  if (by !== undefined && !isText(by)) return null;
  if (refused !== undefined && !isText(refused)) return null;
  if (!Array.isArray(waits) || !waits.every(isWait)) return null;
  const few = waits.slice(0, MOST_WAITS).map(({ kind, name, since: from }) => ({ kind, name, since: from }));
  return { turn: turn as number, worker, invocation, since, waits: few, ...omitUndefined({ made_by: by, refused }) };
}

/** Null: no turn executes the run. */
export async function whereaboutsOf(context: SharedContext, reach: Reach): Promise<RunWhereabouts | null> {
  const head = await context.get<Head>('head');
  if (head?.status !== 'running') return null;
  const said = await context.get<Doing>('doing');
  const doing = said?.turn === head.turn ? said : null;
  const waits = doing?.waits ?? (head.home === undefined ? [] : [{ kind: 'home', name: head.home, since: null }]);
  const [absentSince, ...workers] = await Promise.all([
    doing === null ? null : reach.absentSince(doing.worker),
    ...distinct(waits as readonly AwaitedSince[]).map(async (one) => ({ ...one, worker: await reach.worker(one) })),
  ]);
  return {
    turn: head.turn,
    worker: doing?.worker ?? null,
    invocation: doing?.invocation ?? null,
    since: doing?.since ?? null,
    is_reachable: absentSince === null,
    no_worker_since: absentSince,
    made_by: doing?.made_by ?? null,
    refused: doing?.refused ?? null,
    // A turn that no worker has begun waits for a worker.
    waits: workers.filter(({ worker }) => doing !== null || worker !== 'there'),
  };
}

type AwaitedSince = Omit<WaitingFor, 'since'> & { readonly since: string | null };

/** Many effects may wait for one label: the first one counts. */
function distinct(waits: readonly AwaitedSince[]): AwaitedSince[] {
  const all = new Map<string, AwaitedSince>();
  for (const one of waits) if (!all.has(`${one.kind} ${one.name}`)) all.set(`${one.kind} ${one.name}`, one);
  return [...all.values()];
}
