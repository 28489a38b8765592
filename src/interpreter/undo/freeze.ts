/** Replaces everything that an instruction would evaluate by its current values. */
import type { Expr, Json, ShellTemplate, Template } from '../../machine/expression.js';
import type { FunctionArgument } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import { badValue, readable } from '../failure.js';
import type { ShellValue } from '../request.js';
import type { Thread } from '../run-state/thread.js';
import type { UndoInstruction } from '../run-state/undo-register.js';
import { compile } from '../values/evaluate.js';
import { printJson, render, withText } from '../values/json.js';
import { compileShellValues, compileTemplate } from '../values/template.js';
import { aType, isList, type Value } from '../values/value.js';

/** The instruction with its current values, and its text for people. */
type Freezer = (thread: Thread) => { readonly by: UndoInstruction; readonly text: string };

type UndoOf<K extends UndoInstruction['op']> = Extract<UndoInstruction, { op: K }>;
type UndoWork = UndoOf<'shell' | 'argv' | 'function' | 'agent'>;
type TemplateOption = { readonly template: Template } | undefined;

export function compileFreezer(by: UndoInstruction): Freezer {
  switch (by.op) {
    case 'shell':
      return shell(by);
    case 'argv':
      return argv(by);
    case 'function':
      return call(by);
    case 'agent':
      return agent(by);
    case 'plan':
      return plan(by);
    default:
      return unreachable(by);
  }
}

/** Numbers stay as they were written. */
const constant = (value: Value): Expr => ({ op: 'const', ...withText(readable(value) as Json) });

/** A list as options that are separated by commas. */
function optionText(template: Template): (t: Thread) => Template {
  const { value } = compileTemplate(template);
  return (t) => {
    const made = value(t);
    return [isList(made) ? made.map(render).join(',') : render(made)];
  };
}

function option<T>(given: T | TemplateOption): (t: Thread) => T | TemplateOption {
  if (given === undefined || typeof given !== 'object' || given === null || !('template' in given)) return () => given;
  const text = optionText(given.template);
  return (t) => ({ template: text(t) });
}

function optionalText(template: Template | undefined): (t: Thread) => Template | undefined {
  return template === undefined ? () => undefined : optionText(template);
}

/** The options of an effect. */
function options(by: UndoWork): (t: Thread) => Partial<UndoWork> {
  const [timeout, idle, cwd] = [optionalText(by.timeout), optionalText(by.idle), optionalText(by.cwd)];
  const [ok, retry, retryOn] = [option(by.ok), option(by.retry), option(by.retryOn)];
  const env = (by.env ?? []).map(({ name, value }) => ({ name, text: optionText(value) }));
  return (t) => {
    const limits = { timeout: timeout(t), idle: idle(t), cwd: cwd(t) };
    const frozen = { ...limits, ok: ok(t), retry: retry(t), retryOn: retryOn(t) };
    const known = Object.fromEntries(Object.entries(frozen).filter(([, value]) => value !== undefined));
    return by.env === undefined ? known : { ...known, env: env.map(({ name, text }) => ({ name, value: text(t) })) };
  };
}

function shell(by: UndoOf<'shell'>): Freezer {
  const { template } = by;
  const values = compileShellValues(template);
  const rest = options(by);
  return (t) => {
    const given = values(t);
    const frozen = fillTemplate(template, given);
    return { by: { ...by, ...rest(t), template: frozen } as UndoInstruction, text: templateText(template, given) };
  };
}

/** Each value replaces its expression, with its filter applied. */
function fillTemplate({ parts, ...template }: ShellTemplate, values: readonly ShellValue[]): ShellTemplate {
  let at = 0;
  const holes = parts.map((part) => {
    if (typeof part === 'string') return part;
    const value = values[at++] as ShellValue;
    const { filter, ...hole } = part;
    const kept = filter === 'file' || filter === 'path' ? { filter } : {};
    return { ...hole, ...kept, value: constant('list' in value ? [...value.list] : value.text) };
  });
  return { ...template, parts: holes };
}

function templateText({ parts }: ShellTemplate, values: readonly ShellValue[]): string {
  let at = 0;
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    const value = values[at++] as ShellValue;
    return 'list' in value ? value.list.join(' ') : value.text;
  });
  return texts.join('');
}

function argv(by: UndoOf<'argv'>): Freezer {
  const list = compile(by.list);
  const rest = options(by);
  return (t) => {
    const value = list(t);
    if (!isList(value)) throw badValue(`a command without a shell must be a list of texts, not ${aType(value)}`);
    const words = value.map(render);
    return { by: { ...by, ...rest(t), list: constant(words) } as UndoInstruction, text: words.join(' ') };
  };
}

function call(by: UndoOf<'function'>): Freezer {
  const args = by.args.map(({ template, list }) => ({ ...compileTemplate(template), list }));
  const rest = options(by);
  return (t) => {
    const words = args.flatMap(({ value, text, list }) => {
      const items = list === true ? value(t) : null;
      return isList(items ?? undefined) ? (items as readonly Value[]).map(render) : [text(t)];
    });
    const frozen = words.map((word): FunctionArgument => ({ template: [word] }));
    return { by: { ...by, ...rest(t), args: frozen } as UndoInstruction, text: [by.name, ...words].join(' ') };
  };
}

function agent(by: UndoOf<'agent'>): Freezer {
  const prompt = by.prompt === null ? null : compileTemplate(by.prompt).text;
  const output = by.output === undefined ? null : compileTemplate(by.output).text;
  const args = by.args.map(({ name, value }) => ({ name, value: compile(value) }));
  const rest = options(by);
  return (t) => {
    const said = prompt === null ? null : prompt(t);
    const frozen = {
      prompt: said === null ? null : [said],
      args: args.map(({ name, value }) => ({ name, value: constant(value(t)) })),
      ...omitUndefined({ output: output === null ? undefined : [output(t)] }),
    };
    const text = `Task(${by.agent})${said === null ? '' : ` ${JSON.stringify(said)}`}`;
    return { by: { ...by, ...rest(t), ...frozen } as UndoInstruction, text };
  };
}

function plan(by: UndoOf<'plan'>): Freezer {
  const args = by.args.map(({ name, value }) => ({ name, value: compile(value) }));
  const { timeout, retry, retryOn } = by.call ?? {};
  const [limit, tries, on] = [optionalText(timeout), option(retry), option(retryOn)];
  return (t) => {
    const given = args.map(({ name, value }) => ({ name, value: value(t) }));
    const found = { timeout: limit(t), retry: tries(t), retryOn: on(t) };
    const known = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
    const frozen = {
      args: given.map(({ name, value }) => ({ name, value: constant(value) })),
      ...omitUndefined({ call: by.call === undefined ? undefined : { ...by.call, ...known } }),
    };
    const words = given.map(({ name, value }) => `${name}=${printJson(value)}`);
    const called = by.text.replace(/\swith\s.*$/s, '');
    const text = words.length === 0 ? called : `${called} with ${words.join(', ')}`;
    return { by: { ...by, ...frozen } as UndoInstruction, text };
  };
}
