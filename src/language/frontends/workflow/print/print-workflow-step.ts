/** Prints a step as a mapping of YAML, with its parts grouped under `get` and `run`. */
import yaml, { type Node, type Pair, type Scalar, type YAMLMap } from 'yaml';
import { unreachable } from '../../../../prelude/unreachable.js';
import type { Block, Instruction, Option, StepNode } from '../../../syntax/ast.js';
import type {
  ContextEntry,
  EachTask,
  GateEntry,
  RetryEntry,
  StepRun,
  WorkflowCall,
} from '../../../syntax/step-nodes.js';
import { type AttachedComments, noComments } from '../../../syntax/steps/attached-comments.js';
import {
  argumentsMap,
  type Printing,
  plainValue,
  reportNoForm,
  scalarOf,
  shellText,
  sliceOf,
  templateText,
} from './print-values.js';

type Pairs = YamlEntry[];

export function printStep(printing: Printing, step: StepNode): YAMLMap {
  const { comments } = printing;
  // Such a block contains only steps: another instruction among them is a mistake of the program.
  const printInner = (block: Block): unknown[] =>
    block.instructions.flatMap((one) => (one.kind === 'step' ? [printStep(printing, one)] : []));
  const memos = step.options.filter(({ key }) => key.text === 'memo');
  for (const option of step.options)
    if (!memos.includes(option)) reportNoForm(printing, option.span, `the option \`${option.key.text}\``);
  const pairs: Pairs = [['name', step.name.text]];
  if (step.type !== undefined) pairs.push(['type', step.type.text]);
  if (memos.length > 0) pairs.push(['memo', memoValue(printing, memos)]);
  const get = getPairs(printing, step);
  if (get.length > 0) pairs.push(['get', mapOf(get, comments)]);
  pairs.push(...runPairs(printing, step.run, printInner));
  if (step.gates.length > 0) pairs.push(['gate', gateList(printing, step.gates)]);
  if (step.retry !== undefined) {
    const entries = step.retry.entries.map((entry) => retryEntry(printing, entry));
    pairs.push(['retry', entries, step.retry.span.start]);
  }
  if (step.each !== undefined) pairs.push(...eachPairs(printing, step.each, printInner));
  const node = withBelow(mapOf(pairs, comments), comments.below(step.span.start));
  return itemOf(node, [step.span.start], comments) as YAMLMap;
}

function eachPairs(printing: Printing, each: EachTask, inner: (block: Block) => unknown[]): Pairs {
  const { parallel, options, of, steps, span } = each;
  if (of !== undefined) reportNoForm(printing, of.span, '`EACH` of another step');
  const max = options.find(({ key }) => key.text === 'max')?.value;
  for (const option of options)
    if (option.key.text !== 'max') reportNoForm(printing, option.span, `the option \`${option.key.text}\``);
  if (max !== undefined && !parallel) reportNoForm(printing, span, '`max` without `parallel`');
  const at: Pairs = parallel ? [['parallel', max === undefined ? true : scalarOf(printing, max)]] : [];
  return [...at, ['each', inner(steps), span.start]];
}

function getPairs(printing: Printing, { prompt, context, session }: StepNode): Pairs {
  const { comments } = printing;
  const pairs: Pairs = [];
  if (prompt !== undefined) pairs.push(['prompt', promptText(templateText(printing, prompt, true)), prompt.span.start]);
  if (context.length > 0)
    pairs.push([
      'context',
      context.map((entry) => itemOf(contextEntry(printing, entry), [entry.span.start], comments)),
    ]);
  if (session !== undefined) {
    const value = session.kind === 'new' ? 'new' : flow({ from: session.step.text });
    pairs.push(['session', value, session.span.start]);
  }
  return pairs;
}

/** The line end after a block belongs to YAML. */
function promptText(text: string): string {
  return text.includes('\n') ? `${text}\n` : text;
}

function contextEntry(printing: Printing, entry: ContextEntry): unknown {
  switch (entry.kind) {
    case 'file':
      return plainMap([['file', templateText(printing, entry.path)]]);
    case 'bash':
      return plainMap([['bash', shellText(entry.shell)]]);
    case 'workflow':
      return plainMap(callPairs(printing, 'workflow', entry.call));
    case 'value':
      return reportNoForm(printing, entry.span, `the value \`${entry.title}\` of a context`);
    default:
      return unreachable(entry);
  }
}

const plainMap = (pairs: Pairs): YAMLMap => mapOf(pairs, noComments);

function callPairs(printing: Printing, key: string, { name, args }: WorkflowCall, ...parts: number[]): Pairs {
  const pairs: Pairs = [[key, name.text, ...parts]];
  if (args.length > 0) pairs.push(['with', argumentsMap(printing, args)]);
  return pairs;
}

function runPairs(printing: Printing, run: StepRun, inner: (block: Block) => unknown[]): Pairs {
  switch (run.kind) {
    case 'agent': {
      const pairs: Pairs = [['agent', templateText(printing, run.agent), run.span.start]];
      const guards = run.guards.map((one) => guardPair(printing, one));
      const starts = run.guards.map(({ span }) => span.start);
      if (guards.length > 0) pairs.push(['guard', flow(new Map(guards)), ...starts]);
      return [['run', mapOf(pairs, printing.comments)]];
    }
    case 'workflow':
      return callPairs(printing, 'workflow', run.call, run.call.span.start);
    case 'body': {
      const { comments } = printing;
      const { instructions } = run.body;
      const commands = instructions.map((one) => itemOf(commandText(printing, one), [one.span.start], comments));
      const [only, more] = commands;
      return [
        ['run', mapOf([['bash', more === undefined && only?.commentBefore == null ? only : commands]], comments)],
      ];
    }
    case 'group':
      return [...(run.parallel ? ([['parallel', true]] as Pairs) : []), ['steps', inner(run.steps)]];
    case 'none':
      return [];
    default:
      return unreachable(run);
  }
}

/** `memo` as it is read: a value that says yes, one pattern, or several. */
function memoValue(printing: Printing, memos: readonly Option[]): unknown {
  const values = memos.map(({ value }) => (value === undefined ? true : scalarOf(printing, value)));
  return values.length === 1 ? values[0] : flow(values);
}

function guardPair(printing: Printing, { key, value }: Option): [string, unknown] {
  return [key.text, value === undefined ? true : scalarOf(printing, value)];
}

/** A workflow file can contain only plain commands, without names for their results. */
function commandText(printing: Printing, one: Instruction): string | null {
  const help = 'a step of a workflow file can only run an agent, a workflow, or plain commands';
  if (one.kind !== 'do') return reportNoForm(printing, one.verb.span, `\`${one.verb.text}\` in a step`, help);
  const { performed, bind, piped, options } = one;
  if (performed.kind !== 'shell' || bind !== undefined || piped || options.length > 0)
    return reportNoForm(printing, one.verb.span, 'a `DO` that is more than a command', help);
  return shellText(performed.shell);
}

function gateList(printing: Printing, gates: readonly GateEntry[]): unknown {
  const { comments } = printing;
  const list = gates.map((gate) => gateNode(printing, gate));
  const [first = 0, ...others] = gates.map(({ span }) => span.start);
  const isBare = comments.above(first, ...others).length + comments.atEnd(first, ...others).length === 0;
  if (isBare && list.every((one) => typeof one === 'string')) return flow(list);
  return list.map((one, n) => itemOf(one, [gates[n]?.span.start ?? first], comments));
}

function gateNode(printing: Printing, gate: GateEntry): unknown {
  const value = gateValue(printing, gate);
  // A program may write `DO:` for `bash:`.
  const word = gate.kind === 'command' ? gate.word.text : gate.kind;
  if (value === undefined && gate.label === undefined) return word;
  const pairs: Pairs = gate.kind === 'validate' ? callPairs(printing, 'validate', gate.call) : [[word, value ?? null]];
  if (gate.label !== undefined) pairs.push(['as', gate.label.text]);
  return plainMap(pairs);
}

/** Undefined for a gate that consists of its word. */
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

function retryEntry(printing: Printing, entry: RetryEntry): unknown {
  const { comments } = printing;
  const { conditions, overrides } = entry;
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
    if (name === null) reportNoForm(printing, span, `\`${word.text}\` of a retry`);
    else {
      const text = name === 'prompt' ? promptText(templateText(printing, value, true)) : templateText(printing, value);
      pairs.push([name, text, ...(span.start === entry.span.start ? [] : [span.start])]);
    }
  }
  return itemOf(mapOf(pairs, comments), [entry.span.start], comments);
}

/** In flow style: in braces or brackets, on one line. */
function flow(value: unknown): yaml.Node {
  return new yaml.Document(null).createNode(value, { flow: true });
}

/** A key with its value, and the offsets of the parts that it prints. */
export type YamlEntry = readonly [key: string, value: unknown, ...parts: number[]];

/** A mapping with keys in the given order. */
export function mapOf(entries: readonly YamlEntry[], comments: AttachedComments): YAMLMap {
  const map = new yaml.YAMLMap();
  for (const [key, value, ...parts] of entries) {
    const name = new yaml.Scalar(key);
    const node = nodeOf(value);
    const above = [...comments.above(...parts), ...endsOf(node, comments.atEnd(...parts))];
    if (above.length > 0) name.commentBefore = commentText(above);
    map.items.push(new yaml.Pair(name, node) as Pair);
  }
  return map;
}

/** An item of a list. A comment at the end of its line goes to the end of its first line. */
export function itemOf(value: unknown, parts: readonly number[], comments: AttachedComments): Node {
  const node = nodeOf(value);
  const first = yaml.isMap(node) ? (node.items[0]?.value as Node | undefined) : node;
  const above = [...comments.above(...parts), ...endsOf(first ?? node, comments.atEnd(...parts))];
  if (above.length > 0) node.commentBefore = commentText(above);
  return node;
}

/** Comments at the end of a step are after its last key. */
function withBelow(map: YAMLMap, below: readonly string[]): YAMLMap {
  if (below.length > 0) map.comment = commentText(below);
  return map;
}

/** The form for the YAML library, which treats an empty comment line as a blank line. */
export function commentText(comments: readonly string[]): string {
  return comments.map((text) => text.slice(1) || ' ').join('\n');
}

function nodeOf(value: unknown): Node {
  return yaml.isNode(value) ? (value as Node) : new yaml.Document(null).createNode(value);
}

/** Puts a comment at the end of the line of a value. Returns the comments that do not fit there. */
function endsOf(node: Node, ends: readonly string[]): readonly string[] {
  const [only, more] = ends;
  const isLine = yaml.isScalar(node) ? !isBlock(node) : yaml.isCollection(node) && node.flow === true;
  if (only === undefined || more !== undefined || !isLine || node.comment != null) return ends;
  node.comment = commentText([only]);
  return [];
}

function isBlock({ value }: Scalar): boolean {
  return typeof value === 'string' && value.includes('\n');
}
