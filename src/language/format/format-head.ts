/**
 * Prints the line of an instruction or a declaration without the lines below it. On its own line, a verb gets a colon.
 * In an action list, the author's choice is kept.
 */
import { unreachable } from '../../prelude/unreachable.js';
import type { Arm, BareNode, Block, Declaration, Instruction, Otherwise, Performed } from '../syntax/ast.js';
import { callHead } from './format-call.js';
import { formatExpression } from './format-expression.js';
import { bracketOptions, fieldsText, notesText, optionsAndNotes, optionText, withText } from './format-parts.js';
import { colonFollows, gap, type SourceText, slice } from './source-text.js';
import { stepHead } from './step-text.js';

type Kind<K extends Instruction['kind']> = Extract<Instruction, { kind: K }>;

export function instructionHead(i: Instruction, source: SourceText, inList: boolean): string {
  const verb = (name: string) => (inList && !colonFollows(source, i.verb.span.end) ? name : `${name}:`);
  switch (i.kind) {
    case 'do':
    case 'check':
      return commandHead(i, source, inList);
    case 'parallel':
      return parallelHead(i, source, verb('DO'));
    case 'for-each':
      return forEachHead(i, source, inList);
    case 'emit':
      return `${verb('EMIT')} ${i.message?.raw ?? i.event?.text ?? ''}${fieldsText(i.fields, eventEnd(i), source)}`;
    case 'if':
      return armHead(i.arms[0] as Arm, 'IF', source, inList);
    case 'default':
      return `DEFAULT:${actionsText(i.body, i.verb.span.end, source)}`;
    case 'on-error':
      return `ON ERROR${i.errorKind === undefined ? '' : ` ${i.errorKind.text}`}: →${actionsText(i.body, i.verb.span.end, source)}`;
    case 'goto':
      return `${verb('GOTO')} ${gotoTarget(i)}${argsAndNotes(i, i.target.name.span.end, source)}`;
    case 'use':
      return `${verb('USE')} ${i.pattern.text}${argsAndNotes(i, i.pattern.span.end, source)}`;
    case 'return':
      return returnHead(i, source, verb('RETURN'));
    case 'undo':
      return undoHead(i, source, inList);
    case 'wait':
      return waitHead(i, source, verb('WAIT'));
    case 'track':
      return `${verb('TRACK')} ${i.name.text}${trackedValue(i, source)}`;
    case 'increment':
      return `${verb('INCREMENT')} ${i.name.text}${step(i, source)}`;
    case 'set':
      return `${verb('SET')} ${i.name.text} ${i.operator} ${formatExpression(i.value, source)}${notesText(i.value.span.end, i.span.end, source)}`;
    case 'ask':
      return askHead(i, source, inList);
    case 'call':
      return callHead(i, source, inList);
    case 'step':
      return `STEP: ${stepHead(i, optionText)}`;
    case 'broken':
      return slice(source, i.span).trimEnd();
    default:
      if ('args' in i)
        return `${verb(i.kind.toUpperCase())} ${i.text?.raw ?? ''}${withText(i.args, i.text?.span.end ?? i.verb.span.end, source)}`;
      i satisfies BareNode;
      return i.kind.toUpperCase();
  }
}

/** `IF: condition →` and its actions. */
export function armHead(arm: Arm, name: 'IF' | 'ELSE IF', source: SourceText, inList = false): string {
  const colon = inList && !colonFollows(source, arm.verb.span.end) ? '' : ':';
  const condition = formatExpression(arm.condition, source);
  return `${name}${colon} ${condition} →${actionsText(arm.body, arm.condition.span.end, source)}`;
}

export function otherwiseHead({ body, verb }: Otherwise, source: SourceText): string {
  return `ELSE →${actionsText(body, verb.span.end, source)}`;
}

/** The actions of a list after a space, or nothing if the block is below. */
function actionsText(body: Block, from: number, source: SourceText): string {
  if (!body.inline) return '';
  let end = from;
  return body.instructions
    .map((action, i) => {
      const space = gap(source, end, action.span.start);
      end = action.span.end;
      return `${i > 0 ? ',' : ''}${space}${instructionHead(action, source, true)}`;
    })
    .join('');
}

// ---- commands ---------------------------------------------------------------------------------------

function commandHead(i: Kind<'do' | 'check'>, source: SourceText, inList: boolean): string {
  const bare = i.kind === 'do' && i.style !== 'verb';
  const colon = inList && !colonFollows(source, i.verb.span.end) ? '' : ':';
  const verb = bare ? [] : [`${i.kind === 'do' ? 'DO' : 'CHECK'}${bracketOptions(i.options)}${colon}`];
  const { bind, performed } = i;
  const start = performed.kind === 'shell' ? performed.shell.span.start : performed.span.start;
  const before = bind === undefined ? '' : source.text.slice(bind.span.end, start);
  const command = performedText(performed, source);
  if (bind === undefined) return [...verb, ...(i.piped ? ['|'] : []), ...(command === '' ? [] : [command])].join(' ');
  const bound = before.includes('$(')
    ? [`${bind.text}=$(${command})`]
    : [`${bind.text} =`, ...(command === '' ? [] : [command])];
  if (!i.piped) return [...verb, ...bound].join(' ');
  return [...verb, ...(before.includes('|') ? [bound[0], '|', ...bound.slice(1)] : ['|', ...bound])].join(' ');
}

function undoHead({ verb, by }: Kind<'undo'>, source: SourceText, inList: boolean): string {
  const colon = inList && !colonFollows(source, verb.span.end) ? '' : ':';
  const head = `UNDO${bracketOptions(by.options)}${colon}`;
  if (by.kind === 'call') return `${head} ${callHead({ ...by, options: [] }, source, true)}`;
  const command = performedText(by.performed, source);
  const bound = by.bind === undefined ? '' : ` ${by.bind.text} =`;
  return `${head}${by.piped ? ' |' : ''}${bound}${command === '' ? '' : ` ${command}`}`;
}

/** The text on the line itself. The lines of a block are below it. */
function performedText(performed: Performed, source: SourceText): string {
  switch (performed.kind) {
    case 'shell':
      return performed.shell.block ? '' : performed.shell.text;
    case 'argv':
      return formatExpression(performed.list, source);
    case 'agent': {
      const { agent, prompt, args, output } = performed;
      const call = `Task(${agent.text})`;
      const isBlock = prompt?.quote === 'none';
      if (isBlock) return `${call}${withText(args, agent.span.end, source)}:`;
      const said = prompt === undefined ? '' : `${gap(source, agent.span.end, prompt.span.start)}${prompt.raw}`;
      const given = withText(args, prompt?.span.end ?? agent.span.end, source);
      return `${call}${said}${given}${output === undefined ? '' : ` > ${output.raw}`}`;
    }
    default:
      return unreachable(performed);
  }
}

function parallelHead(i: Kind<'parallel'>, source: SourceText, verb: string): string {
  const words = `${i.bind === undefined ? '' : `${i.bind.text} = `}${i.note === undefined ? '' : `${i.note.text} `}`;
  const from = i.note?.span.end ?? i.bind?.span.end ?? i.verb.span.end;
  // The words before `in PARALLEL` keep the options in them.
  const others = i.options.filter(({ span }) => i.note === undefined || span.start >= i.note.span.end);
  const { options, notes } = optionsAndNotes(others, from, i.span.end, source);
  return `${verb} ${words}in PARALLEL${options}${notes}`;
}

function forEachHead(i: Kind<'for-each'>, source: SourceText, inList: boolean): string {
  const colon = inList && !colonFollows(source, i.verb.span.end) ? '' : ':';
  const bound = i.bind === undefined ? '' : ` ${i.bind.text} =`;
  const verb = i.afterDo ? `DO${colon}${bound} FOR EACH` : `FOR EACH${colon}`;
  const { options, notes } = optionsAndNotes(i.options, i.list.span.end, i.span.end, source);
  // A note may contain the words instead: `(launch in PARALLEL)`.
  const parallel = /^[\s\\]*in[ \t]+PARALLEL/i.test(source.text.slice(i.list.span.end, i.span.end))
    ? ' in PARALLEL'
    : '';
  return `${verb} ${i.variable.text} in ${formatExpression(i.list, source)}${parallel}${options}${notes}:`;
}

// ---- the other instructions -------------------------------------------------------------------------

function eventEnd(i: Kind<'emit'>): number {
  return i.event?.span.end ?? i.message?.span.end ?? i.verb.span.end;
}

function gotoTarget({ target }: Kind<'goto'>): string {
  return target.kind === 'parameter' ? `{${target.name.text}}` : target.name.text;
}

function argsAndNotes(i: Kind<'goto' | 'use'>, from: number, source: SourceText): string {
  const end = i.args[i.args.length - 1]?.span.end ?? from;
  return `${withText(i.args, from, source)}${notesText(end, i.span.end, source)}`;
}

function returnHead(i: Kind<'return'>, source: SourceText, verb: string): string {
  if (i.args !== undefined) return `RETURN${withText(i.args, i.verb.span.end, source)}`;
  const returned = i.value ?? i.text;
  if (returned === undefined) return 'RETURN';
  const between = source.text.slice(i.verb.span.end, returned.span.start);
  const says = /^[ \t]+with[ \t]/i.test(between);
  if (i.value !== undefined) return `${says ? 'RETURN with' : verb} ${formatExpression(i.value, source)}`;
  if (i.text === undefined) return 'RETURN';
  return says ? `RETURN with ${i.text.raw}` : `${verb} ${i.text.raw}`;
}

function waitHead(i: Kind<'wait'>, source: SourceText, verb: string): string {
  const awaited =
    i.for.kind === 'condition' ? formatExpression(i.for.condition, source) : words(slice(source, i.for.span));
  const from = i.for.span.end;
  const timeout =
    i.timeout === undefined ? '' : `${gap(source, from, i.timeout.span.start)}OR timeout=${i.timeout.raw}`;
  const notes = notesAround(i, source);
  const options = i.options.filter((option) => option.key.text === 'every');
  return `${verb} ${awaited}${timeout}${bracketOptions(options)}${notes}`;
}

/** The notes of a WAIT. Parentheses inside its time-out or pause are not notes. */
function notesAround(i: Kind<'wait'>, source: SourceText): string {
  const inner = [
    ...i.options.filter((option) => option.key.text === 'every'),
    ...(i.timeout === undefined ? [] : [i.timeout]),
  ];
  const ends = inner.map(({ span }) => span).sort((a, b) => a.start - b.start);
  let from = i.for.span.end;
  let text = '';
  for (const span of ends) {
    text += notesText(from, span.start, source);
    from = span.end;
  }
  return text + notesText(from, i.span.end, source);
}

/** One space between words. */
function words(text: string): string {
  return text.replace(/[ \t]+/g, ' ');
}

/** The value after `=`, then the notes. A note may contain the value. */
function trackedValue(i: Kind<'track'>, source: SourceText): string {
  const assigned = /^[\s\\]*=/.test(source.text.slice(i.name.span.end, i.value?.span.start ?? i.name.span.end));
  const value = i.value !== undefined && assigned ? ` = ${formatExpression(i.value, source)}` : '';
  return value + notesText(value === '' ? i.name.span.end : (i.value?.span.end ?? 0), i.span.end, source);
}

function step({ name, by, span }: Kind<'increment'>, source: SourceText): string {
  const amount = by === undefined ? '' : ` by ${formatExpression(by, source)}`;
  return amount + notesText(by?.span.end ?? name.span.end, span.end, source);
}

function askHead(i: Kind<'ask'>, source: SourceText, inList: boolean): string {
  const question = i.question?.raw ?? '';
  const end = i.question?.span.start ?? i.span.end;
  const colon = inList && !source.text.slice(i.verb.span.end, end).includes(':') ? '' : ':';
  const answer = i.bind === undefined ? '' : ` → ${i.bind.text}`;
  return `ASK user${colon} ${question}${answer}${i.options.map((option) => ` ${optionText(option)}`).join('')}`;
}

// ---- declarations -----------------------------------------------------------------------------------

export function declarationHead(d: Declaration, source: SourceText): string {
  switch (d.kind) {
    case 'machine':
      return `MACHINE: ${d.name.text}${notesText(d.name.span.end, d.span.end, source)}`;
    case 'input': {
      const value = d.value === undefined ? '' : ` = ${formatExpression(d.value, source)}`;
      return `INPUT: ${d.name.text}${value}${notesText(d.value?.span.end ?? d.name.span.end, d.span.end, source)}`;
    }
    case 'limit':
      return `LIMIT: ${d.options.map(optionText).join(' ')}`;
    case 'tool':
      return `TOOL: ${d.value.text}`;
    case 'key':
      return `KEY: ${d.text.raw}`;
    case 'title':
      return `TITLE: ${d.text.raw}`;
    case 'import':
      return `IMPORT: ${d.path.raw}`;
    case 'pattern': {
      const end = d.parameters[d.parameters.length - 1]?.span.end ?? d.name.span.end;
      return `PATTERN: ${d.name.text}${withText(d.parameters, d.name.span.end, source)}${notesText(end, d.span.end, source)}`;
    }
    case 'state':
      return `STATE: ${d.name.text}${notesText(d.name.span.end, d.span.end, source, true)}`;
    default:
      return unreachable(d);
  }
}
