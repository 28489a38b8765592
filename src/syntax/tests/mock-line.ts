/** MOCK lines: which requests they answer, and how. */
import type { LineCursor } from './line-cursor.js';
import type { AnswerForm, MockLine, NamedValue, Selector, TestAnswer } from './test-tree.js';

/** `a=1, b="x"` */
export function namedValues(cursor: LineCursor): NamedValue[] {
  const values: NamedValue[] = [];
  do {
    const name = cursor.name('a name');
    if (cursor.take(/^=(?!=)/) === null) cursor.fail(`\`=\` is missing after \`${name.text}\``);
    values.push({ name, value: cursor.value('a value') });
  } while (cursor.take(/^,/) !== null);
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
