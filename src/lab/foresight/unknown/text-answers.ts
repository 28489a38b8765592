/** Whether a text agrees with what was answered about an unknown text. */
import { isJson } from '../../../interpreter/values/json.js';
import type { Json } from '../../../machine/expression.js';
import { mentionsUnknown } from './knowledge.js';
import type { Facts } from './known-facts.js';

/** A question about a text: its kind, and the known text in it. */
interface TextQuestion {
  readonly kind: string;
  readonly other: string;
  readonly answer: number;
}

/** The questions whose other side is known. */
export function textQuestions({ answers = {} }: Facts): TextQuestion[] {
  return Object.entries(answers).flatMap(([question, answer]) => {
    const match = /^(contains|starts with|ends with|matches|is JSON|<=>)(?: (.*))?$/s.exec(question);
    if (match === null) return [];
    const [, kind = '', json] = match;
    const other = json === undefined ? '' : (JSON.parse(json) as Json);
    return typeof other !== 'string' || mentionsUnknown(other) ? [] : [{ kind, other, answer }];
  });
}

export function agreesWith({ kind, other, answer }: TextQuestion, text: string): boolean {
  const isYes = answer === 0;
  switch (kind) {
    case 'contains':
      return text.includes(other) === isYes;
    case 'starts with':
      return text.startsWith(other) === isYes;
    case 'ends with':
      return text.endsWith(other) === isYes;
    case 'matches':
      return new RegExp(other, 'u').test(text) === isYes;
    case 'is JSON':
      return isJson(text) === isYes;
    case '<=>':
      return (text < other ? 0 : text === other ? 1 : 2) === answer;
    default:
      return true;
  }
}

/** What the answers about a text say of another question; undefined: nothing. */
export function impliedAnswer(facts: Facts, kind: string, other: string): 0 | 1 | undefined {
  const isPart = PARTS[kind];
  if (isPart === undefined) return undefined;
  for (const known of textQuestions(facts)) {
    if (known.answer === 0 && (known.kind === kind || kind === 'contains') && PARTS[known.kind] !== undefined) {
      if (isPart(known.other, other)) return 0;
    } else if (known.answer === 1 && (known.kind === kind || known.kind === 'contains')) {
      if (PARTS[known.kind]?.(other, known.other) === true) return 1;
    }
  }
  return undefined;
}

/** Whether each text that contains the whole, or begins or ends with it, does so with the part, too. */
const PARTS: Readonly<Record<string, (whole: string, part: string) => boolean>> = {
  contains: (whole, part) => whole.includes(part),
  'starts with': (whole, part) => whole.startsWith(part),
  'ends with': (whole, part) => whole.endsWith(part),
};
