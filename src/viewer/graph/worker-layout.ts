/** Lays out pictures with the engine in a worker, which is started with the first picture. */
import type { LayoutEngine } from '../../views/picture/layout.js';
import { layOut } from '../../views/picture/layout.js';
import type { PageParts } from '../page-parts.js';
import type { LaidOut } from './layout-worker.js';

type Waiting = { readonly resolve: (done: never) => void; readonly reject: (cause: Error) => void };

/** `url`: the script of the worker. */
export function workerLayout(url: string): PageParts['layOut'] {
  let worker: Worker | null = null;
  let last = 0;
  const waiting = new Map<number, Waiting>();

  function start(): Worker {
    const started = new Worker(url);
    started.onmessage = ({ data }: MessageEvent<LaidOut>) => {
      const one = waiting.get(data.id);
      waiting.delete(data.id);
      if ('graph' in data) one?.resolve(data.graph as never);
      else one?.reject(new Error(data.problem));
    };
    started.onerror = () => {
      for (const { reject } of waiting.values()) reject(new Error('the layout engine cannot be loaded'));
      waiting.clear();
      worker = null;
    };
    return started;
  }

  const engine: LayoutEngine = (graph) => {
    worker ??= start();
    const id = ++last;
    const { promise, resolve, reject } = withResolvers<never>();
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, graph });
    return promise;
  };
  return (picture) => layOut(picture, engine);
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (cause: Error) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
