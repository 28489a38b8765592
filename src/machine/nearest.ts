/** The nearest name, for messages that a run makes: the same measure as for messages about the program. */
export { nearest } from '../source/suggest.js';
