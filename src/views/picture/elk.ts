/** The layout engine: Eclipse Layout Kernel, compiled to JavaScript. Large, so only pictures load it. */
import ElkConstructor from 'elkjs/lib/elk.bundled.js';
import type { LayoutEngine } from './picture-layout.js';

/** The package says that it has a default export, but the module is the constructor itself. */
const Elk = ElkConstructor as unknown as typeof ElkConstructor.default;

export function elkEngine(): LayoutEngine {
  const elk = new Elk();
  return (graph) => elk.layout(graph);
}
