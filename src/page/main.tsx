/** The page that the service sends: its data come from the service, and the layout engine is a worker. */
import ElkConstructor from 'elkjs/lib/elk-api.js';
import { render } from 'preact';
import { layOut } from '../views/picture/picture-layout.js';
import { serviceData } from './data/service-data.js';
import { Page } from './page.jsx';
import type { PageParts } from './page-parts.js';
import { createRouter } from './page-parts.js';

const root = document.getElementById('page');
const layout = document.querySelector<HTMLMetaElement>('meta[name="statedsl-layout"]')?.content ?? '';
const loadPlot = async () => (await import('./runs/draw-plot.js')).drawPlot;
if (root !== null)
  render(
    <Page data={serviceData()} router={createRouter('service')} layOut={workerLayout(layout)} loadPlot={loadPlot} />,
    root,
  );

/** The package says that it has a default export, but the module is the constructor itself. */
const Elk = ElkConstructor as unknown as typeof ElkConstructor.default;

/** `url`: the script of the worker. */
function workerLayout(url: string): PageParts['layOut'] {
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
