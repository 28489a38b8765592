/**
 * The meaning and the fields of each event, in words. The types in `event.ts` are for programs; this is for people who read
 * journals. An event or field without a description does not compile, and neither does a description without a field.
 */
import type { RunEvent } from './event.js';

/** The description of a field. */
export interface FieldWords {
  /** The kind of value; a shape of `event-shapes.ts` is in brackets. */
  readonly type: string;
  readonly means: string;
  readonly optional?: true;
}

/** A description of every field of an object; `optional` for those that may be absent. */
export type DescribedFields<T> = {
  readonly [K in keyof T]-?: FieldWords &
    (T extends Required<Pick<T, K>> ? { readonly optional?: never } : { readonly optional: true });
};

interface EventWords<E> {
  readonly means: string;
  readonly fields: DescribedFields<Omit<E, 'type'>>;
}

export const always = (type: string, means: string) => ({ type, means });
export const sometimes = (type: string, means: string) => ({ type, means, optional: true }) as const;

const effect = always(
  'text',
  'the id of the effect, which stays the same when the run is resumed. Its process gets `STATEDSL_EFFECT_ID=RUN:effect`, with the id of the run',
);
const attempt = always('number', 'the attempt of the effect, from 1');
const state = always('text', 'the current state');
const line = always('number', 'the line of the program');
const step = always('text', 'the path of the step: the names of the steps around it and its own, separated by `/`');
const printed = sometimes(
  'text',
  'the JSON text of the value, if a number in it was written differently, such as `1.10`',
);
const printedMembers = (which: string) =>
  sometimes('object', `the JSON text of ${which} with a number that was written differently, such as \`1.10\``);
const inbox = sometimes('number', 'how many bytes of `inbox.ndjson` were read up to this message of another process');

const THROUGH =
  'the door: `terminal` (of the process that showed the question), `command`, `http`, `page`, `mcp`, `form` or `library`';

export const eventTable = {
  run_started: {
    means: 'A run started. This is always the first event.',
    fields: {
      machine: always('text', 'the name of the machine'),
      digest: always('text', 'SHA-256 of the compiled machine, in hexadecimal'),
      inputs: always('object', 'the values of the inputs, by name'),
      printed: printedMembers('inputs'),
      version: always('text', 'the version of statedsl'),
      worktree: sometimes('object', '`base`: the first commit of the worktree of the run, if it has a worktree'),
      by: sometimes('text', 'who started the run, if a service, an engine or an embedding program said it'),
    },
  },
  state_entered: {
    means: 'The run entered a state.',
    fields: {
      state: always('text', 'its name'),
      with: sometimes('object', 'the entry values that GOTO passed, by name'),
      printed: printedMembers('values'),
    },
  },
  effect_requested: {
    means: 'The run is about to start an effect: a command, an agent call, a question to a person, a timer, …',
    fields: {
      effect,
      kind: always(
        'text',
        '`shell`, `argv` (started without a shell), `function`, `agent`, `tool` (a call of a plan), `timer`, `clock`, `uuid`, `random`, `ask` or `signal`',
      ),
      tool: always('text or null', 'the program, function or agent'),
      text: always('text', 'the instruction as written in the program'),
      state,
      line,
      attempt,
      id: sometimes('text', 'of a signal: the id of this wait for it, such as `ready@2`'),
      step: sometimes('text', 'the path of the step that contains it'),
      args: sometimes(
        'list',
        'the interpolated values of the command, in order; for a tool, one object with its parameters',
      ),
      printed: sometimes(
        'text',
        'the JSON text of the parameters of a tool, if a number in them was written differently, such as `1.10`',
      ),
      holes: sometimes(
        'list',
        'the positions of these values in `text`, as pairs of offsets, as far as `text` shows them',
      ),
      member: sometimes(
        'list',
        'the number of its member of a PARALLEL or FOR EACH, from 1, and the number of members',
      ),
      prompt: sometimes('text', 'the prompt of an agent'),
      artifact: sometimes('text', 'the file in `artifacts/` with the prompt, if the prompt is larger than 64 KiB'),
      remarks: sometimes('object', 'notes of the author of a plan about the call, such as `_why`'),
      undo: sometimes('`true`', 'whether the effect is an UNDO'),
    },
  },
  effect_settled: {
    means: 'An effect ended. An effect with this event is never performed again.',
    fields: {
      effect,
      attempt,
      outcome: always('[outcome]', 'its outcome'),
      stopped: sometimes('`true`', 'the run stopped the effect, because its result was no longer needed'),
    },
  },
  effect_retried: {
    means: 'An attempt of an effect failed, and the run will retry it.',
    fields: {
      effect,
      attempt: always('number', 'the attempt that failed'),
      error: always('text', 'why it failed'),
      delay_ms: always('number', 'milliseconds until the next attempt'),
      until_ms: sometimes(
        'number',
        'the agent was unavailable: the time of the next attempt, in milliseconds since 1970',
      ),
      account: sometimes('text', 'the account that the agent waits for, as `statedsl limits` lists it'),
    },
  },
  instruction_failed: {
    means:
      'An instruction failed outside of an attempt of a step. `statedsl resume` goes back to this point; the events that handle the failure follow.',
    fields: {
      thread: always('text', 'the branch that failed; empty for the run itself'),
      error_type: always('text', 'the kind of failure'),
      error: always('text', 'the message'),
      state,
      line,
      causes: always(
        'list of [cause]',
        'the cause of the failure; while another failure was being handled, the cause of that one',
      ),
      kept: sometimes('`true`', 'whether the failure was in a loop that continues with its next item'),
    },
  },
  variable_changed: {
    means: 'A person changed a variable in a debugger. `tracked_set` follows if it is a tracked one.',
    fields: {
      name: always('text', 'the variable'),
      value: always('any value', 'its new value'),
      printed,
      in: always('text', '`local` or `tracked`'),
      slot: always('number', 'its place among these'),
      thread: always('text', 'the thread that stood there; empty: the run itself'),
      pc: always('number', 'the instruction that came next'),
      moment: always('text', 'how far the thread had come, so that a replay changes it at the same instruction'),
      by: always('text', 'who: `debugger`'),
    },
  },
  tracked_set: {
    means:
      'A tracked variable has a new value. If a list or text only grew, `appended` instead of `value` has what to append to the previous one.',
    fields: { name: always('text', 'the variable'), value: always('any value', 'the new value'), printed },
  },
  state_set: {
    means: 'A value was written to the data of the run.',
    fields: {
      path: always('text', 'the path, which begins with the kind of the data'),
      value: always('any value', 'the value'),
      printed,
      method: sometimes(
        'text',
        '`merge`, `push`, `concat` or `assign`: how the value was combined with the existing value',
      ),
    },
  },
  emitted: {
    means: 'An EMIT ran, or the engine emitted its own event.',
    fields: {
      by: always('text', '`author` or `engine`'),
      event: always('text or null', 'the name of the event; null for an EMIT that is only a message'),
      fields: always('object', 'its values by name'),
      printed: printedMembers('fields'),
      message: always('text or null', 'the message'),
      state,
      line,
      step: sometimes('text', 'the path of the current step'),
    },
  },
  asked: {
    means: 'The run asks a person a question and waits for the answer.',
    fields: {
      effect,
      id: always('text', 'the id of the question, such as `go@2`'),
      name: always('text', 'the variable that gets the answer'),
      question: always('text', 'the question'),
      choices: always('list of texts or null', 'the possible answers; null allows any answer'),
      default: always('text or null', 'the answer after the deadline'),
      deadline: always('number or null', 'the deadline, in milliseconds since 1970'),
      show: sometimes('object', 'the values that `show=` names, as they were; a long one is a text that is cut'),
    },
  },
  answered: {
    means: 'A person answered a question.',
    fields: {
      effect,
      id: always('text', 'the id of the question'),
      name: always('text', 'the variable that gets it'),
      value: always('any value', 'the answer'),
      printed,
      by: always('text', 'the person who answered'),
      through: sometimes('text', THROUGH),
      reason: sometimes('text', 'why the person decided so'),
      inbox,
    },
  },
  answer_refused: {
    means: 'A person answered who is not one of the `approvers` of the question. The run still waits.',
    fields: {
      id: sometimes('text', 'the id of the question'),
      name: always('text', 'the name of the question'),
      value: always('any value', 'the answer'),
      printed,
      by: always('text', 'the person'),
      through: always('text', THROUGH),
      reason: sometimes('text', 'why the person decided so'),
      inbox,
    },
  },
  signal_received: {
    means: 'A signal arrived. It stays until a WAIT takes it.',
    fields: {
      name: always('text', 'the signal'),
      id: sometimes('text', 'the id of the wait that it is for, if the sender named one'),
      payload: always('any value', 'the payload of the signal, or null'),
      printed,
      by: always('text', 'the sender'),
      inbox,
    },
  },
  timer_set: {
    means: 'The run waits until a point in time, which stays the same when the run is resumed.',
    fields: {
      effect,
      until: always('number', 'the point in time, in milliseconds since 1970'),
      account: sometimes('text', 'the account of agents that can be used again then, or earlier'),
    },
  },
  step_started: {
    means: 'An attempt of a step started.',
    fields: {
      step,
      attempt: always('number', 'the number of the attempt, from 1'),
      agent: always('text or null', 'the agent of the step; null for a step of instructions'),
      step_type: always('text', '`code`, `split`, `validate`, `artifact` or `none`'),
    },
  },
  gate_result: {
    means: 'A gate of a step was checked.',
    fields: {
      step,
      attempt: always('number', 'the attempt that the gate checked'),
      gate: always('text', 'the name of the gate'),
      kind: always('text', 'the kind of gate'),
      pass: always('true or false', 'whether the gate passed'),
      message: sometimes('text', 'why the gate failed'),
      artifact: sometimes('text', 'the file in `artifacts/` with its output'),
    },
  },
  retry_triggered: {
    means: 'A step did not pass, and another attempt follows.',
    fields: {
      step,
      attempt: always('number', 'the number of the next attempt'),
      matched: always('list of numbers', 'the indexes of the entries of RETRY that apply, from 0'),
      overrides: always(
        'object',
        'what the next attempt changes: `agent`, `prompt`, `session`, `worktree`, `restart_from`, `replan`',
      ),
    },
  },
  step_completed: {
    means: 'A step passed, or failed for good.',
    fields: {
      step,
      attempt: always('number', 'its last attempt'),
      status: always('text', '`pass`, or `fatal`'),
      retries: always('number', 'the number of attempts after the first'),
      cost: always('number or null', 'the cost of all attempts in US dollars; null if it is unknown'),
    },
  },
  budget_exceeded: {
    means: 'The run exceeded a limit and is about to fail.',
    fields: {
      step: sometimes('text', 'the step that exceeded it'),
      scope: always('text', '`transitions`, `time`, `cost`, `tokens`, `journal`, `output`, or `image` on an engine'),
      limit: always(
        'number',
        'the limit; time in milliseconds, cost in US dollars, journal, output and image in bytes',
      ),
      used: always('number', 'the amount used, in the same unit'),
    },
  },
  worktree_committed: {
    means:
      'The changes in the worktree were committed before the run entered a state, so that `replay --from` can restore them.',
    fields: {
      commit: always('text', 'its name'),
      since: always('number', 'the number of the event since which the worktree has this content'),
    },
  },
  warned: {
    means: 'Something probably went wrong, but the run continues.',
    fields: {
      message: always('text', 'what'),
      state,
      line: always('number', 'the line of the program; 0 when it is about the whole run'),
      by: sometimes('`runner`', 'present if the runner reports the warning, not the program'),
      inbox,
    },
  },
  run_suspended: {
    means: 'The process ended, because the run waits for something outside.',
    fields: { waiting: always('list of [waiting]', 'what the run waits for') },
  },
  run_resumed: {
    means: 'The run was resumed in another process.',
    fields: {
      by: always('text', 'the person who resumed it'),
      from: sometimes(
        'number',
        'events from this number up to here no longer count, because the run was resumed at a point before them',
      ),
      without: sometimes('list of numbers', 'outcomes before `from` that no longer count either'),
      held: sometimes(
        'list of objects',
        'failures before `from` that no longer count, because their instructions run again: `thread` and `number` as in a cause',
      ),
      begun: sometimes(
        'object',
        'the number of effects that each thread had started, so that new effects get new numbers',
      ),
      spent: sometimes('[spent]', 'the cost of the outcomes that no longer count'),
      granted: sometimes('list of objects', 'steps that may have one more attempt after this one: `step`, `attempt`'),
      of: sometimes('text', 'the run from which the events up to here were copied'),
      digest: sometimes('text', 'SHA-256 of the machine from here on, if the program was edited'),
      kept: sometimes(
        'list of objects',
        'what the edited program has moved: `at`, its instructions as `state` and `pc`, take over `outcomes`, each `effect`, `args`, `outcome`',
      ),
      inserted: sometimes(
        '`true`',
        'what the edited program has above what had begun is executed first, and what had begun begins anew',
      ),
      limits: sometimes('object', 'the limits from here on: `transitions`, `time_ms`, `cost`, `tokens`'),
    },
  },
  run_interrupted: {
    means: 'The run was interrupted and can be resumed.',
    fields: { reason: always('text', 'the signal or other reason') },
  },
  run_cancelled: {
    means: 'A person cancelled the run.',
    fields: { by: always('text', 'who'), inbox },
  },
  key_shared: {
    means: 'Another run has the [key](runs.md#one-run-at-a-time) of this run.',
    fields: {
      key: always('text', 'the key'),
      run_id: always('text', 'the id of the other run'),
      how: always(
        'text',
        '`waited`: this run waited for the other one; `cancelled`: this run cancelled it; `waits`: the other run waits for this one; `skipped`: the other run was skipped',
      ),
      waited_ms: sometimes('number', 'how long this run waited, in milliseconds'),
      inbox,
    },
  },
  run_skipped: {
    means: 'The run ended before it began, because another run had its [key](runs.md#one-run-at-a-time).',
    fields: { key: always('text', 'the key'), run_id: always('text', 'the id of the run that had it') },
  },
  rolled_back: {
    means: 'A ROLLBACK ended: it performed every registered UNDO, newest first.',
    fields: {
      done: always('number', 'the number of UNDOs that succeeded'),
      failed: always('list of objects', '`line` and `error` of those that failed'),
    },
  },
  rollback_started: {
    means: 'A person started a rollback of a run that is over.',
    fields: { by: always('text', 'who'), inbox },
  },
  run_returned: {
    means: 'The run reached a RETURN.',
    fields: {
      state: always('text', 'the last state'),
      value: always('any value', 'the returned value'),
      printed,
    },
  },
  run_failed: {
    means: 'The run ended with a failure that nothing handled.',
    fields: {
      error: always('[error]', 'the failure'),
      value: sometimes('any value', 'the value that the state ERROR returned'),
      printed,
      undo: sometimes(
        'list of objects',
        '`line`, `state` and `text` of the UNDOs that `statedsl rollback` would perform, in order',
      ),
    },
  },
} as const satisfies { readonly [T in RunEvent['type']]: EventWords<Extract<RunEvent, { type: T }>> };
