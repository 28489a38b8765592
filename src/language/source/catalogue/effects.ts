/** Messages about commands, agents, PARALLEL, WAIT and ASK. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Label, Span } from '../diagnostic.js';
import { didYouMean, list, message, type Near } from './message.js';

/** Names that mean that there is no agent. */
const NO_AGENT: ReadonlySet<string> = new Set(['pass', 'none', 'noop', 'null', 'nobody']);

export const effectMessages = {
  notACommand: message<{ word: string; mayBeProgram?: boolean }>('not-a-command', 'error', (f) => ({
    message: `\`${f.word}\` is not a command`,
    label: 'neither a program nor a shell builtin',
    ...omitUndefined({
      notes: f.mayBeProgram ? [`for a program that is not installed here, write \`command ${f.word} …\``] : undefined,
    }),
    help: instructionHelp(f.word) ?? 'write `DO: Task(AGENT) "…"` to give it to an agent',
  })),
  alsoACommand: message<{ name: string; bind: string; subtraction?: string }>('also-a-command', 'note', (f) => ({
    message: `\`${f.name}\` is ${f.subtraction === undefined ? 'the variable' : 'a subtraction'} here, not the command with the same name`,
    help:
      `write \`DO: ${f.bind} = command ${f.name}\` to run the command` +
      (f.subtraction === undefined ? '' : `, or \`${f.subtraction}\` for the subtraction`),
    repair: { replace: f.name, by: `command ${f.name}`, guess: true },
    ...(f.subtraction === undefined
      ? {}
      : { otherRepairs: [{ replace: f.name, by: f.subtraction, guess: true }] as const }),
  })),
  valueNotCommand: message<{ word: string; bind: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.word}\` is a boolean here, and no command runs`,
    label: `\`${f.bind}\` is always ${f.word}`,
    help: `write \`${f.bind} = (${f.word})\` for the boolean, or \`${f.bind} = command ${f.word}\` for the command`,
  })),
  listNotCommand: message<{ program: string; bind: string }>('taken-as-text', 'warning', (f) => ({
    message: 'this is a list, and no command runs',
    label: `\`${f.bind}\` is the list itself`,
    help: `write \`${f.bind} = ${f.program} …\`, without brackets and commas, for the command: each value in braces is one argument; or put the list in parentheses`,
  })),
  commandNotFound: message<{ word: string; path: boolean; subtraction?: string }>(
    'command-not-found',
    'warning',
    (f) => ({
      message: f.path ? `the file \`${f.word}\` does not exist yet` : `the program \`${f.word}\` is not on PATH`,
      help: f.path
        ? 'make sure that an earlier instruction creates it'
        : /^\d/.test(f.word)
          ? `put it in quotes, as in \`"${f.word}"\`, for a text`
          : `install it, or check the spelling${f.subtraction === undefined ? '' : `; write \`${f.subtraction}\` for a subtraction`}`,
    }),
  ),
  unknownAgent: message<{ name: string; known: readonly string[]; adapters: readonly string[] } & Near>(
    'unknown-agent',
    'error',
    (f) => ({
      message: `there is no agent \`${f.name}\``,
      label: 'not in the configuration',
      ...omitUndefined({
        notes:
          f.adapters.length === 0
            ? undefined
            : [`a name that begins with an adapter needs no configuration: ${list(f.adapters)}`],
      }),
      ...(NO_AGENT.has(f.name)
        ? { help: 'remove the agent: a step without an agent only runs its gates' }
        : didYouMean(
            f.name,
            f.near,
            `describe it in statedsl.config.yaml: \`agents: { ${f.name}: { adapter: claude } }\`${f.known.length ? `; the configured agents are ${list(f.known)}` : ''}`,
          )),
    }),
  ),
  agentMissing: message('missing-part', 'error', () => ({
    message: 'the name of an agent is missing after `Task(`',
    help: 'write `Task(claude) "…"`, or name an agent for all of them in statedsl.config.yaml, under `defaults:`: `agent: claude`',
  })),
  valueBeginsPrompt: message<{ adapter: string }>('value-begins-prompt', 'warning', (f) => ({
    message: `the adapter \`${f.adapter}\` cannot keep its program from reading this prompt as a command`,
    label: 'it begins with a value, which may begin with `/`',
    help: 'begin the prompt with words: `"Do this: {value}"`',
  })),
  promptMissing: message<{ agent: string }>('prompt-missing', 'warning', (f) => ({
    message: `there is nothing to send to the agent \`${f.agent}\`: no prompt and no value`,
    help: `write \`Task(${f.agent}) "what to do"\`, unless the agent has its own instructions`,
  })),
  pipeWithoutSource: message('pipe-without-source', 'error', () => ({
    message: '`|` has no output to pipe on some paths to this line',
    label: 'stdin would be empty',
    notes: ['it pipes the output of the last DO or CHECK since the state was entered; PARALLEL clears that output'],
    help: 'run a DO directly before it',
  })),
  uncheckedAgent: message<{ agent: string; step: boolean; end: Span | undefined }>(
    'unchecked-agent',
    'note',
    (f, s) => ({
      message: `a run can return although nothing looked at what ${f.step ? s.step(f.agent) : `agent \`${f.agent}\``} answered`,
      label: 'nothing looks at this answer',
      labels: f.end === undefined ? [] : [{ span: f.end, text: 'the run returns here' }],
      notes: ['gates, CHECK, ASK, an IF on the answer and a RETURN of it are looks; EMIT and DO are not'],
      help: f.step
        ? s.either(
            'add a gate to the step, such as `GATE: bash "make test"`',
            'add a gate to the step, such as `- bash: make test` under `gate:`',
          )
        : 'write a `CHECK:` of the result with an `IF:` below it, or return the answer',
    }),
  ),
  functionInPipeline: message<{ name: string }>('function-in-shell', 'error', (f) => ({
    message: `\`${f.name}\` is a bound function and cannot be part of a shell line`,
    help: `call it alone: \`DO: x = ${f.name} …\``,
  })),
  inParallel: message<{ what: string }>('not-in-parallel', 'error', (f) => ({
    message: `${f.what} cannot be used inside PARALLEL`,
    label: 'branches run at the same time, so no branch can decide this',
    help: 'do it after the join, with the results of the branches',
  })),
  lostInParallel: message<{ name: string; collect: string }>('not-in-parallel', 'error', (f) => ({
    message: `a branch of PARALLEL cannot change \`${f.name}\`, a local of the state`,
    label: 'each branch would change its own copy, which the join drops',
    help: f.collect,
  })),
  mayBeMissing: message<{ what: string; label: Label; end: Span }>('may-be-missing', 'warning', (f) => ({
    message: `${f.what} may be null here`,
    label: 'reading a field of null fails',
    labels: [f.label],
    notes: ['a member that failed or was stopped leaves its name null'],
    help: 'add `?` to get null, give a value with `default(…)`, or test it with `is not null` first',
    correction: { span: f.end, text: '?', guess: true },
  })),
  quorumTooLarge: message<{ quorum: number; members: number }>('quorum-too-large', 'error', (f) => ({
    message: `${f.members} ${f.members === 1 ? 'member' : 'members'} can never reach a quorum of ${f.quorum}`,
    help: `write \`quorum=${f.members}\` or fewer`,
    repair: { replace: String(f.quorum), by: String(f.members), guess: true },
  })),
  memberCount: message<{ said: number; members: number }>('member-count', 'warning', (f) => ({
    message: `the text says ${f.said}, but there ${f.members === 1 ? 'is 1 member' : `are ${f.members} members`}`,
    help: 'correct the number, or the members',
  })),
  waitWithoutParallel: message('wait-without-parallel', 'error', () => ({
    message: 'no PARALLEL is directly above this WAIT',
    label: 'nothing to wait for',
    help: 'put the WAIT directly below the PARALLEL it joins, or wait for a condition',
  })),
  waitUnchanged: message<{ names: readonly string[] }>('wait-unchanged', 'warning', (f) => ({
    message: `nothing changes ${list(f.names)} while this WAIT waits`,
    label: 'either true at once, or never',
    help: `write what changes ${f.names.length === 1 ? 'it' : 'them'} below, indented deeper, such as \`CHECK: ${f.names[0]} = …\`; it runs before each look`,
  })),
  oneChoice: message<{ choice: string; choices: readonly string[]; of: 'ASK' | 'INPUT' }>(
    'one-choice',
    'warning',
    (f) => ({
      message: `\`${f.choice}\` is one choice, because commas separate choices`,
      help: f.of === 'ASK' ? `write \`choices=${f.choices.join(',')}\`` : `write \`(one of: ${f.choices.join(', ')})\``,
      repair: { replace: f.choice, by: f.choices.join(f.of === 'ASK' ? ',' : ', '), guess: true },
    }),
  ),
  askDeadline: message('ask-deadline', 'error', () => ({
    message: 'an ASK with a deadline needs a default',
    label: 'what is the answer when the time is up?',
    help: 'add `default="…"`',
    repair: { endOfLine: ' default="…"', guess: true },
  })),
} as const;

/** A sign, or an instruction, in the position of a command. */
function instructionHelp(word: string): string | undefined {
  if (!/\w/.test(word)) return `remove \`${word}\`: the command begins directly after the colon`;
  if (/^\w+.*\[/.test(word))
    return `\`${word}\` is a value: write an expression, or a command with \`{…}\` for the value`;
  const verb = /^(CALL|PLAN|CHECK|EMIT|GOTO|USE|RETURN|SET|ASK|WAIT|FAIL|DO|INCREMENT|PROCEED):?$/.exec(word)?.[1];
  if (verb === undefined) return undefined;
  const binds = verb === 'CALL' || verb === 'PLAN' || verb === 'CHECK';
  return binds
    ? `begin the line with \`${verb}:\`; \`${verb}: x = …\` binds its result`
    : `\`${verb}\` is an instruction: begin the line with it`;
}
