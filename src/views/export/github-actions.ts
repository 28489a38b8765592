/**
 * A program as a workflow of GitHub Actions: commands one after the other, with the inputs of the program. Everything else
 * (agents, questions, loops, branches, values of commands) needs a run, and is reported with its place.
 */
import { stringify } from 'yaml';
import { parseDuration } from '../../machine/duration.js';
import type { ShellTemplate, Template } from '../../machine/expression.js';
import type { Input, Instruction, Machine } from '../../machine/machine.js';
import { type Exported, instructionsOf, type Unsayable } from './xstate.js';

type ExportedCommand = Extract<Instruction, { op: 'shell' }>;
type UnsayableLocation = NonNullable<Unsayable['location']>;

interface WorkflowStep {
  readonly name: string;
  readonly run: string;
  readonly shell: string;
  readonly 'working-directory'?: string;
  readonly 'timeout-minutes'?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const HELP = 'run the program in a step: `statedsl run FILE`, as the action of statedsl does';

class Fit {
  readonly problems: Unsayable[] = [];

  constructor(private readonly machine: Machine) {}

  refuse(what: string, location: UnsayableLocation | null): null {
    const message = `a workflow of GitHub Actions cannot say this: ${what}`;
    // A STEP is many instructions on one line.
    const isKnown = this.problems.some((one) => one.message === message && one.location?.line === location?.line);
    if (!isKnown) this.problems.push({ message, help: HELP, location });
    return null;
  }

  /** States in the order in which they run, if each leads to the next. */
  order(): number[] {
    const { states, initial } = this.machine;
    const order: number[] = [];
    for (let at = initial; ; ) {
      order.push(at);
      const { code } = states[at] as Machine['states'][number];
      const end = code.find(({ op }) => op === 'goto' || op === 'return');
      if (end?.op !== 'goto') return order;
      if (order.includes(end.state)) {
        this.refuse('a loop of states', this.locationOf(end));
        return order;
      }
      at = end.state;
    }
  }

  locationOf({ origin }: Instruction): UnsayableLocation {
    return { file: this.machine.files[origin.file] ?? '', line: origin.line };
  }

  step(instruction: ExportedCommand, state: string): WorkflowStep | null {
    const location = this.locationOf(instruction);
    const { bind, retry, retryOn, once, memo, piped, ok, shell, strict, timeout, cwd, env = [] } = instruction;
    if (bind !== undefined) return this.refuse('a name for the output of a command', location);
    if (retry !== undefined || retryOn !== undefined) return this.refuse('`retry=`', location);
    if (once === true) return this.refuse('`once`', location);
    if (memo !== undefined) return this.refuse('`memo`', location);
    if (piped === true) return this.refuse('a pipe from the instruction above', location);
    if (!Array.isArray(ok) || ok.length !== 1 || ok[0] !== 0) return this.refuse('exit codes other than 0', location);
    const used = new Map<string, string>();
    const run = this.script(instruction.template, used, location);
    const folder = cwd === undefined ? undefined : this.constant(cwd, location);
    const limit = timeout === undefined ? undefined : this.constant(timeout, location);
    const own = env.map(({ name, value }) => [name, this.constant(value, location)] as const);
    if (run === null || folder === null || limit === null || own.some(([, value]) => value === null)) return null;
    const variables = Object.fromEntries([...own, ...used]) as Record<string, string>;
    const ms = limit === undefined ? null : parseDuration(limit);
    return {
      name: `${state}: ${instruction.text}`.slice(0, 100),
      run,
      shell: shell === 'sh' ? 'sh -e {0}' : strict === 'script' ? 'bash -eo pipefail {0}' : 'bash {0}',
      ...(folder === undefined ? {} : { 'working-directory': folder }),
      ...(ms === null ? {} : { 'timeout-minutes': Math.max(1, Math.ceil(ms / 60_000)) }),
      ...(Object.keys(variables).length === 0 ? {} : { env: variables }),
    };
  }

  private constant(template: Template, location: UnsayableLocation): string | null {
    const text = template.map((part) => (typeof part === 'string' ? part : null));
    return text.includes(null) ? this.refuse('a value in an option', location) : text.join('');
  }

  /** Values of inputs become variables of the step, so that no text of an input is ever part of the script. */
  private script({ parts }: ShellTemplate, used: Map<string, string>, location: UnsayableLocation): string | null {
    const text = parts.map((part) => {
      if (typeof part === 'string') return part;
      const input = this.machine.inputs.find(({ name }) => part.source === `{${name}}`);
      const isPlain = (part.context === 'word' || part.context === 'double') && part.list !== true && part.raw !== true;
      if (input === undefined || !isPlain) return this.refuse(`the value ${part.source} in a command`, location);
      const variable = `INPUT_${input.name.toUpperCase()}`;
      used.set(variable, `\${{ inputs.${input.name} }}`);
      return part.context === 'word' ? `"$${variable}"` : `\${${variable}}`;
    });
    if (text.includes(null)) return null;
    const script = text.join('');
    return script.includes('${{') ? this.refuse('`${{`, which GitHub would replace', location) : script;
  }
}

export function githubActionsOf(machine: Machine): Exported {
  const fit = new Fit(machine);
  const order = fit.order();
  for (const { instruction, state } of instructionsOf(machine)) {
    const what = unsaidBy(instruction);
    const isReached = order.some((at) => machine.states[at]?.name === state);
    if (what !== null && isReached) fit.refuse(what, fit.locationOf(instruction));
  }
  const steps = order.flatMap((at) => {
    const { name, code } = machine.states[at] as Machine['states'][number];
    return code.flatMap((one) => (one.op === 'shell' ? (fit.step(one, name) ?? []) : []));
  });
  const inputs = machine.inputs.map((input) => [input.name, workflowInput(input, fit)] as const);
  for (const at of order) {
    const { handlers, code } = machine.states[at] as Machine['states'][number];
    const [first] = handlers.flatMap(({ pc, step }) => (step === true ? [] : (code[pc] ?? [])));
    if (first !== undefined) fit.refuse('ON ERROR', fit.locationOf(first));
  }
  if (machine.error !== null && machine.states[machine.error]?.builtin !== true)
    fit.refuse('a state ERROR', firstLocation(fit, machine, machine.error));
  if (steps.length === 0 && fit.problems.length === 0) fit.refuse('a program without commands', null);
  if (fit.problems.length > 0) return { problems: inOrder(fit.problems) };
  const workflow = {
    name: machine.name,
    on: { workflow_dispatch: inputs.length === 0 ? {} : { inputs: Object.fromEntries(inputs) } },
    permissions: { contents: 'read' },
    jobs: {
      [jobName(machine.name)]: {
        'runs-on': 'ubuntu-latest',
        steps: [{ uses: 'actions/checkout@v4' }, ...steps],
      },
    },
  };
  return { text: stringify(workflow, { lineWidth: 0 }) };
}

function firstLocation(fit: Fit, machine: Machine, at: number): UnsayableLocation | null {
  const first = machine.states[at]?.code[0];
  return first === undefined ? null : fit.locationOf(first);
}

function inOrder(problems: readonly Unsayable[]): Unsayable[] {
  return [...problems].sort((a, b) => (a.location?.line ?? 0) - (b.location?.line ?? 0));
}

/** Null: it can be said, or is checked as a command. */
function unsaidBy(instruction: Instruction): string | null {
  switch (instruction.op) {
    case 'shell':
    case 'goto':
    case 'fell-off':
      return instruction.op === 'goto' && instruction.args.length > 0 ? 'values that a GOTO passes on' : null;
    case 'return':
      return instruction.failed
        ? 'an end that is a failure'
        : instruction.value === null || instruction.value.op === 'const'
          ? null
          : 'a result';
    case 'unless':
      return 'a condition';
    case 'jump':
    case 'branch-end':
      return null;
    case 'agent':
      return 'a call of an agent';
    case 'ask':
      return 'a question';
    case 'fork':
    case 'fork-each':
      return 'commands at the same time';
    case 'each':
    case 'next':
      return instruction.op === 'each' ? 'a loop' : null;
    case 'sleep':
    case 'signal':
    case 'wait-start':
      return 'a WAIT';
    case 'undo':
    case 'rollback':
    case 'keep':
      return 'UNDO, ROLLBACK and KEEP';
    case 'set':
    case 'track':
    case 'increment':
      return 'a variable';
    case 'emit':
      return 'EMIT';
    case 'fail':
      return 'FAIL';
    case 'plan':
      return 'a plan or a CALL';
    case 'goto-dynamic':
      return 'a GOTO to a state that a value names';
    case 'argv':
    case 'function':
      return 'a command that is a list or a function';
    default:
      return instruction.op.startsWith('step-') || instruction.op.startsWith('gate-') ? 'a STEP' : null;
  }
}

function workflowInput({ name, value, choices, type, secret, optional }: Input, fit: Fit) {
  if (secret === true) fit.refuse(`the secret input \`${name}\``, null);
  if (type === 'list' || type === 'object') fit.refuse(`the input \`${name}\`, which is a ${type}`, null);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) fit.refuse(`the name of the input \`${name}\``, null);
  return {
    type: choices !== undefined ? 'choice' : type === 'number' || type === 'boolean' ? type : 'string',
    required: value === undefined && optional !== true,
    ...(value === undefined ? {} : { default: value }),
    ...(choices === undefined ? {} : { options: choices }),
  };
}

/** Names of jobs begin with a letter. */
function jobName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, '-');
  return /^[A-Za-z_]/.test(plain) ? plain : `job-${plain}`;
}
