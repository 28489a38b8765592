/** References as the run reads them: a tool may name the path of its outcome in the text of its result. */
export { type DataPath, printPath, type ReferenceExpr, readReference } from '../source/reference.js';
