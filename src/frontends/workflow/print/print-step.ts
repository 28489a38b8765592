/** A step as a mapping of YAML, its parts sorted under `get` and `run`. */
import yaml, { type Document, type YAMLMap } from 'yaml';
import type { Block, Instruction, Option } from '../../../syntax/ast.js';
import type { ContextEntry, GateEntry, RetryEntry, StepRun, WorkflowCall } from '../../../syntax/step.js';
import {
  argumentsMap,
  cannot,
  type Printing,
  plainValue,
  scalarOf,
  shellText,
  sliceOf,
  templateText,
} from './print-values.js';

export type Step = Extract<Instruction, { kind: 'step' }>;
type Pairs = [key: string, value: unknown][];

/** What a step is printed with: the document that its nodes belong to, and the comments above steps. */
export function printStep(
  printing: Printing,
  document: Document,
  step: Step,
  commentOf: (step: Step) => string | null,
): YAMLMap {
  const inner = (block: Block): unknown[] =>
    block.instructions.flatMap((one) => {
      if (one.kind === 'step') return [printStep(printing, document, one, commentOf)];
      cannot(printing, one.verb.span, `\`${one.verb.text}\` beside steps`);
      return [];
    });
  for (const option of step.options) cannot(printing, option.span, `the option \`${option.key.text}\``);
  const pairs: Pairs = [['name', step.name.text]];
  if (step.type !== undefined) pairs.push(['type', step.type.text]);
  const get = getPairs(printing, step);
  if (get.length > 0) pairs.push(['get', mapOf(get)]);
  pairs.push(...runPairs(printing, step.run, inner));
  if (step.gates.length > 0) pairs.push(['gate', gateList(printing, step.gates)]);
  if (step.retry !== undefined) pairs.push(['retry', step.retry.entries.map((entry) => retryEntry(printing, entry))]);
  if (step.each !== undefined) {
    const { parallel, options, of, steps, span } = step.each;
    if (of !== undefined) cannot(printing, of.span, '`EACH` of another step');
    const max = options.find(({ key }) => key.text === 'max')?.value;
    for (const option of options)
      if (option.key.text !== 'max') cannot(printing, option.span, `the option \`${option.key.text}\``);
    if (max !== undefined && !parallel) cannot(printing, span, '`max` without `parallel`');
    if (parallel) pairs.push(['parallel', max === undefined ? true : scalarOf(printing, max)]);
    pairs.push(['each', inner(steps)]);
  }
  const node = document.createNode(mapOf(pairs)) as YAMLMap;
  const comment = commentOf(step);
  if (comment !== null) node.commentBefore = comment;
  return node;
}

/** A mapping that takes any key, in this order. */
function mapOf(pairs: Pairs): Map<string, unknown> {
  return new Map(pairs);
}

function getPairs(printing: Printing, { prompt, context, session }: Step): Pairs {
  const pairs: Pairs = [];
  if (prompt !== undefined) pairs.push(['prompt', promptText(templateText(printing, prompt, true))]);
  if (context.length > 0) pairs.push(['context', context.map((entry) => contextEntry(printing, entry))]);
  if (session !== undefined)
    pairs.push(['session', session.kind === 'new' ? 'new' : flow(mapOf([['from', session.step.text]]))]);
  return pairs;
}

/** The line end behind a block is YAML's own. */
function promptText(text: string): string {
  return text.includes('\n') ? `${text}\n` : text;
}

function contextEntry(printing: Printing, entry: ContextEntry): unknown {
  switch (entry.kind) {
    case 'file':
      return mapOf([['file', templateText(printing, entry.path)]]);
    case 'bash':
      return mapOf([['bash', shellText(entry.shell)]]);
    case 'workflow':
      return mapOf(callPairs(printing, 'workflow', entry.call));
    case 'value':
      return cannot(printing, entry.span, `the value \`${entry.title}\` of a context`);
    default:
      return unreachable(entry);
  }
}

function callPairs(printing: Printing, key: string, { name, args }: WorkflowCall): Pairs {
  const pairs: Pairs = [[key, name.text]];
  if (args.length > 0) pairs.push(['with', argumentsMap(printing, args)]);
  return pairs;
}

function runPairs(printing: Printing, run: StepRun, inner: (block: Block) => unknown[]): Pairs {
  switch (run.kind) {
    case 'agent': {
      const pairs: Pairs = [['agent', templateText(printing, run.agent)]];
      if (run.guards.length > 0) pairs.push(['guard', flow(mapOf(run.guards.map((one) => guardPair(printing, one))))]);
      return [['run', mapOf(pairs)]];
    }
    case 'workflow':
      return callPairs(printing, 'workflow', run.call);
    case 'body': {
      const commands = run.body.instructions.flatMap((one) => commandText(printing, one) ?? []);
      return [['run', mapOf([['bash', commands.length === 1 ? commands[0] : commands]])]];
    }
    case 'group':
      return [...(run.parallel ? ([['parallel', true]] as Pairs) : []), ['steps', inner(run.steps)]];
    case 'none':
      return [];
    default:
      return unreachable(run);
  }
}

function guardPair(printing: Printing, { key, value }: Option): [string, unknown] {
  return [key.text, value === undefined ? true : scalarOf(printing, value)];
}

/** Only a plain command can stand in a workflow file: it has no names that others read. */
function commandText(printing: Printing, one: Instruction): string | null {
  const help = 'a step of a workflow file runs an agent, a workflow, or plain commands';
  if (one.kind !== 'do') return cannot(printing, one.verb.span, `\`${one.verb.text}\` in a step`, help);
  const { performed, bind, piped, options } = one;
  if (performed.kind !== 'shell' || bind !== undefined || piped || options.length > 0)
    return cannot(printing, one.verb.span, 'a `DO` that is more than a command', help);
  return shellText(performed.shell);
}

function gateList(printing: Printing, gates: readonly GateEntry[]): unknown {
  const list = gates.map((gate) => gateNode(printing, gate));
  return list.every((one) => typeof one === 'string') ? flow(list) : list;
}

function gateNode(printing: Printing, gate: GateEntry): unknown {
  const value = gateValue(printing, gate);
  // A program may write `DO:` for `bash:`; only a command is known by its word alone.
  const word = gate.kind === 'command' ? gate.word.text : gate.kind;
  if (value === undefined && gate.label === undefined) return word;
  const pairs: Pairs = gate.kind === 'validate' ? callPairs(printing, 'validate', gate.call) : [[word, value ?? null]];
  if (gate.label !== undefined) pairs.push(['as', gate.label.text]);
  return mapOf(pairs);
}

/** Undefined for a gate that is its word. */
function gateValue(printing: Printing, gate: GateEntry): unknown {
  switch (gate.kind) {
    case 'command':
      return undefined;
    case 'coverage':
      return plainValue(printing, gate.least);
    case 'schema':
      return gate.path === undefined ? undefined : templateText(printing, gate.path);
    case 'touched':
    case 'untouched': {
      const globs = gate.globs.map((glob) => templateText(printing, glob));
      return globs.length === 1 ? globs[0] : flow(globs);
    }
    case 'bash':
      return shellText(gate.shell);
    case 'expr':
      return sliceOf(printing, gate.condition.span);
    case 'validate':
      return gate.call.name.text;
    default:
      return unreachable(gate);
  }
}

function retryEntry(printing: Printing, { conditions, overrides }: RetryEntry): unknown {
  const pairs: Pairs = [];
  for (const condition of conditions) {
    switch (condition.kind) {
      case 'attempt':
      case 'exit':
        pairs.push([condition.kind, plainValue(printing, condition.number)]);
        break;
      case 'not':
        pairs.push(['not', condition.gate.text]);
        break;
      case 'validate':
        pairs.push(...callPairs(printing, 'validate', condition.call));
        break;
      default:
        unreachable(condition);
    }
  }
  for (const { name, word, value, span } of overrides) {
    if (name === null) cannot(printing, span, `\`${word.text}\` of a retry`);
    else
      pairs.push([
        name,
        name === 'prompt' ? promptText(templateText(printing, value, true)) : templateText(printing, value),
      ]);
  }
  return mapOf(pairs);
}

/** In braces or brackets, on one line. */
function flow(value: unknown): yaml.Node {
  return new yaml.Document(null).createNode(value, { flow: true });
}

function unreachable(node: never): never {
  throw new Error(`no part of a step: ${JSON.stringify(node)}`);
}
