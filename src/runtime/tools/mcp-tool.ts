/**
 * Tools of servers that speak the Model Context Protocol over standard input and output, in its revision 2026-07-28 or an
 * older one. A server is started for the first call that needs it, serves all calls of the run, and ends with the run.
 */
import { Client, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Outcome } from '../../interpreter/events/event.js';
import type { ToolRequest } from '../../interpreter/request.js';
import { fromRecord, printJson, readJson } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import type { ToolProgram } from '../../machine/plan.js';
import { clockMs } from '../clock.js';
import type { EffectContext, RunResources } from '../effect-context.js';
import { processStat } from '../process/process-group.js';
import type { Environment } from '../process/shell.js';
import { startTimer } from '../timer.js';
import { VERSION } from '../version.js';
import { MessageTooLarge, type ServerSpec, serverProcess } from './server-process.js';
import { valueOutcome } from './value-outcome.js';

type McpTarget = Extract<ToolProgram, { kind: 'mcp' }>;

/** The client library requires a limit; the callers set the real ones. */
const LONGEST_MS = 2 ** 31 - 1;
/** A server that has not answered after this time counts as unavailable. Milliseconds. */
const START_MS = 30_000;
/** A server that has not said by then which revision it speaks is addressed as an older one. Milliseconds. */
const REVISION_MS = 1000;

export async function performMcpTool(
  request: ToolRequest,
  { server, tool }: McpTarget,
  context: EffectContext,
  host: ToolHost,
): Promise<Outcome> {
  const begun = clockMs();
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  context.stop.addEventListener('abort', stop, { once: true });
  const { timeoutMs } = request;
  let late = false;
  let used: Client | null = null;
  const cancelTimer =
    timeoutMs === null
      ? () => undefined
      : startTimer(timeoutMs, () => {
          late = true;
          controller.abort();
        });
  try {
    const client = await unlessAborted(clientOf(server, context, host), controller.signal);
    if (client === null) throw new Error('it was stopped');
    if ('reason' in client) return { kind: 'not-started', reason: client.reason };
    used = client;
    const { parameters, printed } = request.call;
    const given = {
      ...{ name: tool, arguments: fromRecord(parameters as Json, printed) as Record<string, Json> },
      ...(context.traceparentOf === undefined ? {} : { _meta: { traceparent: context.traceparentOf(request.effect) } }),
    };
    const options = { signal: controller.signal, timeout: LONGEST_MS };
    return await resultOutcome(await client.callTool(given, options), context, msSince(begun));
  } catch (cause) {
    if (late && timeoutMs !== null) return timedOut(timeoutMs);
    if (context.stop.aborted) return { kind: 'failed', error_type: 'cancelled', message: 'it was stopped' };
    // The connection ends with it, and the call itself learns nothing else.
    const tooLarge = used === null ? undefined : oversized.get(used);
    const { message } = tooLarge ?? (cause instanceof Error ? cause : { message: String(cause) });
    const errorType = tooLarge === undefined ? 'tool_failure' : 'value_too_large';
    return { kind: 'failed', error_type: errorType, message: `the server \`${server}\`: ${message}` };
  } finally {
    cancelTimer();
    context.stop.removeEventListener('abort', stop);
  }
}

/** Null if the signal came first: a call may be stopped while its server starts. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return Promise.race([
    promise,
    new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true })),
  ]);
}

function timedOut(timeoutMs: number): Outcome {
  return {
    kind: 'timed-out',
    timeout_ms: timeoutMs,
    stdout: { text: '', bytes: 0 },
    stderr: '',
    duration_ms: timeoutMs,
  };
}

type Connected = Client | { readonly reason: string };

/** Clients whose server sent a message that is too large to be read. */
const oversized = new WeakMap<Client, MessageTooLarge>();

const clients = new WeakMap<RunResources, Map<string, Promise<Connected>>>();

/** One client for each server of a run. The next call tries an unreachable server again. */
function clientOf(server: string, context: EffectContext, host: ToolHost): Promise<Connected> {
  const { resources } = context;
  let known = clients.get(resources);
  if (known === undefined) {
    known = new Map();
    clients.set(resources, known);
  }
  let client = known.get(server);
  if (client === undefined) {
    client = connect(server, context, host, () => known.delete(server));
    known.set(server, client);
  }
  return client;
}

async function connect(
  name: string,
  { cwd, runId, resources }: EffectContext,
  { mcp, inherited }: ToolHost,
  forget: () => void,
): Promise<Connected> {
  const server = Object.hasOwn(mcp, name) ? mcp[name] : undefined;
  if (server === undefined) {
    forget();
    return { reason: `the configuration names no server \`${name}\`` };
  }
  const effect = `mcp:${name}`;
  try {
    return await openServer(
      {
        command: server.command,
        cwd,
        env: { ...inherited, ...server.env, STATEDSL_RUN_ID: runId, STATEDSL_EFFECT_ID: `${runId}:${effect}` },
        onStart: (pid: number) => {
          resources.groups.add(pid);
          const startedAt = processStat(pid)?.startedAt ?? null;
          resources.recordProcess({ effect, kind: 'mcp', pid, group: pid, startedAt });
        },
        onEnd: (pid: number) => resources.groups.delete(pid),
      },
      { onClose: forget, closeAtEnd: (close) => resources.onEnd(close) },
    );
  } catch (cause) {
    forget();
    const why = cause instanceof Error ? cause.message : String(cause);
    return { reason: `cannot start the server \`${name}\`: ${why}` };
  }
}

/** Starts a server and negotiates the revision. Throws why it cannot. `closeAtEnd` gets what ends it, also while it starts. */
export async function openServer(
  spec: ServerSpec,
  { onClose, closeAtEnd }: { onClose?: () => void; closeAtEnd: (close: () => Promise<void>) => void },
): Promise<Client> {
  /** `revisionMs`: how long the server may take to say which revision it speaks; 0: an older one, without a question. */
  const open = async (revisionMs: number): Promise<Client> => {
    const mode = revisionMs === 0 ? 'legacy' : 'auto';
    const versionNegotiation = { mode, probe: { timeoutMs: revisionMs } } as const;
    const client = new Client({ name: 'statedsl', version: VERSION }, { versionNegotiation });
    if (onClose !== undefined) client.onclose = onClose;
    client.onerror = (cause) => {
      if (cause instanceof MessageTooLarge) oversized.set(client, cause);
    };
    const transport = serverProcess(spec);
    // While the revision is negotiated the client has no transport yet that it could close.
    closeAtEnd(async () => {
      await client.close();
      await transport.close();
    });
    try {
      await client.connect(transport, { timeout: START_MS });
    } catch (cause) {
      await transport.close();
      throw cause;
    }
    return client;
  };
  return open(REVISION_MS).catch((cause) => {
    if (isNewer(cause)) return open(START_MS);
    if (hasEnded(cause)) return open(0);
    throw cause;
  });
}

/**
 * The server refuses the handshake of older revisions, each in its own way: it started so slowly that it was taken for one
 * that knows it.
 */
function isNewer(cause: unknown): boolean {
  return cause instanceof ProtocolError;
}

/** Some older servers end at the question which revision they speak. */
function hasEnded(cause: unknown): boolean {
  return (
    cause instanceof SdkError &&
    (cause.code === SdkErrorCode.EraNegotiationFailed || cause.code === SdkErrorCode.ConnectionClosed)
  );
}

/** The structured content, if any; otherwise the text, parsed if it is JSON; without a text, the whole content. */
async function resultOutcome(result: unknown, context: EffectContext, durationMs: number): Promise<Outcome> {
  const { structuredContent, content, isError } = result as {
    readonly structuredContent?: Value;
    readonly content?: readonly { readonly type: string; readonly text?: string }[];
    readonly isError?: boolean;
  };
  const parts = content ?? [];
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : []));
  const text = texts.join('\n');
  if (isError === true) return { kind: 'failed', message: text === '' ? 'the tool reports an error' : text };
  const made = printJson(
    structuredContent ?? (texts.length === 0 && parts.length > 0 ? (parts as Value) : jsonOr(text)),
  );
  return valueOutcome(made, context, durationMs);
}

function jsonOr(text: string): Value {
  const read = readJson(text);
  if (read.ok) return read.value;
  return read.why === 'too-deep' ? (JSON.parse(text) as Value) : text;
}

function msSince(begun: number): number {
  return Math.round(clockMs() - begun);
}

/** Servers of the Model Context Protocol by name: how each is started. */
export type McpServers = Readonly<
  Record<string, { readonly command: readonly string[]; readonly env?: Readonly<Record<string, string>> }>
>;

export interface ToolHost {
  readonly inherited: Environment;
  /** Servers of the Model Context Protocol by name. */
  readonly mcp: McpServers;
}
