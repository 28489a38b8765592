/**
 * One call of an agent, from its prompt to its outcome. The prompt is always its standard input: an argument has a
 * largest size, everybody on the machine can read it, and a program may take it for an option. What the agent prints
 * is read while it comes, and what it left running is stopped when it ends, so that nothing writes into what is looked at
 * afterwards.
 */
import type { AgentFacts, BrokenGuard, Outcome, Output, Unavailable } from '../../interpreter/events/event.js';
import type { EffectContext } from '../effect-context.js';
import { outputSink, showing } from '../process/output.js';
import {
  type Command,
  cannotStart,
  directoryOf,
  type Environment,
  execute,
  type ProcessRequest,
} from '../process/shell.js';
import { type GuardWatch, watchGuards } from './guard-watch.js';
import { jsonLines } from './json-lines.js';
import type { Adapter, AgentCall } from './programs/adapter.js';
import { AgentTally } from './tally.js';
import { unavailableFor } from './unavailable.js';

/** Where and for how long the process runs; `timeoutMs` is a limit of the instruction, beside the guards of the call. */
export type AgentProcess = Pick<
  ProcessRequest,
  'effect' | 'attempt' | 'stepAttempt' | 'directory' | 'cwd' | 'env' | 'timeoutMs'
>;

type Ended = Extract<Outcome, { kind: 'exited' | 'timed-out' }>;

/** Calls an agent. The outcome of a call that ran has its answer as `stdout`, and what is known of it beside that. */
export async function callAgent(
  adapter: Adapter,
  call: AgentCall,
  process: AgentProcess,
  context: EffectContext,
  inherited: Environment,
): Promise<Outcome> {
  const command = await adapter.command(call);
  if ('reason' in command) return { kind: 'not-started', reason: command.reason };
  // People see what the agent says, and not the objects that it says it in.
  const shown = adapter.service ? shownText(context) : null;
  const tally = new AgentTally(shown === null ? null : (text) => shown.push(Buffer.from(text, 'utf8')));
  const stopping = new AbortController();
  const watch = watchGuards(call.guards, () => stopping.abort());
  const lines = jsonLines((line) => {
    tally.lines++;
    adapter.decodeLine(line, tally);
    watch.see(tally);
  });
  try {
    const stop = AbortSignal.any([context.stop, stopping.signal]);
    const ended = await execute(
      { argv: command.argv, env: environment(command, call) },
      // Nothing that an agent started is meant to stay: no exit code lets it.
      { ...process, stdin: promptInput(call.prompt), needsText: true, ok: [], serves: 'agent' },
      { ...context, stop, unwanted: context.stop },
      inherited,
      { onStdout: (bytes) => lines.push(bytes), showsStdout: !adapter.service },
    );
    lines.end();
    shown?.end();
    if ('code' in ended) return cannotStart(ended, command.argv[0] ?? '', directoryOf(process, context));
    if (ended.kind !== 'exited' && ended.kind !== 'timed-out') return ended;
    return await decodeCall(ended, { adapter, tally, plain: lines.plain, watch, context });
  } finally {
    watch.close();
  }
}

function shownText({ show, resources }: EffectContext) {
  return show === null ? null : showing(resources.outputs.redactor, (bytes) => show(bytes, 'stdout'));
}

function promptInput(prompt: string) {
  const bytes = Buffer.from(prompt, 'utf8');
  return { base64: bytes.toString('base64'), bytes: bytes.length };
}

function environment(command: Command, { step, out, session }: AgentCall): Environment {
  return { ...command.env, STATEDSL_STEP: step, STATEDSL_OUT: out, STATEDSL_SESSION: session ?? '' };
}

interface EndedCall {
  readonly adapter: Adapter;
  readonly tally: AgentTally;
  /** The last line that was no JSON. */
  readonly plain: string;
  readonly watch: GuardWatch;
  readonly context: EffectContext;
}

async function decodeCall(ended: Ended, call: EndedCall): Promise<Outcome> {
  const { adapter, tally, watch, context } = call;
  const guard = ended.kind === 'timed-out' ? null : await watch.end(tally);
  const unavailable = guard === null && ended.kind === 'exited' ? unavailableNow(ended, call) : null;
  const facts = factsOf(tally, guard, unavailable);
  // Of a program that told nothing in the way we know, all that it printed is the answer.
  if (adapter.service ? tally.lines === 0 : !tally.finished) return { ...ended, ...facts };
  const answer = outputSink(context.resources.outputs, null);
  answer.write(Buffer.from(tally.error ?? tally.answer, 'utf8'));
  return { ...ended, stdout: await answer.finish(true), transcript: transcriptOf(ended.stdout), ...facts };
}

/** A large one is in its file already, and nothing computes with it. */
function transcriptOf({ text, artifact, tail, bytes, ...rest }: Output): Output {
  if (artifact === undefined) return text === undefined ? { ...rest, bytes } : { text, bytes };
  return tail === undefined ? { artifact, bytes } : { artifact, tail, bytes };
}

function factsOf(tally: AgentTally, guard: BrokenGuard | null, unavailable: Unavailable | null): AgentFacts {
  const { tokens, sessionId, turns, error } = tally;
  // A call that was turned away before anything happened has no price.
  const nothing = unavailable !== null && turns === null && tokens === null;
  return {
    cost: tally.cost ?? (nothing ? 0 : null),
    ...(tokens === null ? {} : { tokens }),
    ...(sessionId === null ? {} : { session_id: sessionId }),
    ...(turns === null ? {} : { turns }),
    is_error: error !== null,
    ...(guard === null ? {} : { guard }),
    ...(unavailable === null ? {} : { unavailable }),
  };
}

/** Some versions say this and nothing else, and end as if it were an answer. */
const LIMIT_AS_ANSWER = /^claude(?: ai)? usage limit reached\|\d{10}/i;
const LAST_WORDS = 4000;

function unavailableNow(
  ended: Extract<Ended, { kind: 'exited' }>,
  { adapter, tally, plain }: EndedCall,
): Unavailable | null {
  const said = tally.lines === 0 ? plain : tally.answer;
  if (tally.error !== null) return unavailableFor(tally.error, Date.now(), tally.resetMs);
  if (!adapter.service) return null;
  if (LIMIT_AS_ANSWER.test(said)) return unavailableFor(said, Date.now());
  // A program that gave its answer did not fail for want of a service, whatever it ended with.
  if (ended.exit === 0 || tally.finished) return null;
  return unavailableFor(`${ended.stderr.slice(-LAST_WORDS).trim()}\n${plain}`.trim(), Date.now(), tally.resetMs);
}
