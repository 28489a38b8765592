/**
 * Instructions to the text of their own line, without the block below. One form each: a colon after every verb
 * except GOTO, USE, INCREMENT and RETURN in an action list, options of commands in brackets, all else bare.
 */
import type { Instruction, Option, Performed, ShellText, WaitFor } from '../syntax/ast.js';
import { formatArguments, formatExpression, type Source, sourceSlice, unreachable } from './format-expression.js';

/** The line of an instruction. `inList` is true in an action list. */
export function formatHead(source: Source, it: Instruction, inList: boolean): string {
  switch (it.kind) {
    case 'do':
    case 'check':
      return formatCommand(source, it);
    case 'parallel':
      return formatParallel(source, it);
    case 'for-each':
      return formatForEach(source, it);
    case 'emit':
      return formatEmit(it);
    case 'if':
      throw new Error('an IF is formatted arm by arm');
    case 'default':
      return 'DEFAULT:';
    case 'proceed':
      return 'PROCEED';
    case 'goto': {
      const target = it.target.kind === 'state' ? it.target.name.text : `{${it.target.name.text}}`;
      const end = endOfArguments(it.args) ?? it.target.name.span.end + (it.target.kind === 'state' ? 0 : 1);
      return `GOTO${inList ? '' : ':'} ${target}${formatArguments(source, it.args)}${tail(source, end, it.span.end)}`;
    }
    case 'use':
      return `USE${inList ? '' : ':'} ${it.pattern.text}${formatArguments(source, it.args)}`;
    case 'return':
      return formatReturn(source, it);
    case 'wait':
      return formatWait(source, it);
    case 'track':
      return formatTrack(source, it);
    case 'increment': {
      const by = it.by === undefined ? '' : ` by ${formatExpression(source, it.by)}`;
      return `INCREMENT${inList ? '' : ':'} ${it.name.text}${by}`;
    }
    case 'set':
      return `SET: ${it.name.text} ${it.operator} ${formatExpression(source, it.value)}`;
    case 'ask': {
      const bind = it.bind === undefined ? '' : ` → ${it.bind.text}`;
      const options = it.options.length === 0 ? '' : ` ${it.options.map(formatOption).join(' ')}`;
      return `ASK user: ${it.question?.raw ?? ''}${bind}${options}`;
    }
    case 'on-error':
      return it.errorKind === undefined ? 'ON ERROR: →' : `ON ERROR ${it.errorKind.text}: →`;
    case 'broken':
      return sourceSlice(source, it.span.start, it.span.end);
    default:
      return unreachable(it);
  }
}

type Of<Kind extends Instruction['kind']> = Extract<Instruction, { kind: Kind }>;

function formatReturn(source: Source, it: Of<'return'>): string {
  if (it.value !== undefined) return `RETURN with ${formatExpression(source, it.value)}`;
  return it.text === undefined ? 'RETURN' : `RETURN: ${it.text.raw}`;
}

function formatEmit(it: Of<'emit'>): string {
  if (it.event === undefined) return `EMIT: ${it.message?.raw ?? ''}`;
  const fields = it.fields.map((field) => {
    const text = `${field.name.text}=${field.value.raw}`;
    return field.optional ? ` [${text}]` : ` ${text}`;
  });
  return `EMIT: ${it.event.text}${fields.join('')}`;
}

/** Notes after the parts of an instruction that have a meaning: kept as they are. */
export function tail(source: Source, start: number, end: number): string {
  const text = sourceSlice(source, start, end).trim();
  return text.startsWith('(') || text.startsWith('[') ? ` ${text}` : '';
}

function endOfArguments(args: Of<'goto'>['args']): number | undefined {
  const last = args[args.length - 1];
  return last === undefined ? undefined : Math.max(last.span.end, last.value?.span.end ?? 0);
}

function formatTrack(source: Source, it: Of<'track'>): string {
  const head = `TRACK: ${it.name.text}`;
  const { value, name, span } = it;
  // `(starts at 3)` is a note that holds the value; it stays the note it is.
  if (value === undefined || !sourceSlice(source, name.span.end, value.span.start).trim().startsWith('='))
    return head + tail(source, name.span.end, span.end);
  return `${head} = ${formatExpression(source, value)}${tail(source, value.span.end, span.end)}`;
}

// ---- options ----------------------------------------------------------------------------------------

export function formatOption(option: Option): string {
  return option.value === undefined ? option.key.text : `${option.key.text}=${option.value.raw}`;
}

function bracketed(options: readonly Option[]): string {
  return options.length === 0 ? '' : ` [${options.map(formatOption).join(' ')}]`;
}

// ---- commands ---------------------------------------------------------------------------------------

function formatCommand(source: Source, it: Of<'do' | 'check'>): string {
  const style = it.kind === 'do' ? it.style : 'verb';
  const verb = it.kind === 'check' ? 'CHECK' : 'DO';
  const head = style === 'verb' ? `${verb}${bracketed(it.options)}:` : style === 'bullet' ? '-' : '';
  const text = commandText(source, it);
  return head === '' || text === '' ? head + text : `${head} ${text}`;
}

/** What stands after the colon; for a block of shell lines only what precedes it. */
function commandText(source: Source, it: Of<'do' | 'check'>): string {
  const { performed, bind } = it;
  const pipe = it.piped ? '|' : '';
  if (bind !== undefined && performed.kind === 'shell' && isCapture(source, bind.span.end, performed.shell))
    return `${bind.text}=$(${performed.shell.text})`;
  const binding = bind === undefined ? '' : `${bind.text} =`;
  return [binding, pipe, formatPerformed(source, performed)].filter((part) => part !== '').join(' ');
}

function isCapture(source: Source, bindEnd: number, shell: ShellText): boolean {
  return sourceSlice(source, bindEnd, shell.span.start).includes('$(');
}

function formatPerformed(source: Source, performed: Performed): string {
  switch (performed.kind) {
    case 'shell':
      return performed.shell.block ? '' : performed.shell.text;
    case 'argv':
      return formatExpression(source, performed.list);
    case 'agent': {
      const prompt = performed.prompt === undefined ? '' : ` ${performed.prompt.raw}`;
      const output = performed.output === undefined ? '' : ` > ${performed.output.raw}`;
      return `Task(${performed.agent.text})${prompt}${formatArguments(source, performed.args, true)}${output}`;
    }
    default:
      return unreachable(performed);
  }
}

/** Notes of a header, and the options that stand outside of them. A note of nothing but options is no note. */
function headerTail(source: Source, start: number, end: number, options: readonly Option[]) {
  const text = sourceSlice(source, start, end);
  const notes: string[] = [];
  let kept = options;
  for (const found of text.matchAll(/\((?:[^()]|\([^()]*\))*\)/g)) {
    const from = start + found.index;
    const inside = options.filter((option) => option.span.start > from && option.span.end < from + found[0].length);
    const words = inside.reduce((rest, option) => rest.replace(formatOption(option), ''), found[0].slice(1, -1));
    if (inside.length > 0 && words.replace(/[\s,]/g, '') === '') continue;
    notes.push(` ${found[0]}`);
    kept = kept.filter((option) => !inside.includes(option));
  }
  return { options: bracketed(kept), notes: notes.join('') };
}

function formatParallel(source: Source, it: Of<'parallel'>): string {
  const words = it.note === undefined ? '' : `${it.note.text} `;
  const start = it.note?.span.end ?? it.verb.span.end;
  const { options, notes } = headerTail(source, start, it.span.end, it.options);
  return `DO: ${words}in PARALLEL${options}${notes}:`;
}

function formatForEach(source: Source, it: Of<'for-each'>): string {
  const { options, notes } = headerTail(source, it.list.span.end, it.span.end, it.options);
  const parallel = it.parallel && !/(?<!\w)in[ \t]+PARALLEL(?!\w)/.test(notes) ? ' in PARALLEL' : '';
  const loop = `${it.variable.text} in ${formatExpression(source, it.list)}${parallel}${options}${notes}`;
  return it.afterDo ? `DO: FOR EACH ${loop}:` : `FOR EACH: ${loop}`;
}

// ---- WAIT -------------------------------------------------------------------------------------------

function formatWait(source: Source, it: Of<'wait'>): string {
  const timeout = it.timeout === undefined ? '' : ` OR timeout=${it.timeout.raw}`;
  const every = it.options.filter((option) => option.key.text === 'every');
  const notes = [
    ...sourceSlice(source, it.for.span.end, it.span.end).matchAll(/(?<=[\s\])])\((?:[^()]|\([^()]*\))*\)/g),
  ];
  return `WAIT: ${formatAwaited(source, it.for)}${timeout}${bracketed(every)}${notes.map((note) => ` ${note[0]}`).join('')}`;
}

function formatAwaited(source: Source, awaited: WaitFor): string {
  switch (awaited.kind) {
    case 'duration':
      return awaited.duration.raw;
    case 'condition':
      return formatExpression(source, awaited.condition);
    case 'signal':
      return `signal ${awaited.name.text}`;
    case 'members':
      return awaited.count === undefined ? 'All complete' : `All ${awaited.count} complete`;
    default:
      return unreachable(awaited);
  }
}
