/** The plans in `test/corpus/plan-runs/`. */
import { runPlanCases } from './corpus/run-suite.js';

runPlanCases();
