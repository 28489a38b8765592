/** The layout engine in a worker of the browser, so that the page stays responsive. It gets graphs and gives positions. */
import type { ElkNode } from 'elkjs/lib/elk-api.js';
import { elkEngine } from '../../views/picture/elk.js';

interface Job {
  readonly id: number;
  readonly graph: ElkNode;
}

/** The answer to a job. */
export type LaidOut = { readonly id: number } & ({ readonly graph: ElkNode } | { readonly problem: string });

const engine = elkEngine();

self.addEventListener('message', ({ data: { id, graph } }: MessageEvent<Job>) => {
  engine(graph).then(
    (done) => self.postMessage({ id, graph: done }),
    (cause: unknown) => self.postMessage({ id, problem: String(cause) }),
  );
});
