/** Lines of a PROPERTY: what never happens, what follows, how often, how runs end, and what is assumed of the inputs. */
import type { Expression, Name } from '../expression.js';
import { fieldOf } from './expectation.js';
import type { LineCursor } from './line-cursor.js';
import { readSelector } from './mock-line.js';
import type { Condition, MomentTree, NamedValue, Rule } from './test-tree.js';

export const RULE_VERBS = ['ASSUME', 'NEVER', 'AFTER', 'AT MOST', 'ENDS', 'REACHES'] as const;
export type RuleVerb = Exclude<(typeof RULE_VERBS)[number], 'ASSUME'>;

const FORMS =
  '`state NAME`, `event NAME`, `run Task(NAME)`, `run "TEXT"`, `answered NAME == "TEXT"`, `failed in STATE KIND` or `returned`';

/** What follows a moment or its parts. */
const AFTER_MOMENT = /^(?:→|->|\)|\sUNLESS(?!\w))/;
const AFTER_VALUE = /^(?:→|->|\)|\s(?:UNLESS|WHEN)(?!\w))/;
const AT_KEYWORD = /^\s*(?:$|→|->|(?:UNLESS|WHEN)(?!\w))/;

/** What follows `ASSUME:`. */
export function readAssumption(cursor: LineCursor): Condition {
  return conditionOf(cursor, cursor.restAsExpression('what is assumed'));
}

/** What follows the verb of a rule. */
export function readRule(cursor: LineCursor, verb: RuleVerb): Rule {
  const { span } = cursor;
  const text = `${verb}: ${cursor.rest.trim()}`;
  switch (verb) {
    case 'NEVER': {
      const moment = readMoment(cursor);
      return { kind: 'never', moment, unless: cursor.takeWord('UNLESS') ? readMoment(cursor) : null, text, span };
    }
    case 'AFTER': {
      const moment = readMoment(cursor);
      cursor.arrow();
      return { kind: 'after', moment, following: readMoment(cursor), text, span };
    }
    case 'AT MOST': {
      const count = cursor.wholeNumber('a number');
      return { kind: 'at-most', count, moment: cursor.inParentheses(() => readMoment(cursor)), text, span };
    }
    case 'REACHES':
      return { kind: 'reaches', moment: readMoment(cursor), text, span };
    case 'ENDS':
      return { kind: 'ends', statuses: cursor.takeWord('always') ? null : readStatuses(cursor), text, span };
  }
}

function readStatuses(cursor: LineCursor): Name[] {
  const statuses: Name[] = [];
  do statuses.push(cursor.name('`always` or a status'));
  while (cursor.take(/^,/) !== null);
  return statuses;
}

function readMoment(cursor: LineCursor): MomentTree {
  const word = cursor.take(/^(?:state|event|run|answered|failed|returned)(?!\w)/)?.[0];
  if (word === undefined) {
    const what = cursor.isAtEnd ? 'a moment is missing here' : `\`${cursor.rest.trim()}\` is not a moment`;
    return cursor.fail(what, `write ${FORMS}`);
  }
  const moment = momentOf(cursor, word as MomentTree['kind']);
  if (!cursor.takeWord('WHEN')) return { ...moment, when: null };
  return { ...moment, when: conditionOf(cursor, cursor.expressionUntil(AFTER_MOMENT, 'a condition')) };
}

type WithoutWhen<T> = T extends unknown ? Omit<T, 'when'> : never;

function momentOf(cursor: LineCursor, word: MomentTree['kind']): WithoutWhen<MomentTree> {
  const isAtKeyword = (): boolean => cursor.isAtEnd || AT_KEYWORD.test(cursor.rest);
  switch (word) {
    case 'state':
      return { kind: word, name: cursor.name('the name of a state') };
    case 'event': {
      const name = cursor.name('the name of an event');
      const fields: NamedValue[] = [];
      while (!isAtKeyword()) {
        fields.push(...fieldOf(cursor));
        cursor.take(/^,/);
      }
      return { kind: word, name, fields };
    }
    case 'run':
      return { kind: word, selector: readSelector(cursor) };
    case 'answered': {
      const name = cursor.nameOrApproval('the name of a question');
      if (cursor.take(/^==/) === null) cursor.fail(`\`==\` is missing after \`${name.text}\``);
      return { kind: word, name, value: cursor.expressionUntil(AFTER_VALUE, 'an answer') };
    }
    case 'failed': {
      const state = cursor.takeWord('in') ? cursor.name('the name of a state') : null;
      return { kind: word, state, error: isAtKeyword() ? null : cursor.name('the kind of the failure') };
    }
    case 'returned':
      return { kind: word, value: isAtKeyword() ? null : cursor.expressionUntil(AFTER_VALUE, 'a value') };
  }
}

function conditionOf(cursor: LineCursor, expression: Expression): Condition {
  return { expression, text: cursor.textOf(expression) };
}
