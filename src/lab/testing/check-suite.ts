/** What in a test file cannot be right, found before anything runs: names that nothing has, and mocks that exclude each other. */
import { testMessages as say } from '../../language/source/catalogue/tests.js';
import type { Diagnostic } from '../../language/source/diagnostic.js';
import { positionAt, type SourceFile, type Span } from '../../language/source/diagnostic.js';
import type { Expression, Name } from '../../language/syntax/expression-nodes.js';
import type {
  Expectation,
  MockLine,
  MomentTree,
  PropertyCase,
  Rule,
  Selector,
  TestCase,
  TestLine,
} from '../../language/syntax/tests/test-tree.js';
import { readDuration } from '../../machine/duration.js';
import { ERROR_KINDS } from '../../machine/error-kinds.js';
import type { Machine } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { inputProblems } from '../../runtime/run/run-inputs.js';
import { isApproval, isSameMoment } from './schedule.js';
import {
  answers,
  canBecome,
  helpForBare,
  isBare,
  selectable,
  selectorText,
  selects,
  shorten,
  specificity,
} from './selectors.js';
import type { Suite } from './suite.js';
import { constantOf, textOf, unknownNames } from './test-expressions.js';
import { labelOf, rowsOf } from './test-rows.js';

type CheckedSuite = Pick<Suite, 'machine' | 'facts' | 'sources'>;

export function checkSuite(suite: CheckedSuite & Pick<Suite, 'tree' | 'expressions'>): Diagnostic[] {
  const check = new SuiteCheck(suite);
  const { mocks, tests } = suite.tree;
  for (const mock of mocks) check.mock(mock);
  check.ambiguity(mocks);
  const names = new Map<string, Span>();
  for (const test of tests) {
    const first = names.get(test.name);
    if (first !== undefined) check.report(test.span, `there are two tests \`${test.name}\``, 'give each its own name');
    names.set(test.name, test.span);
    check.test(test);
    check.inputs(test, suite.expressions);
  }
  return [...check.diagnostics, ...checkProperties(suite.tree.properties, suite)];
}

/** A property that names what the program does not have would hold without saying anything. */
export function checkProperties(properties: readonly PropertyCase[], tested: CheckedSuite): Diagnostic[] {
  const check = new SuiteCheck(tested);
  const names = new Set<string>();
  for (const { name, span, rules, isBroken } of properties) {
    if (names.has(name)) check.report(span, `there are two properties \`${name}\``, 'give each its own name');
    names.add(name);
    if (rules.length === 0 && !isBroken)
      check.report(span, 'this property says nothing', 'add a line such as `NEVER: event FAILED` or `ENDS: always`');
    for (const rule of rules) check.rule(rule);
  }
  return check.diagnostics;
}

/** The texts that the program returns; null: some are only known during the run. */
function returnedTexts({ states, plans }: Machine): string[] | null {
  if (Object.keys(plans ?? {}).length > 0) return null;
  const texts = states.flatMap(({ code }) =>
    code.flatMap((one): readonly (string | null)[] => {
      if (one.op !== 'return' || one.value === null) return [];
      const { value } = one;
      if (value.op === 'const') return typeof value.value === 'string' ? [value.value] : [];
      const [only, ...more] = value.op === 'template' ? value.template : [];
      return [typeof only === 'string' && more.length === 0 ? only : null];
    }),
  );
  return texts.includes(null) ? null : (texts as string[]);
}

/** The answer as it must be written: the choice that is meant, or else all of them. */
function answerHelp(words: string, choices: readonly string[] | null): string {
  if (choices === null || choices.includes(words)) return `write \`"${words}"\``;
  const begun = choices.filter((choice) => choice.toLowerCase().startsWith(words.toLowerCase()));
  const meant = begun.length === 1 && words !== '' ? begun[0] : nearest(words, choices);
  return meant === undefined ? `the choices are ${choices.join(', ')}` : `write \`"${meant}"\``;
}

const IN_ORDER = ', and one MOCK has the answers of all calls, in their order';

/** Two mocks of one selector as one line; undefined: they differ in more than their answers. */
function joinedMock(first: MockLine, second: MockLine): string | undefined {
  const isSame = ({ state, line, selector }: MockLine, other: MockLine): boolean =>
    state?.text === other.state?.text && line === other.line && selectorText(selector) === selectorText(other.selector);
  const answersOf = ({ text }: MockLine) =>
    /^MOCK:(?:[^"→-]|"(?:[^"\\]|\\.)*"|-(?!>))*(?:→|->)\s*(.*)$/s.exec(text)?.[1];
  const more = answersOf(second);
  if (!isSame(first, second) || more === undefined) return undefined;
  return `${first.text.replace(/\s*,\s*(?:…|\.\.\.)$/, '')}, ${more}`;
}

class SuiteCheck {
  readonly diagnostics: Diagnostic[] = [];

  constructor(private readonly suite: CheckedSuite) {}

  report(span: Span, what: string, help: string): void {
    this.diagnostics.push(say.line(span, { what, help }));
  }

  test({ lines }: TestCase): void {
    for (const line of lines) this.line(line);
    for (const kind of ['start', 'each', 'cassette'] as const) {
      const second = lines.filter((line) => line.kind === kind)[1];
      if (second !== undefined)
        this.report(second.span, `a test has one \`${kind.toUpperCase()}:\``, 'remove this one');
    }
    this.ambiguity(lines.filter((line) => line.kind === 'mock'));
    this.reportRepeated(lines.flatMap((line) => (line.kind === 'given' ? line.values : [])));
  }

  /** Names with two values, of which one would count. */
  private reportRepeated(values: readonly { readonly name: Name }[]): void {
    const seen = new Set<string>();
    for (const { name } of values) {
      if (seen.has(name.text)) this.report(name.span, `\`${name.text}\` is given twice`, 'remove one of the two');
      seen.add(name.text);
    }
  }

  /** Each value of GIVEN in each row of the test, as the run would refuse it. */
  inputs(test: TestCase, { evaluate }: Suite['expressions']): void {
    const { machine } = this.suite;
    const isInput = (name: Name): boolean => machine.inputs.some((input) => input.name === name.text);
    const all = test.lines
      .flatMap((line) => (line.kind === 'given' ? line.values : []))
      .filter(({ name }) => isInput(name));
    const rows = rowsOf(test);
    for (const { name, value } of all)
      for (const row of rows) {
        if (unknownNames(value, new Set(Object.keys(row.values))).length > 0) break;
        const found = evaluate(value, row.values);
        if ('problem' in found) break;
        const problem = inputProblems(machine, { [name.text]: found.value }).find(
          (one) => one.name === name.text && one.kind !== 'missing',
        );
        if (problem === undefined) continue;
        const where = rows.length > 1 || row.name !== test.name ? ` in \`${row.name}\`` : '';
        this.wrong(value.span, `${problem.message}${where}`, 'correct the value');
        break;
      }
  }

  private line(line: TestLine): void {
    const { facts, machine } = this.suite;
    switch (line.kind) {
      case 'mock':
        return this.mock(line);
      case 'given':
        for (const { name } of line.values)
          this.requireName(
            name,
            machine.inputs.map((input) => input.name),
            `the program has no input \`${name.text}\``,
          );
        return;
      case 'start':
        return this.start(line);
      case 'answer':
        return this.answer(line);
      case 'signal':
        if (line.at !== null) this.duration(line.at);
        return this.requireName(line.name, [...facts.signals], `the program waits for no signal \`${line.name.text}\``);
      case 'at':
        return this.duration(line.duration);
      case 'expect':
        return this.expectation(line.expectation);
      case 'each':
        return this.rows(line);
      case 'cassette':
      case 'skip':
        return;
    }
  }

  private start({ state, values }: Extract<TestLine, { kind: 'start' }>): void {
    if (!this.state(state)) return;
    const { entry = [] } = this.suite.machine.states.find(({ name }) => name === state.text) ?? {};
    for (const { name } of values)
      this.requireName(name, entry, `the state \`${state.text}\` takes no value \`${name.text}\``);
    this.reportRepeated(values);
  }

  private rows({ list }: Extract<TestLine, { kind: 'each' }>): void {
    const rows = constantOf(list);
    if (!Array.isArray(rows))
      this.report(list.span, 'the rows of `EACH:` are a list of constants', 'write one such as `[1, 2]`');
    else if (rows.length === 0) this.report(list.span, '`EACH:` has no rows, so there is no test', 'write a row');
    else {
      const labels = rows.flatMap((row) => labelOf(row) ?? []);
      const seen = new Set<string>();
      const second = labels.find((label) => seen.size === seen.add(label).size);
      if (second !== undefined) this.report(list.span, `two rows have the \`name\` \`${second}\``, 'give each its own');
    }
  }

  mock(mock: MockLine): void {
    for (const { form } of mock.answers) if (form.kind === 'fails') this.failure(form.error, mock.selector);
    if (mock.state !== null && !this.isStep(mock.state) && !this.state(mock.state)) return;
    for (const { after } of mock.answers) if (after !== undefined) this.duration(after);
    const { targets } = this.suite.facts;
    if (
      !isBare(mock.selector) &&
      targets.some((target) => answers({ ...mock, state: this.isStep(mock.state) ? null : mock.state }, target))
    )
      return;
    const where = mock.state === null ? '' : ` in \`${mock.state.text}\``;
    const line = mock.line === null ? '' : ` on line ${mock.line}`;
    this.selector(mock.selector, `${where}${line}`, mock.state?.text ?? null, IN_ORDER);
  }

  /** Tools name their failures themselves; those of everything else are known. */
  private failure(error: Name, selector: Selector | null): void {
    const isOfTool = ({ kind }: { readonly kind: string }): boolean => kind === 'tool';
    const tools = this.suite.facts.targets.filter(isOfTool);
    const mayBeTool =
      selector === null ? tools.length > 0 : isOfTool(selector) || tools.some((one) => selects(selector, one));
    const passed = selector === null ? this.passedKinds() : [];
    if (mayBeTool || passed === null) return;
    const kinds = [...passed, ...ERROR_KINDS];
    if (kinds.includes(error.text)) return;
    const near = nearest(error.text, kinds);
    const help = near === undefined ? `the kinds are ${kinds.join(', ')}` : `did you mean \`${near}\`?`;
    this.wrong(error.span, `there is no failure \`${error.text}\``, help);
  }

  /** The kinds that the program itself passes to ERROR, as in `error_type="stuck"`; null: not all are constants. */
  private passedKinds(): readonly string[] | null {
    const values = this.suite.machine.states
      .flatMap(({ code }) => code.flatMap((one): readonly unknown[] => ('args' in one ? one.args : [])))
      .flatMap((one) => {
        const { name, value } = one as { readonly name?: unknown; readonly value?: unknown };
        return name === 'error_type' ? [value] : [];
      })
      .map((value) => {
        const { op, value: constant } = value as { readonly op?: unknown; readonly value?: unknown };
        return op === 'const' && typeof constant === 'string' ? constant : null;
      });
    return values.some((one) => one === null) ? null : values.filter((one) => one !== null);
  }

  /** A step may be named instead of a state; then its requests are only known during the run. */
  private isStep(state: Name | null): boolean {
    const { machine, facts } = this.suite;
    if (state === null || facts.states.includes(state.text)) return false;
    return machine.states.some(({ code }) =>
      code.some(
        ({ op, ...rest }) =>
          op === 'step-begin' && 'plan' in rest && (rest.plan as { name: string }).name === state.text,
      ),
    );
  }

  /** Two mocks of one scope that answer the same request, and neither is more specific. */
  ambiguity(mocks: readonly MockLine[]): void {
    for (const target of this.suite.facts.targets) {
      // An agent that is only known during the run can be each of several.
      const isKnown = target.kind !== 'agent' || target.name !== null;
      const fitting = mocks.filter((mock) => answers(mock, target) && (isKnown || mock.selector.kind === 'text'));
      const best = Math.max(...fitting.map(specificity));
      const [first, second] = fitting.filter((mock) => specificity(mock) === best);
      if (first === undefined || second === undefined) continue;
      const source = this.suite.sources[second.span.file] as SourceFile;
      const { line } = positionAt(source, first.span.start);
      const label = { span: first.span, text: `the other is on line ${line}` };
      const joined = joinedMock(first, second);
      this.diagnostics.push({
        ...say.ambiguousMock(second.span, { other: target.text, line: target.line, ...omitUndefined({ joined }) }),
        labels: [label],
      });
    }
  }

  rule(rule: Rule): void {
    switch (rule.kind) {
      case 'never':
        this.moment(rule.moment);
        if (rule.unless === null) return;
        this.moment(rule.unless);
        if (isSameMoment(rule.moment, rule.unless))
          this.report(
            rule.span,
            'both moments are the same, and a moment excuses itself',
            'name another moment, or restrict one with `WHEN`',
          );
        return;
      case 'after':
        this.moment(rule.moment);
        this.moment(rule.following);
        if (isSameMoment(rule.moment, rule.following))
          this.report(
            rule.span,
            'both moments are the same, and a moment follows itself at once',
            'name another moment',
          );
        return;
      case 'at-most':
      case 'reaches':
        return this.moment(rule.moment);
      case 'ends':
        for (const status of rule.statuses ?? [])
          this.requireName(status, ['returned', 'failed'], `no run ends as \`${status.text}\``);
    }
  }

  private moment(moment: MomentTree): void {
    const { facts } = this.suite;
    switch (moment.kind) {
      case 'state':
        this.state(moment.name);
        return;
      case 'event':
        for (const { value } of moment.fields) this.constant(value);
        return this.event(moment);
      case 'run':
        if (!facts.targets.some((target) => selects(moment.selector, target)) || isBare(moment.selector))
          this.selector(moment.selector, '');
        return this.builtTexts(moment.selector);
      case 'answered':
        this.constant(moment.value);
        return this.answer({ name: moment.name, texts: [moment.value] });
      case 'failed':
        if (moment.state !== null) this.state(moment.state);
        if (moment.error !== null)
          this.requireName(moment.error, ERROR_KINDS, `there is no failure \`${moment.error.text}\``);
        return;
      case 'returned':
        if (moment.value === null) return;
        this.constant(moment.value);
        this.checkReturned(moment.value);
    }
  }

  /** A text that no RETURN can give: those with values can give any. */
  private checkReturned(value: Expression): void {
    const text = constantOf(value);
    const known = returnedTexts(this.suite.machine);
    if (typeof text !== 'string' || known === null || known.includes(text)) return;
    const what = `the program never returns \`${shorten(text)}\``;
    this.matchesNothing(value.span, what, known.map(shorten), nearest(text, known));
  }

  /** A command with values may become what a pattern means, and the pattern is compared with the text as it is written. */
  private builtTexts(selector: Selector): void {
    if (selector.kind !== 'text') return;
    const missed = this.suite.facts.targets.find(
      (target) => target.kind === 'command' && !selects(selector, target) && canBecome(target.text, selector.pattern),
    );
    if (missed === undefined) return;
    const { text, line } = missed;
    this.diagnostics.push(say.textIsBuilt(selector.span, { text: shorten(text), line }));
  }

  private event({ name, fields }: Pick<Extract<MomentTree, { kind: 'event' }>, 'name' | 'fields'>): void {
    const { events } = this.suite.facts;
    this.requireName(name, [...events.keys()], `the program emits no event \`${name.text}\``);
    const names = events.get(name.text);
    for (const { name: field } of names === undefined ? [] : fields)
      this.requireName(field, [...new Set(names)], `the event \`${name.text}\` has no field \`${field.text}\``);
  }

  private constant(value: Expression): void {
    if (constantOf(value) === undefined)
      this.report(value.span, 'a moment compares with a constant', 'write other conditions after `WHEN`');
  }

  private answer({ name, texts }: Pick<Extract<TestLine, { kind: 'answer' }>, 'name' | 'texts'>): void {
    const { asks } = this.suite.facts;
    this.requireName(name, [...asks.keys()], `the program asks no question \`${name.text}\``);
    const choices = asks.get(name.text) ?? null;
    for (const text of texts) {
      const value = constantOf(text);
      if (value === undefined) continue;
      const words = textOf(value);
      if (isApproval(name.text)) {
        if (choices !== null && !choices.includes(words.trim()))
          this.wrong(
            text.span,
            `\`${words}\` neither approves nor denies`,
            'write `true` to approve or `false` to deny',
          );
      } else if (typeof value !== 'string')
        this.wrong(text.span, 'the answer of a person is a text', answerHelp(words, choices));
      else if (choices !== null && !choices.includes(value.trim()))
        this.wrong(text.span, `\`${value}\` is not one of the choices`, answerHelp(words, choices));
    }
  }

  private expectation(expectation: Expectation): void {
    const { facts } = this.suite;
    switch (expectation.kind) {
      case 'states':
        for (const state of expectation.states) if (state !== null) this.state(state);
        return;
      case 'state':
        this.state(expectation.name);
        return;
      case 'event':
        return this.event(expectation);
      case 'suspended':
        if (expectation.name !== null)
          this.requireName(
            expectation.name,
            [...facts.asks.keys(), ...facts.signals],
            `the program waits for nothing called \`${expectation.name.text}\``,
          );
        return;
      case 'calls':
      case 'prompt':
      case 'once':
        if (!facts.targets.some((target) => selects(expectation.selector, target)) || isBare(expectation.selector))
          this.selector(expectation.selector, '');
        return;
      case 'failed':
        if (expectation.error !== null) this.failure(expectation.error, null);
        return;
      case 'returned':
      case 'snapshot':
      case 'condition':
        return;
    }
  }

  /** Reports that a selector selects nothing. */
  private selector(selector: Selector, where: string, state: string | null = null, further = ''): void {
    const { facts } = this.suite;
    if (isBare(selector)) {
      const { help, by } = helpForBare(selector.pattern, facts);
      const fix = by === null ? {} : { fix: { span: selector.span, text: by } };
      this.diagnostics.push(say.bareSelector(selector.span, { word: selector.pattern, help, ...fix }));
      return;
    }
    const kind = { text: 'command', agent: 'agent call', tool: 'tool call' }[selector.kind];
    const what = `no ${kind} of the program${where} matches \`${selectorText(selector)}\``;
    const { names, near } = selectable(selector, facts.targets, state);
    const isValue = selector.kind === 'text' && near !== undefined && canBecome(near.slice(1, -1), selector.pattern);
    const note = isValue ? `commands are compared as they are written${further}` : undefined;
    this.matchesNothing(selector.span, what, names, near, note);
  }

  /** False: there is no such state, which is reported. */
  private state(state: Name): boolean {
    this.requireName(state, this.suite.facts.states, `the program has no state \`${state.text}\``);
    return this.suite.facts.states.includes(state.text);
  }

  private requireName({ text, span }: Name, names: readonly string[], what: string): void {
    if (!names.includes(text)) this.matchesNothing(span, what, names, nearest(text, names));
  }

  private matchesNothing(
    span: Span,
    what: string,
    names: readonly string[],
    near: string | undefined,
    note?: string,
  ): void {
    this.diagnostics.push(
      say.matchesNothing(span, { what, names: names.slice(0, 12), near, ...omitUndefined({ note }) }),
    );
  }

  private duration({ text, span }: Name): void {
    if (readDuration(text).ms === null) this.wrong(span, `\`${text}\` is not a duration`, 'write one such as `30s`');
  }

  private wrong(span: Span, what: string, help: string): void {
    this.diagnostics.push(say.wrongAnswer(span, { what, help }));
  }
}
