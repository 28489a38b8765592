/** The words of the language, each with one line that says what it does, for hovers and completion. */
import type { SectionVerb, Verb } from '../../language/syntax/tokens/verbs.js';

/** Functions of expressions: their parameters, and what they give. */
export const FUNCTIONS: Readonly<Record<string, readonly [parameters: readonly string[], text: string]>> = {
  len: [['x'], 'number of characters of a text, elements of a list, or keys of an object'],
  upper: [['t'], 'the text in capitals'],
  lower: [['t'], 'the text in small letters'],
  trim: [['t'], 'the text without spaces at both ends'],
  split: [['t', 'separator?'], 'a list of texts; without a separator the words'],
  join: [['list', 'separator?'], 'a text; the separator is a comma if you leave it out'],
  lines: [['t'], 'a list of lines'],
  replace: [['t', 'what', 'with'], 'the text with every occurrence replaced; `what` is literal'],
  keys: [['o'], 'the keys of an object, sorted'],
  values: [['o'], 'the values of an object, in the order of its sorted keys'],
  first: [['list'], 'the first element; an empty list is a failure'],
  last: [['list'], 'the last element; an empty list is a failure'],
  slice: [['x', 'from', 'to?'], 'a part of a text or list, without `to`; negative numbers count from the end'],
  sort: [['list'], 'the list sorted; all elements must be numbers, or all texts, or all versions'],
  unique: [['list'], 'the list with only the first of equal elements'],
  sum: [['list'], 'the sum; 0 for an empty list'],
  min: [['a', 'b?'], 'the smallest element of one list, or of several numbers'],
  max: [['a', 'b?'], 'the largest element of one list, or of several numbers'],
  abs: [['n'], 'the number without its sign'],
  round: [['n', 'places?'], 'the rounded number; without `places` a whole number'],
  floor: [['n'], 'the next whole number below'],
  ceil: [['n'], 'the next whole number above'],
  int: [['x'], 'a whole number from a text, or a number without its fraction'],
  float: [['x'], 'a number from a text'],
  version: [['t'], 'a version such as `v1.10.0-rc.2`, for comparisons'],
  string: [['x'], 'the text that an interpolation would give'],
  json: [['x'], 'the value as compact JSON text'],
  parse_json: [['t'], 'a JSON text as a value'],
  base64_encode: [['t'], 'the text in Base64'],
  base64_decode: [['t'], 'the text of a Base64 text'],
  default: [['x', 'other'], '`other` if x is missing or null, else x'],
  range: [['a', 'b?'], '`range(n)`: 0 … n-1; `range(a, b)`: a … b-1'],
  sha256: [['t'], '64 hexadecimal digits'],
  exit_code: [['x'], 'the exit code of the CHECK or DO that bound x'],
  program_dir: [[], 'the absolute path of the folder that contained the program when the run began'],
  now: [[], 'the time as text (ISO 8601, UTC); recorded, so a resumed run sees the same value'],
  uuid: [[], 'a new id; recorded, so a resumed run sees the same value'],
  random: [[], 'a number from 0 to 1; recorded, so a resumed run sees the same value'],
};

type VerbWords = readonly [snippet: string, text: string];

/** Verbs: a line in which `<…>` is to be filled in, and what they do. */
export const VERBS: Readonly<Record<string, VerbWords>> = {
  MACHINE: ['MACHINE: <name>', 'begins a machine; the states below belong to it'],
  TITLE: ['TITLE: <text>', 'what a run is called in lists; `{name}` inserts an input'],
  INPUT: ['INPUT: <name>', 'a value that a run gets; `= value` makes it optional'],
  LIMIT: ['LIMIT: transitions=<1000>', 'ends the run when it exceeds a limit'],
  TOOL: ['TOOL: yes', 'agents get the program as a tool of its own'],
  KEY: ['KEY: <text>', 'runs with the same text are executed one at a time'],
  IMPORT: ['IMPORT: "<std/poll>"', 'imports the patterns of another file'],
  PATTERN: ['PATTERN: <NAME> with <a>', 'a body that USE inserts'],
  STATE: ['STATE: <NAME>', 'a state; a run begins in the first one'],
  TRACK: ['TRACK: <name>', 'a variable of the whole run, 0 at first'],
  INCREMENT: ['INCREMENT: <name>', 'adds one to a tracked variable'],
  SET: ['SET: <name> = <value>', 'changes a local or a tracked variable'],
  DO: ['DO: <command>', 'runs a command, a function or an agent; `x = …` binds its output'],
  CHECK: ['CHECK: <command>', 'runs a command that prints JSON, and binds it with any exit code'],
  IF: ['IF: <condition> → <action>', 'decides by a condition'],
  'ELSE IF': ['ELSE IF: <condition> → <action>', 'the next condition of the IF above'],
  ELSE: ['ELSE: → <action>', 'if no condition above was true'],
  DEFAULT: ['DEFAULT: → <action>', 'if no IF above was true'],
  'FOR EACH': ['FOR EACH: <item> in <list>:', 'repeats the block for each element'],
  PARALLEL: ['PARALLEL:', 'runs its members at the same time'],
  WAIT: ['WAIT: <5s>', 'waits for a time, a condition, a signal, or the members of a PARALLEL'],
  ASK: ['ASK: "<question>" → <answer>', 'asks a person'],
  EMIT: ['EMIT: <EVENT>', 'writes an event'],
  GOTO: ['GOTO: <STATE>', 'enters another state; `with x=1` passes values'],
  RETURN: ['RETURN: <text>', 'ends the run with a value'],
  FAIL: ['FAIL: <reason>', 'fails; the handlers of the state, then ERROR, decide what follows'],
  'ON ERROR': ['ON ERROR: → <action>', 'what follows a failure in the lines above'],
  USE: ['USE: <PATTERN> with <a>=<value>', 'inserts the body of a pattern'],
  CALL: ['CALL: <tool> with <a>=<value>', 'calls a tool'],
  PLAN: ['PLAN: <plan.json>', 'runs a plan'],
  STEP: ['STEP: <name>', 'work that gates judge and RETRY repeats'],
  UNDO: ['UNDO: <command>', 'undoes the DO or CALL above it'],
  ROLLBACK: ['ROLLBACK', 'runs the UNDO lines of what was done, the last first'],
  KEEP: ['KEEP', 'what was done so far is no longer undone'],
  PROCEED: ['PROCEED', 'continues below'],
} satisfies Record<Verb | 'PARALLEL', VerbWords>;

/** Lines below a STEP. */
export const SECTIONS: Readonly<Record<string, string>> = {
  AGENT: 'the agent that works',
  PROMPT: 'the instructions for the agent',
  CONTEXT: 'files, commands and workflows whose output the agent gets',
  SESSION: '`new`, or `from STEP`: the session in which the first attempt begins',
  GATE: 'a check that the step must pass',
  RETRY: 'what changes for another attempt',
  EACH: 'the steps for every task of a split',
  BODY: 'instructions as the work of the step',
  WORKFLOW: 'a workflow as the work of the step',
} satisfies Record<SectionVerb | 'BODY', string>;

const EFFECT = {
  timeout: 'how long it may take',
  idle: 'how long it may be silent',
  retry: 'how many times it is repeated after a failure',
  retry_on: 'the failures after which it is repeated',
  once: 'never repeated by a resumed run',
  memo: 'takes the outcome of the same request from the memo',
};

const COMMAND = {
  ...EFFECT,
  cwd: 'the working directory',
  'env.NAME': 'a variable of its environment',
  shell: '`bash` or `sh`',
  strict: '`off`: a script continues after a command that failed',
};

const JOIN = {
  max: 'how many run at the same time',
  quorum: 'how many must be complete',
  on_failure: '`keep`: failed members do not fail the whole',
  timeout: 'the time of each member',
};

/** The options in brackets, by verb. */
export const OPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  DO: { ok: 'the exit codes that are not failures, or `any`', ...COMMAND },
  CHECK: COMMAND,
  CALL: { method: 'how a value is combined with an existing one', ...EFFECT },
  PLAN: { method: 'how a value is combined with an existing one', timeout: EFFECT.timeout },
  PARALLEL: JOIN,
  'FOR EACH': JOIN,
  ASK: {
    choices: 'the possible answers',
    default: 'the answer after the deadline',
    deadline: 'how long it waits',
    show: 'values to show next to the question',
  },
  WAIT: { every: 'how often the condition is evaluated', quorum: JOIN.quorum },
};
