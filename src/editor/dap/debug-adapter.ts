/** The connection of a debugger: requests go to a session, one after the other, and what it says goes to the client. */
import type { Readable, Writable } from 'node:stream';
import { DebugSession } from '@vscode/debugadapter';
import { AdapterRefusal, type Reply } from './adapter-protocol.js';
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
  /** Called when nothing is left to do. */
  readonly exit: () => void;
}

/** Errors in answers have a number. */
const REFUSED = 1;

export function startAdapter(options: AdapterOptions): void {
  const adapter = new DebugAdapter(options);
  adapter.start(options.input, options.output);
}

class DebugAdapter extends DebugSession {
  private readonly session: Session;
  private last: Promise<unknown> = Promise.resolve();
  private isEnding = false;

  constructor(private readonly options: AdapterOptions) {
    super();
    const { environment, folder, log } = options;
    this.session = new Session({
      environment,
      folder,
      log,
      send: (event, body) => this.sendEvent({ seq: 0, type: 'event', event, body } as never),
    });
    // The client may have gone without a word.
    options.output.on('error', () => this.shutdown());
  }

  protected override dispatchRequest(request: ProtocolRequest): void {
    // A request to stop must not wait behind one that waits for the run.
    const answered = this.session.isUrgent(request.command)
      ? this.answer(request)
      : this.last.then(() => this.answer(request));
    this.last = answered;
  }

  private async answer({ seq, command, arguments: given }: ProtocolRequest): Promise<void> {
    const known = { seq: 0, type: 'response' as const, request_seq: seq, command };
    let reply: Reply = {};
    try {
      reply = await this.session.handle(command, (given ?? {}) as Readonly<Record<string, unknown>>);
      this.respond({ ...known, success: true, ...(reply.body === undefined ? {} : { body: reply.body }) });
    } catch (cause) {
      const isRefusal = cause instanceof AdapterRefusal;
      const message = isRefusal ? cause.message : `this is a bug of statedsl: ${(cause as Error).message}`;
      if (!isRefusal) this.options.log(String((cause as Error).stack));
      const body = { error: { id: REFUSED, format: escapeBraces(message), showUser: isRefusal && cause.isShown } };
      this.respond({ ...known, success: false, message, body });
    }
    reply.after?.();
    if (command === 'disconnect') await this.end();
  }

  private respond(response: ProtocolResponse): void {
    this.sendResponse(response as never);
  }

  /** The client has closed its end. */
  override shutdown(): void {
    if (this.isEnding) return;
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
