/** The nearest name, for messages of a run: the same measure as for messages about the program. */
export { nearest } from '../source/suggest.js';
