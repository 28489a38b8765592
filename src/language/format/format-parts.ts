/** Parts that instructions share: `with` lists, options, fields of events, notes in parentheses. */
import type { Argument, Field, Option, Parameter } from '../syntax/ast.js';
import { formatExpression } from './format-expression.js';
import { gap, type Note, notesBetween, type SourceText } from './source-text.js';

/** ` with a, b=value`, or nothing. `from` is the offset at which the preceding part ends. */
export function withText(args: readonly (Argument | Parameter)[], from: number, source: SourceText): string {
  if (args.length === 0) return '';
  let end = from;
  const list = args.map((arg, i) => {
    const space = gap(source, end, arg.span.start);
    end = arg.span.end;
    return i === 0 ? `${space}with ${argumentText(arg, source)}` : `,${space}${argumentText(arg, source)}`;
  });
  return list.join('');
}

function argumentText(argument: Argument | Parameter, source: SourceText): string {
  const { name, value } = argument;
  const quote = name.text.includes('"') ? "'" : '"';
  const written = 'quoted' in argument ? `${quote}${name.text}${quote}` : name.text;
  if (value === undefined) return written;
  return `${written}=${value.kind === 'word' ? value.word.text : formatExpression(value.expression, source)}`;
}

export function optionText({ key, value }: Option): string {
  return value === undefined ? key.text : `${key.text}=${value.raw}`;
}

/** ` [a=1 b]`, or nothing. */
export function bracketOptions(options: readonly Option[]): string {
  return options.length === 0 ? '' : ` [${options.map(optionText).join(' ')}]`;
}

/** Options and notes between two offsets. A note that contains only options becomes options in brackets. */
export function optionsAndNotes(
  options: readonly Option[],
  from: number,
  to: number,
  source: SourceText,
): { readonly options: string; readonly notes: string } {
  const kept = notesBetween(source, from, to).filter((note) => !isOptions(note, options, source));
  const printed = options.filter((option) => !kept.some((note) => isWithin(option, note)));
  return { options: bracketOptions(printed), notes: kept.map((note) => ` ${note.text}`).join('') };
}

function isWithin(option: Option, note: Note): boolean {
  return option.span.start >= note.start && option.span.end <= note.end;
}

/** Only options and their separators. */
function isOptions(note: Note, options: readonly Option[], source: SourceText): boolean {
  const inside = options.filter((option) => isWithin(option, note));
  if (inside.length === 0) return false;
  const ends = [note.start + 1, ...inside.map(({ span }) => span.end)];
  const starts = [...inside.map(({ span }) => span.start), note.end - 1];
  return ends.every((end, i) => /^[\s,;]*$/.test(source.text.slice(end, starts[i])));
}

/** Notes between two offsets, each after a space. */
export function notesText(from: number, to: number, source: SourceText, brackets = false): string {
  return notesBetween(source, from, to, brackets)
    .map((note) => (/^\(\s*\)$/.test(note.text) ? '' : ` ${note.text}`))
    .join('');
}

/** The fields of an event, each after a space. Optional fields are each in brackets. */
export function fieldsText(fields: readonly Field[], from: number, source: SourceText): string {
  let end = from;
  return fields
    .map(({ name, value, optional, span }, i) => {
      const space = gap(source, end, span.start);
      end = span.end;
      // A field with `=` but without a value would take the next field as its value.
      const comma = value.raw === '' && !optional && i < fields.length - 1 ? ',' : '';
      const text = `${name.text}=${value.raw}${comma}`;
      return space + (optional ? `[${text}]` : text);
    })
    .join('');
}
