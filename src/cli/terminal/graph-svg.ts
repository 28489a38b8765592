/**
 * Draws pictures as SVG. A layout cannot be interrupted, so a worker computes it and is terminated after a deadline. The
 * worker runs this same file.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Picture } from '../../views/picture/picture.js';

const DEADLINE_MS = 60_000;
/** The layout of a long graph is deeply recursive. */
const STACK_MB = 32;

interface Job {
  readonly statedslPicture: { readonly name: string; readonly picture: Picture };
}

type Drawn = { readonly svg: string } | { readonly problem: string };

/** `name` is what the picture shows, for people who cannot see it. */
export async function layOutSvg(name: string, picture: Picture): Promise<Drawn> {
  const job: Job = { statedslPicture: { name, picture } };
  const worker = new Worker(new URL(import.meta.url), { workerData: job, resourceLimits: { stackSizeMb: STACK_MB } });
  let timer: NodeJS.Timeout | undefined;
  const result = await new Promise<Drawn>((resolve) => {
    timer = setTimeout(() => resolve({ problem: `the layout takes longer than ${DEADLINE_MS / 1000} s` }), DEADLINE_MS);
    worker.once('message', resolve);
    worker.once('error', (error: Error) => resolve({ problem: error.message }));
  });
  clearTimeout(timer);
  await worker.terminate();
  return result;
}

async function work({ statedslPicture: { name, picture } }: Job): Promise<void> {
  const { svgOf } = await import('../../views/picture/svg.js');
  parentPort?.postMessage({ svg: await svgOf(name, picture) });
}

if (!isMainThread && typeof (workerData as Partial<Job> | null)?.statedslPicture === 'object')
  void work(workerData as Job);
