/** Checks names, and reports invalid ones. */
import { badName, reservedName } from '../source/catalogue/syntax.js';
import type { Diagnostic } from '../source/diagnostic.js';
import type { Name } from './expression-nodes.js';
import { nameOf, type ParseContext, reportMissing, span, tokenSpan } from './grammar/cst.js';
import type { Token } from './tokens/token.js';
import { everyVerb } from './tokens/verbs.js';

const plain = /^[A-Za-z_]\w*$/;
const dashed = /^[A-Za-z_][\w-]*$/;

/** Words of expressions: a value with such a name could never be read. */
const reserved: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'AND', 'OR', 'NOT', 'and', 'or', 'not', 'in', 'is', 'with'],
  ...['contains', 'matches', 'exists', 'empty'],
]);

/** The name in a token. A mistake in it is reported, and the name is kept. */
export function checkedName(context: ParseContext, token: Token, what: string, dash = false): Name {
  const name = nameOf(context, token);
  checkName(context, name, what, dash);
  return name;
}

function checkName(context: ParseContext, name: Name, what: string, dash = false): void {
  if (!(dash ? dashed : plain).test(name.text)) reportMissing(context, noName(name, what, dash));
}

const LETTERS: Readonly<Record<string, string>> = {
  ...{
    ä: 'ae',
    ö: 'oe',
    ü: 'ue',
    Ä: 'Ae',
    Ö: 'Oe',
    Ü: 'Ue',
    ß: 'ss',
    æ: 'ae',
    Æ: 'Ae',
    ø: 'o',
    Ø: 'O',
    å: 'aa',
    Å: 'Aa',
  },
  ...{ œ: 'oe', Œ: 'Oe', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ð: 'd', þ: 'th', ı: 'i' },
};

/** A name with the letters that names have: `größe` is `groesse`, and `é` is `e`. */
export function inLatin(text: string): string {
  const written = text
    .normalize('NFC')
    .replace(/[^\0-\x7f]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFD')
    .replace(/(?<=[A-Za-z])\p{M}+/gu, '');
  return /^[^a-z]*$/.test(text.replace(/[^A-Za-z]/g, '')) && /[A-Z]/.test(text) ? written.toUpperCase() : written;
}

/** The message about an invalid name. */
export function noName(name: Name, what: string, dash = false): Diagnostic {
  const mended = inLatin(name.text)
    .replace(/[;,.:!]+$/, '')
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_');
  const suggestion = plain.test(mended) && mended !== '_' ? { suggestion: mended } : {};
  return badName(name.span, { name: name.text, what, dash, ...suggestion });
}

/** The name of a variable. */
export function bindingName(context: ParseContext, token: Token, what: string): Name {
  const name = nameOf(context, token);
  checkBinding(context, name, what);
  return name;
}

/** The name in a token `name =`, which precedes its value. */
export function boundName(context: ParseContext, bound: Token, what: string): Name {
  const text = bound.image.replace(/[ \t]*=$/, '');
  const name = { text, span: span(context, bound.startOffset, bound.startOffset + text.length) };
  checkBinding(context, name, what);
  return name;
}

export function checkBinding(context: ParseContext, name: Name, what: string): void {
  if (reserved.has(name.text)) reportMissing(context, reservedName(name.span, { name: name.text }));
  else checkName(context, name, what);
}

/** Verbs in their usual spelling. */
const usualVerbs: ReadonlyMap<string, string> = new Map(
  everyVerb.flatMap((verb) => [
    [verb, verb],
    [`${verb}:`, verb],
  ]),
);

const VERB = /^(?:[Oo][Nn][ \t]+[Ee][Rr][Rr][Oo][Rr](?!\w)|[A-Za-z_]\w*(?:[ \t]+(?:EACH|ERROR|IF)(?!\w))?)/;

/** The verb of an instruction, without the colon of its token. */
export function verbName(context: ParseContext, token: Token): Name {
  const written = usualVerbs.get(token.image) ?? VERB.exec(token.image)?.[0] ?? token.image;
  const where = tokenSpan(context, token);
  return { text: written.replace(/[ \t]+/g, ' '), span: { ...where, end: where.start + written.length } };
}
