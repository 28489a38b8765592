/** The objects inside events, in words; see `event-table.ts`. Each kind of outcome has its own row. */
import type { FailureCause, Outcome, Output, RunError, SpentAmount, Waiting } from './event.js';
import { always, type DescribedFields, sometimes } from './event-table.js';

const duration_ms = always('number', 'milliseconds it took');
const stderr = always('text', 'all of stderr, or its last 4 KiB if it is larger than 64 KiB');
const stderr_artifact = sometimes('text', 'the file in `artifacts/` with all of stderr, if it is larger than 64 KiB');
const memo = sometimes(
  'text',
  'the run that remembered the outcome, if it was taken from the memo and nothing was started',
);
const order = sometimes(
  'list',
  'how many lines came on stdout, then on stderr, then on stdout again, and so on; absent if all of stdout came first, or if there were too many',
);
const stdout = always('[output]', 'its output');
const by = sometimes('text', '`debugger`: a person gave it while the run was debugged, and nothing was started');
const error_type = sometimes('text', 'the kind of failure (default: `tool_failure`)');

/** The members that both kinds of outcomes of an agent call have. */
const agentFacts = {
  cost: sometimes('number or null', 'of an agent: the cost in US dollars; null if it is unknown'),
  tokens: sometimes('object', 'of an agent: `in`, `out`, `cache_read`, `cache_write`'),
  session_id: sometimes('text', 'of an agent: its session'),
  session_tokens: sometimes(
    'object',
    'of an agent whose program reports only the tokens of a whole session: that sum, with the members of `tokens`',
  ),
  session_bound: sometimes(
    '`true`',
    'of an agent: its session cannot be branched off, or cannot be found from another directory',
  ),
  model: sometimes('text', 'of an agent: the model that the configuration or the name of the agent says'),
  adapter: sometimes('text', 'of an agent that reported its session: the adapter of the session'),
  session_of: sometimes(
    'text',
    'of an agent that started a new session: the adapter of the session that it could not continue',
  ),
  turns: sometimes('number', 'of an agent: the number of turns'),
  is_error: sometimes('`true` or `false`', 'of an agent: whether it reported a failure; then `stdout` is its answer'),
  transcript: sometimes('[output]', 'of an agent: its full output'),
  guard: sometimes('object', 'of an agent: the `name` and `message` of the guard that stopped it'),
  unavailable: sometimes(
    'object',
    'of an unavailable agent: `cause` (`usage`, `overload`, `network`, `budget`), `message`, `at_ms`, `until_ms` or null, and the `account` whose limit it is',
  ),
  tool_calls: sometimes(
    'list',
    'of an agent that is a model or speaks the Agent Client Protocol: its calls of tools, each with `tool`, `input`, `ms` and, if it failed, `error`',
  ),
  denied: sometimes(
    'list',
    'of an agent: the calls of tools that its program did not allow, each with `tool`, `input` and `reason`',
  ),
  own_retries: sometimes(
    'object',
    'of an agent whose program waited for its service: `count`, `ms`, and the last reason as `message`',
  ),
} as const;

/** Outcomes by `kind`. */
export const outcomeTable = {
  exited: {
    means: 'a process ended',
    fields: {
      exit: always('number or null', 'its exit code; null if a signal ended it'),
      signal: sometimes('text', 'the signal that ended it'),
      pipe: sometimes(
        'list',
        'of a pipe in which a member failed: each member in order, with its `exit` and its `program` or null',
      ),
      stdout,
      stderr,
      stderr_artifact,
      order,
      duration_ms,
      output_truncated: sometimes(
        '`true`',
        'a process that was left running still held the pipes two seconds after the end; its later output was not read',
      ),
      memo,
      invalid: sometimes('text', 'of a tool: how its result violates its schema'),
      by,
      ...agentFacts,
    },
  },
  value: {
    means: 'a function, a mock or the clock returned a value',
    fields: {
      value: always('any value', 'the value'),
      printed: sometimes(
        'text',
        'the JSON text of the value, if a number in it was written differently, such as `1.10`',
      ),
      duration_ms: sometimes('number', 'milliseconds it took'),
      memo,
      invalid: sometimes('text', 'of a tool: how its result violates its schema'),
      by,
    },
  },
  'timed-out': {
    means: 'the effect exceeded its time limit and was stopped',
    fields: {
      timeout_ms: always('number', 'the limit, in milliseconds'),
      silent: sometimes('object', 'it printed nothing for that long: what was `heard` last, or an empty text'),
      stdout,
      stderr,
      stderr_artifact,
      order,
      duration_ms,
      ...agentFacts,
    },
  },
  'not-started': {
    means:
      'the process could not start: there is no such program or directory, no permission, or an argument is too large; or the account of an agent cannot be used now',
    fields: { reason: always('text', 'why'), error_type, unavailable: agentFacts.unavailable },
  },
  changed: {
    means: 'the files of a worktree were committed',
    fields: {
      commit: always('text', 'the hash of the commit'),
      files: always('list of texts', 'the files that changed since the start of the step'),
      stdout: always('[output]', 'the changes as a unified diff'),
    },
  },
  failed: {
    means: 'a function threw an error, an agent reported an error, or the run stopped the effect',
    fields: {
      message: always('text', 'the message'),
      error_type,
      exit: sometimes('number', 'the exit code that it reports'),
      by,
      tool_code: sometimes('text', 'of a tool: the name it gives to the failure'),
    },
  },
} as const satisfies {
  readonly [K in Outcome['kind']]: {
    readonly means: string;
    readonly fields: DescribedFields<Omit<Extract<Outcome, { kind: K }>, 'kind'>>;
  };
};

/** The other objects, by the name that the descriptions of events use. */
export const shapeTable = {
  output: {
    text: sometimes('text', 'the whole output, if it is text of at most 64 KiB'),
    base64: sometimes('text', 'the whole output, if it is not text'),
    artifact: sometimes('text', 'the file in `artifacts/` with the whole output, if it is larger'),
    tail: sometimes('text', 'the last 4 KiB of an artifact'),
    bytes: always('number', 'the size of the output in bytes'),
    lossy: sometimes('`true`', 'whether invalid bytes were replaced in `text`'),
    cut: sometimes('`true`', 'the artifact has only the first 16 MiB, because an engine stores no more'),
    unbound: sometimes('`true`', 'the output is too large for a value of a run on an engine'),
  },
  waiting: {
    kind: always('text', '`ask`, `signal`, `time`, or `approval` for the gate of a plan'),
    id: sometimes('text', 'its own name in the run, such as `go@2`'),
    name: sometimes('text or null', 'the variable or the signal'),
    path: sometimes('text', 'of a gate: the path below `†state` that needs a value'),
    question: sometimes('text', 'the question'),
    choices: sometimes('list of texts or null', 'the possible answers'),
    show: sometimes('object', 'the values that `show=` of the question names'),
    until: sometimes('number or null', 'when the wait ends by itself, in milliseconds since 1970'),
    account: sometimes('text', 'the account of agents whose limit ends then'),
  },
  error: {
    kind: always('text', '`tool_failure`, `timeout`, `limit`, …'),
    message: always('text', 'the message'),
    state: always('text or null', 'the current state'),
    line: always('number or null', 'the line of the program'),
    file: always('text or null', 'the file of the program'),
    tool: always('text or null', 'the program or agent that failed'),
    exit_code: always('number or null', 'its exit code'),
    step: sometimes('text', 'the path of the step that did not pass or exceeded a limit'),
    gate: sometimes('text', 'the gate of the step that failed'),
    with: sometimes('object', 'the values that FAIL passed, by name'),
    printed: sometimes('object', 'the JSON text of those with a number that was written differently, such as `1.10`'),
  },
  cause: {
    thread: always('text', 'the branch that failed: the fork and the number of the member; empty for the run itself'),
    number: always('number', 'the number of the failure in that branch, from 1'),
    begun: always('number', 'the number of effects that the branch had started'),
    effects: sometimes('list of texts', 'the effects whose outcomes caused the failure, if effects caused it'),
    inside: sometimes(
      '`true`',
      'whether the failure arose inside an instruction that had started effects, such as a plan',
    ),
    step: sometimes('object', 'the step that did not pass, and its last `attempt'),
  },
  spent: {
    cost: always('number', 'US dollars'),
    tokens: always('object', '`in`, `out`, `cache_read`, `cache_write`'),
  },
} as const satisfies {
  readonly output: DescribedFields<Output>;
  readonly waiting: DescribedFields<Waiting>;
  readonly error: DescribedFields<RunError>;
  readonly cause: DescribedFields<FailureCause>;
  readonly spent: DescribedFields<SpentAmount>;
};
