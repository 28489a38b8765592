/**
 * One call of an agent, from its prompt to its outcome. The prompt is always standard input: an argument has a maximum
 * size, is visible to all users of the machine, and could be mistaken for an option. The output is read as it arrives.
 * When the agent ends, the processes that it left running are stopped, so that nothing changes files while they are
 * examined.
 */
import { writeFileSync } from 'node:fs';
import type { Outcome } from '../../interpreter/events/event.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EffectContext } from '../effect-context.js';
import { createShower, lastHeard, liveSink } from '../process/output.js';
import {
  cannotStart,
  directoryOf,
  type Environment,
  type ProcessRequest,
  type ProgramCommand,
  performCommand,
} from '../process/shell.js';
import { decodeCall, watchGuards } from './decode-call.js';
import { jsonLines, textLines } from './json-lines.js';
import type { Adapter, AgentCall } from './programs/adapter.js';
import { allowedBy, allowVariable } from './programs/permissions.js';
import type { ConfinedCommand } from './sandbox/confine.js';
import { AgentTally } from './tally.js';

/**
 * The location and the time limit of the process. `timeoutMs` is the limit of the instruction, in addition to the
 * guards of the call.
 */
type AgentProcess = Pick<
  ProcessRequest,
  'effect' | 'attempt' | 'stepAttempt' | 'directory' | 'cwd' | 'env' | 'timeoutMs'
>;

/**
 * Calls an agent. The outcome of a call that ran has the answer as `stdout`, together with the facts about the call.
 */
export async function callAgent(
  adapter: Adapter,
  call: AgentCall,
  process: AgentProcess,
  context: EffectContext,
  inherited: Environment,
): Promise<Outcome> {
  const prepared = await adapter.command(call);
  const confined = 'reason' in prepared ? prepared : await confinedCommand(adapter, call, prepared, context, inherited);
  if ('reason' in confined) return { kind: 'not-started', reason: confined.reason };
  const { command } = confined;
  // People see the text of the agent, and not the JSON objects that contain it.
  const shown = adapter.service ? shownText(context) : null;
  const { effect, attempt } = process;
  const { notice, resources } = context;
  const { redactor } = resources.outputs;
  const live = adapter.service ? liveSink(context.resources.outputs, { effect, attempt, stream: 'stdout' }) : null;
  const tally = new AgentTally(
    live === null
      ? null
      : (text) => {
          const bytes = Buffer.from(text, 'utf8');
          shown?.push(bytes);
          live.write(bytes);
        },
    (text) => notice?.(redactor?.text(text) ?? text),
  );
  let kept: typeof tally.conversation = null;
  let keepingFailed: { readonly cause: unknown } | null = null;
  let stored = 0;
  const stopping = new AbortController();
  /** Before the model is asked again: this process may be killed then, and what was done before would be done again. */
  const keepConversation = (): void => {
    const { conversation, sessionId } = tally;
    if (conversation === kept || sessionId === null) return;
    kept = conversation;
    try {
      call.conversations?.write(sessionId, JSON.stringify(conversation));
      stored++;
      if ('stored' in prepared && prepared.stored !== undefined) writeFileSync(prepared.stored, String(stored));
    } catch (cause) {
      keepingFailed = { cause };
      stopping.abort();
    }
  };
  const watch = watchGuards(call.guards, () => stopping.abort());
  const lines = jsonLines((line) => {
    tally.lines++;
    adapter.decodeLine(line, tally);
    keepConversation();
    watch.see(tally);
    // A first turn may still be the message of a limit.
    if ((tally.turns ?? 0) > 1 && tally.error === null && tally.retrying === null) call.hears?.();
  });
  const { decodeErrorLine } = adapter;
  const errorLines =
    decodeErrorLine === undefined
      ? null
      : textLines((line) => {
          decodeErrorLine(line, tally);
          watch.see(tally);
        });
  try {
    const stop = AbortSignal.any([context.stop, stopping.signal]);
    const ended = await performCommand(
      { argv: command.argv, env: environment(command, call) },
      // Processes that an agent started are stopped after any exit code.
      {
        ...process,
        ...(call.guards.idleMs === null ? {} : { idleMs: call.guards.idleMs }),
        stdin: promptInput(withFolder(adapter.asText?.(call.prompt) ?? call.prompt, call)),
        needsText: true,
        ok: [],
        serves: 'agent',
      },
      { ...context, stop, unwanted: context.stop },
      inherited,
      {
        onStdout: (bytes) => lines.push(bytes),
        onStderr: (bytes) => errorLines?.push(bytes),
        showsStdout: !adapter.service,
      },
    );
    lines.end();
    if (keepingFailed !== null) throw (keepingFailed as { readonly cause: unknown }).cause;
    shown?.end();
    if ('code' in ended) return cannotStart(ended, command.argv[0] ?? '', directoryOf(process, context));
    if (ended.kind !== 'exited' && ended.kind !== 'timed-out') return ended;
    // People cannot read the objects of its output.
    const heard = adapter.service || tally.lines > 0 ? tally.heard || lastHeard(lines.plain) : null;
    const last =
      ended.kind === 'timed-out' && ended.silent !== undefined && heard !== null ? { silent: { heard } } : {};
    return await decodeCall({ ...ended, ...last } as typeof ended, {
      adapter,
      tally,
      sessionTokens: call.sessionTokens,
      plain: lines.plain,
      watch,
      context,
    });
  } finally {
    watch.close();
    live?.discard();
    confined.close();
  }
}

/** Most agents have no sandbox, and load nothing of it. */
async function confinedCommand(
  adapter: Adapter,
  call: AgentCall,
  command: ProgramCommand,
  { notice, resources: { scratch, runFolder, outputs } }: EffectContext,
  inherited: Environment,
): Promise<ConfinedCommand | { readonly reason: string }> {
  const { sandbox = 'off' } = call.configuration;
  if (sandbox === 'off') return { command, close: () => undefined };
  const { confine } = await import('./sandbox/confine.js');
  return confine(adapter, call, command, {
    inherited,
    scratch,
    runFolder: runFolder?.() ?? null,
    notice: (text) => notice?.(outputs.redactor?.text(text) ?? text),
  });
}

function shownText({ show, resources }: EffectContext) {
  return show === null ? null : createShower(resources.outputs.redactor, (bytes) => show(bytes, 'stdout'));
}

/** An agent that may not run commands cannot read a variable. */
function withFolder(prompt: string, { configuration, out }: AgentCall): string {
  const isUnknown = allowedBy(configuration)?.shell === false && prompt.includes('STATEDSL_OUT');
  return isUnknown ? `${prompt}\n\nSTATEDSL_OUT is the folder ${out}` : prompt;
}

function promptInput(prompt: string) {
  const bytes = Buffer.from(prompt, 'utf8');
  return { base64: bytes.toString('base64'), bytes: bytes.length };
}

function environment(command: ProgramCommand, { configuration, step, out, session, fork }: AgentCall): Environment {
  return {
    ...command.env,
    ...allowVariable(configuration),
    STATEDSL_STEP: step,
    STATEDSL_OUT: out,
    STATEDSL_SESSION: session ?? '',
    ...omitUndefined({ STATEDSL_FORK: fork ? '1' : undefined }),
  };
}
