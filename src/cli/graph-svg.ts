/**
 * Converts DOT to SVG. A layout cannot be interrupted, so a worker computes it and is terminated after a deadline. The
 * worker runs this same file.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const DEADLINE_MS = 30_000;

interface Job {
  readonly statedslGraph: string;
}

export async function layOut(dot: string): Promise<{ readonly svg: string } | { readonly problem: string }> {
  const job: Job = { statedslGraph: dot };
  const worker = new Worker(new URL(import.meta.url), { workerData: job });
  let timer: NodeJS.Timeout | undefined;
  const result = await new Promise<{ svg: string } | { problem: string }>((resolve) => {
    timer = setTimeout(() => resolve({ problem: `the layout takes longer than ${DEADLINE_MS / 1000} s` }), DEADLINE_MS);
    worker.once('message', resolve);
    worker.once('error', (error: Error) => resolve({ problem: error.message }));
  });
  clearTimeout(timer);
  await worker.terminate();
  return result;
}

async function work(job: Job): Promise<void> {
  const { instance } = await import('@viz-js/viz');
  const viz = await instance();
  const result = viz.render(job.statedslGraph, { format: 'svg' });
  parentPort?.postMessage(
    result.status === 'success'
      ? { svg: result.output }
      : { problem: result.errors[0]?.message ?? 'no layout could be computed' },
  );
}

if (!isMainThread && typeof (workerData as Partial<Job> | null)?.statedslGraph === 'string')
  void work(workerData as Job);
