/**
 * The object of a run on the engine: its record, its image, its mail, its key, and who waits for it. Handlers are short, and only one
 * of them at a time changes the object. None waits for an effect, so that a run can be seen and reached at any time.
 *
 * Its state: `about` (the submission, which never changes), `head`, `image` and `questions` (while the run has not ended), `next` (what its next turn begins with, while it waits for its key),
 * `report` (when it is suspended or has ended), `doing` (what a worker said last), `e<number>` (the lines of the journal from that number on, with their checksums),
 * `a<hash>` (an artifact), and `early` (artifacts came before the submission).
 */
import { Buffer } from 'node:buffer';
import type { RunEvent } from '../interpreter/events/event.js';
import { isOver } from '../interpreter/events/status-after.js';
import type { OpenWait } from '../interpreter/run.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { timeText } from '../runtime/clock.js';
import type { RunReport } from '../runtime/run/run-report.js';
import { artifactName } from '../runtime/store/artifacts.js';
import type { Image } from '../runtime/store/image.js';
import type { Delivery } from '../runtime/store/inbox.js';
import { journalLine } from '../runtime/store/journal-line.js';
import type { OnBusy, RunKey } from '../runtime/store/run-header.js';
import { alreadyOver, EngineRefusal, type ObjectContext, type SharedContext } from './engine-context.js';
import type {
  FreedCalls,
  Head,
  HeadKey,
  HomeTurn,
  ListeningTurn,
  Mail,
  Resuming,
  StoredArtifact,
  Submission,
  Submitting,
  TurnBeginning,
  Turned,
  TurnProgress,
  TurnStart,
} from './messages.js';
import { noticeOfReport } from './notice-object.js';
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
import { append } from './run-journal.js';
import type { KeyClaim, KeyEvent, KeyWord, ReleasedKey } from './run-key.js';
import { listedRun, noteDoing } from './run-readers.js';
import type { NotedRun } from './services.js';
import { dayOf, type ServiceNames } from './services.js';
import { bytesOfArtifact } from './turn-record.js';

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
    freed: bind(receiveFreed),
    watch: bind(watch),
    drop: bind((context, names, known: { readonly seq: number } | null) => drop(context, names, known, worker)),
    store: bind(storeArtifact),
    doing: bind(noteDoing),
    keyed: bind(hearOfKey),
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
    listed: {
      ...{ machine: machine.name, title: header.options.title ?? machine.name, startedAt },
      ...omitUndefined({ key: header.key?.name }),
    },
    ...omitUndefined({ home, key: keyOf(header.key) }),
  };
  note(context, services, head, 0);
  const { onBusy } = given;
  if (beginning === undefined)
    beginWithKey(context, services, head, { image: null, resumedBy: null, due: null }, onBusy);
  else {
    const { image, events, lines, written } = beginning;
    let begun: Head = { ...head, written };
    for (const part of lines) begun = append(context, begun, { from: begun.seq + 1, lines: part });
    const first = { image, resumedBy: null, due: null, begin: resumedEvents(events, by) };
    beginWithKey(context, services, begun, first, onBusy);
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
  const questions = head.status === 'suspended' ? await context.get<readonly OpenWait[]>('questions') : head.questions;
  const addressed = refuseUnexpected(questions ?? null, deliveries, head.mail);
  refuseLarge(head, addressed);
  const signed = addressed.map((one) => ({ ...one, by: context.user ?? markUnverified(one.by) }));
  await receive(context, services, head, signed);
  return { seq: head.seq };
}

/** Calls that the run has put off may begin earlier than it knows. */
async function receiveFreed(context: ObjectContext, services: ServiceNames, freed: FreedCalls): Promise<void> {
  const head = await context.get<Head>('head');
  if (head === null || isOver(head)) return;
  await receive(context, services, head, [{ kind: 'freed', by: 'clock', ...freed } as const]);
}

/** The run continues with what it gets. A wish to end it waits for nobody. */
async function receive(
  context: ObjectContext,
  services: ServiceNames,
  head: Head,
  deliveries: readonly Mail['delivery'][],
): Promise<void> {
  const mail = deliveries.map((delivery, at): Mail => ({ number: head.mailNumber + at + 1, delivery }));
  const next = { ...head, mail: [...head.mail, ...mail], mailNumber: head.mailNumber + mail.length };
  if (head.status === 'suspended') {
    const image = await context.get<Image>('image');
    const first = { image, resumedBy: deliveries[0]?.by ?? 'user', due: null };
    noteResumed(context, services, next);
    if (isEnding(deliveries)) beginTurn(context, services, next, first);
    else beginWithKey(context, services, next, first);
  } else if (next.key?.state === 'waits' && isEnding(deliveries)) {
    const { name: key, claim } = next.key;
    context.send(services.key(key, 'release'), { key, run_id: context.key, claim } satisfies ReleasedKey);
    await beginWaiting(context, services, next, 'free', []);
  } else {
    if (next.listening !== null) context.resolveAwakeable(next.listening, next.mail);
    context.set('head', { ...next, listening: null });
  }
}

const isEnding = (deliveries: readonly Mail['delivery'][]): boolean => deliveries.some(({ kind }) => kind === 'cancel');

/** Continues from the image that a client made of the whole record. */
async function resumeRun(
  context: ObjectContext,
  services: ServiceNames,
  { seq, image, events, by: given }: Resuming,
  worker: WorkerRules,
): Promise<{ turn: number }> {
  const head = await headOf(context);
  const about = await context.get<Submission>('about');
  if (head.status === 'returned' || head.status === 'skipped')
    throw new EngineRefusal(409, alreadyOver(context.key, head.status));
  if (head.status === 'running' || head.seq !== seq) throw new EngineRefusal(409, hasChanged(context));
  const by = context.user ?? markUnverified(given);
  refuseResumer(about, by, worker);
  refuseImage(context.key, about, image);
  noteResumed(context, services, head);
  const begin = resumedEvents(events, by);
  // Who wanted to end the run has learned that it had failed.
  const mail = head.mail.filter(({ delivery }) => delivery.kind !== 'cancel');
  beginWithKey(context, services, { ...head, mail }, { image, resumedBy: null, due: null, begin });
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
  if (image !== null && (end === 'limit' || mail.some(({ delivery }) => delivery.kind !== 'key'))) {
    const head = append(context, received, turned);
    const resumedBy =
      end === 'limit' ? null : (mail.find(({ delivery }) => delivery.kind !== 'key')?.delivery.by ?? 'user');
    return beginTurn(context, services, head, { image, resumedBy, due: null });
  }
  context.set('report', report);
  storeImage(context, current, turned);
  const status = statusOf(report);
  const key = keyAfterTurn(context, services, received.key, status);
  const ended = append(context, { ...received, status, hasImage: image !== null, ...omitUndefined({ key }) }, turned);
  // What came too late for the turn.
  const notes = ended.mail.flatMap(({ delivery }) => (delivery.kind === 'key' ? [delivery] : []));
  const head = isOver(ended) || notes.length === 0 ? ended : await recordNotes(context, { ...ended, mail: [] }, notes);
  context.set('head', head);
  note(context, services, head, 2 * turned.turn + 1, { report, endedAt: turned.endedAt });
  const { title = head.listed.machine } = head.listed;
  const notice = noticeOfReport(report, title, turned.endedAt);
  if (notice !== null) context.send(services.notices('addNotice'), notice);
  if (due !== null && end === 'suspended')
    context.send(services.run(context.key, 'due'), { turn: turned.turn, until: due.until }, due.ms);
}

function statusOf(report: RunReport | null): Head['status'] {
  const status = report?.status;
  return status === 'returned' || status === 'suspended' || status === 'skipped' ? status : 'failed';
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
  beginWithKey(context, services, head, { image, resumedBy: 'clock', due: until });
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

/** Null: the message is of a turn that is over. */
async function currentHead(context: ObjectContext, turn: number): Promise<Head | null> {
  const head = await context.get<Head>('head');
  return head === null || head.turn !== turn || isOver(head) ? null : head;
}

function hasChanged({ key }: ObjectContext): string {
  return `run \`${key}\` has gone on; look at it again`;
}

function beginTurn(context: ObjectContext, services: ServiceNames, head: Head, first: TurnBeginning): void {
  const { seq, written, mail, seen } = head;
  const turn = head.turn + 1;
  const start: TurnStart = { runId: context.key, turn, seq, written, mail, seen, ...first };
  // A message to a service that the engine does not know would be repeated, and the object could not be reached meanwhile.
  if (head.home === undefined) context.send(services.turn(null), start);
  else context.send(services.passToHome(), { home: head.home, start } satisfies HomeTurn);
  context.set('head', { ...head, turn, status: 'running', listening: null });
}

function keyOf(key: RunKey | undefined): HeadKey | undefined {
  return key === undefined ? undefined : { ...key, claim: 0, state: 'free' };
}

/** The turn begins when the run has its key. `next` is what it begins with. */
function beginWithKey(
  context: ObjectContext,
  services: ServiceNames,
  head: Head,
  first: TurnBeginning,
  onBusy: OnBusy = 'wait',
): void {
  const { key } = head;
  if (key === undefined || key.state === 'held') return beginTurn(context, services, head, first);
  const claim = key.claim + 1;
  const { name, while: period } = key;
  const waiting: HeadKey = { name, claim, state: 'waits', ...omitUndefined({ while: period }) };
  context.set('next', first);
  context.set('head', { ...head, status: 'running', listening: null, key: waiting });
  const claimed: KeyClaim = { key: name, run_id: context.key, claim, onBusy };
  context.send(services.key(name, 'claim'), claimed);
}

/** The turn begins that waited for the key. */
async function beginWaiting(
  context: ObjectContext,
  services: ServiceNames,
  head: Head,
  state: HeadKey['state'],
  keyed: readonly KeyEvent[],
): Promise<void> {
  const { busy: _, ...key } = head.key as HeadKey;
  const first = (await context.get<TurnBeginning>('next')) as TurnBeginning;
  context.clear('next');
  const more = keyed.length === 0 ? {} : { keyed };
  beginTurn(context, services, { ...head, key: { ...key, state } }, { ...first, ...more });
}

/** A run that is over gives its key back, and so does one that is executed no longer, if it has the key only while it is. */
function keyAfterTurn(
  context: ObjectContext,
  services: ServiceNames,
  key: HeadKey | undefined,
  status: Head['status'],
): HeadKey | undefined {
  if (key?.state !== 'held' || (status === 'suspended' && key.while !== 'running')) return key;
  const { name, claim } = key;
  context.send(services.key(name, 'release'), { key: name, run_id: context.key, claim } satisfies ReleasedKey);
  return { ...key, state: 'free' };
}

/** What the key says of this run, or of another one that wants it. */
async function hearOfKey(context: ObjectContext, services: ServiceNames, word: KeyWord): Promise<void> {
  const head = await context.get<Head>('head');
  const { key, kind } = word;
  if (kind === 'note' || kind === 'cancel') {
    // A run that has ended meanwhile has no key any more.
    if (head === null || isOver(head)) return;
    const { run_id } = word;
    if (kind === 'cancel')
      return receive(context, services, head, [{ kind, by: `run ${run_id} with the key \`${key}\`` }]);
    const noted = { kind: 'key', key, run_id, how: word.how, by: run_id } as const;
    if (head.status !== 'suspended') return receive(context, services, head, [noted]);
    context.set('head', await recordNotes(context, head, [noted]));
    return;
  }
  const { claim } = word;
  const isWanted = head?.key?.state === 'waits' && head.key.claim === claim;
  if (!isWanted) {
    if (kind === 'granted')
      context.send(services.key(key, 'release'), { key, run_id: context.key, claim } satisfies ReleasedKey);
    return;
  }
  if (kind === 'busy') context.set('head', { ...head, key: { ...head.key, busy: word.run_id } });
  else if (kind === 'granted') await beginWaiting(context, services, head, 'held', word.events);
  else await beginWaiting(context, services, head, 'skipped', [{ type: 'run_skipped', key, run_id: word.run_id }]);
}

/** A run that waits for a person does not continue because another one waits for it. */
async function recordNotes(
  context: ObjectContext,
  head: Head,
  notes: readonly Extract<Delivery, { readonly kind: 'key' }>[],
): Promise<Head> {
  const time = timeText(await context.now());
  const from = head.seq + 1;
  const lines = notes.map(({ key, run_id, how }, at) =>
    journalLine({ type: 'key_shared', key, run_id, how }, from + at, time),
  );
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const written = { ...head.written, journal: head.written.journal + bytes };
  return append(context, { ...head, written }, { from, lines });
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
