/** The result of a test, as reporters show it. */

export interface TestFailure {
  /** The line of the test file; 0: the test as a whole. */
  readonly line: number;
  /** What the manual calls it, if it has a name. */
  readonly code?: 'unused-mock';
  readonly message: string;
  readonly expected?: string;
  readonly got?: string;
  readonly help?: string;
  /** Lines that begin with `-`, `+` or spaces. */
  readonly difference?: readonly string[];
}

/** The message with the name of what is wrong, as text for people. */
export function failureMessage({ code, message }: Pick<TestFailure, 'code' | 'message'>): string {
  return code === undefined ? message : `${code}: ${message}`;
}

export interface TestResult {
  /** The name of the test file. */
  readonly file: string;
  readonly name: string;
  readonly line: number;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped. */
  readonly reason?: string;
  readonly failures: readonly TestFailure[];
  /** What is not as it should be and does not fail the test. */
  readonly warnings?: readonly TestFailure[];
  /** The last lines of the log of a run that failed its test. */
  readonly log: readonly string[];
  readonly duration_ms: number;
}
