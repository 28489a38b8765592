/** Lays out pictures with the engine in a worker, so that the page stays responsive. The worker is started with the first picture. */
import ElkConstructor from 'elkjs/lib/elk-api.js';
import { layOut } from '../../views/picture/layout.js';
import type { PageParts } from '../page-parts.js';

/** The package says that it has a default export, but the module is the constructor itself. */
const Elk = ElkConstructor as unknown as typeof ElkConstructor.default;

/** `url`: the script of the worker. */
export function workerLayout(url: string): PageParts['layOut'] {
  let engine: Engine | null = null;
  return async (picture) => {
    engine ??= startEngine(url);
    const mine = engine;
    const { elk, failure } = mine;
    try {
      return await Promise.race([failure, layOut(picture, (graph) => elk.layout(graph))]);
    } catch (cause) {
      // The next picture gets another worker.
      if (engine === mine) engine = null;
      mine.end();
      throw cause;
    }
  };
}

interface Engine {
  readonly elk: InstanceType<typeof Elk>;
  /** Rejects when the worker cannot be loaded or ends; the engine itself would never answer then. */
  readonly failure: Promise<never>;
  /** Ends the worker, and whatever waits for it fails. */
  readonly end: () => void;
}

function startEngine(url: string): Engine {
  const worker = new Worker(url);
  let reject: (cause: Error) => void = () => undefined;
  const failure = new Promise<never>((_, fail) => {
    reject = fail;
  });
  worker.addEventListener('error', () => reject(new Error('its layout engine could not be loaded')));
  // Without a picture on its way, there is nothing to report.
  failure.catch(() => undefined);
  const end = (): void => {
    worker.terminate();
    reject(new Error('its layout engine was ended'));
  };
  return { elk: new Elk({ workerFactory: () => worker }), failure, end };
}
