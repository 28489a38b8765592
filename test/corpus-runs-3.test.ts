/** A third of the programs in `test/corpus/run/`. */
import { runCases } from './corpus/run-suite.js';

runCases({ from: 2, every: 3 });
