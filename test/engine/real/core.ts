/** What the tests on a real engine need of the sources, as one module that their processes load. */
export { compile } from '../../../src/check/compile.js';
export { engineClient } from '../../../src/engine/client.js';
export { mirrorRun } from '../../../src/engine/mirror.js';
export { restateServices } from '../../../src/engine/restate-services.js';
export { serviceNames } from '../../../src/engine/services.js';
export { workerHost } from '../../../src/engine/worker-host.js';
export { hostEffects } from '../../../src/runtime/effects.js';
export { headerOf } from '../../../src/runtime/run/header.js';
export { newRunId } from '../../../src/runtime/run/run-id.js';
export { fixedOptions } from '../../../src/runtime/run/run-options.js';
