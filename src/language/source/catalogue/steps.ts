/** Messages about steps, their gates, retries and keys, one entry per code. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Correction, Label, Spelling } from '../diagnostic.js';
import { didYouMean, list, message, type Near } from './message.js';

/** An entry of a retry that counts attempts. */
function entry(word: string, s: Spelling): string {
  return s.either(`\`${word} 3\``, `\`- ${word.toLowerCase()}: 3\``);
}

function sessionFrom(path: string, s: Spelling): string {
  return s.either(`\`SESSION: from=${path}\``, `\`session: { from: ${path} }\``);
}

/** The changes that a retry can make. */
function overrides(join: 'and' | 'or', s: Spelling): string {
  const words = [s.keyword('AGENT'), s.keyword('PROMPT'), s.setting('SESSION', 'new')];
  const others = [s.setting('WORKTREE', 'reset'), s.keyword('RESTART_FROM')];
  return `${[...words, ...others].join(', ')} ${join} ${s.keyword('REPLAN')}`;
}

const STEP_TYPES = ['code', 'split', 'validate', 'artifact'];

/** What to write for the types of other tools. */
const OTHER_TYPES: Readonly<Record<string, RegExp>> = {
  'write `artifact`, for an agent that writes a text':
    /^(?:text|doc|docs|document|markdown|md|file|write|string|design)$/i,
  'write `split`, for an agent that divides work into tasks':
    /^(?:plan|planner|tasks?|list|divide|map|each|loop|json)$/i,
  'write `validate`, for an agent that judges': /^(?:review|reviewer|check|verify|judge|approve|approval|critic)$/i,
  'write `code`, for an agent that changes files': /^(?:build|implement|edit|diff|coding|coder|patch|fix|develop)$/i,
  'leave it out: an agent without a type may do anything': /^(?:agent|prompt|llm|ai|chat|task|step|any|none)$/i,
  'leave it out, and write the command as `bash: …`': /^(?:bash|shell|command|cmd|run|script|exec)$/i,
};

type OverrideProblem = 'unknown' | 'twice' | 'only-new' | 'only-reset';

const OVERRIDE_PROBLEMS: Readonly<Record<OverrideProblem, string>> = {
  unknown: 'cannot be changed by a retry',
  twice: 'is given twice',
  'only-new': 'can only be `new` in a retry',
  'only-reset': 'can only be `reset` in a retry',
};

export type GuardProblem = 'unknown' | 'twice' | 'no-value' | 'bad-value';

interface GuardFacts extends Near {
  readonly name: string;
  readonly problem: GuardProblem;
  readonly known: readonly string[];
}

const GUARD_PROBLEMS: Readonly<Record<GuardProblem, string>> = {
  unknown: 'does not exist',
  twice: 'is given twice',
  'no-value': 'needs a value',
  'bad-value': 'has no such value',
};

function guardHelp({ name, problem, near, known }: GuardFacts, s: Spelling): string {
  if (problem === 'unknown') return near === undefined ? `the guards are ${list(known)}` : `did you mean \`${near}\`?`;
  if (problem === 'twice') return 'remove one of the two';
  if (name === 'max_cost') return `write US dollars, as in ${s.option(name, '2.50')}`;
  if (name === 'max_time' || name === 'idle') return `write a duration, as in ${s.option(name, '10m')}`;
  if (name === 'no_write') return `write ${s.either('`no_write` alone', '`no_write: true`')}`;
  return `write ${s.option(name, '60')}`;
}

/** EXIT counts attempts, of which the first one is no retry. */
const exitAfter = (value: string, first: number): string =>
  `RETRY: EXIT ${/^\d{1,3}$/.test(value) ? Number(value) + first : 3}`;

/** What stands on lines below the line of a `STEP:`, by the name of an option that it is written as. */
const LINES: Readonly<Record<string, (value: string) => string>> = {
  agent: (value) => `AGENT: ${value || 'NAME'}`,
  model: () => 'AGENT: NAME',
  prompt: (value) => `PROMPT: "${value || '…'}"`,
  gate: (value) => `GATE: ${value || 'NAME'}`,
  gates: (value) => `GATE: ${value || 'NAME'}`,
  context: (value) => `CONTEXT: file=${value || 'PATH'}`,
  file: (value) => `CONTEXT: file=${value || 'PATH'}`,
  session: (value) => `SESSION: ${value === 'new' ? value : `from=${value || 'STEP'}`}`,
  workflow: (value) => `WORKFLOW: ${value || 'NAME'}`,
  retry: (value) => exitAfter(value, 1),
  retries: (value) => exitAfter(value, 1),
  attempts: (value) => exitAfter(value, 0),
  each: () => 'EACH:',
};

function lineBelow({ name, value }: { readonly name: string; readonly value: string }): string {
  return LINES[name.toLowerCase()]?.(value.replace(/^(["'])(.*)\1$/s, '$2')) ?? '';
}

export const stepMessages = {
  // ---- names and keys -------------------------------------------------------------------------------
  unknownStep: message<{ key: string; near?: string | undefined; isTask?: boolean }>(
    'unknown-step',
    'error',
    (f, s) => ({
      message: `no step writes \`${f.key}\``,
      ...didYouMean(
        f.key,
        f.near,
        f.isTask === true
          ? `only the steps below ${s.either('`EACH:`', '`each`')} have a task`
          : 'name a step that runs earlier, as in `{step.output}`',
      ),
    }),
  ),
  stepName: message<{ name: string }>('bad-step-name', 'error', (f) => ({
    message: f.name === '' ? 'a step has no name' : `\`${f.name}\` cannot be the name of a step`,
    help: 'write a name of letters, digits, `_` and `-`; `.` and `/` separate the parts of a key',
  })),
  duplicateStep: message<{ name: string; path: string; first: Label }>('duplicate-step', 'error', (f) => ({
    message: `two steps have the path \`${f.path}\``,
    label: 'declared again here',
    labels: [f.first],
    help: `give one of the two \`${f.name}\` steps another name`,
  })),
  repeatedStep: message<{ name: string; path: string }>('duplicate-step', 'error', (f) => ({
    message: `the pattern with the step \`${f.name}\` is used twice here, so two steps have the path \`${f.path}\``,
    label: 'inserted twice',
    help: 'use the pattern once, in a `FOR EACH:` over the arguments, or in another state',
  })),
  ambiguousStep: message<{ key: string; paths: readonly string[] }>('ambiguous-step', 'error', (f) => ({
    message: `\`${f.key}\` does not name a step that is visible here`,
    notes: [`steps of that name: ${list(f.paths)}`],
    help: `write the whole path, as in \`{${f.paths[0] ?? ''}}\``,
  })),
  ambiguousSession: message<{ name: string; paths: readonly string[] }>('ambiguous-step', 'error', (f, s) => ({
    message: `\`${f.name}\` does not name a step that is visible here`,
    notes: [`steps of that name: ${list(f.paths)}`],
    help: f.paths.some((path) => !path.includes('<'))
      ? `write the whole path, as in ${sessionFrom(f.paths.find((path) => !path.includes('<')) ?? '', s)}`
      : 'name a step outside of the tasks, because the sessions of a task end with it',
  })),
  forwardStep: message<{ key: string; step: string }>('step-not-yet-run', 'error', (f, s) => ({
    message: `\`${f.key}\` is read before ${s.step(f.step)} runs`,
    help: 'move that step above this one',
  })),
  earlyRead: message<{ key: string; step: string }>('step-read-early', 'warning', (f, s) => ({
    message: `\`${f.key}\` is empty here the first time: ${s.step(f.step)} runs after this one`,
    help: 'leave it if it should read the value of the previous round; otherwise, move that step up',
  })),
  concurrentStep: message<{ key: string; step: string }>('step-runs-beside', 'error', (f, s) => ({
    message: `\`${f.key}\` is read while ${s.step(f.step)} may still be running: both start together`,
    help: 'put this step after their group, or run the group without `parallel`',
  })),
  ownKey: message<{ key: string; field: string }>('step-reads-itself', 'error', (f) => ({
    message: `\`${f.key}\` is read by the step that writes it`,
    help: `write \`{prev.${f.field}}\` for what its last attempt wrote`,
    repair: { replace: f.key, by: `prev.${f.field}`, guess: true },
  })),
  unknownField: message<{ key: string; field: string; near?: string | undefined; known: readonly string[] }>(
    'unknown-step-field',
    'error',
    (f) => ({
      message: `\`${f.field}\` is not a field that steps write`,
      label: `in \`${f.key}\``,
      ...didYouMean(f.field, f.near, `the fields are ${list(f.known)}`),
    }),
  ),
  unknownGateField: message<{ key: string; field: string; gate: string }>('unknown-step-field', 'error', (f) => ({
    message: `a gate has no field \`${f.field}\``,
    label: `in \`${f.key}\``,
    help: `write \`{gate.${f.gate}.error}\` for what failed, \`{gate.${f.gate}.comments}\` for a judgement, or \`{gate.${f.gate}}\` for whether it passed`,
    repair: { replace: `gate.${f.gate}.${f.field}`, by: `gate.${f.gate}.error`, guess: true },
  })),
  absentField: message<{ key: string; field: string; type: string }>('absent-step-field', 'error', (f) => ({
    message:
      f.type === 'none'
        ? `a step without a type does not write \`${f.field}\``
        : `a step of type \`${f.type}\` does not write \`${f.field}\``,
    label: `in \`${f.key}\``,
    help:
      f.field === 'comments'
        ? 'only steps of type `validate` do; the comments of a gate are in `{step.gate.NAME.comments}`'
        : 'only steps of type `code`, and those without a type, report what they changed',
  })),
  unknownGate: message<{ gate: string; step: string; known: readonly string[]; near?: string | undefined }>(
    'unknown-gate',
    'error',
    (f, s) => ({
      message: `${s.step(f.step)} has no gate \`${f.gate}\``,
      ...(f.near !== undefined
        ? { help: `did you mean \`gate.${f.near}\`?`, repair: { replace: f.gate, by: f.near, guess: true } }
        : {
            help:
              f.known.length === 0 ? 'it has no gates' : `its gates are ${list(f.known.map((name) => `gate.${name}`))}`,
          }),
    }),
  ),
  // ---- the parts of a step --------------------------------------------------------------------------
  stepType: message<{ type: string; near?: string | undefined }>('unknown-step-type', 'error', (f) => ({
    message: `\`${f.type}\` is not a type of step`,
    ...didYouMean(
      f.type,
      f.near,
      Object.entries(OTHER_TYPES).find(([, names]) => names.test(f.type))?.[0] ??
        'the types are `code`, `split`, `validate` and `artifact`',
      STEP_TYPES,
    ),
  })),
  stepOption: message<{ name: string; value: string }>('unknown-step-option', 'error', (f, s) => ({
    message: `a step has no option \`${f.name}\``,
    help: lineBelow(f)
      ? `write it on a line below, indented: \`${lineBelow(f)}\``
      : `write ${['code', 'split', 'validate'].map((type) => s.option('type', type)).join(', ')}, ${s.option('type', 'artifact')} or ${s.option('memo', 'yes')}`,
  })),
  emptyStep: message<{ name: string }>('empty-step', 'error', (f, s) => ({
    message: `${s.step(f.name)} does nothing`,
    help: s.either(
      'give it an `AGENT:`, instructions, a `WORKFLOW:` or a `GATE:`',
      'give it an `agent`, instructions, a `workflow` or a `gate`',
    ),
  })),
  noPrompt: message<{ name: string }>('step-without-prompt', 'warning', (f, s) => ({
    message: `there is nothing to send to the agent of ${s.step(f.name)}: no prompt, context or value`,
    help: `add a ${s.either('`PROMPT:`', '`prompt`')}, unless the agent has its own instructions`,
  })),
  sessionStep: message<{ name: string; why: string }>('no-session', 'error', (f) => ({
    message: `\`${f.name}\` has no session to continue here: ${f.why}`,
    help: 'name a step above this one that has an agent',
  })),
  eachWithoutSplit: message<{ name: string; older: boolean }>('each-without-split', 'error', (f, s) => ({
    message: `${f.older ? '`foreach`' : s.keyword('EACH')} needs tasks, but the step \`${f.name}\` does not create any`,
    help: `write ${f.older ? '`output: plan`' : s.option('type', 'split')} on the step that creates them`,
  })),
  guard: message<GuardFacts>('bad-guard', 'error', (f, s) => ({
    message: `the guard \`${f.name}\` ${GUARD_PROBLEMS[f.problem]}`,
    help: guardHelp(f, s),
  })),
  leavesStep: message<{ verb: string }>('leaves-step', 'error', (f) => ({
    message: `\`${f.verb}\` would leave a step before its end`,
    help: 'let the step end, and decide after it',
  })),
  stepInParallel: message('step-in-parallel', 'error', (_, s) => ({
    message: 'a STEP cannot be part of PARALLEL',
    label: 'it would share its files and keys with the other members',
    help: s.either(
      'let the tasks of a split run at the same time with `EACH [parallel]:`, or steps with `STEP: name parallel`',
      'let the tasks of a split, or the steps of a group, run at the same time with `parallel: true`',
    ),
  })),
  missingFile: message<{ path: string }>('missing-context', 'error', (f) => ({
    message: `the file \`${f.path}\` of the context does not exist`,
    help: 'paths are relative to the directory of the run',
  })),
  refusedFile: message<{ path: string; why: string; isSchema?: true }>('missing-context', 'error', (f) => ({
    message: `the ${f.isSchema ? `schema \`${f.path}\`` : `file \`${f.path}\` of the context`} cannot be read: ${f.why}`,
    help: 'name a file of the project',
  })),
  // ---- gates ----------------------------------------------------------------------------------------
  gateName: message<{ name: string; first: Label; isLabel: boolean }>('duplicate-gate', 'error', (f, s) => ({
    message: `two gates of this step have the name \`gate.${f.name}\``,
    label: 'the second gate of that name',
    labels: [f.first],
    help: `give one of them another name, as in ${s.setting('as', `${f.name}2`)}`,
    repair: f.isLabel ? { replace: f.name, by: `${f.name}2`, guess: true } : { after: ` as ${f.name}2`, guess: true },
  })),
  gateLabel: message<{ name: string }>('bad-gate-name', 'error', (f) => ({
    message: `\`${f.name}\` cannot be the name of a gate`,
    help: 'write a name of letters, digits, `_` and `-` after `as`',
  })),
  gateCommand: message<{ name: string; near: string | undefined; refused: string | undefined }>(
    'gate-without-command',
    'error',
    (f, s) => ({
      message: `the gate \`${f.name}\` has no command${f.refused === undefined ? '' : `: ${f.refused}`}`,
      ...omitUndefined({
        repair: f.near === undefined ? undefined : ({ replace: f.name, by: f.near, guess: true } as const),
      }),
      help: `${f.near === undefined ? '' : `did you mean \`${f.near}\`? Or `}write the command here, ${s.either(`\`bash "command" as ${f.name}\``, `\`{ bash: "command", as: ${f.name} }\``)}, or add \`gates: {${f.name}: "command"}\` to statedsl.config.yaml`,
    }),
  ),
  gateNumber: message('bad-coverage', 'error', (_, s) => ({
    message: '`coverage` needs a number from 0 to 100',
    help: `write ${s.setting('coverage', '80')}`,
    repair: { instead: '80', guess: true },
  })),
  gateGit: message<{ gate: string }>('needs-worktree', 'error', (f, s) => ({
    message: `${f.gate === 'WORKTREE reset' ? s.setting('WORKTREE', 'reset') : s.keyword(f.gate)} needs a git repository, because it looks at changes`,
    help: 'run it in a repository with `--worktree`',
  })),
  gateSchema: message<{ type: string }>('schema-of-nothing', 'error', (f, s) => ({
    message: `a step ${f.type === 'none' ? 'without a type' : `of type \`${f.type}\``} has no schema of its own`,
    help: `name one, as in ${s.either('`schema "schemas/result.json"`', '`schema: schemas/result.json`')}`,
  })),
  // ---- retry ----------------------------------------------------------------------------------------
  noExit: message('retry-without-exit', 'error', (_, s) => ({
    message: `this ${s.word('RETRY')} never ends`,
    help: `add ${entry('EXIT', s)}, which allows three attempts`,
    repair: { below: 'EXIT 3', deeper: true, guess: true },
  })),
  afterExit: message('entry-after-exit', 'error', (_, s) => ({
    message: `nothing can follow ${s.word('EXIT')} in a ${s.word('RETRY')}`,
    help: `move it above ${s.word('EXIT')}, or remove it`,
  })),
  retryCondition: message<{ count: number }>('retry-condition', 'error', (f, s) => ({
    message:
      f.count === 0
        ? `this entry of ${s.word('RETRY')} does not say when it applies`
        : `this entry of ${s.word('RETRY')} has more than one condition`,
    help: `every entry has one of ${['ATTEMPT', 'NOT', 'VALIDATE'].map(s.word).join(', ')} and ${s.word('EXIT')}; write two entries`,
  })),
  retryNumber: message<{ word: 'ATTEMPT' | 'EXIT' }>('retry-number', 'error', (f, s) => ({
    message: `${s.word(f.word)} needs a whole number of at least 1`,
    help: `write ${entry(f.word, s)}`,
  })),
  retryGate: message<{ written: string }>('retry-gate', 'error', (f) => ({
    message: `\`${f.written}\` does not name a gate`,
    help: `write \`gate.${f.written.replace(/^.*\./, '')}\`, a gate of this step`,
    repair: { replace: f.written, by: `gate.${f.written.replace(/^.*\./, '')}`, guess: true },
  })),
  retryOverride: message<{ word: string; problem: OverrideProblem }>('retry-override', 'error', (f, s) => ({
    message: `${s.keyword(f.word)} ${OVERRIDE_PROBLEMS[f.problem]}`,
    help: `a retry can change ${overrides('and', s)}, each once`,
  })),
  restartStep: message<{ name: string; known: readonly string[] } & Near>('retry-override', 'error', (f, s) => ({
    message: `a retry cannot begin with \`${f.name}\`: it is not a step above in the same list`,
    help:
      f.near !== undefined
        ? `did you mean \`${f.near}\`?`
        : f.known.length > 0
          ? `name one of ${f.known.map((one) => `\`${one}\``).join(', ')}`
          : `leave ${s.keyword('RESTART_FROM')} out: a retry repeats its own step, with the steps below it`,
  })),
  replanOfVerdict: message('retry-override', 'error', (_, s) => ({
    message: `${s.keyword('REPLAN')} cannot divide a verdict into tasks`,
    help: `ask another agent for it: write ${s.keyword('AGENT')}`,
  })),
  exitOverride: message('exit-with-override', 'error', (_, s) => ({
    message: `${s.word('EXIT')} ends the attempts, so it cannot change them`,
    help: `move the change to an entry with ${s.word('ATTEMPT')}`,
  })),
  retryOfAnyCode: message('retry-changes-nothing', 'warning', () => ({
    message: '`ok=any` accepts every exit code, so no exit code is retried',
    label: 'only a command that does not start or is killed is retried',
    help: 'leave out `ok=any`, and handle the last failure with `ON ERROR tool_failure: → …`',
  })),
  retryNothing: message('retry-changes-nothing', 'warning', (_, s) => ({
    message: `this entry of ${s.word('RETRY')} changes nothing`,
    help: `add ${overrides('or', s)}, or remove it`,
    repair: { remove: 'line', guess: true },
  })),
  retryWithoutAgent: message<{ word: string }>('retry-without-agent', 'warning', (f, s) => ({
    message: `${s.keyword(f.word)} changes nothing here: this step does not have its own agent`,
    help: `move it to the ${s.word('RETRY')} of the step that has the agent, or remove it`,
  })),
  retryNeverReached: message<{ number: number; exit: number }>('retry-never-reached', 'warning', (f, s) => ({
    message: `there is no attempt ${f.number}: ${s.word('EXIT')} allows only ${f.exit}`,
    help: `raise ${s.word('EXIT')}, or remove this entry`,
  })),
  forcedSession: message<{ agent: string }>('agent-forces-session', 'warning', (f, s) => ({
    message: `\`${f.agent}\` cannot continue the session of another agent, so it starts a new one`,
    help: `make this explicit: add ${s.setting('SESSION', 'new')}`,
  })),
  sessionOfAnother: message<{ step: string; from: string; adapter: string; made: string }>(
    'session-begins-anew',
    'warning',
    (f) => ({
      message: `an agent of the adapter \`${f.adapter}\` cannot continue the session of \`${f.from}\`, which \`${f.made}\` keeps`,
      label: `\`${f.step}\` begins a new session`,
      help: `use an agent of the adapter \`${f.made}\`, or let the prompt read \`{${f.from}.output}\``,
    }),
  ),
  sessionWithoutFork: message<{ step: string; from: string; adapter: string }>(
    'session-begins-anew',
    'warning',
    (f) => ({
      message: `an agent of the adapter \`${f.adapter}\` cannot branch off from the session of \`${f.from}\``,
      label: `\`${f.step}\` begins a new session, with the prompt and the answer of \`${f.from}\``,
      help: 'use an agent of the adapter `claude` or `codex`, if it has to know the whole session',
    }),
  ),
  sessionElsewhere: message<{ step: string; from: string; adapter: string }>('session-begins-anew', 'warning', (f) => ({
    message: `an agent of the adapter \`${f.adapter}\` cannot find the session of \`${f.from}\` from another directory`,
    label: `each runs in its own worktree, so \`${f.step}\` begins a new session, with the prompt and the answer of \`${f.from}\``,
    help: 'use an agent of the adapter `claude` or `codex`, if it has to know the whole session',
  })),
  resetKeepsSession: message('reset-keeps-session', 'warning', (_, s) => ({
    message: 'the files are reset but the session is not, so the agent remembers edits that are gone',
    help: `add ${s.setting('SESSION', 'new')}`,
  })),
  // ---- workflows ------------------------------------------------------------------------------------
  unknownWorkflow: message<{ name: string; tried: readonly string[]; near?: string | undefined }>(
    'unknown-workflow',
    'error',
    (f) => ({
      message: `there is no workflow \`${f.name}\``,
      notes: f.tried.length === 0 ? [] : [`looked for ${list(f.tried)}`],
      ...didYouMean(f.name, f.near, `write it to \`workflows/${f.name}.yaml\``),
    }),
  ),
  workflowCycle: message<{ path: readonly string[] }>('workflow-cycle', 'error', (f) => ({
    message: `the workflow calls itself: ${f.path.map((name) => `\`${name}\``).join(' → ')}`,
    help: 'remove one of these calls',
  })),
  workflowInput: message<{ workflow: string; name: string; known: readonly string[]; near?: string | undefined }>(
    'unknown-workflow-input',
    'error',
    (f) => ({
      message: `\`${f.workflow}\` does not read \`${f.name}\``,
      ...didYouMean(f.name, f.near, f.known.length === 0 ? 'it has no inputs' : `its inputs are ${list(f.known)}`),
    }),
  ),
  missingInput: message<{ workflow: string; names: readonly string[] }>('missing-workflow-input', 'error', (f, s) => ({
    message: `\`${f.workflow}\` needs ${list(f.names)}`,
    help: s.either(
      `add \`with ${f.names.map((name) => `${name}={${name}}`).join(', ')}\``,
      `add \`with: { ${f.names.map((name) => `${name}: "{${name}}"`).join(', ')} }\``,
    ),
  })),
  noVerdict: message<{ workflow: string }>('workflow-without-verdict', 'error', (f) => ({
    message: `\`${f.workflow}\` cannot judge: it has no step of type \`validate\``,
    help: 'end it with a `validate` step, whose answer becomes the answer of the workflow',
  })),
};

// ---- STEP blocks that cannot be parsed without guessing ---------------------------------------------

const owners: Readonly<Record<string, string>> = {
  ATTEMPT: 'an entry of `RETRY:`',
  NOT: 'an entry of `RETRY:`',
  VALIDATE: 'an entry of `RETRY:`',
  EXIT: 'an entry of `RETRY:`',
};

export const sectionOutside = message<{ section: string }>('section-outside-step', 'error', ({ section }) => ({
  message: `\`${section}\` is ${owners[section] ?? 'a section of a `STEP`'} and cannot be used here`,
  help:
    owners[section] === undefined
      ? 'write it directly below the line of a `STEP:`, indented deeper than that line'
      : 'write it below the line `RETRY:`, indented deeper than that line',
}));

export const stepInList = message('step-in-list', 'error', () => ({
  message: '`STEP` cannot be an action of a list',
  help: 'write the step on its own lines, below the arrow',
}));

export const repeatedSection = message<{ section: string }>('repeated-section', 'error', ({ section }) => ({
  message: `the step has a second \`${section}\``,
  notes: ['only `GATE` may be written several times'],
  help:
    section === 'CONTEXT'
      ? 'write all of it in one line, with commas: `CONTEXT: file=spec.md, file=plan.md`'
      : 'keep one of the two',
}));

export const secondRun = message<{ first: string; second: string }>('two-runs', 'error', ({ first, second }) => ({
  message: `\`${second}\` and \`${first}\` cannot both do the work of one step`,
  help: 'split it into two steps, or remove one of the two',
}));

export const notAStep = message<{ verb: string }>('not-a-step', 'error', ({ verb }) => ({
  message: `\`${verb}\` is not a step, and \`EACH\` contains only steps`,
  notes: ['the steps of `EACH` run once for every task'],
  help: 'put it in a `STEP:` without an agent',
}));

export const unquotedPrompt = message<{ fix?: Correction }>('unquoted-prompt', 'error', ({ fix }) => ({
  message: 'the prompt is not in quotes',
  help: 'put it in quotes, or on the lines below, indented deeper',
  ...omitUndefined({ correction: fix }),
}));

export const unknownEntry = message<{
  written: string;
  list: string;
  known: readonly string[];
  meant?: string;
  fix?: Correction;
}>('unknown-entry', 'error', ({ written, list, known, meant, fix }) => ({
  message: `\`${written}\` is not an entry of \`${list}\``,
  ...omitUndefined({
    notes:
      meant === undefined ? [`its entries begin with ${known.map((word) => `\`${word}\``).join(', ')}`] : undefined,
  }),
  help: meant === undefined ? 'remove it' : `write \`${meant}\``,
  ...omitUndefined({ correction: fix }),
}));

export const badSession = message<{ written: string }>('bad-session', 'error', ({ written }) => ({
  message: `\`${written}\` does not say in which session the step starts`,
  help: 'write `SESSION: from=STEP` to continue the session of a step, or `SESSION: new`',
}));

export const badGateCommand = message('bad-gate-command', 'error', () => ({
  message: 'a `DO:` in a list of gates can only be a shell command',
  notes: ['it passes when the command exits with 0, and has no options, no name for its output and no agent'],
  help: 'write the bare command, or a `validate` gate for an agent',
}));

export const notAGate = message<{ verb: string }>('not-a-gate', 'error', ({ verb }) => ({
  message: `\`${verb}\` is not a gate`,
  help: 'write `bash "…"` or `DO: …` for a command, `expr …` for a condition',
}));
