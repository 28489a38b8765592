/** The words of what is found about steps, their gates, retries and keys. One entry a code. */
import type { Label } from '../diagnostic.js';
import { didYouMean, list, message } from './message.js';

export const stepMessages = {
  // ---- names and keys -------------------------------------------------------------------------------
  unknownStep: message<{ key: string; near?: string | undefined; isTask?: boolean }>('unknown-step', 'error', (f) => ({
    message: `\`${f.key}\` is not written by any step`,
    ...didYouMean(
      f.key,
      f.near,
      f.isTask === true
        ? 'only the steps below `EACH:` have a task'
        : 'name a step that runs before, as `{step.output}`',
    ),
  })),
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
  ambiguousStep: message<{ key: string; paths: readonly string[] }>('ambiguous-step', 'error', (f) => ({
    message: `\`${f.key}\` does not name a step that is visible here`,
    notes: [`steps of that name: ${list(f.paths)}`],
    help: `write the whole path, as in \`{${f.paths[0] ?? ''}}\``,
  })),
  ambiguousSession: message<{ name: string; paths: readonly string[] }>('ambiguous-step', 'error', (f) => ({
    message: `\`${f.name}\` does not name a step that is visible here`,
    notes: [`steps of that name: ${list(f.paths)}`],
    help: f.paths.some((path) => !path.includes('<'))
      ? `write the whole path, as in \`SESSION: from=${f.paths.find((path) => !path.includes('<')) ?? ''}\``
      : 'a task ends with its steps: name a step outside of the tasks',
  })),
  forwardStep: message<{ key: string; step: string }>('step-not-yet-run', 'error', (f) => ({
    message: `\`${f.key}\` is read before the step \`${f.step}\` runs`,
    help: 'move that step above this one',
  })),
  earlyRead: message<{ key: string; step: string }>('step-read-early', 'warning', (f) => ({
    message: `\`${f.key}\` is empty here the first time: the step \`${f.step}\` runs after this one`,
    help: 'leave it if the steps are repeated and this is what was said the time before; else move that step up',
  })),
  besideStep: message<{ key: string; step: string }>('step-runs-beside', 'error', (f) => ({
    message: `\`${f.key}\` is read while the step \`${f.step}\` may still run: the two begin together`,
    help: 'put this step after their group, or run the group without `parallel`',
  })),
  ownKey: message<{ key: string; field: string }>('step-reads-itself', 'error', (f) => ({
    message: `\`${f.key}\` is read by the step that writes it`,
    help: `write \`{prev.${f.field}}\` for what its last attempt wrote`,
    repair: { replace: f.key, by: `prev.${f.field}` },
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
    (f) => ({
      message: `the step \`${f.step}\` has no gate \`${f.gate}\``,
      ...(f.near !== undefined
        ? { help: `did you mean \`gate.${f.near}\`?`, repair: { replace: f.gate, by: f.near } }
        : {
            help:
              f.known.length === 0
                ? 'it has no gates at all'
                : `its gates are ${list(f.known.map((name) => `gate.${name}`))}`,
          }),
    }),
  ),
  // ---- the parts of a step --------------------------------------------------------------------------
  stepType: message<{ type: string; near?: string | undefined }>('unknown-step-type', 'error', (f) => ({
    message: `\`${f.type}\` is not a type of a step`,
    ...didYouMean(f.type, f.near, 'the types are `code`, `split`, `validate` and `artifact`'),
  })),
  stepOption: message<{ name: string }>('unknown-step-option', 'error', (f) => ({
    message: `a step has no option \`${f.name}\``,
    help: 'write `type=code`, `type=split`, `type=validate` or `type=artifact`',
  })),
  emptyStep: message<{ name: string }>('empty-step', 'error', (f) => ({
    message: `the step \`${f.name}\` does nothing`,
    help: 'give it an `AGENT:`, instructions, a `WORKFLOW:` or a `GATE:`',
  })),
  noPrompt: message<{ name: string }>('step-without-prompt', 'warning', (f) => ({
    message: `there is nothing to send to the agent of the step \`${f.name}\`: no prompt, context or value`,
    help: 'add a `PROMPT:`, unless the agent has instructions of its own',
  })),
  sessionStep: message<{ name: string; why: string }>('no-session', 'error', (f) => ({
    message: `there is no session of \`${f.name}\` to continue: ${f.why}`,
    help: 'name a step above this one that has an agent',
  })),
  eachWithoutSplit: message<{ name: string }>('each-without-split', 'error', (f) => ({
    message: `\`EACH\` needs tasks, and \`${f.name}\` is not a split`,
    help: 'write `type=split` on the step that makes them',
  })),
  guard: message<{ name: string; why: string; help: string }>('bad-guard', 'error', (f) => ({
    message: `the guard \`${f.name}\` ${f.why}`,
    help: f.help,
  })),
  leavesStep: message<{ verb: string }>('leaves-step', 'error', (f) => ({
    message: `\`${f.verb}\` would leave a step in the middle of its work`,
    help: 'let the step end, and decide after it',
  })),
  stepInParallel: message('step-in-parallel', 'error', () => ({
    message: 'a STEP cannot be part of PARALLEL',
    label: 'its files and keys would be shared with the other members',
    help: 'let the tasks of a split run at once with `EACH [parallel]:`, or steps with `STEP: name parallel`',
  })),
  missingFile: message<{ path: string }>('missing-context', 'error', (f) => ({
    message: `the file \`${f.path}\` of the context does not exist`,
    help: 'paths are relative to the directory of the run',
  })),
  // ---- gates ----------------------------------------------------------------------------------------
  gateName: message<{ name: string; first: Label }>('duplicate-gate', 'error', (f) => ({
    message: `two gates of this step have the name \`gate.${f.name}\``,
    label: 'the second gate of that name',
    labels: [f.first],
    help: `tell them apart, as in \`as ${f.name}2\``,
    repair: { after: ` as ${f.name}2`, guess: true },
  })),
  gateLabel: message<{ name: string }>('bad-gate-name', 'error', (f) => ({
    message: `\`${f.name}\` cannot be the name of a gate`,
    help: 'write a name of letters, digits, `_` and `-` after `as`',
  })),
  gateCommand: message<{ name: string; near: string | undefined }>('gate-without-command', 'error', (f) => ({
    message: `the gate \`${f.name}\` has no command`,
    ...(f.near === undefined ? {} : { repair: { replace: f.name, by: f.near } }),
    help: `${f.near === undefined ? '' : `did you mean \`${f.near}\`? Or `}add \`gates: {${f.name}: "command"}\` to statedsl.config.yaml`,
  })),
  gateNumber: message('bad-coverage', 'error', () => ({
    message: '`coverage` needs a number from 0 to 100',
    help: 'write `coverage 80`',
    repair: { instead: '80', guess: true },
  })),
  gateGit: message<{ what: string }>('needs-worktree', 'error', (f) => ({
    message: `${f.what} needs a git repository, because it looks at changes`,
    help: 'run it in a repository with `--worktree`',
  })),
  gateSchema: message<{ type: string }>('schema-of-nothing', 'error', (f) => ({
    message: `a step ${f.type === 'none' ? 'without a type' : `of type \`${f.type}\``} has no schema of its own`,
    help: 'name one, as in `schema "schemas/result.json"`',
  })),
  // ---- retry ----------------------------------------------------------------------------------------
  noExit: message('retry-without-exit', 'error', () => ({
    message: 'this RETRY never ends',
    help: 'add `EXIT 3`, which allows three attempts',
    repair: { below: 'EXIT 3', deeper: true, guess: true },
  })),
  afterExit: message('entry-after-exit', 'error', () => ({
    message: 'nothing can follow EXIT in a RETRY',
    help: 'move it above EXIT, or remove it',
  })),
  retryCondition: message<{ count: number }>('retry-condition', 'error', (f) => ({
    message:
      f.count === 0
        ? 'this entry of RETRY does not say when it applies'
        : 'this entry of RETRY has more than one condition',
    help: 'every entry has one of ATTEMPT, NOT, VALIDATE and EXIT; write two entries',
  })),
  retryNumber: message<{ what: string }>('retry-number', 'error', (f) => ({
    message: `${f.what} needs a whole number of at least 1`,
    help: `write \`${f.what} 3\``,
  })),
  retryGate: message<{ written: string }>('retry-gate', 'error', (f) => ({
    message: `\`${f.written}\` does not name a gate`,
    help: `write \`gate.${f.written}\``,
    repair: { replace: f.written, by: `gate.${f.written}` },
  })),
  retryOverride: message<{ word: string; why: string }>('retry-override', 'error', (f) => ({
    message: `\`${f.word}\` ${f.why}`,
    help: 'a retry changes `AGENT`, `PROMPT`, `SESSION new` and `WORKTREE reset`, each once',
  })),
  exitOverride: message('exit-with-override', 'error', () => ({
    message: 'EXIT ends the attempts, so it changes nothing about them',
    help: 'move the change to an entry with ATTEMPT',
  })),
  retryNothing: message('retry-changes-nothing', 'warning', () => ({
    message: 'this entry of RETRY changes nothing',
    help: 'add `AGENT`, `PROMPT`, `SESSION new` or `WORKTREE reset`, or remove it',
    repair: { remove: 'line', guess: true },
  })),
  retryNobody: message<{ word: string }>('retry-without-agent', 'warning', (f) => ({
    message: `\`${f.word}\` changes nothing here: this step has no agent of its own`,
    help: 'move it to the RETRY of the step that has the agent, or remove it',
  })),
  retryNeverReached: message<{ number: number; exit: number }>('retry-never-reached', 'warning', (f) => ({
    message: `there is no attempt ${f.number}: EXIT allows only ${f.exit}`,
    help: 'raise EXIT, or remove this entry',
  })),
  forcedSession: message<{ agent: string }>('agent-forces-session', 'warning', (f) => ({
    message: `\`${f.agent}\` cannot continue the session of another agent, so it begins a new one`,
    help: 'make that visible: add `SESSION new`',
  })),
  resetKeepsSession: message('reset-keeps-session', 'warning', () => ({
    message: 'the files are reset and the session is not: the agent remembers edits that are gone',
    help: 'add `SESSION new`',
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
    help: 'take one of these calls out',
  })),
  workflowInput: message<{ workflow: string; name: string; known: readonly string[]; near?: string | undefined }>(
    'unknown-workflow-input',
    'error',
    (f) => ({
      message: `\`${f.workflow}\` does not read \`${f.name}\``,
      ...didYouMean(f.name, f.near, f.known.length === 0 ? 'it takes no values' : `it takes ${list(f.known)}`),
    }),
  ),
  missingInput: message<{ workflow: string; names: readonly string[] }>('missing-workflow-input', 'error', (f) => ({
    message: `\`${f.workflow}\` needs ${list(f.names)}`,
    help: `add \`with ${f.names.map((name) => `${name}={${name}}`).join(', ')}\``,
  })),
  noVerdict: message<{ workflow: string }>('workflow-without-verdict', 'error', (f) => ({
    message: `\`${f.workflow}\` cannot judge: it has no step of type \`validate\``,
    help: 'end it with a validate step, whose answer is that of the workflow',
  })),
};
