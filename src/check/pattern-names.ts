/**
 * Names that a pattern's body reads. A pattern written under a Markdown heading declares no parameters, so what
 * it reads is what it can be given.
 */
import type { Argument, Block, Expression, Instruction, Option, ShellText, Template } from '../syntax/ast.js';
import { blocksOf } from '../syntax/step.js';
import { readStep } from '../syntax/steps/step-texts.js';
import { visitExpression, visitTemplate } from './free-names.js';

const INTERPOLATED = /(?<!\$)\{([A-Za-z_]\w*)(?:[.[?*:][^{}]*)?\}|[({,]\s*([A-Za-z_]\w*)/g;

/** Braces in prose: documents are full of lines that no verb begins, and what they name is meant all the same. */
const BRACES = /(?<!\$)\{([A-Za-z_]\w*)/g;

const known = new WeakMap<Block, ReadonlySet<string>>();

/** Names read in a block; `text` is the source of the file it stands in. */
export function namesReadIn(block: Block, text: string): ReadonlySet<string> {
  let names = known.get(block);
  if (names === undefined) {
    const found = new Set<string>();
    readBlock(block, found);
    for (const match of text.slice(block.span.start, block.span.end).matchAll(BRACES)) found.add(match[1] as string);
    names = found;
    known.set(block, names);
  }
  return names;
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
  const shell = ({ text }: ShellText): void => {
    for (const match of text.matchAll(INTERPOLATED)) into.add((match[1] ?? match[2]) as string);
  };
  const argument = ({ name, value }: Argument): void => {
    if (value?.kind === 'expression') expression(value.expression);
    else if (value === undefined) into.add(name.text);
  };
  switch (i.kind) {
    case 'do':
    case 'check':
      options(i.options);
      if (i.performed.kind === 'shell') shell(i.performed.shell);
      else if (i.performed.kind === 'argv') expression(i.performed.list);
      else {
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
      return expression(i.value);
    case 'fail':
      template(i.text);
      return i.args.forEach(argument);
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
      readStep(i, { template, expression, shell, argument });
      for (const block of blocksOf(i)) readBlock(block, into);
      return;
    case 'proceed':
    case 'broken':
      return;
  }
}

function readArguments(args: readonly Argument[], into: Set<string>): void {
  for (const { name, value } of args) {
    if (value === undefined) into.add(name.text);
    else if (value.kind === 'expression')
      visitExpression(value.expression, (e) => void (e.kind === 'name' && into.add(e.name)));
  }
}
