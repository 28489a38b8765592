/** The objects inside events, in words: see `event-table.ts`. An outcome has a row of its own for each of its kinds. */
import type { Cause, Outcome, Output, RunError, Spent, Waiting } from './event.js';
import { always, type Described, sometimes } from './event-table.js';

const duration_ms = always('number', 'milliseconds it took');
const stderr = always('text', 'all of stderr, or its last 4 KiB when it is over 64 KiB');
const stderr_artifact = sometimes('text', 'file below `artifacts/` with all of stderr, when it is over 64 KiB');
const stdout = always('[output]', 'what it printed');
const error_type = sometimes('text', 'the kind of failure; absent is `tool_failure`');

/** What both kinds of outcomes that an agent call can have tell about it. */
const agentFacts = {
  cost: sometimes('number or null', 'of an agent: US dollars; null when it did not tell'),
  tokens: sometimes('object', 'of an agent: `in`, `out`, `cache_read`, `cache_write`'),
  session_id: sometimes('text', 'of an agent: its session'),
  adapter: sometimes('text', 'of an agent that told its session: the adapter that made it'),
  session_of: sometimes(
    'text',
    'of an agent: the adapter of the session it could not continue, so that it began a new one',
  ),
  turns: sometimes('number', 'of an agent: how many turns it took'),
  is_error: sometimes('`true` or `false`', 'of an agent: whether it said that it failed; `stdout` is its answer then'),
  transcript: sometimes('[output]', 'of an agent: all that it printed'),
  guard: sometimes('object', 'of an agent: the guard that it broke, `name` and `message`'),
  unavailable: sometimes(
    'object',
    'an agent could do nothing for now: `cause` (`usage`, `overload`, `network`), `message`, `at_ms`, and `until_ms` or null',
  ),
} as const;

/** Outcomes by `kind`. */
export const outcomeTable = {
  exited: {
    means: 'a process ended',
    fields: {
      exit: always('number or null', 'its exit code; null when a signal ended it'),
      signal: sometimes('text', 'that signal'),
      stdout,
      stderr,
      stderr_artifact,
      duration_ms,
      output_truncated: sometimes(
        '`true`',
        'a process left behind still held the pipes two seconds after the end; nothing it printed later was read',
      ),
      invalid: sometimes('text', 'of a tool: what is wrong with its result by its schema'),
      ...agentFacts,
    },
  },
  value: {
    means: 'a function, a stand-in or the clock gave a value',
    fields: {
      value: always('any value', 'the value'),
      duration_ms: sometimes('number', 'milliseconds it took'),
      invalid: sometimes('text', 'of a tool: what is wrong with its result by its schema'),
    },
  },
  'timed-out': {
    means: 'it took longer than it may, and was stopped',
    fields: {
      timeout_ms: always('number', 'the limit, in milliseconds'),
      stdout,
      stderr,
      stderr_artifact,
      duration_ms,
      ...agentFacts,
    },
  },
  'not-started': {
    means: 'it could not be started: no such program or folder, no permission, an argument too large',
    fields: { reason: always('text', 'why'), error_type },
  },
  changed: {
    means: 'the files of a worktree are kept in a commit',
    fields: {
      commit: always('text', 'the hash of the commit'),
      files: always('list of texts', 'names of files that differ from where the step began'),
      stdout: always('[output]', 'the difference as a unified diff'),
    },
  },
  failed: {
    means: 'a function threw, an agent reported an error, or the run stopped it',
    fields: {
      message: always('text', 'what it said'),
      error_type,
      exit: sometimes('number', 'the exit code it wants to be known by'),
      tool_code: sometimes('text', 'of a tool: how it calls the failure'),
    },
  },
} as const satisfies {
  readonly [K in Outcome['kind']]: {
    readonly means: string;
    readonly fields: Described<Omit<Extract<Outcome, { kind: K }>, 'kind'>>;
  };
};

/** The other objects, by the name that the events' words use. */
export const shapeTable = {
  output: {
    text: sometimes('text', 'all of it, when it is text of at most 64 KiB'),
    base64: sometimes('text', 'all of it, when it is no text'),
    artifact: sometimes('text', 'file below `artifacts/` with all of it, when it is larger'),
    tail: sometimes('text', 'the last 4 KiB of an artifact'),
    bytes: always('number', 'how many bytes were printed'),
    lossy: sometimes('`true`', 'bytes that are no text were replaced in `text`'),
  },
  waiting: {
    kind: always('text', '`ask`, `signal`, `time`, or `approval` for the gate of a plan'),
    name: sometimes('text or null', 'the variable or the signal'),
    path: sometimes('text', 'of a gate: the path below `†state` that needs a value'),
    question: sometimes('text', 'what is asked'),
    choices: sometimes('list of texts or null', 'what may be answered'),
    until: sometimes('number or null', 'when the waiting ends by itself, in milliseconds since 1970'),
  },
  error: {
    kind: always('text', '`tool_failure`, `timeout`, `limit`, …'),
    message: always('text', 'what went wrong'),
    state: always('text or null', 'the state it happened in'),
    line: always('number or null', 'the line of the program'),
    file: always('text or null', 'the file of the program'),
    tool: always('text or null', 'the program or agent that failed'),
    exit_code: always('number or null', 'its exit code'),
    step: sometimes('text', 'the path of the step that did not pass, or used up a limit'),
    gate: sometimes('text', 'the gate of it that said no'),
    with: sometimes('object', 'the values that FAIL passed, by name'),
  },
  cause: {
    thread: always('text', 'the branch that failed: the fork and the number of the member; empty for the run itself'),
    number: always('number', 'its first, second, … failure'),
    begun: always('number', 'how many effects it had begun by then'),
    effects: sometimes(
      'list of texts',
      'the effects whose outcomes were the failure; absent: it was not the failure of an effect',
    ),
    inside: sometimes('`true`', 'it came up within an instruction that had begun its effects, such as a plan'),
    step: sometimes('object', 'the step that did not pass, and the `attempt` that was its last'),
  },
  spent: {
    cost: always('number', 'US dollars'),
    tokens: always('object', '`in`, `out`, `cache_read`, `cache_write`'),
  },
} as const satisfies {
  readonly output: Described<Output>;
  readonly waiting: Described<Waiting>;
  readonly error: Described<RunError>;
  readonly cause: Described<Cause>;
  readonly spent: Described<Spent>;
};
