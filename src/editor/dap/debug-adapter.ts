/** The connection of a debugger: requests go to a session, one after the other, and what it says goes to the client. */
import { connect } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { DebugSession } from '@vscode/debugadapter';
import type { AttachableRun } from '../../runtime/run/drive-options.js';
import { RunRefused, StoreError } from '../../runtime/store/store-error.js';
import { AdapterRefusal, argumentsOf, type Reply, type RequestArguments } from './adapter-protocol.js';
import { RemoteSession, readAsking } from './attached.js';
import { Session } from './session.js';

/** Requests with arguments, as the protocol has them. */
interface ProtocolRequest {
  readonly seq: number;
  readonly type: string;
  readonly command: string;
  readonly arguments?: unknown;
}

interface ProtocolResponse {
  readonly seq: number;
  readonly type: 'response';
  readonly request_seq: number;
  readonly command: string;
  readonly success: boolean;
  readonly message?: string;
  readonly body?: unknown;
}

export interface AdapterOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly log: (text: string) => void;
  /** The run that this process executes, for `attach`. */
  readonly live?: AttachableRun;
  /** Called when nothing is left to do. */
  readonly exit: () => void;
}

/** Requests that say how a run is debugged. */
const CONFIGURING: ReadonlySet<string> = new Set([
  ...['launch', 'setBreakpoints', 'setFunctionBreakpoints', 'setDataBreakpoints', 'setExceptionBreakpoints'],
  'statedsl/stopBeforeEffects',
]);

/** Breakpoints of another file are in addition to those before. */
function subjectOf({ command, arguments: given }: ProtocolRequest): string {
  const { source } = (given ?? {}) as { source?: { path?: string; sourceReference?: number } };
  return source === undefined ? command : `${command} ${source.path ?? source.sourceReference}`;
}

/** Errors in answers have a number. */
const REFUSED = 1;

export function startAdapter(options: AdapterOptions): void {
  const adapter = new DebugAdapter(options);
  adapter.start(options.input, options.output);
}

/** A debugger listens just after it has asked. */
const AGAIN_MS = 50;
const MOST_TRIES = 40;

/** Lets a debugger in that asked with this text. The connection keeps the process alive while the run is held. */
export function letDebuggerIn(
  asked: string,
  live: AttachableRun,
  options: Pick<AdapterOptions, 'environment' | 'folder'> = { environment: process.env, folder: process.cwd() },
): void {
  const asking = readAsking(asked);
  if (asking === null) return;
  const reach = (tries: number): void => {
    const socket = connect(asking.socket);
    // If it has gone meanwhile, nobody listens any more.
    const retry = (): void => void (tries > 1 && setTimeout(reach, AGAIN_MS, tries - 1).unref());
    socket.once('error', retry);
    socket.once('connect', () => {
      socket.off('error', retry);
      socket.on('error', () => undefined);
      startAdapter({ ...options, live, input: socket, output: socket, log: () => undefined, exit: () => socket.end() });
    });
  };
  reach(MOST_TRIES);
}

class DebugAdapter extends DebugSession {
  private session: Session;
  /** What the client has configured, for a restart: the newest request for each file, and for what has no file. */
  private readonly configured = new Map<string, ProtocolRequest>();
  private last: Promise<unknown> = Promise.resolve();
  private isEnding = false;
  /** The session, if it takes place in the process that executes the run. */
  private remote: RemoteSession | null = null;
  /** Requests that the session in that process answers, by their numbers. */
  private readonly passedOn = new Map<number, string>();
  private greeting: unknown = {};
  private hasSaidEnd = false;

  constructor(private readonly options: AdapterOptions) {
    super();
    this.session = this.openSession();
    // The client may have gone without a word.
    options.output.on('error', () => this.shutdown());
  }

  private openSession(): Session {
    const { environment, folder, log, live } = this.options;
    const session: Session = new Session({
      ...{ environment, folder, log, live },
      // What a session says that was restarted is about a run that the client does not see any more.
      send: (event, body) => {
        if (this.session === session || this.session === undefined)
          this.sendEvent({ seq: 0, type: 'event', event, body } as never);
      },
    });
    return session;
  }

  protected override dispatchRequest(request: ProtocolRequest): void {
    // A request to stop must not wait behind one that waits for the run.
    const answered = this.session.isUrgent(request.command)
      ? this.answer(request)
      : this.last.then(() => this.answer(request));
    this.last = answered;
  }

  private async answer({ seq, command, arguments: written }: ProtocolRequest): Promise<void> {
    const known = { seq: 0, type: 'response' as const, request_seq: seq, command };
    if (command === 'initialize') this.greeting = written;
    let reply: Reply = {};
    try {
      const given = argumentsOf(command, written);
      if (command === 'attach' && this.remote === null) await this.attachElsewhere(given);
      if (this.remote !== null) {
        this.passedOn.set(seq, command);
        return this.remote.send({ seq, type: 'request', command, arguments: given });
      }
      const request = { seq, type: 'request', command, arguments: given };
      if (CONFIGURING.has(command)) this.configured.set(subjectOf(request), request);
      reply = await (command === 'restart' ? this.restart(given) : this.session.handle(command, given));
      this.respond({ ...known, success: true, ...(reply.body === undefined ? {} : { body: reply.body }) });
    } catch (cause) {
      const isRefusal = cause instanceof AdapterRefusal;
      const message = this.messageOf(cause);
      const body = { error: { id: REFUSED, format: escapeBraces(message), showUser: isRefusal && cause.isShown } };
      this.respond({ ...known, success: false, message, body });
    }
    try {
      await reply.after?.();
    } catch (cause) {
      // The client has its answer, and the run that this process executes must continue.
      this.sayFailure(cause);
    }
    if (command === 'disconnect') await this.end();
  }

  private messageOf(cause: unknown): string {
    if (cause instanceof AdapterRefusal || cause instanceof RunRefused || cause instanceof StoreError)
      return cause.message;
    this.options.log(String((cause as Error).stack));
    return `this is a bug of statedsl: ${(cause as Error).message}`;
  }

  private sayFailure(cause: unknown): void {
    const output = `${this.messageOf(cause)}\n`;
    this.sendEvent({ seq: 0, type: 'event', event: 'output', body: { category: 'important', output } } as never);
  }

  /** The run ends as if the client had gone, and another one begins with what the client has configured. */
  private async restart(given: RequestArguments): Promise<Reply> {
    const launched = this.configured.get('launch');
    if (launched === undefined)
      throw new AdapterRefusal('only a program that this session has started can be restarted', true);
    const before = this.session;
    this.session = this.openSession();
    await (await before.handle('disconnect', { terminateDebuggee: true })).after?.();
    await before.closeSession();
    const newest = given.arguments as RequestArguments | undefined;
    const first = { ...(launched.arguments as RequestArguments), ...newest };
    await this.session.handle('launch', first);
    for (const { command, arguments: own } of this.configured.values())
      if (command !== 'launch') await this.session.handle(command, (own ?? {}) as RequestArguments);
    await this.session.handle('configurationDone', {});
    return {};
  }

  /** The session continues in the process that executes the run, if there is one and it answers. */
  private async attachElsewhere(given: RequestArguments): Promise<void> {
    if (this.options.live !== undefined) return;
    const { clientName } = (this.greeting ?? {}) as { clientName?: string };
    const socket = await this.session.reach(given, clientName ?? 'another editor');
    if (socket === null) return;
    const remote = new RemoteSession(
      socket,
      (message) => this.passOn(message),
      () => {
        this.remote = null;
        this.refusePassedOn();
        if (!this.hasSaidEnd) this.sendEvent({ seq: 0, type: 'event', event: 'terminated' });
        this.hasSaidEnd = true;
      },
    );
    this.remote = remote;
    remote.send({ seq: 0, type: 'request', command: 'initialize', arguments: this.greeting });
  }

  private passOn(message: Record<string, unknown>): void {
    if (message.type === 'event') {
      if (message.event === 'terminated') this.hasSaidEnd = true;
      this.sendEvent({ ...message, seq: 0 } as never);
    } else if (message.request_seq !== 0) {
      this.passedOn.delete(message.request_seq as number);
      this.respond({ ...message, seq: 0 } as never);
    }
    if (message.type === 'response' && message.command === 'disconnect') void this.end();
  }

  /** The process that executes the run has gone: nobody else would answer. */
  private refusePassedOn(): void {
    const message = 'the process that executed the run has ended';
    for (const [seq, command] of this.passedOn)
      this.respond({ seq: 0, type: 'response', request_seq: seq, command, success: command === 'disconnect', message });
    const isLeaving = [...this.passedOn.values()].includes('disconnect');
    this.passedOn.clear();
    if (isLeaving) void this.end();
  }

  private respond(response: ProtocolResponse): void {
    this.sendResponse(response as never);
  }

  /** The client has closed its end. */
  override shutdown(): void {
    if (this.isEnding) return;
    this.remote?.close();
    void this.session.clientLeft().then(() => this.end());
  }

  private async end(): Promise<void> {
    if (this.isEnding) return;
    this.isEnding = true;
    await this.session.closeSession();
    this.options.exit();
  }
}

/** Braces name values in the texts of errors. */
function escapeBraces(text: string): string {
  return text.replace(/\{/g, '(').replace(/\}/g, ')');
}
