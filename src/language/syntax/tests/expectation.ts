/** What follows EXPECT. A word of an expectation that an operator follows begins a condition instead. */
import type {
  AnswerForm,
  CountOperator,
  Expectation,
  LineCursor,
  MockLine,
  NamedValue,
  Selector,
  TestAnswer,
} from './test-tree.js';

/** After a name, this makes it a part of a condition. */
const OPERATOR =
  /^(?:[.?[]|\s*(?:==|!=|<|>|\+|\*|%)|\s+[/-]\s|\s+(?:is|not|in|contains|exists|matches|starts|ends|AND|OR)(?!\w))/;

export function readExpectation(cursor: LineCursor): Expectation {
  const word = /^\s*([A-Za-z_]+)(?![\w(])/.exec(cursor.rest);
  const after = word === null ? '' : cursor.rest.slice(word[0].length);
  if (word === null || OPERATOR.test(after)) return condition(cursor);
  switch (word[1]) {
    case 'returned':
      cursor.takeWord('returned');
      return { kind: 'returned', value: cursor.isAtEnd ? null : cursor.restAsExpression('a value') };
    case 'failed':
      cursor.takeWord('failed');
      return { kind: 'failed', error: cursor.isAtEnd ? null : cursor.name('the kind of the failure') };
    case 'suspended':
      cursor.takeWord('suspended');
      return { kind: 'suspended', name: cursor.isAtEnd ? null : cursor.nameOrApproval('a question or a signal') };
    case 'states':
      cursor.takeWord('states');
      return readStates(cursor);
    case 'state':
      return isBeforeName(after) ? readState(cursor) : condition(cursor);
    case 'no':
      return /^\s+state(?!\w)/.test(after) ? readState(cursor) : readEvent(cursor);
    case 'event':
      return readEvent(cursor);
    case 'calls':
      cursor.takeWord('calls');
      return readCalls(cursor);
    case 'prompt':
      cursor.takeWord('prompt');
      return readPrompt(cursor);
    case 'once':
      cursor.takeWord('once');
      return { kind: 'once', selector: readSelector(cursor) };
    case 'snapshot':
      cursor.takeWord('snapshot');
      return { kind: 'snapshot' };
    default:
      return condition(cursor);
  }
}

function condition(cursor: LineCursor): Expectation {
  return { kind: 'condition', expression: cursor.restAsExpression('what is expected') };
}

function readStates(cursor: LineCursor): Expectation {
  const states: Extract<Expectation, { kind: 'states' }>['states'][number][] = [];
  do states.push(cursor.take(/^(?:…|\.\.\.)/) === null ? cursor.name('the name of a state') : null);
  while (cursor.take(/^,/) !== null);
  return { kind: 'states', states };
}

const isBeforeName = (text: string): boolean => /^\s+[\p{L}_]/u.test(text);

function readState(cursor: LineCursor): Expectation {
  const isAbsent = cursor.takeWord('no');
  cursor.takeWord('state');
  return { kind: 'state', isAbsent, name: cursor.name('the name of a state') };
}

function readEvent(cursor: LineCursor): Expectation {
  const isAbsent = cursor.takeWord('no');
  if (!cursor.takeWord('event')) cursor.fail('`event` or `state` is missing here');
  const name = cursor.name('the name of an event');
  const isTimes = (): boolean => /^\s*times(?!\w)/.test(cursor.rest);
  const fields: NamedValue[] = [];
  while (!cursor.isAtEnd && !isTimes()) {
    fields.push(...fieldOf(cursor));
    cursor.take(/^,/);
  }
  if (isAbsent && isTimes()) cursor.fail('`no` and `times` do not go together', 'leave one out');
  return {
    kind: 'event',
    isAbsent,
    name,
    fields,
    times: cursor.takeWord('times') ? cursor.wholeNumber('a number') : null,
  };
}

/** The fields of an event are separated by spaces, as in EMIT, or by commas. */
export function fieldOf(cursor: LineCursor): NamedValue[] {
  const name = cursor.name('the name of a field');
  if (cursor.take(/^=(?!=)/) === null) cursor.fail(`\`=\` is missing after \`${name.text}\``);
  return [{ name, value: cursor.fieldValue() }];
}

function readCalls(cursor: LineCursor): Expectation {
  const selector = readSelector(cursor);
  const operator = cursor.take(/^(?:==|!=|<=|>=|<|>)/)?.[0];
  if (operator === undefined) return cursor.fail('a comparison such as `== 2` is missing here');
  return { kind: 'calls', selector, operator: operator as CountOperator, count: cursor.wholeNumber('a number') };
}

function readPrompt(cursor: LineCursor): Expectation {
  const selector = readSelector(cursor);
  if (!cursor.takeWord('contains')) cursor.fail('`contains` is missing here');
  return { kind: 'prompt', selector, part: cursor.restAsExpression('a text') };
}

/** `a=1, b="x"` */
export function namedValues(cursor: LineCursor): NamedValue[] {
  const values: NamedValue[] = [];
  do {
    const name = cursor.name('a name');
    if (cursor.take(/^=(?!=)/) === null) cursor.fail(`\`=\` is missing after \`${name.text}\``);
    // As after `with` in a program, a comma may be left out before the next name.
    values.push({ name, value: cursor.expressionUntil(/^(?:,|\s+\w+\s*=(?!=))/, 'a value') });
  } while (cursor.take(/^,/) !== null || /^\s*\w+\s*=(?!=)/.test(cursor.rest));
  return values;
}

/** What follows `MOCK:`. */
export function readMock(cursor: LineCursor): MockLine {
  const { span } = cursor;
  const text = `MOCK: ${cursor.rest.trim()}`;
  const isQualified = /^\s*[\p{L}_][\p{L}\p{N}_-]*\s*\//u.test(cursor.rest);
  const state = isQualified ? cursor.name('the name of a state') : null;
  if (isQualified) cursor.take(/^\//);
  const selector = readSelector(cursor);
  const line = cursor.takeWord('line') ? cursor.wholeNumber('the number of a line') : null;
  cursor.arrow();
  const answers = [readAnswer(cursor)];
  let repeats = false;
  while (!repeats && cursor.take(/^,/) !== null) {
    repeats = cursor.take(/^(?:…|\.\.\.)/) !== null;
    if (!repeats) answers.push(readAnswer(cursor));
  }
  return { kind: 'mock', state, selector, line, answers, repeats, text, span };
}

/** `Task(NAME)`, `CALL NAME`, or the text of an instruction. */
export function readSelector(cursor: LineCursor): Selector {
  if (cursor.take(/^Task\s*\(/) !== null) {
    const { text, span } = cursor.agentName();
    if (cursor.take(/^\)/) === null) cursor.fail('`)` is missing here');
    return { kind: 'agent', name: text, span };
  }
  if (cursor.takeWord('CALL')) {
    const isQuoted = /^\s*["']/.test(cursor.rest);
    const name = isQuoted ? cursor.takeQuoted('the name of a tool').text : cursor.toolName();
    return { kind: 'tool', name, span: cursor.span };
  }
  const bare = /^\s*([A-Za-z_][\w-]*)(?=\s*(?:→|->|==|!=|[<>]|$|contains\b|line\b))/.exec(cursor.rest)?.[1];
  if (bare !== undefined) return { kind: 'text', pattern: bare, isBare: true, span: cursor.name('a selector').span };
  const { text, span } = cursor.takeQuoted('an agent such as `Task(writer)`, a tool such as `CALL find`, or a command');
  return { kind: 'text', pattern: text, span };
}

function readAnswer(cursor: LineCursor): TestAnswer {
  const { span } = cursor;
  const form = readForm(cursor);
  let answer: TestAnswer = { form, span };
  for (;;) {
    if (cursor.takeWord('cost')) answer = { ...answer, cost: cursor.number('a number of US dollars') };
    else if (cursor.takeWord('tokens')) answer = { ...answer, tokens: cursor.wholeNumber('a number of tokens') };
    else if (cursor.takeWord('after')) answer = { ...answer, after: cursor.duration() };
    else return answer;
  }
}

function readForm(cursor: LineCursor): AnswerForm {
  if (cursor.take(/^times\s+out(?!\w)/) !== null) return { kind: 'times-out' };
  if (cursor.takeWord('hangs')) return { kind: 'hangs' };
  if (cursor.take(/^for\s+real(?!\w)/) !== null) return { kind: 'for-real' };
  if (cursor.takeWord('fails')) {
    const error = cursor.name('the kind of the failure');
    return { kind: 'fails', error, message: cursor.optionalText() };
  }
  if (!cursor.takeWord('exit')) return { kind: 'value', value: cursor.value('an answer') };
  const code = cursor.number('an exit code');
  if (!Number.isInteger(code) || code > 255)
    cursor.failBefore(`there is no exit code ${code}`, 'it is a whole number from 0 to 255');
  const stdout = cursor.optionalOutput();
  return { kind: 'exit', code, stdout, stderr: cursor.takeWord('stderr') ? cursor.value('a text') : null };
}
