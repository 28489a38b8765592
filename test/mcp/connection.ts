/** A connection to the door in the process of the test: raw frames of either revision go in, and frames come out. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { onTestFinished } from 'vitest';
import { shippedFolder } from '../../src/app/project/find-workflow.js';
import { type Door, type DoorOptions, openDoor } from '../../src/mcp/door.js';
import { makeServer } from '../../src/mcp/server.js';
import { WrittenFrames } from '../../src/mcp/written-numbers.js';
import { executeRun } from '../../src/serve/executions/execute-run.js';

// biome-ignore lint/suspicious/noExplicitAny: what comes over a connection may be anything, and each test says what it expects.
export type Frame = Readonly<Record<string, any>>;

/** Runs in the process of a test share nothing. */
const unlimited = { take: () => Promise.resolve(() => undefined) };

export function doorOf(files: Readonly<Record<string, string>>, options: Partial<DoorOptions> = {}): Door {
  const own = mkdtempSync(join(tmpdir(), 'statedsl-mcp-'));
  const { programs = own, directory = join(programs, '.statedsl') } = options;
  const ends: Promise<void>[] = [];
  const stops: AbortController[] = [];
  let isOver = false;
  onTestFinished(async () => {
    isOver = true;
    for (const stop of stops) stop.abort();
    await Promise.all(ends);
    rmSync(own, { recursive: true, force: true });
  });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(programs, name)), { recursive: true });
    writeFileSync(join(programs, name), text);
  }
  const skills = shippedFolder('skills');
  return openDoor(
    {
      programs,
      directory,
      engine: null,
      isReadOnly: false,
      agentsMayAnswer: false,
      skill: skills === null ? null : join(skills, 'statedsl'),
      version: '0.0.0',
      ...options,
    },
    (runId, secret) => {
      if (isOver) return { end: Promise.resolve(), interrupt: () => undefined };
      const controller = new AbortController();
      stops.push(controller);
      const { signal } = controller;
      const end = executeRun({
        directory,
        programs,
        runId,
        secret,
        jobs: 4,
        permits: unlimited,
        isWanted: () => true,
        signal,
      });
      ends.push(end);
      return { end, interrupt: () => controller.abort() };
    },
  );
}

const META = 'io.modelcontextprotocol/';
export const NEWEST = '2026-07-28';
const FORMS = { elicitation: { form: {} } };

export interface ConnectionOptions {
  readonly era?: 'modern' | 'legacy';
  readonly capabilities?: Frame;
  readonly name?: string;
}

export class Connection {
  private readonly input = new PassThrough();
  private buffered = '';
  private number = 0;
  readonly frames: Frame[] = [];
  /** The frames as they came. */
  readonly lines: string[] = [];
  private watchers: (() => void)[] = [];

  constructor(
    door: Door,
    readonly options: ConnectionOptions = {},
  ) {
    const output = new PassThrough();
    output.on('data', (chunk: Buffer) => this.read(chunk.toString()));
    const transport = new WrittenFrames(this.input, output);
    const handle = serveStdio(({ era }) => makeServer(door, era), { transport, onerror: () => undefined });
    onTestFinished(() => handle.close());
  }

  private read(text: string): void {
    this.buffered += text;
    const lines = this.buffered.split('\n');
    this.buffered = lines.pop() ?? '';
    for (const line of lines.filter((one) => one !== '')) {
      this.lines.push(line);
      this.frames.push(JSON.parse(line));
    }
    for (const watch of this.watchers) watch();
  }

  /** The first frame, from now on or before, that fits. */
  async frame(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.watchers.push(resolve));
    }
  }

  raw(text: string): void {
    this.input.write(text);
  }

  close(): void {
    this.input.end();
  }

  /** What every request of the newer revision says about its client. */
  get meta(): Frame {
    const { capabilities = FORMS, name = 'tester' } = this.options;
    return {
      [`${META}protocolVersion`]: NEWEST,
      [`${META}clientInfo`]: { name, version: '1' },
      [`${META}clientCapabilities`]: capabilities,
    };
  }

  send(method: string, params: Frame = {}, id: number | null = ++this.number): number {
    const { era = 'modern' } = this.options;
    const _meta = era === 'modern' ? { _meta: { ...this.meta, ...params._meta } } : {};
    this.raw(
      `${JSON.stringify({ jsonrpc: '2.0', ...(id === null ? {} : { id }), method, params: { ...params, ..._meta } })}\n`,
    );
    return id ?? 0;
  }

  async request(method: string, params: Frame = {}): Promise<Frame> {
    const id = this.send(method, params);
    return this.frame((one) => one.id === id && one.method === undefined);
  }

  /** The handshake of the older revisions. */
  async initialize(): Promise<Frame> {
    const { capabilities = FORMS, name = 'tester' } = this.options;
    const answer = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo: { name, version: '1' },
    });
    this.send('notifications/initialized', {}, null);
    return answer.result;
  }

  /** The result of a tool, or the error that answers the call. */
  async call(name: string, given: Frame = {}, more: Frame = {}): Promise<Frame> {
    const answer = await this.request('tools/call', { name, arguments: given, ...more });
    return answer.result ?? answer.error;
  }

  /** Fills the form of a result of the newer revision, and calls again. */
  fill(name: string, given: Frame, asked: Frame, response: Frame): Promise<Frame> {
    const { requestState } = asked;
    return this.call(name, given, { requestState, inputResponses: { form: response } });
  }
}

export async function connect(door: Door, options: ConnectionOptions = {}): Promise<Connection> {
  const connection = new Connection(door, options);
  if (options.era === 'legacy') await connection.initialize();
  return connection;
}

/** Tokens as they are estimated everywhere: four characters each. */
export const tokensOf = (value: unknown): number =>
  (typeof value === 'string' ? value : JSON.stringify(value)).length / 4;
