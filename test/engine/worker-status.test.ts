/** What a worker says about itself to probes and to Prometheus. */
import { expect, onTestFinished, test } from 'vitest';
import { WorkerStatus } from '../../src/engine/worker-status.js';
import { parsePrometheus } from '../serve/prometheus.js';

test('a worker says whether it takes work, and counts its effects', async () => {
  const status = new WorkerStatus();
  onTestFinished(() => status.close());
  const port = await status.listen('127.0.0.1', 0);
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return [answer.status, await answer.text()] as const;
  };
  expect([await ask('/healthz'), (await ask('/readyz'))[0]]).toEqual([[200, 'ok\n'], 503]);
  status.running = () => 2;
  expect(await ask('/readyz')).toEqual([200, 'ready\n']);
  status.count({ run: 'a', effect: '1.1', kind: 'shell', ms: 1500, outcome: 'exited' });
  status.count({ run: 'b', effect: '1.1', kind: 'shell', ms: 500, outcome: 'exited' });
  status.count({ run: 'b', effect: '2.1', kind: 'agent', ms: 10, outcome: 'timed-out' });
  const [, text] = await ask('/metrics?x=1');
  expect(text).toContain('statedsl_worker_effects_total{kind="shell",outcome="exited"} 2\n');
  expect(text).toContain('statedsl_worker_effect_seconds_total{kind="shell",outcome="exited"} 2\n');
  expect(text).toContain('statedsl_worker_effects_total{kind="agent",outcome="timed-out"} 1\n');
  expect(text).toContain('statedsl_worker_effects_running 2\n');
  expect(parsePrometheus(text)).toBeDefined();
  expect(await ask('/nothing')).toEqual([404, 'this worker has /healthz, /readyz and /metrics\n']);
  status.running = null;
  expect((await ask('/readyz'))[0]).toBe(503);
});
