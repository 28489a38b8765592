/** Lays out pictures with the engine in a worker, so that the page stays responsive. The worker is started with the first picture. */
import ElkConstructor from 'elkjs/lib/elk-api.js';
import { layOut } from '../../views/picture/layout.js';
import type { PageParts } from '../page-parts.js';

/** The package says that it has a default export, but the module is the constructor itself. */
const Elk = ElkConstructor as unknown as typeof ElkConstructor.default;

/** `url`: the script of the worker. */
export function workerLayout(url: string): PageParts['layOut'] {
  let elk: InstanceType<typeof Elk> | null = null;
  return async (picture) => {
    elk ??= new Elk({ workerFactory: () => new Worker(url) });
    const engine = elk;
    return layOut(picture, (graph) => engine.layout(graph));
  };
}
