/** The process of a worker: programs by their runs, and effects with the resources of their runs. */
import { randomUUID } from 'node:crypto';
import type { Outcome } from '../interpreter/events/event.js';
import type { Effects } from '../runtime/effect-context.js';
import type { Redactor } from '../runtime/redact.js';
import { type OpenResources, openResources } from '../runtime/run/resources.js';
import type { EngineClient } from './client.js';
import type { Performed } from './messages.js';
import { programOf } from './run-object.js';
import type { ServiceNames } from './services.js';
import { StartedEffects } from './started-effects.js';
import type { Program, TurnHost } from './turn-host.js';

export interface WorkerOptions {
  readonly services: ServiceNames;
  /** Reads submissions. */
  readonly client: Pick<EngineClient, 'about'>;
  readonly effects: Effects;
  /** The working directory of runs, absolute. */
  readonly cwd: string;
  readonly redactor: Redactor | null;
}

export interface WorkerHost extends TurnHost {
  /** Releases what runs use. Call it when no effect is in flight. */
  close(): Promise<void>;
}

/** Programs of runs that were executed last. */
const PROGRAMS = 1000;

export function workerHost({ services, client, effects, cwd, redactor }: WorkerOptions): WorkerHost {
  const programs = new Map<string, Program>();
  const runs = new SharedResources(redactor);
  return {
    services,
    started: new StartedEffects(),
    newName: randomUUID,
    async program(runId) {
      const known = programs.get(runId);
      if (known !== undefined) return known;
      const about = await client.about(runId);
      if (about === null) throw new Error(`run \`${runId}\` was removed`);
      const program = programOf(about);
      programs.set(runId, program);
      if (programs.size > PROGRAMS) programs.delete(programs.keys().next().value as string);
      return program;
    },
    async perform(runId, request, { stop, outputLimit }) {
      const resources = runs.open(runId);
      const { use } = resources.outputs;
      use.limit = Math.max(use.limit === Number.POSITIVE_INFINITY ? 0 : use.limit, use.bytes + outputLimit);
      try {
        const programDir = programs.get(runId)?.options.programDir;
        const context = { runId, cwd, programDir, stop, show: null, resources };
        const outcome = await effects.perform(request, context);
        return performedOf(redactor === null ? outcome : clean(redactor, outcome));
      } finally {
        runs.release(runId);
      }
    },
    close: () => runs.closeAll(),
  };
}

function performedOf(outcome: Outcome): Performed {
  const stdout = 'stdout' in outcome ? outcome.stdout.bytes : 0;
  const stderr = 'stderr' in outcome ? outcome.stderr.length : 0;
  return { outcome, at: Date.now(), printed: stdout + stderr };
}

/** What the engine stores has no secrets. */
function clean(redactor: Redactor, outcome: Outcome): Outcome {
  const event = redactor.event({ type: 'effect_settled', effect: '', attempt: 1, outcome });
  return event.type === 'effect_settled' ? event.outcome : outcome;
}

/** A run that has no effect in flight for so long releases its resources. Milliseconds. */
const IDLE_MS = 2000;

interface RunUse {
  readonly resources: OpenResources;
  effects: number;
  timer: ReturnType<typeof setTimeout> | null;
}

/** The resources of all runs that have effects in this process. */
class SharedResources {
  private readonly runs = new Map<string, RunUse>();

  constructor(private readonly redactor: Redactor | null) {}

  open(runId: string): OpenResources {
    let use = this.runs.get(runId);
    if (use === undefined) {
      const spec = { runId, artifacts: null, keptBytes: 0, worktrees: null, ownProcess: false };
      use = {
        resources: openResources({ ...spec, recordProcess: () => undefined }, this.redactor),
        effects: 0,
        timer: null,
      };
      this.runs.set(runId, use);
    }
    if (use.timer !== null) clearTimeout(use.timer);
    use.timer = null;
    use.effects++;
    return use.resources;
  }

  release(runId: string): void {
    const use = this.runs.get(runId);
    if (use === undefined) return;
    use.effects--;
    if (use.effects > 0) return;
    use.timer = setTimeout(() => void this.close(runId), IDLE_MS);
    use.timer.unref();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.runs.keys()].map((runId) => this.close(runId)));
  }

  private async close(runId: string): Promise<void> {
    const use = this.runs.get(runId);
    this.runs.delete(runId);
    if (use?.timer != null) clearTimeout(use.timer);
    await use?.resources.close();
  }
}
