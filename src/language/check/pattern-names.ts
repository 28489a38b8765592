/**
 * Finds the names that a pattern's body reads. A pattern under a Markdown heading declares no parameters: the names
 * that it reads are its parameters.
 */
import type { Argument, BareNode, Block, Instruction, Option } from '../syntax/ast.js';
import { childBlocks } from '../syntax/child-blocks.js';
import type { Expression, Template } from '../syntax/expression-nodes.js';
import { blocksOf } from '../syntax/step-nodes.js';
import { readStep } from '../syntax/steps/step-texts.js';
import { readBrace, scanInterpolation } from '../syntax/tree/interpolation.js';
import { visitExpression, visitTemplate } from './free-names.js';

const readNames = new WeakMap<Block, ReadonlySet<string>>();

/** The names that a block reads; `text` is the source of its file. */
export function namesReadIn(block: Block, text: string): ReadonlySet<string> {
  let names = readNames.get(block);
  if (names === undefined) {
    const found = new Set<string>();
    readBlock(block, found);
    readBraces(text.slice(block.span.start, block.span.end), found);
    names = found;
    readNames.set(block, names);
  }
  return names;
}

/**
 * Finds values in braces, in commands and in prose, because documents contain many lines without a verb. `${x}` belongs
 * to the shell, and `{{x}}` and `\{x}` are texts.
 */
function readBraces(text: string, into: Set<string>): void {
  const offsetIn = (offset: number): number => offset;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const before = text[at - 1];
    const found =
      before === '$' || before === '\\'
        ? null
        : text[at + 1] === '{'
          ? doubledBrace(text, at)
          : scanInterpolation(text, at, 0, offsetIn, true);
    if (found !== null && 'interpolation' in found && found.interpolation !== undefined)
      visitExpression(found.interpolation.expression, (e) => void (e.kind === 'name' && into.add(e.name)));
    at = found === null ? at + 1 : found.end;
  }
}

function doubledBrace(text: string, at: number) {
  const { found, end } = readBrace(text, at, 0, (offset) => offset);
  return { interpolation: found, end };
}

/**
 * The names that a body binds itself: these are not parameters. `resultNames` are the names of results of unnamed
 * CHECKs.
 */
export function namesBoundIn(
  block: Block,
  resultNames: ReadonlyMap<Instruction, string>,
  into = new Set<string>(),
): Set<string> {
  const add = (name: { readonly text: string } | undefined): void => void (name !== undefined && into.add(name.text));
  for (const i of block.instructions) {
    switch (i.kind) {
      case 'check':
        into.add(i.bind?.text ?? resultNames.get(i) ?? '');
        break;
      case 'do':
      case 'call':
        add(i.bind);
        break;
      case 'ask':
        into.add(i.bind?.text ?? 'answer');
        break;
      case 'for-each':
        add(i.variable);
        add(i.bind);
        add(i.options.some(({ key }) => key.text === 'on_failure') ? { text: 'failures' } : undefined);
        break;
      case 'parallel':
        add(i.bind);
        add(i.options.some(({ key }) => key.text === 'on_failure') ? { text: 'failures' } : undefined);
        break;
      case 'wait':
        into.add('timed_out');
        if (i.for.kind === 'signal') add(i.for.name);
        break;
      case 'track':
        add(i.name);
        break;
      default:
        break;
    }
    for (const inner of childBlocks(i)) namesBoundIn(inner, resultNames, into);
  }
  return into;
}

function readBlock(block: Block, into: Set<string>): void {
  for (const i of block.instructions) readInstruction(i, into);
}

function readInstruction(i: Instruction, into: Set<string>): void {
  const expression = (e: Expression | undefined): void => {
    if (e) visitExpression(e, (x) => void (x.kind === 'name' && into.add(x.name)));
  };
  const template = (t: Template | undefined): void => {
    if (t) visitTemplate(t, (x) => void (x.kind === 'name' && into.add(x.name)));
  };
  const options = (list: readonly Option[]): void => {
    for (const option of list) template(option.value);
  };
  const argument = ({ name, value }: Argument): void => {
    if (value?.kind === 'expression') expression(value.expression);
    else if (value === undefined) into.add(name.text);
  };
  switch (i.kind) {
    case 'do':
    case 'check':
      options(i.options);
      if (i.performed.kind === 'argv') expression(i.performed.list);
      else if (i.performed.kind === 'agent') {
        template(i.performed.prompt);
        template(i.performed.output);
        i.performed.args.forEach(argument);
      }
      if (i.kind === 'do') expression(i.expression);
      return;
    case 'parallel':
      options(i.options);
      return readBlock(i.members, into);
    case 'for-each':
      options(i.options);
      expression(i.list);
      return readBlock(i.body, into);
    case 'emit':
      template(i.message);
      for (const field of i.fields) template(field.value);
      return;
    case 'if':
      for (const arm of i.arms) {
        expression(arm.condition);
        readBlock(arm.body, into);
      }
      if (i.otherwise) readBlock(i.otherwise.body, into);
      return;
    case 'default':
    case 'on-error':
      return readBlock(i.body, into);
    case 'call':
      options(i.options);
      return readArguments(i.args, into);
    case 'goto':
    case 'use':
      if (i.kind === 'goto' && i.target.kind === 'parameter') into.add(i.target.name.text);
      return i.args.forEach(argument);
    case 'return':
      template(i.text);
      expression(i.value);
      i.args?.forEach(argument);
      // A word or a path may be text.
      return /^(?:name|field|maybe)$/.test(i.expression?.kind ?? 'name') ? undefined : expression(i.expression);
    case 'undo':
      return readInstruction(i.by, into);
    case 'wait':
      template(i.timeout);
      options(i.options);
      if (i.for.kind === 'condition') expression(i.for.condition);
      if (i.for.kind === 'duration') template(i.for.duration);
      if (i.body) readBlock(i.body, into);
      return;
    case 'track':
      return expression(i.value);
    case 'increment':
      return expression(i.by);
    case 'set':
      return expression(i.value);
    case 'ask':
      template(i.question);
      return options(i.options);
    case 'step':
      readStep(i, { template, expression, argument });
      for (const block of blocksOf(i)) readBlock(block, into);
      return;
    default:
      if ('args' in i) {
        template(i.text);
        return i.args.forEach(argument);
      }
      i satisfies BareNode;
  }
}

function readArguments(args: readonly Argument[], into: Set<string>): void {
  for (const { name, value } of args) {
    if (value === undefined) into.add(name.text);
    else if (value.kind === 'expression')
      visitExpression(value.expression, (e) => void (e.kind === 'name' && into.add(e.name)));
  }
}
