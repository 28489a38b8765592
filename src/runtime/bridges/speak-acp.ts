/**
 * The program behind the adapter `acp`: starts an agent that speaks the Agent Client Protocol, gives it the prompt from
 * standard input, and prints what comes as lines of JSON. Requests for files and terminals are declined, because the
 * agent has its own tools; requests for a permission are answered by a table.
 */
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { client, ndJsonStream } from '@agentclientprotocol/sdk';
import type { AcpTask } from '../agents/programs/acp.js';
import type { BridgeLine } from '../agents/programs/bridge-stream.js';
import { permitsKind } from '../agents/programs/permissions.js';
import { VERSION } from '../version.js';

const MOST_INPUT = 200;

function print(line: BridgeLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

interface PermissionOption {
  readonly optionId: string;
  readonly kind: string;
}

/** The choice of a kind; once before always. Undefined: there is none, so the request is cancelled. */
function chosenOption(options: readonly PermissionOption[], isAllowed: boolean): PermissionOption | undefined {
  const wanted = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  return wanted.flatMap((kind) => options.find((one) => one.kind === kind) ?? [])[0];
}

/** What is known of the answer so far. */
class Prompting {
  /** Before it, updates are the history of the session, which the agent tells again. */
  private isAsked = false;
  private isSpeaking = false;
  private said = '';
  private cost: number | null = null;
  private costBefore: number | null;
  /** The kind of a tool that was denied, until the agent says something. */
  private denied: string | null = null;
  private readonly kinds = new Map<string, { readonly kind: string; readonly title: string }>();

  constructor(
    private readonly allowed: AcpTask['allowed'],
    continues: boolean,
  ) {
    this.costBefore = continues ? null : 0;
  }

  begin(): void {
    this.isAsked = true;
    print({ type: 'turn' });
  }

  update(update: Readonly<Record<string, unknown>>): void {
    const { sessionUpdate, content, cost } = update;
    if (sessionUpdate === 'usage_update') return this.spend(cost);
    if (!this.isAsked) return;
    if (sessionUpdate === 'agent_message_chunk') return this.speak(content);
    if (sessionUpdate === 'tool_call') {
      const { toolCallId, title = '', kind = 'other' } = update;
      this.kinds.set(String(toolCallId), { kind: String(kind), title: String(title) });
      print({ type: 'tool', id: String(toolCallId), name: String(kind), input: inputOf(update) });
      this.isSpeaking = false;
    }
  }

  private speak(content: unknown): void {
    const { type, text } = (content ?? {}) as { type?: unknown; text?: unknown };
    if (type !== 'text' || typeof text !== 'string') return;
    if (!this.isSpeaking && this.said !== '') {
      print({ type: 'turn' });
      this.said = '';
    }
    this.isSpeaking = true;
    if (text.trim() !== '') this.denied = null;
    this.said += text;
    print({ type: 'text', text });
  }

  /** The protocol has the cost of the whole session at most. */
  private spend(cost: unknown): void {
    const { amount, currency } = (cost ?? {}) as { amount?: unknown; currency?: unknown };
    if (typeof amount !== 'number' || currency !== 'USD') return;
    if (this.isAsked) this.cost = amount;
    else this.costBefore = amount;
  }

  permit(toolCall: Readonly<Record<string, unknown>>, options: readonly PermissionOption[]) {
    const id = String(toolCall.toolCallId);
    const known = this.kinds.get(id);
    const kind = String(toolCall.kind ?? known?.kind ?? 'other');
    const isAllowed = permitsKind(kind, this.allowed);
    const option = chosenOption(options, isAllowed);
    if (!isAllowed) {
      this.denied = kind;
      print({
        type: 'denied',
        id,
        name: kind,
        input: inputOf(toolCall, known?.title),
        reason: `\`allow\` does not permit \`${kind}\``,
      });
    }
    return {
      outcome: option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.optionId },
    };
  }

  end(stopReason: string): void {
    const { cost, costBefore } = this;
    print({ type: 'usage', cost: cost === null || costBefore === null ? null : Math.max(0, cost - costBefore) });
    const isOver = stopReason === 'end_turn';
    if (isOver && this.denied === null) return print({ type: 'end', text: this.said });
    // Some end their turn there, as if it were done, and their model never learns that it must do without the tool.
    const why = isOver ? `a tool of the kind \`${this.denied}\` was denied` : (STOPS[stopReason] ?? stopReason);
    print({ type: 'error', message: `the agent stopped early: ${why}`, retryable: false });
  }
}

const STOPS: Readonly<Record<string, string>> = {
  max_tokens: 'its answer is too long',
  max_turn_requests: 'its turns are used up',
  refusal: 'it refuses to continue',
  cancelled: 'it was cancelled',
};

function inputOf({ rawInput, title = '' }: Readonly<Record<string, unknown>>, known = ''): string {
  const { command } = (rawInput ?? {}) as { command?: unknown };
  const text = typeof command === 'string' ? command : String(title) || known;
  return text.slice(0, MOST_INPUT);
}

type Request = (method: string, params: object) => Promise<Readonly<Record<string, unknown>>>;

/** A new session, or the one to continue, as the agent can. */
async function openSession(request: Request, { session, directory: cwd }: AcpTask): Promise<string> {
  const { agentCapabilities: capabilities = {}, protocolVersion } = (await request('initialize', {
    protocolVersion: 1,
    clientInfo: { name: 'statedsl', version: VERSION },
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  })) as {
    agentCapabilities?: { loadSession?: boolean; sessionCapabilities?: { resume?: unknown } };
    protocolVersion?: unknown;
  };
  if (protocolVersion !== 1)
    throw new Error(`the agent speaks version ${String(protocolVersion)} of the protocol, and not 1`);
  if (session === null) return String((await request('session/new', { cwd, mcpServers: [] })).sessionId);
  const can = capabilities.sessionCapabilities?.resume
    ? 'session/resume'
    : capabilities.loadSession === true
      ? 'session/load'
      : null;
  if (can === null) throw new Error('the agent cannot continue a session: begin a new one with `SESSION: new`');
  await request(can, { sessionId: session, cwd, mcpServers: [] });
  return session;
}

function messageOf(cause: unknown): string {
  const { message = '', data } = cause as { message?: string; data?: unknown };
  const details =
    (data as { details?: unknown; message?: unknown } | null)?.details ??
    (data as { message?: unknown } | null)?.message;
  return typeof details === 'string' && details !== '' ? `${message}: ${details}` : message || String(cause);
}

async function main(): Promise<void> {
  const task = JSON.parse(process.env.STATEDSL_ACP_TASK ?? '{}') as AcpTask;
  delete process.env.STATEDSL_ACP_TASK;
  const prompt = await readAll(process.stdin);
  const [program = '', ...args] = task.argv;
  const child = spawn(program, args, { cwd: task.directory, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<string>((resolve) => {
    child.on('error', ({ message }) => resolve(`cannot start \`${program}\`: ${message}`));
    child.on('exit', (code, signal) => resolve(`the agent ended (${signal ?? `exit ${code}`}) before its answer`));
  });
  child.stdin.on('error', () => undefined);
  const prompting = new Prompting(task.allowed, task.session !== null);
  const connection = client()
    .onNotification('session/update', ({ params }) => prompting.update(params.update as never))
    .onRequest(
      'session/request_permission',
      ({ params }) => prompting.permit(params.toolCall as never, params.options as never) as never,
    )
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as never));
  const request = connection.agent.request.bind(connection.agent) as unknown as Request;
  const work = async (): Promise<string | null> => {
    const sessionId = await openSession(request, task);
    print({ type: 'session', id: sessionId });
    prompting.begin();
    const { stopReason } = await request('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] });
    prompting.end(String(stopReason));
    return null;
  };
  let gone: string | null = null;
  void ended.then((why) => {
    gone = why;
  });
  try {
    const why = await Promise.race([work(), ended]);
    if (why !== null) print({ type: 'error', message: why });
  } catch (cause) {
    // A connection that closes is known before the exit of the process.
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 500))]);
    print({ type: 'error', message: gone ?? messageOf(cause) });
  }
  child.stdin.end();
  // Agents that end by themselves write their session first.
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, ENDING_MS))]);
  child.kill();
  process.stdout.write('', () => process.exit());
}

const ENDING_MS = 2000;

void main();
