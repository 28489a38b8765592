/** Whether a text agrees with what was answered about an unknown text. */
import { isJson } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import type { Facts } from './facts.js';
import { mentionsUnknown } from './knowledge.js';

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
