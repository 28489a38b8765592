/** Calls of agents. Their programs are scripts in a folder that PATH has before those of the system. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Outcome } from '../../../src/interpreter/events/event.js';
import type { AgentRequest } from '../../../src/interpreter/request.js';
import { createCallLog } from '../../../src/runtime/agents/call-log.js';
import { type AgentHost, createPermits, performAgent } from '../../../src/runtime/agents/perform.js';
import type { AgentConfiguration } from '../../../src/runtime/agents/programs/adapter.js';
import type { EffectContext } from '../../../src/runtime/effect-context.js';
import { createPipePool } from '../../../src/runtime/process/pipes.js';
import { processStat } from '../../../src/runtime/process/process-group.js';
import { createScratch, outputStore } from '../../../src/runtime/process/scratch.js';
import { inheritedEnvironment } from '../../../src/runtime/process/shell.js';
import { createRedactor } from '../../../src/runtime/redact.js';
import { temporaryFolder } from '../running.js';

export type Exited = Extract<Outcome, { kind: 'exited' }>;

export interface Stage {
  readonly folder: string;
  readonly bin: string;
  /** What was shown while agents worked. */
  readonly shown: () => string;
  /** Puts a program on PATH. Without a `#!` line it is a shell script. */
  program(name: string, text: string): void;
  file(name: string, text: string): string;
  read(name: string): string | null;
  call(request: Partial<AgentRequest> & { readonly agent: string }, more?: Partial<Around>): Promise<Outcome>;
  /** The same for a call that has to end by itself. */
  exited(request: Partial<AgentRequest> & { readonly agent: string }, more?: Partial<Around>): Promise<Exited>;
}

interface Around {
  readonly stop: AbortSignal;
  readonly watchFiles: AgentHost['watchFiles'];
  /** More variables of the environment. */
  readonly env: Readonly<Record<string, string>>;
}

export function stage(
  agents: Readonly<Record<string, AgentConfiguration>> = {},
  {
    instead = {},
    secrets = [],
    whenFinished = onTestFinished,
    notice,
  }: {
    instead?: Record<string, string>;
    secrets?: Parameters<typeof createRedactor>[0];
    /** That of the test's context, where several tests run at the same time. */
    whenFinished?: (action: () => void) => void;
    /** Gets what people are told while an agent works. */
    notice?: (text: string) => void;
  } = {},
): Stage {
  const folder = temporaryFolder(whenFinished);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const scratch = createScratch();
  const pipes = createPipePool();
  whenFinished(() => {
    scratch.remove();
    pipes.remove();
  });
  const artifacts = join(folder, 'run', 'artifacts');
  mkdirSync(artifacts, { recursive: true });
  const redactor = createRedactor(secrets);
  let shown = '';
  let calls = 0;
  const host = {
    inherited: inheritedEnvironment({ ...process.env, PATH: `${bin}:${process.env.PATH}` }),
    settings: { agents, folder, instead },
    permits: createPermits(),
    calls: createCallLog(),
  };
  const context: EffectContext = {
    runId: 'run',
    cwd: folder,
    stop: new AbortController().signal,
    notice,
    show: (bytes, stream) => {
      if (stream === 'stdout') shown += Buffer.from(bytes).toString('utf8');
    },
    resources: {
      outputs: outputStore(artifacts, scratch, redactor),
      scratch,
      pipes,
      groups: new Set(),
      worktrees: null,
      runFolder: () => dirname(artifacts),
      recordProcess: () => undefined,
      onEnd: () => undefined,
    },
  };
  const one: Stage = {
    folder,
    bin,
    shown: () => shown,
    program(name, text) {
      writeFileSync(join(bin, name), text.startsWith('#!') ? text : `#!/bin/sh\n${text}\n`);
      chmodSync(join(bin, name), 0o755);
    },
    file(name, text) {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
    read: (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null),
    call(request, { stop, watchFiles, env = {} } = {}) {
      const around = stop === undefined ? context : { ...context, stop };
      // A limit that one call reaches does not concern the others.
      const XDG_STATE_HOME = join(folder, `state-${calls++}`);
      return performAgent({ ...plain, ...request }, around, {
        ...host,
        inherited: { ...host.inherited, ...env, XDG_STATE_HOME },
        ...(watchFiles === undefined ? {} : { watchFiles }),
      });
    },
    async exited(request, more) {
      const outcome = await one.call(request, more);
      if (outcome.kind !== 'exited') throw new Error(JSON.stringify(outcome));
      return outcome;
    },
  };
  return one;
}

const plain: AgentRequest = {
  kind: 'agent',
  effect: '1',
  attempt: 1,
  delayMs: 0,
  tool: 'agent',
  text: 'Task(agent)',
  state: 'MAIN',
  line: 1,
  branch: '',
  timeoutMs: 120_000,
  once: false,
  cwd: null,
  env: {},
  stdin: null,
  needsText: true,
  agent: 'agent',
  prompt: 'do it',
  args: {},
  output: null,
};

/** Shell text that prints events, one a line. */
export function printing(...events: readonly (object | string)[]): string {
  return events
    .map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
    .map((line) => `printf '%s\\n' '${line.replaceAll("'", "'\\''")}'`)
    .join('\n');
}

/** Stores the arguments of the program, and what it reads. */
export const KEEP = 'printf "%s\\n" "$@" > args\ncat > prompt\n';

/** Whether the process with the number in `child` still runs. A zombie does not. */
export function childRuns(one: Stage): boolean {
  const stat = processStat(Number(one.read('child')));
  return stat !== null && stat.state !== 'Z';
}
