/**
 * JavaScript functions bound as commands. A text result is what a command would have printed; any other JSON value is the
 * value itself.
 */
import { readFileSync, statSync } from 'node:fs';
import type { Outcome, Output } from '../interpreter/events/event.js';
import type { FunctionRequest } from '../interpreter/request.js';
import type { Json } from '../machine/expression.js';
import type { EffectContext } from './effect-context.js';
import { inProcess } from './in-process.js';
import { outputSink, VALUE_BYTES } from './process/output.js';
import { artifactPath } from './process/scratch.js';
import type { LazySignal } from './stop-signal.js';
import { functionResult } from './tools/function-result.js';
import { valueOutcome } from './tools/value-outcome.js';

/** What a function receives in addition to its arguments. */
export interface CommandContext {
  /** The output of the previous command, for `DO: |`; otherwise null. */
  readonly stdin: string | null;
  /** Aborted by a time limit or when the run is stopped. */
  readonly signal: AbortSignal;
  readonly runId: string;
  /** The same when an attempt is repeated after a crash: use it as idempotency key. */
  readonly effectId: string;
  readonly attempt: number;
  /** The working directory of the run. */
  readonly cwd: string;
}

/** Returns a text (the output), a JSON value, or nothing. If it throws, the command fails. */
export type CommandFunction = (args: string[], context: CommandContext) => unknown;

export function performFunction(
  request: FunctionRequest,
  context: EffectContext,
  commands: Readonly<Record<string, CommandFunction>>,
): Outcome | Promise<Outcome> {
  const command = Object.hasOwn(commands, request.name) ? commands[request.name] : undefined;
  if (command === undefined) return { kind: 'not-started', reason: `no function is bound to \`${request.name}\`` };
  const stdin = inputText(request, context);
  if (stdin === undefined)
    return { kind: 'not-started', reason: 'the piped output is larger than 16 MiB', error_type: 'value_too_large' };
  const { timeoutMs } = request;
  const stopped: Outcome = { kind: 'failed', message: 'it was stopped' };
  return inProcess(
    { context, timeoutMs, stopped },
    async (aborting, spentMs) =>
      outcomeOf(await call(command, request, context, stdin, aborting), request, context, spentMs()),
    thrownOutcome,
  );
}

function call(
  command: CommandFunction,
  request: FunctionRequest,
  context: EffectContext,
  stdin: string | null,
  aborting: LazySignal,
): unknown {
  return command([...request.args], {
    stdin,
    get signal() {
      return aborting.signal;
    },
    runId: context.runId,
    effectId: `${context.runId}:${request.effect}`,
    attempt: request.attempt,
    cwd: request.directory ?? context.cwd,
  });
}

function outcomeOf(
  result: unknown,
  request: FunctionRequest,
  context: EffectContext,
  durationMs: number,
): Outcome | Promise<Outcome> {
  const exitWith = (stdout: Output): Outcome => ({
    kind: 'exited',
    exit: 0,
    stdout,
    stderr: '',
    duration_ms: durationMs,
  });
  if (result === undefined || result === '') return exitWith({ text: '', bytes: 0 });
  if (typeof result === 'string') {
    const sink = outputSink(context.resources.outputs, null);
    sink.write(Buffer.from(result, 'utf8'));
    const stdout = sink.finish(request.needsText);
    return stdout instanceof Promise ? stdout.then(exitWith) : exitWith(stdout);
  }
  const made = functionResult(result);
  if (made === null)
    return { kind: 'failed', message: `\`${request.name}\` returned a value that JSON cannot represent` };
  if (made.hasBigInt) return valueOutcome(made.text, context, durationMs);
  return { kind: 'value', value: JSON.parse(made.text) as Json, duration_ms: durationMs };
}

/** `code` of an error becomes the exit code if it is a number, as for child processes. */
function thrownOutcome(cause: unknown): Outcome {
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === 'number' ? { kind: 'failed', message, exit: code } : { kind: 'failed', message };
}

/** Undefined if it is too large to be a text in memory. */
function inputText(request: FunctionRequest, context: EffectContext): string | null | undefined {
  const { stdin } = request;
  if (stdin === null) return null;
  if (stdin.text !== undefined && stdin.base64 === undefined) return stdin.text;
  if (stdin.artifact === undefined) return Buffer.from(stdin.base64 ?? '', 'base64').toString('utf8');
  const path = artifactPath(context.resources.outputs, stdin.artifact);
  return statSync(path).size > VALUE_BYTES ? undefined : readFileSync(path, 'utf8');
}
