/**
 * The verbs of the language, and how they are recognized at the start of a line or an action. A misspelt verb is parsed
 * as the verb that it resembles, so that the rest of its line has a meaning and the mistake is reported once.
 */
import { isMisspelling, nearest } from '../../../prelude/nearest.js';

export const declarationVerbs = [
  'MACHINE',
  'TITLE',
  'INPUT',
  'LIMIT',
  'TOOL',
  'KEY',
  'IMPORT',
  'PATTERN',
  'STATE',
] as const;
export const branchVerbs = ['ELSE IF', 'ELSE', 'DEFAULT', 'ON ERROR'] as const;

/** Actions that are a word alone: they have no names, no values and no blocks. */
export const bareVerbs = ['PROCEED', 'ROLLBACK', 'KEEP'] as const;
/** Actions of a text and the values after its `with`: what the text says, and an action that has one. */
export const textVerbs = { FAIL: { what: 'a text with the reason', example: 'FAIL: no free port' } } as const;
export type TextVerb = keyof typeof textVerbs;
export const isTextVerb = (verb: string): verb is TextVerb => Object.hasOwn(textVerbs, verb);

export const actionVerbs = [
  'DO',
  'CHECK',
  'EMIT',
  'IF',
  'GOTO',
  'USE',
  'RETURN',
  'WAIT',
  'TRACK',
  'INCREMENT',
  'SET',
  'ASK',
  'FOR EACH',
  'CALL',
  'PLAN',
  'UNDO',
  ...(Object.keys(textVerbs) as TextVerb[]),
  ...bareVerbs,
] as const;

/** Instructions that need their own lines and are never in an action list. */
export const lineOnlyVerbs = ['STEP'] as const;
/** The sections of a STEP. They are verbs only below a STEP. */
const sectionVerbs = ['CONTEXT', 'PROMPT', 'SESSION', 'AGENT', 'WORKFLOW', 'GATE', 'RETRY', 'EACH'] as const;

export type Verb =
  | (typeof declarationVerbs)[number]
  | (typeof branchVerbs)[number]
  | (typeof actionVerbs)[number]
  | (typeof lineOnlyVerbs)[number];
export type SectionVerb = (typeof sectionVerbs)[number];

export const everyVerb: readonly Verb[] = [...declarationVerbs, ...branchVerbs, ...actionVerbs, ...lineOnlyVerbs];
/** The name of the token of a verb or a section: `ForEach`. */
export function tokenNameOf(word: string): string {
  return word.toLowerCase().replace(/(?:^| )(\w)/g, (_, first: string) => first.toUpperCase());
}
/** The verbs and sections by the names of their tokens. */
export const wordsOfTokens: ReadonlyMap<string, Verb | SectionVerb> = new Map(
  [...everyVerb, ...sectionVerbs].map((word) => [tokenNameOf(word), word]),
);

const actions: ReadonlySet<string> = new Set(actionVerbs);
const lineVerbs: ReadonlySet<string> = new Set(everyVerb);
const sections: ReadonlySet<string> = new Set(sectionVerbs);

/** Words of other languages, too different from the verb for the search of similar names. */
const synonyms: ReadonlyMap<string, Verb> = new Map([
  ['ELIF', 'ELSE IF'],
  ['ELSEIF', 'ELSE IF'],
  ['FOREACH', 'FOR EACH'],
  ['FOR', 'FOR EACH'],
  ['ONERROR', 'ON ERROR'],
  ['INC', 'INCREMENT'],
  ['RUN', 'DO'],
  ['EXEC', 'DO'],
  ['EXIT', 'RETURN'],
  ['THROW', 'FAIL'],
  ['RAISE', 'FAIL'],
  ['ABORT', 'FAIL'],
  ['COMPENSATE', 'UNDO'],
]);

/**
 * A verb in the text. `wordEnd` is the end of the verb itself, `end` the end of its token, which includes the colon.
 */
export interface FoundVerb<Kind extends string = Verb> {
  readonly verb: Kind;
  readonly wordEnd: number;
  readonly end: number;
}

const word = /[A-Za-z_]\w*/y;
const secondWord: ReadonlyMap<string, readonly [RegExp, Verb]> = new Map([
  ['FOR', [/[ \t]+EACH(?!\w)/y, 'FOR EACH']],
  ['ON', [/[ \t]+ERROR(?!\w)/y, 'ON ERROR']],
  ['ELSE', [/[ \t]+IF(?!\w)/y, 'ELSE IF']],
]);
/** The text after an exact verb must not make it part of a path, an assignment or a call. */
const verbEnd = /(?=[ \t]*(?:$|[\r\n:[,→"'\\]|->)|[ \t]+(?![ \t=]|$)|[ \t]+==)/y;
const colonAhead = /[ \t]*(?:\[[^\]\n]*\][ \t]*)?:(?=\s|$)/y;
const plainColon = /[ \t]*:/y;
const askUser = /[ \t]+(?:user(?!\w)|[A-Za-z]\w*(?=[ \t]*:))/y;
/** ON ERROR in other letters: only a colon or an arrow tells it from a sentence. */
const onError = /on[ \t]+error(?=(?:[ \t]*\[[^\]\n]*\]|[ \t]+[a-z_]\w*)?[ \t]*(?::(?=\s|$)|→|->))/iy;
const errorKind = /[ \t]*(?:\[[^\]\n]*\]|[A-Za-z_]\w*(?=[ \t]*:))/y;

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The end of the verb's token: the colon, ASK's `user` and the kind of ON ERROR belong to it. */
function tokenEnd(text: string, verb: Verb, wordEnd: number): number {
  let end = wordEnd;
  if (verb === 'ASK') end = Math.max(end, matchAt(askUser, text, end));
  if (verb === 'ON ERROR') end = Math.max(end, matchAt(errorKind, text, end));
  return Math.max(end, matchAt(plainColon, text, end));
}

function toFoundVerb(text: string, verb: Verb, wordEnd: number): FoundVerb {
  return { verb, wordEnd, end: tokenEnd(text, verb, wordEnd) };
}

/** The verb that a word was meant to be, if its position and form leave little doubt. */
function guessVerb(written: string, colon: boolean, inList: boolean): Verb | undefined {
  const upper = written.toUpperCase();
  const candidates = inList ? actionVerbs : everyVerb;
  if ((candidates as readonly string[]).includes(upper) && (colon || inList)) return upper as Verb;
  if (!colon && !(inList && written === upper && written.length > 2)) return undefined;
  const synonym = synonyms.get(upper);
  if (synonym !== undefined) return synonym;
  return nearest(upper, candidates) as Verb | undefined;
}

/** The verb that starts at `at`, or null. `inList`: in an action list verbs need no colon. */
export function readVerb(text: string, at: number, inList: boolean): FoundVerb | null {
  const end = matchAt(word, text, at);
  if (end < 0) return null;
  const written = text.slice(at, end);
  const pair = secondWord.get(written);
  if (pair !== undefined) {
    const pairEnd = matchAt(pair[0], text, end);
    if (pairEnd > 0 && (!inList || actions.has(pair[1]))) return toFoundVerb(text, pair[1], pairEnd);
  }
  if ((inList ? actions : lineVerbs).has(written) && matchAt(verbEnd, text, end) >= 0)
    return toFoundVerb(text, written as Verb, end);
  // The word of a section is never meant as another verb.
  if (sections.has(written)) return null;
  const handlerEnd = inList ? -1 : matchAt(onError, text, at);
  if (handlerEnd >= 0) return toFoundVerb(text, 'ON ERROR', handlerEnd);
  const verb = guessVerb(written, matchAt(colonAhead, text, end) > 0, inList);
  return verb === undefined ? null : toFoundVerb(text, verb, end);
}

/**
 * The section of a STEP that starts at `at`, or null. A misspelt word is a section unless it is more likely another
 * verb.
 */
export function readSection(text: string, at: number): FoundVerb<SectionVerb> | null {
  const end = matchAt(word, text, at);
  if (end < 0) return null;
  const written = text.slice(at, end);
  const is = (verb: string) => ({
    verb: verb as SectionVerb,
    wordEnd: end,
    end: Math.max(end, matchAt(plainColon, text, end)),
  });
  if (sections.has(written)) return matchAt(verbEnd, text, end) >= 0 ? is(written) : null;
  if (lineVerbs.has(written) || secondWord.has(written) || matchAt(colonAhead, text, end) < 0) return null;
  const upper = written.toUpperCase();
  if (lineVerbs.has(upper) || synonyms.has(upper)) return null;
  const meant = nearest(upper, [...sectionVerbs, ...everyVerb]);
  return meant !== undefined && sections.has(meant) ? is(meant) : null;
}

/** Whether `name` is the word of a section. */
export function isSection(name: string): name is SectionVerb {
  return sections.has(name);
}

/** Whether a verb needs no colon even on its own line. */
export function needsNoColon(verb: string): boolean {
  return colonless.has(verb);
}

const colonless: ReadonlySet<string> = new Set([
  ...bareVerbs,
  ...['GOTO', 'RETURN', 'ASK', 'INCREMENT', 'ELSE', 'DEFAULT', 'FOR EACH', 'EACH'],
]);

const afterColon = /[ \t]*(?:$|[\r\n])|[ \t]+[\w"'{}$./~(†]/y;
/** `WAIT UNTIL:` and `DO once:` have their colon, and a word too many. */
const laterColon = /[ \t]+\w+(?:[ \t]+\w+)?:(?=\s)/y;
const likeOptions = /\s*(?:[([]\s*)?[\w.]+=/y;

/**
 * Whether only a colon is missing at `at`: not if another sign stands where it should, and not before options without their
 * brackets, which must not become a part of the command.
 */
export function lacksOnlyColon(text: string, at: number, takesOptions: boolean): boolean {
  return (
    matchAt(afterColon, text, at) >= 0 &&
    matchAt(laterColon, text, at) < 0 &&
    !(takesOptions && matchAt(likeOptions, text, at) >= 0)
  );
}

/** Synonyms that say more than their verb, or may say something else: the exit code, or how the run ends. */
const looseSynonyms: ReadonlySet<string> = new Set(['EXIT', 'THROW', 'RAISE', 'ABORT', 'COMPENSATE']);

/** Whether a word that was read as a verb can have meant nothing else. */
export function isSureVerb(written: string, verb: string): boolean {
  const upper = written.toUpperCase();
  if (synonyms.has(upper)) return !looseSynonyms.has(upper);
  return isMisspelling(written, verb, [...everyVerb, ...sectionVerbs]);
}

/** The verb that a word in capitals resembles. */
export function verbLike(word: string): Verb | undefined {
  return /^[A-Z_]{3,}$/.test(word) ? (nearest(word, everyVerb) as Verb | undefined) : undefined;
}

/** The verb that `name` is, ignoring case. */
export function verbNamed(name: string): Verb | undefined {
  const upper = name.toUpperCase();
  return everyVerb.find((verb) => verb === upper) ?? synonyms.get(upper);
}

const actionAhead = new RegExp(
  `(?:[ \\t]|\\\\[ \\t]*\\r?\\n)*(?:${actionVerbs.map((verb) => verb.replace(' ', '[ \\t]+')).join('|')})(?![\\w.(/=-])(?![ \\t]*=(?!=))`,
  'y',
);

/** Whether a correctly spelt verb of an action follows the spaces at `at`. This decides where a command ends. */
export function actionFollows(text: string, at: number): boolean {
  return matchAt(actionAhead, text, at) > 0;
}
