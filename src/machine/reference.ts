/** References in results of tools: a tool may name the path of its outcome as a text. */
export { type DataPath, printPath, type ReferenceExpr, readReference } from '../source/reference.js';
