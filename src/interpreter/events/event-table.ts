/**
 * What each event means and holds, in words. The types of `event.ts` say what a program may rely on; this says it to
 * people who read journals. An event or field without its words does not compile, and neither do words without a field.
 */
import type { RunEvent } from './event.js';

/** A field as people are told of it. */
export interface FieldWords {
  /** What kind of value it is; a shape of `event-shapes.ts` is named in brackets. */
  readonly type: string;
  readonly means: string;
  readonly optional?: true;
}

/** Words for every field of an object, and `optional` for those that may be absent. */
export type Described<T> = {
  readonly [K in keyof T]-?: FieldWords &
    (T extends Required<Pick<T, K>> ? { readonly optional?: never } : { readonly optional: true });
};

export interface EventWords<E> {
  readonly means: string;
  readonly fields: Described<Omit<E, 'type'>>;
}

export const always = (type: string, means: string) => ({ type, means });
export const sometimes = (type: string, means: string) => ({ type, means, optional: true }) as const;

const effect = always(
  'text',
  'which effect; the same each time the run is recovered. `STATEDSL_EFFECT_ID` of its process is `RUN:effect`, with the id of the run before it',
);
const attempt = always('number', 'which try of the effect, from 1');
const state = always('text', 'the state it happened in');
const line = always('number', 'the line of the program');
const step = always('text', 'its path: the names of what it is in and its own, parted by `/`');
const inbox = sometimes('number', 'bytes of `inbox.ndjson` read with it, when it came from another process');

export const eventTable = {
  run_started: {
    means: 'A run began. Always the first event.',
    fields: {
      machine: always('text', 'the name of the machine'),
      digest: always('text', 'SHA-256 of the compiled machine, in hexadecimal'),
      inputs: always('object', 'values of the inputs by name'),
      version: always('text', 'the version of statedsl'),
      worktree: sometimes('object', '`base`: the commit that the worktree of the run began at, where it has one'),
    },
  },
  state_entered: {
    means: 'The run is in another state, or in the same one again.',
    fields: {
      state: always('text', 'its name'),
      with: sometimes('object', 'entry values passed by the GOTO, by name'),
    },
  },
  effect_requested: {
    means: 'Something is about to be asked of the world: a command, an agent, the clock, a person.',
    fields: {
      effect,
      kind: always(
        'text',
        '`shell`, `argv` (started without a shell), `function`, `agent`, `tool` (a call of a plan), `timer`, `clock`, `uuid`, `random`, `ask` or `signal`',
      ),
      tool: always('text or null', 'the program, function or agent'),
      text: always('text', 'the instruction as the program has it'),
      state,
      line,
      attempt,
      step: sometimes('text', 'the path of the step that it is part of'),
      args: sometimes(
        'list',
        'values that stand in the command, in the order of the interpolations; of a tool one object, its parameters',
      ),
      holes: sometimes('list', 'where these values stand in `text`, as pairs of offsets: of as many as it shows'),
      member: sometimes('list', 'which member of a PARALLEL or FOR EACH it is part of, from 1, and of how many'),
      prompt: sometimes('text', 'what an agent is asked'),
      artifact: sometimes('text', 'file below `artifacts/` that holds the prompt, when it is over 64 KiB'),
      remarks: sometimes('object', 'what the author of a plan wrote about the call, such as `_why`'),
      undo: sometimes('`true`', 'it takes back what the run did: an UNDO'),
    },
  },
  effect_settled: {
    means: 'The world has answered. An effect with this event is never performed again.',
    fields: {
      effect,
      attempt,
      outcome: always('[outcome]', 'what came of it'),
      stopped: sometimes('`true`', 'the run ended it, since nobody needs its result any more'),
    },
  },
  effect_retried: {
    means: 'A try failed, and there will be another one.',
    fields: {
      effect,
      attempt: always('number', 'the try that failed'),
      error: always('text', 'why it failed'),
      delay_ms: always('number', 'milliseconds until the next try'),
      until_ms: sometimes(
        'number',
        'an agent could do nothing for now: the same try is made again then (milliseconds since the epoch)',
      ),
    },
  },
  instruction_failed: {
    means:
      'An instruction failed, and no step takes that as a failed attempt. Tells where `statedsl resume` goes back to; what handles the failure follows.',
    fields: {
      thread: always('text', 'the branch it happened in; empty for the run itself'),
      error_type: always('text', 'what kind of failure'),
      error: always('text', 'what went wrong'),
      state,
      line,
      causes: always('list of [cause]', 'its source, or while another failure was handled the source of that one'),
      kept: sometimes('`true`', 'a loop keeps going: it goes on with its next turn'),
    },
  },
  tracked_set: {
    means:
      'A tracked variable has a new value. Where a list or text only grew, the journal has `appended` instead: the items or the text behind the value that the variable had on record before.',
    fields: { name: always('text', 'the variable'), value: always('any value', 'what it is now') },
  },
  state_set: {
    means: 'A value was written into the data of the run.',
    fields: {
      path: always('text', 'where: the kind of the data first'),
      value: always('any value', 'what was written'),
      method: sometimes('text', '`merge`, `push`, `concat` or `assign`: how the value was added to what was there'),
    },
  },
  emitted: {
    means: 'An EMIT was reached, or the engine tells of something by itself.',
    fields: {
      by: always('text', '`author` or `engine`'),
      event: always('text or null', 'the name of the event; null for an EMIT that is only a message'),
      fields: always('object', 'its values by name'),
      message: always('text or null', 'its words'),
      state,
      line,
      step: sometimes('text', 'the path of the step that it happened in'),
    },
  },
  asked: {
    means: 'A person has to answer before the run goes on here.',
    fields: {
      effect,
      name: always('text', 'the variable that gets the answer'),
      question: always('text', 'what is asked'),
      choices: always('list of texts or null', 'what may be answered; null is anything'),
      default: always('text or null', 'the answer when time is up'),
      deadline: always('number or null', 'when time is up, in milliseconds since 1970'),
    },
  },
  answered: {
    means: 'A question has its answer.',
    fields: {
      effect,
      name: always('text', 'the variable that gets it'),
      value: always('any value', 'the answer'),
      by: always('text', 'who gave it'),
      inbox,
    },
  },
  signal_received: {
    means: 'A signal came. It stays until one WAIT has taken it.',
    fields: {
      name: always('text', 'the signal'),
      payload: always('any value', 'what came with it; null is nothing'),
      by: always('text', 'who sent it'),
      inbox,
    },
  },
  timer_set: {
    means: 'The run waits for a point in time, which stays the same when it is resumed.',
    fields: { effect, until: always('number', 'that point, in milliseconds since 1970') },
  },
  step_started: {
    means: 'An attempt of a step begins.',
    fields: {
      step,
      attempt: always('number', 'which attempt, from 1'),
      agent: always('text or null', 'who does the work; null where instructions do it'),
      step_type: always('text', '`code`, `split`, `validate`, `artifact` or `none`'),
    },
  },
  gate_result: {
    means: 'A gate of a step was asked.',
    fields: {
      step,
      attempt: always('number', 'the attempt that was judged'),
      gate: always('text', 'the name of the gate'),
      kind: always('text', 'what kind of gate it is'),
      pass: always('true or false', 'whether it passed'),
      message: sometimes('text', 'why it did not pass'),
      artifact: sometimes('text', 'file below `artifacts/` of what it printed'),
    },
  },
  retry_triggered: {
    means: 'A step did not pass and is tried again.',
    fields: {
      step,
      attempt: always('number', 'the attempt that follows'),
      matched: always('list of numbers', 'indexes of the entries of RETRY that apply, from 0'),
      overrides: always(
        'object',
        'what is different from the step as written: `agent`, `prompt`, `session`, `worktree`',
      ),
    },
  },
  step_completed: {
    means: 'A step passed, or will not be tried any more.',
    fields: {
      step,
      attempt: always('number', 'its last attempt'),
      status: always('text', '`pass`, or `fatal`'),
      retries: always('number', 'how many attempts there were beside the first'),
      cost: always('number or null', 'US dollars of all attempts; null when it is not known'),
    },
  },
  budget_exceeded: {
    means: 'A limit was passed. The run fails right after it.',
    fields: {
      step: sometimes('text', 'the step that passed it'),
      scope: always('text', '`transitions`, `time`, `cost`, `tokens`, `journal` or `output`'),
      limit: always('number', 'the limit; time in milliseconds, cost in US dollars, journal and output in bytes'),
      used: always('number', 'what was used by then, in the same unit'),
    },
  },
  worktree_committed: {
    means:
      'What was done in the worktree of the run was committed before a state was entered, so that `replay --from` finds it.',
    fields: {
      commit: always('text', 'its name'),
      since: always('number', 'the number of the event from which on the worktree holds this'),
    },
  },
  warned: {
    means: 'Something is probably not as it was meant, and the run goes on.',
    fields: {
      message: always('text', 'what'),
      state,
      line: always('number', 'the line of the program; 0 when it is about the whole run'),
      by: sometimes('`runner`', 'told by what executes the program, and not by the program'),
    },
  },
  run_suspended: {
    means: 'The process ended, because only somebody else can say how the run goes on.',
    fields: { waiting: always('list of [waiting]', 'what it waits for') },
  },
  run_resumed: {
    means: 'The run goes on, in another process.',
    fields: {
      by: always('text', 'who wanted it'),
      from: sometimes(
        'number',
        'events from this number up to here do not count any more: the run went on before them',
      ),
      without: sometimes('list of numbers', 'outcomes before `from` that do not count either'),
      held: sometimes(
        'list of objects',
        'failures before `from` that do not count: `thread` and `number` as in a cause; their instructions are done again',
      ),
      begun: sometimes(
        'object',
        'how many effects threads had begun, by thread, so that no other effect is called like one that was done',
      ),
      spent: sometimes('[spent]', 'what the outcomes cost that do not count any more'),
      granted: sometimes('list of objects', 'steps that may have one more attempt behind this one: `step`, `attempt`'),
      of: sometimes('text', 'the run that this one is a copy of, up to here'),
      digest: sometimes('text', 'SHA-256 of the machine from here on, when the program was edited'),
      limits: sometimes('object', 'limits that hold from here on: `transitions`, `time_ms`, `cost`, `tokens`'),
    },
  },
  run_interrupted: {
    means: 'The run was stopped from outside and can be resumed.',
    fields: { reason: always('text', 'the signal, or what else stopped it') },
  },
  run_cancelled: {
    means: 'Somebody ended the run for good.',
    fields: { by: always('text', 'who'), inbox },
  },
  rolled_back: {
    means: 'A ROLLBACK is over: everything on the register was performed, newest first.',
    fields: {
      done: always('number', 'how many succeeded'),
      failed: always('list of objects', '`line` and `error` of those that did not'),
    },
  },
  rollback_started: {
    means: 'A person takes back what the run did, which is over.',
    fields: { by: always('text', 'who'), inbox },
  },
  run_returned: {
    means: 'The run reached a RETURN.',
    fields: { state: always('text', 'the state it ended in'), value: always('any value', 'what it returned') },
  },
  run_failed: {
    means: 'The run ended with a failure that nothing handled.',
    fields: {
      error: always('[error]', 'the failure'),
      value: sometimes('any value', 'the RETURN of the state ERROR'),
      undo: sometimes(
        'list of objects',
        '`line`, `state` and `text` of what `statedsl rollback` would perform, in its order',
      ),
    },
  },
} as const satisfies { readonly [T in RunEvent['type']]: EventWords<Extract<RunEvent, { type: T }>> };
