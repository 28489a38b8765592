/** A third of the programs in `test/corpus/run/`. */
import { runCases } from './corpus/run-suite.js';

runCases({ from: 1, every: 3 });
