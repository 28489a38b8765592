/**
 * One call of an agent, from its prompt to its outcome. The prompt is always standard input: an argument has a maximum
 * size, is visible to all users of the machine, and could be mistaken for an option. The output is read as it arrives.
 * When the agent ends, the processes that it left running are stopped, so that nothing changes files while they are
 * examined.
 */
import type { Outcome } from '../../interpreter/events/event.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EffectContext } from '../effect-context.js';
import { createShower, liveSink } from '../process/output.js';
import {
  type Command,
  cannotStart,
  directoryOf,
  type Environment,
  type ProcessRequest,
  performCommand,
} from '../process/shell.js';
import { decodeCall } from './decode-call.js';
import { watchGuards } from './guard-watch.js';
import { jsonLines, textLines } from './json-lines.js';
import type { Adapter, AgentCall } from './programs/adapter.js';
import { allowedBy, allowVariable } from './programs/permissions.js';
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
  const command = await adapter.command(call);
  if ('reason' in command) return { kind: 'not-started', reason: command.reason };
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
  const stopping = new AbortController();
  const watch = watchGuards(call.guards, () => stopping.abort());
  const lines = jsonLines((line) => {
    tally.lines++;
    adapter.decodeLine(line, tally);
    watch.see(tally);
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
    shown?.end();
    if ('code' in ended) return cannotStart(ended, command.argv[0] ?? '', directoryOf(process, context));
    if (ended.kind !== 'exited' && ended.kind !== 'timed-out') return ended;
    return await decodeCall(ended, {
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
  }
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

function environment(command: Command, { configuration, step, out, session, fork }: AgentCall): Environment {
  return {
    ...command.env,
    ...allowVariable(configuration),
    STATEDSL_STEP: step,
    STATEDSL_OUT: out,
    STATEDSL_SESSION: session ?? '',
    ...omitUndefined({ STATEDSL_FORK: fork ? '1' : undefined }),
  };
}
