/** What the tests on a real engine need of the sources, as one module that their processes load. */

export { engineClient } from '../../../src/engine/client.js';
export { mirrorRun } from '../../../src/engine/mirror.js';
export { startWorker } from '../../../src/engine/run-worker.js';
export { workerProcesses } from '../../../src/engine/worker-processes.js';
export { compile } from '../../../src/language/check/compile.js';
export { hostEffects } from '../../../src/runtime/effects.js';
export { headerOf } from '../../../src/runtime/run/header.js';
export { newRunId } from '../../../src/runtime/run/run-id.js';
export { fixedOptions } from '../../../src/runtime/run/run-options.js';
