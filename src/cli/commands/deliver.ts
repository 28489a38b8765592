/**
 * `statedsl answer`, `signal` and `cancel`: deliver answers, signals and cancellations to a run. A delivery is recorded
 * first. Then the run is resumed, unless another process is driving it and receives the delivery.
 */
import { OperationRefused, type Result, unwrap } from '../../app/result.js';
import type { Delivered, DeliverOptions, Runs } from '../../app/runs.js';
import { readJson } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { ambiguityIn } from '../../prelude/ambiguous-json.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { checkSignalName } from '../../runtime/run/apply-delivery.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { type ResumeFlags, secretInputs } from '../preparation/prepare-resume.js';
import { flagProblem, personName, withoutLog } from '../running/drive-on-command-line.js';
import { undoLines } from '../running/report-run.js';
import { refusalsAsErrors, reportRefusal, runsOf, type StoreFlags } from '../running/stored-runs.js';
import { isLikeRun, waitingRun } from '../running/which-run.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';
import { resumeRun } from './resume.js';

interface DeliverFlags extends ResumeFlags {
  /** False for `--no-resume`: record only. */
  readonly resume?: boolean;
  /** Why somebody answers so. */
  readonly reason?: string;
}

/** What is delivered: for a run that is resumed with it, and for one that is not. */
interface Message {
  readonly deliveries: readonly Delivery[];
  readonly deliver: (runs: Runs, id: string, options: DeliverOptions) => Promise<Result<Delivered>>;
}

/** Without a run, the first word is an answer. */
export async function answerCommand(first: string, rest: readonly string[], flags: DeliverFlags): Promise<ExitCode> {
  const isAnswer = first.includes('=');
  const answers = isAnswer ? [first, ...rest] : rest;
  const other = isAnswer || isLikeRun(first) || flags.on !== undefined ? null : await otherForm(first, rest, flags);
  if (other !== null) return usageError('an answer is a name, `=` and a value', `write \`statedsl answer ${other}\``);
  if (answers.length === 0) return usageError('the answer is missing', `write \`statedsl answer ${first} name=value\``);
  const names = answers.map((answer) => answer.slice(0, Math.max(0, answer.indexOf('='))));
  const wanted = { kinds: ['ask', 'approval'], names, command: `answer ${answers.join(' ')}` };
  return deliverCommand(isAnswer ? wanted : first, flags, (by) => {
    const given = answers.map(answerOf);
    const how = { through: 'command', ...omitUndefined({ reason: flags.reason?.trim() || undefined }) } as const;
    const deliveries = given.map(([name, value]): Delivery => ({ kind: 'answer', name, value, by, ...how }));
    return {
      deliveries,
      deliver: (runs, id, options) => runs.answer(id, withoutRepetition(given), { ...options, ...how }),
    };
  });
}

/** The answer that `go yes`, `go: yes`, `yes` or `latest go=yes` means; null: the first word may be a run. */
async function otherForm(first: string, rest: readonly string[], flags: DeliverFlags): Promise<string | null> {
  const runs = await runsOf(flags);
  if (/^(?:latest|last|newest|current)$/i.test(first)) return rest.length === 0 ? 'NAME=VALUE' : rest.join(' ');
  if ((await runs.find(first)).ok) return null;
  const waits = { kinds: ['ask', 'approval'], names: [], command: 'answer NAME=VALUE' };
  const run = await waitingRun(flags, waits).catch(() => null);
  const seen = run === null ? null : await runs.inspect(run);
  const names = seen?.ok ? seen.value.waiting.flatMap(({ name, path }) => name ?? path ?? []) : [];
  const name = first.replace(/:$/, '');
  const [only = 'NAME'] = names;
  if (rest.length === 0) return names.includes(name) ? `${name}=VALUE` : `${only}=${name}`;
  return rest.every((one) => !one.includes('=')) ? `${names.includes(name) ? name : only}=${rest.join(' ')}` : null;
}

/** Without a run, the first word is the name of the signal. */
export async function signalCommand(words: readonly string[], flags: DeliverFlags): Promise<ExitCode> {
  const [first = '', second] = words;
  const isRun = words.length === 3 || (second !== undefined && (await isRunNamed(first, flags)));
  const [signal = '', payload] = isRun ? words.slice(1) : words;
  const wanted = { kinds: ['signal'], names: [signal], command: `signal ${signal}` };
  return deliverCommand(isRun ? first : wanted, flags, (by) => {
    checkSignalName(signal);
    const value = payloadOf(payload);
    return {
      deliveries: [{ kind: 'signal', name: signal, payload: value, by }],
      deliver: (runs, id, options) => runs.signal(id, signal, value, options),
    };
  });
}

/** `deed` can be the beginning of an id and the name of a signal: it is a run if there is one. */
async function isRunNamed(word: string, flags: DeliverFlags): Promise<boolean> {
  if (!isLikeRun(word)) return false;
  if (flags.on !== undefined) return true;
  const found = await (await runsOf(flags)).find(word);
  return found.ok || found.refusal.code !== 'unknown' || /^[0-9a-f]{8}-/.test(word);
}

export async function cancelCommand(
  name: string,
  flags: Pick<DeliverFlags, 'dir' | 'json' | 'quiet' | 'on' | 'namespace'>,
): Promise<ExitCode> {
  const target = await flagsOf(name, flags);
  if ('code' in target) return target.code;
  const cancelled = await (await runsOf(target.flags)).cancel(name, { by: personName() });
  if (!cancelled.ok) return reportRefusal(cancelled.refusal);
  const { run_id } = cancelled.value;
  if (flags.json) stdout.write(`${JSON.stringify(cancelled.value)}\n`);
  else if (!flags.quiet) {
    const lines = undoLines(cancelled.value, flags.dir === undefined ? [] : ['--dir', flags.dir]);
    stderr.write([`cancelled  run ${run_id}`, ...lines, ''].join('\n'));
  }
  return EXIT.returned;
}

/** What a run waits for that was not named. */
type WaitQuery = Parameters<typeof waitingRun>[1];

async function deliverCommand(
  run: string | WaitQuery,
  given: DeliverFlags,
  read: (by: string) => Message,
): Promise<ExitCode> {
  const wrong = await flagProblem(given);
  if (wrong !== null) return wrong;
  const flags = withoutLog(given);
  if (typeof run !== 'string' && flags.on !== undefined)
    return usageError('on an engine, the run has to be named', 'write its id before the answer or the signal');
  const named = await nameOf(run, flags);
  if (typeof named !== 'string') return named.code;
  const name = named;
  const target = await flagsOf(name, flags);
  if ('code' in target) return target.code;
  return refusalsAsErrors(async () => {
    const { flags } = target;
    const isElsewhere = flags.on !== undefined;
    if (isElsewhere) {
      const unused = await (await import('../running/unused-on-engine.js')).unusedOnRun(flags);
      if (unused !== null) return unused;
    }
    const runs = await runsOf(flags);
    const { run_id: id } = unwrap(await runs.find(name));
    const { deliveries, deliver } = read(personName());
    const kept = isElsewhere ? [] : await keptSignals(runs, id, deliveries);
    if (flags.resume !== false) {
      try {
        const code = await resumeRun(id, flags, deliveries);
        if (code === EXIT.suspended) reportKept(kept, flags);
        return code;
      } catch (cause) {
        if (!(cause instanceof OperationRefused) || cause.refusal.code !== 'held') throw cause;
        if (flags.record !== undefined)
          throw new RunRefused(
            'wrong-use',
            `cannot record to \`${flags.record}\`: another process executes run \`${id}\``,
            `leave out \`--record\`; when the run has stopped, write \`statedsl resume ${id} --record ${flags.record}\``,
          );
      }
    }
    // Secret inputs are replaced in what is recorded here.
    const inputs = isElsewhere ? {} : secretInputs(unwrap(await runs.program(id)).machine as Machine, flags, []).values;
    const delivered = await deliver(runs, id, { by: personName(), inputs });
    if (!delivered.ok) return reportRefusal(delivered.refusal);
    reportKept(kept, flags);
    if (flags.json) stdout.write(`${JSON.stringify(delivered.value)}\n`);
    if (flags.quiet || flags.json) return EXIT.returned;
    if (isElsewhere) stderr.write(`passed on to run ${id}\n`);
    else if (delivered.value.delivery === 'passed-on') stderr.write(`passed on to the process of run ${id}\n`);
    else stderr.write(`recorded  run ${id}\n  resume with: statedsl resume ${id}\n`);
    return EXIT.returned;
  }, flags);
}

async function nameOf(run: string | WaitQuery, flags: StoreFlags): Promise<string | { readonly code: ExitCode }> {
  if (typeof run === 'string') return run;
  let name = '';
  const code = await refusalsAsErrors(async () => {
    name = await waitingRun(flags, run);
    return EXIT.returned;
  });
  return code === EXIT.returned ? name : { code };
}

/** The flags with the engine that has the run, if only its copy is in the store. */
async function flagsOf<T extends StoreFlags>(
  name: string,
  flags: T,
): Promise<{ readonly flags: T } | { readonly code: ExitCode }> {
  if (flags.on !== undefined) return { flags };
  const found = await (await runsOf(flags)).find(name);
  return found.ok ? { flags: { ...flags, ...found.value.engine } } : { code: await reportRefusal(found.refusal) };
}

function answerOf(answer: string): readonly [string, string] {
  const equals = answer.indexOf('=');
  if (equals < 1) throw new RunRefused('wrong-use', `\`${answer}\` is not an answer`, 'write an answer as name=value');
  return [answer.slice(0, equals), answer.slice(equals + 1)];
}

function withoutRepetition(answers: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const twice = answers.find(([name], at) => answers.findIndex(([other]) => other === name) < at);
  if (twice !== undefined)
    throw new RunRefused('wrong-use', `\`${twice[0]}\` is answered twice`, 'keep one of the answers');
  return Object.fromEntries(answers);
}

/** Parses JSON. Any other text is the value itself, unless it begins like JSON: then a part of it is missing. */
function payloadOf(text: string | undefined): Json {
  if (text === undefined) return null;
  const read = readJson(text);
  const problem = read.ok ? ambiguityIn(text) : null;
  if (problem !== null) throw new RunRefused('wrong-use', `the payload ${problem}`, 'keep one of the two');
  if (read.ok) return read.value as Json;
  if (/^\s*[[{"]/.test(text))
    throw new RunRefused(
      'wrong-use',
      `the payload \`${text}\` begins like JSON, and is not JSON`,
      'put it in single quotes, and texts in it in double quotes, as in `\'{"by": "Ada"}\'`',
    );
  return text;
}

/** The signals that no WAIT is for now, so that the run keeps them. */
async function keptSignals(runs: Runs, id: string, deliveries: readonly Delivery[]): Promise<readonly string[]> {
  const sent = deliveries.flatMap((one) => (one.kind === 'signal' ? [one.name] : []));
  const seen = sent.length === 0 ? null : await runs.inspect(id);
  if (seen === null || !seen.ok) return [];
  const { waiting } = seen.value;
  return sent.filter(
    (signal) => !waiting.some(({ kind, id, name }) => kind === 'signal' && [id, name].includes(signal)),
  );
}

function reportKept(kept: readonly string[], flags: DeliverFlags): void {
  if (flags.quiet === true) return;
  for (const signal of kept) stderr.write(`no WAIT was for \`${signal}\` then: the run keeps it until one is\n`);
}
