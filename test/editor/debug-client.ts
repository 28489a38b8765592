/** A debugging session in this process, with the client that debug adapters are tested with. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DebugClient } from '@vscode/debugadapter-testsupport';
import { onTestFinished } from 'vitest';
import { startAdapter } from '../../src/editor/dap/debug-adapter.js';

/** An event or an answer of the adapter, of which a test knows what it has. */
// biome-ignore lint/suspicious/noExplicitAny: the protocol has hundreds of types, and a test reads a few members.
export type Body = any;

/** Where the run stands, as a person sees it. */
export interface Shown {
  readonly reason: string;
  readonly text: string | undefined;
  readonly threadId: number;
  /** `NAME:LINE`, innermost first. */
  readonly stack: readonly string[];
  /** Values by scope and name. */
  readonly scopes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly hit: readonly number[] | undefined;
  readonly frameId: number;
}

export class Debugging {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'statedsl-debug-')));
  readonly outputs: { category: string; output: string }[] = [];
  readonly events: { event: string; body: Body }[] = [];
  readonly client = new DebugClient('node', '', 'statedsl');
  capabilities: Body;
  private waiting: (() => void)[] = [];
  private seen = 0;
  private hasLeft = false;

  constructor(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    this.client.setMaxListeners(0);
  }

  write(name: string, text: string): void {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  async connect(): Promise<this> {
    const exited = { yes: (): void => undefined };
    const left = new Promise<void>((resolve) => {
      exited.yes = resolve;
    });
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      startAdapter({
        input: socket,
        output: socket,
        environment: process.env,
        folder: this.folder,
        log: (text) => void this.outputs.push({ category: 'log', output: text }),
        exit: () => {
          socket.end();
          exited.yes();
        },
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await this.client.start((server.address() as AddressInfo).port);
    this.client.defaultTimeout = 60_000;
    for (const event of ['stopped', 'terminated', 'exited', 'initialized', 'breakpoint'])
      this.client.on(event, ({ body }: { body: Body }) => {
        this.events.push({ event, body });
        for (const wake of this.waiting.splice(0)) wake();
      });
    this.client.on('output', ({ body }: { body: Body }) => void this.outputs.push(body));
    this.capabilities = (await this.client.initializeRequest()).body;
    this.leave = async () => {
      this.hasLeft = true;
      for (const socket of sockets) socket.destroy();
      await left;
    };
    onTestFinished(async () => {
      if (!this.hasLeft) await this.client.disconnectRequest().catch(() => undefined);
      await left;
      server.close();
      rmSync(this.folder, { recursive: true, force: true });
    });
    return this;
  }

  async disconnect(): Promise<void> {
    await this.ask('disconnect');
    this.hasLeft = true;
  }

  /** Goes away without a word. */
  leave: () => Promise<void> = async () => undefined;

  ask(command: string, given: object = {}): Promise<Body> {
    return this.client.send(command, given).then(({ body }: Body) => body);
  }

  /** The message of a request that is refused. */
  refusal(command: string, given: object = {}): Promise<string> {
    return this.client.send(command, given).then(
      () => 'not refused',
      (cause: Error) => cause.message,
    );
  }

  /** The next of these events that no one has waited for. */
  async next(...names: string[]): Promise<{ event: string; body: Body }> {
    for (;;) {
      const found = this.events.findIndex(({ event }, at) => at >= this.seen && names.includes(event));
      if (found >= 0) {
        this.seen = found + 1;
        return this.events[found] as { event: string; body: Body };
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Launches, and gives the answers to `setBreakpoints`, by file. */
  async launch(
    given: object,
    lines: Readonly<Record<string, readonly (number | object)[]>> = {},
    before: () => Promise<unknown> = async () => undefined,
    request: 'launch' | 'attach' = 'launch',
  ): Promise<Body[]> {
    await Promise.all([this.next('initialized'), this.ask(request, given)]);
    const set: Body[] = [];
    for (const [name, wanted] of Object.entries(lines)) set.push(...(await this.breakpoints(name, wanted)));
    await before();
    await this.ask('configurationDone');
    return set;
  }

  async breakpoints(name: string, wanted: readonly (number | object)[]): Promise<Body[]> {
    const breakpoints = wanted.map((one) => (typeof one === 'number' ? { line: one } : one));
    return (await this.ask('setBreakpoints', { source: { path: this.path(name) }, breakpoints })).breakpoints;
  }

  /** Where the run stops next; null: it has ended. */
  async stop(): Promise<Shown | null> {
    const { event, body } = await this.next('stopped', 'terminated');
    return event === 'terminated' ? null : this.show(body);
  }

  async show({ threadId, reason, text, hitBreakpointIds }: Body): Promise<Shown> {
    const { stackFrames } = await this.ask('stackTrace', { threadId });
    const frameId = stackFrames[0].id;
    const stack = stackFrames.map(({ name, line }: Body) => `${name}:${line}`);
    return { reason, text, threadId, stack, hit: hitBreakpointIds, frameId, scopes: await this.scopes(frameId) };
  }

  async scopes(frameId: number): Promise<Record<string, Record<string, string>>> {
    const all: Record<string, Record<string, string>> = {};
    for (const { name, variablesReference } of (await this.ask('scopes', { frameId })).scopes) {
      const { variables } = await this.ask('variables', { variablesReference });
      all[name] = Object.fromEntries(variables.map((one: Body) => [one.name, one.value]));
    }
    return all;
  }

  /** Moves, and gives where the run stops; null: it has ended. */
  async move(command: string, given: object = {}): Promise<Shown | null> {
    await this.ask(command, { threadId: 1, ...given });
    return this.stop();
  }

  /** The lines at which a series of moves stops. */
  async moves(...commands: string[]): Promise<string[]> {
    const places: string[] = [];
    for (const command of commands) {
      const shown = await this.move(command);
      places.push(shown === null ? 'end' : `${shown.reason} ${shown.stack[0]}`);
    }
    return places;
  }

  get printed(): string {
    return this.outputs.map(({ output }) => output).join('');
  }
}

export function debugging(files: Readonly<Record<string, string>>): Promise<Debugging> {
  return new Debugging(files).connect();
}
