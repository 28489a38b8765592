/**
 * The texts, conditions and arguments in the sections of a STEP, without those of inner blocks and of commands. Numbers and
 * guards are constants, and read nothing.
 */
import { unreachable } from '../../../prelude/unreachable.js';
import type { Argument, Option, StepNode } from '../ast.js';
import type { Expression, Template } from '../expression-nodes.js';
import type { ContextEntry, GateEntry, RetryCondition, WorkflowCall } from '../step-nodes.js';

/** Called with the pieces of a step, in no particular order. */
interface StepReader {
  template(template: Template): void;
  expression(expression: Expression): void;
  argument(argument: Argument): void;
}

export function readStep(i: StepNode, reader: StepReader): void {
  options(i.options, reader);
  for (const entry of i.context) context(entry, reader);
  if (i.prompt !== undefined) reader.template(i.prompt);
  if (i.run.kind === 'agent') reader.template(i.run.agent);
  if (i.run.kind === 'workflow') call(i.run.call, reader);
  for (const entry of i.gates) gate(entry, reader);
  for (const entry of i.retry?.entries ?? []) {
    for (const one of entry.conditions) condition(one, reader);
    for (const { value } of entry.overrides) reader.template(value);
  }
  options(i.each?.options ?? [], reader);
}

function options(list: readonly Option[], reader: StepReader): void {
  for (const { value } of list) if (value !== undefined) reader.template(value);
}

function call({ args }: WorkflowCall, reader: StepReader): void {
  for (const argument of args) reader.argument(argument);
}

function context(entry: ContextEntry, reader: StepReader): void {
  if (entry.kind === 'file') reader.template(entry.path);
  else if (entry.kind === 'workflow') call(entry.call, reader);
}

function gate(entry: GateEntry, reader: StepReader): void {
  switch (entry.kind) {
    case 'command':
    case 'coverage':
    case 'bash':
      return;
    case 'expr':
      return reader.expression(entry.condition);
    case 'schema':
      if (entry.path !== undefined) reader.template(entry.path);
      return;
    case 'touched':
    case 'untouched':
      for (const glob of entry.globs) reader.template(glob);
      return;
    case 'validate':
      return call(entry.call, reader);
    default:
      return unreachable(entry);
  }
}

function condition(one: RetryCondition, reader: StepReader): void {
  if (one.kind === 'validate') call(one.call, reader);
}
