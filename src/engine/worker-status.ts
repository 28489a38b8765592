/** How a worker is, over plain HTTP: for probes, and as text for Prometheus. The port of its turns speaks HTTP/2 alone. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VERSION } from '../runtime/version.js';
import type { EffectLine } from './worker-host.js';

/** What is counted of effects that have ended alike. */
interface EndedEffects {
  readonly kind: string;
  readonly outcome: string;
  count: number;
  ms: number;
}

export class WorkerStatus {
  private readonly ended = new Map<string, EndedEffects>();
  private server: Server | null = null;
  /** How many effects run; null: the engine does not know the worker yet, or it ends. */
  running: (() => number) | null = null;

  /** Counts an effect that has ended. */
  count({ kind, outcome, ms }: EffectLine): void {
    const key = `${kind} ${outcome}`;
    const known = this.ended.get(key) ?? { kind, outcome, count: 0, ms: 0 };
    known.count++;
    known.ms += ms;
    this.ended.set(key, known);
  }

  /** Resolves with the port. Rejects with the error of listening. */
  listen(host: string, port: number): Promise<number> {
    const server = createServer(({ url = '' }, response) => {
      const [status, text] = this.answerTo(url.replace(/\?.*$/, ''));
      response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
    });
    this.server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
    });
  }

  close(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private answerTo(path: string): readonly [number, string] {
    const isReady = this.running !== null;
    if (path === '/healthz') return [200, 'ok\n'];
    if (path === '/readyz') return isReady ? [200, 'ready\n'] : [503, 'the engine does not know this worker\n'];
    if (path === '/metrics') return [200, this.metrics()];
    return [404, 'this worker has /healthz, /readyz and /metrics\n'];
  }

  private metrics(): string {
    const all = [...this.ended.values()];
    const rows = (name: string, amountOf: (one: EndedEffects) => number): string[] =>
      all.map((one) => `${name}{kind="${one.kind}",outcome="${one.outcome}"} ${amountOf(one)}`);
    return [
      '# HELP statedsl_worker_info The version of the worker.',
      '# TYPE statedsl_worker_info gauge',
      `statedsl_worker_info{version="${VERSION}"} 1`,
      '# HELP statedsl_worker_ready Whether the engine knows the worker, and it takes work.',
      '# TYPE statedsl_worker_ready gauge',
      `statedsl_worker_ready ${this.running === null ? 0 : 1}`,
      '# HELP statedsl_worker_effects_running Effects that run, or whose outcome is not on record yet.',
      '# TYPE statedsl_worker_effects_running gauge',
      `statedsl_worker_effects_running ${this.running?.() ?? 0}`,
      '# HELP statedsl_worker_effects_total Effects that have ended.',
      '# TYPE statedsl_worker_effects_total counter',
      ...rows('statedsl_worker_effects_total', ({ count }) => count),
      '# HELP statedsl_worker_effect_seconds_total How long they took together.',
      '# TYPE statedsl_worker_effect_seconds_total counter',
      ...rows('statedsl_worker_effect_seconds_total', ({ ms }) => ms / 1000),
      '',
    ].join('\n');
  }
}
