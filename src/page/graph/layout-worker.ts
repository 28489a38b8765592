/** The layout engine as the script of a worker: it answers the messages of `worker-layout.ts`, which the package defines. */
import 'elkjs/lib/elk-worker.min.js';
