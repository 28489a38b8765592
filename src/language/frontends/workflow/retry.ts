/**
 * Retries in the older dialects: `on_failure: { retry: 3, strategy: [same, escalate: claude-opus] }`, and the even
 * older `retry: { max_attempts: 3, … }`. Both become entries of RETRY. Forms without an equivalent are refused with a
 * replacement.
 */
import { unreachable } from '../../../prelude/unreachable.js';
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import type { Expression, Template } from '../../syntax/expression-nodes.js';
import type { Override, RetryCondition, RetryEntry, StepParts } from '../../syntax/step-nodes.js';
import { callMembers } from './read-gates.js';
import {
  callOf,
  isNothing,
  itemsOf,
  Members,
  nameOf,
  numberOf,
  partOf,
  promptOf,
  type ReaderContext,
  spanOf,
  templateOf,
  textOf,
  wholeNumber,
  wrongShape,
} from './values.js';
import type { YamlMap, YamlMember, YamlNode } from './yaml/yaml-nodes.js';

type RetryNode = NonNullable<StepParts['retry']>;
type TemplateSpan = Template['span'];

const SOURCES = ['gate_fail', 'guard_fail', 'review_fail'];
const ACTIONS = ['retry', 'strategy', 'restart_from'];
const ON_FAILURE = 'write `on_failure: { retry: 3, strategy: [same, "escalate: claude-opus"] }`';

/** `on_failure:` of a step. The number under `retry` counts the attempts after the first. */
export function onFailure(context: ReaderContext, member: YamlMember): RetryNode | undefined {
  const { key, value } = member;
  if (value.kind !== 'map') {
    const word = value.kind === 'scalar' ? value.located.text.trim() : '';
    const help = /^(?:continue|ignore|skip|stop|fail|abort|cancel|none|keep|halt)$/i.test(word)
      ? 'leave it out: a failed step ends the run; allow more attempts with `retry: [{ exit: 3 }]`'
      : ON_FAILURE;
    wrongShape(context, isNothing(value) ? { ...value, span: key.span } : value, '`on_failure`', 'a mapping', help);
    return undefined;
  }
  const sources = value.members.filter((one) => SOURCES.includes(one.key.text));
  const [first, ...others] = sources;
  if (first === undefined) return action(context, key.span, value);
  const members = new Members(value, context);
  for (const source of sources) members.take(source.key.text);
  members.reportUnknown('`on_failure` next to `gate_fail`', SOURCES);
  const other = others.find((one) => printInline(one.value) !== printInline(first.value));
  if (other !== undefined) {
    const whole = first.value.kind === 'map' ? printInline(first.value) : 'retry: 3';
    const help = `write one for all of them, as in \`on_failure: { ${whole} }\``;
    const what = `\`${other.key.text}\` next to a different \`${first.key.text}\``;
    context.diagnostics.push(
      words.meaningless(other.key.span, { what, why: 'a retry does not depend on what failed', help }),
    );
  }
  if (first.value.kind === 'map') return action(context, key.span, first.value);
  wrongShape(context, first.value, `\`${first.key.text}\``, 'a mapping', ON_FAILURE);
  return undefined;
}

/** The values of `retry` and `strategy`. */
function action(context: ReaderContext, span: TemplateSpan, map: YamlMap): RetryNode | undefined {
  const members = new Members(map, context);
  const retry = members.take('retry');
  const strategy = members.take('strategy');
  const restart = members.take('restart_from');
  members.reportUnknown('`on_failure`', [...ACTIONS, ...SOURCES]);
  if (retry?.value.kind === 'list') return retryOf(context, retry);
  const slots = strategy === undefined ? [] : slotsOf(context, strategy);
  const times = retry === undefined ? null : timesOf(context, retry);
  const most = times ?? slots.length;
  if (retry === undefined && strategy === undefined) {
    const help =
      restart === undefined
        ? ON_FAILURE
        : `write \`on_failure: { retry: 3, restart_from: ${printInline(restart.value)} }\``;
    wrongShape(context, map, '`on_failure`', 'a mapping with `retry`', help);
    return undefined;
  }
  const entries = entriesOf(slots, most + 1, spanOf(retry ?? (strategy as YamlMember)));
  return { entries: [...restartOf(context, restart), ...entries], span };
}

/** `retry: { max_attempts: 3, strategy: … }`, which counts the first attempt. */
export function attemptsOf(context: ReaderContext, { key, value }: YamlMember): RetryNode | undefined {
  if (value.kind !== 'map') return undefined;
  const members = new Members(value, context);
  const most = members.take('max_attempts');
  const strategy = members.take('strategy');
  const restart = members.take('restart_from');
  members.reportUnknown('`retry`', ['max_attempts', 'strategy', 'restart_from']);
  const slots = strategy === undefined ? [] : slotsOf(context, strategy);
  const attempts = most === undefined ? null : timesOf(context, most);
  const entries = entriesOf(
    slots,
    Math.max(1, attempts ?? slots.length + 1),
    spanOf(most ?? strategy ?? { key, value }),
  );
  return { entries: [...restartOf(context, restart), ...entries], span: key.span };
}

/** Whether `retry:` has the form that only older files have. */
export function isOlderRetry({ value }: YamlMember): boolean {
  return (
    value.kind === 'map' && value.members.some(({ key }) => key.text === 'max_attempts' || key.text === 'strategy')
  );
}

/** `restart_from: tests`: every retry begins with that step. */
function restartOf(context: ReaderContext, member: YamlMember | undefined): RetryEntry[] {
  if (member === undefined) return [];
  const { key } = member;
  const step = templateOf(context, member);
  if (step === undefined) return [];
  const override = { word: key, name: 'restart_from', value: step, span: spanOf(member) } as const;
  return [entryFrom(2, [override], { key: key.span, span: spanOf(member) })];
}

interface RetryOverride {
  /** The agent that takes over, or that makes a plan; undefined for `same`. */
  readonly agent?: Template;
  readonly plans?: true;
  readonly span: TemplateSpan;
  readonly key: TemplateSpan;
}

/** One slot for each attempt after the first: `same`, `same: 3`, `escalate: claude-opus`. */
function slotsOf(context: ReaderContext, { value }: YamlMember): RetryOverride[] {
  if (isNothing(value)) return [];
  return itemsOf(value).flatMap((item) => {
    const slot = slotMember(item);
    if (slot === null) {
      wrongShape(context, item, 'an entry of `strategy`', '`same`, `escalate: <agent>` or `replan: <agent>`');
      return [];
    }
    return slotOf(context, slot, item.span);
  });
}

/** `escalate: x` is a text if it is quoted, and a mapping otherwise. */
function slotMember(item: YamlNode): YamlMember | null {
  if (item.kind === 'list' || isNothing(item)) return null;
  if (item.kind === 'map') return item.members.length === 1 ? (item.members[0] as YamlMember) : null;
  return partOf(item) ?? { key: { text: item.located.text.trim(), span: item.span }, value: nothingAt(item.span) };
}

function slotOf(context: ReaderContext, member: YamlMember, span: TemplateSpan): RetryOverride[] {
  const { key, value } = member;
  switch (key.text) {
    case 'same': {
      const times = isNothing(value) ? 1 : timesOf(context, member);
      return Array.from({ length: Math.min(times ?? 1, MOST_SLOTS) }, () => ({ span, key: key.span }));
    }
    case 'escalate':
    case 'replan': {
      const agent = templateOf(context, member);
      if (agent === undefined) return [];
      return [{ agent, span, key: key.span, ...(key.text === 'replan' ? { plans: true } : {}) }];
    }
    default:
      wrongShape(
        context,
        { ...value, span },
        'an entry of `strategy`',
        '`same`, `escalate: <agent>` or `replan: <agent>`',
      );
      return [];
  }
}

/** The maximum number of attempts. A larger number would only fill the memory. */
const MOST_SLOTS = 1000;

function entriesOf(slots: readonly RetryOverride[], exit: number, last: TemplateSpan): RetryEntry[] {
  const entries: RetryEntry[] = [];
  let before = '';
  for (const [index, slot] of slots.entries()) {
    const { agent, plans } = slot;
    const now = agent === undefined ? before : `${plans === true ? 'replan' : 'escalate'} ${agent.raw}`;
    if (agent === undefined || now === before || index + 2 > exit) continue;
    before = now;
    entries.push(plans === true ? division(slot, agent, index + 2) : escalation(slot, agent, index + 2));
  }
  const number = numberAt(exit, last);
  return [...entries, { conditions: [{ kind: 'exit', number, span: last }], overrides: [], span: last }];
}

function escalation(slot: RetryOverride, agent: Template, attempt: number): RetryEntry {
  const { span, key } = slot;
  const session: Template = { parts: ['new'], quote: 'none', raw: 'new', span: key };
  const overrides: Override[] = [
    { word: { text: 'agent', span: key }, name: 'agent', value: agent, span },
    { word: { text: 'session', span: key }, name: 'session', value: session, span: key },
  ];
  return entryFrom(attempt, overrides, slot);
}

/** `replan: claude-opus`: the agent divides the step into tasks. */
function division(slot: RetryOverride, agent: Template, attempt: number): RetryEntry {
  const { span, key } = slot;
  return entryFrom(attempt, [{ word: { text: 'replan', span: key }, name: 'replan', value: agent, span }], slot);
}

function entryFrom(
  attempt: number,
  overrides: readonly Override[],
  { key, span }: Pick<RetryOverride, 'key' | 'span'>,
): RetryEntry {
  return { conditions: [{ kind: 'attempt', number: numberAt(attempt, key), span: key }], overrides, span };
}

const numberAt = (value: number, span: TemplateSpan): Expression => ({
  kind: 'number',
  value,
  text: String(value),
  span,
});

function timesOf(context: ReaderContext, { key, value }: YamlMember): number | null {
  const number = wholeNumber(value);
  if (number !== null) return number;
  const span = isNothing(value) ? key.span : value.span;
  wrongShape(context, { ...value, span }, `\`${key.text}\``, 'a whole number');
  return null;
}

const nothingAt = (span: TemplateSpan): YamlNode => ({
  kind: 'scalar',
  span,
  value: null,
  located: { text: '', pieces: [] },
});

/** A value on one line, in a form that can be written again. */
function printInline(node: YamlNode): string {
  switch (node.kind) {
    case 'scalar':
      return node.located.text.trim();
    case 'list':
      return `[${node.items.map((item) => (item.kind === 'scalar' && /[:,]/.test(printInline(item)) ? `"${printInline(item)}"` : printInline(item))).join(', ')}]`;
    case 'map':
      return node.members
        .map(
          ({ key, value }) => `${key.text}: ${value.kind === 'map' ? `{ ${printInline(value)} }` : printInline(value)}`,
        )
        .join(', ');
    default:
      return unreachable(node);
  }
}

const CONDITIONS = ['attempt', 'not', 'validate', 'exit'];
const OVERRIDES: ReadonlySet<string> = new Set(['agent', 'prompt', 'session', 'worktree', 'restart_from', 'replan']);

/** Reads `retry:`: entries with a condition and changes. The number of conditions is checked later. */
export function retryOf(context: ReaderContext, member: YamlMember): StepParts['retry'] {
  const { key, value } = member;
  if (isNothing(value)) return { entries: [], span: key.span };
  if (value.kind === 'scalar') {
    const times = Math.max(1, wholeNumber(value) ?? 3);
    const help = `write \`retry: [{ exit: ${times} }]\`, which counts all attempts`;
    wrongShape(context, value, '`retry`', 'a list of entries', help);
    const number = { kind: 'number', value: times, text: String(times), span: value.span } as const;
    const exit: RetryEntry = {
      conditions: [{ kind: 'exit', number, span: value.span }],
      overrides: [],
      span: value.span,
    };
    return { entries: [exit], span: key.span };
  }
  const entries: RetryEntry[] = [];
  for (const item of itemsOf(value)) {
    if (item.kind === 'map') entries.push(entryOf(context, item));
    else wrongShape(context, item, 'an entry of `retry`', 'a mapping with one condition', 'write `- attempt: 2`');
  }
  return { entries, span: key.span };
}

function entryOf(context: ReaderContext, map: YamlMap): RetryEntry {
  const members = new Members(map, context);
  const given = members.take('with');
  // All other keys are inputs of the validator in the same entry.
  const asks = map.members.some(({ key }) => key.text === 'validate');
  const adjacent = asks
    ? members.rest().filter(({ key: { text } }) => !CONDITIONS.includes(text) && !OVERRIDES.has(text))
    : [];
  for (const { key } of adjacent) members.take(key.text);
  const conditions = map.members
    .filter(({ key }) => CONDITIONS.includes(key.text))
    .flatMap((member) => {
      members.take(member.key.text);
      return conditionOf(context, member, given, adjacent) ?? [];
    });
  if (given !== undefined && !map.members.some(({ key }) => key.text === 'validate'))
    wrongShape(context, { ...given.value, span: given.key.span }, '`with`', 'next to `validate`');
  for (const member of members.rest()) {
    const condition = foreignCondition(context, member);
    if (condition === undefined) continue;
    members.take(member.key.text);
    conditions.push(condition);
  }
  const overrides = members.rest().flatMap((member) => overrideOf(context, member) ?? []);
  const last = map.members.at(-1);
  return { conditions, overrides, span: last === undefined ? map.span : { ...map.span, end: spanOf(last).end } };
}

/** A condition or a number of attempts in the words of other tools: the right key, and what it means. */
function foreignCondition(context: ReaderContext, member: YamlMember): RetryCondition | undefined {
  const { key, value } = member;
  const span = spanOf(member);
  const written = value.kind === 'scalar' ? value.located.text.trim() : '';
  const gate = /^(?:NOT|not|!)?\s*\(?(?:gates?\.)?([A-Za-z_][\w-]*)\)?(?:\s*(?:==|is|!=).*)?$/.exec(written)?.[1];
  const isGate = /^(?:when|if|unless|on|on_fail|condition|gate|fails?|failed)$/.test(key.text) && gate !== undefined;
  const isLimit = /^(?:max_attempts|attempts|max|times|count|retries|limit|stop)$/.test(key.text);
  if (!isGate && !isLimit) return undefined;
  const help = isGate
    ? `write \`not: gate.${gate}\``
    : `write \`exit: ${/^\d+$/.test(written) ? written : '3'}\`, which counts all attempts`;
  const known = [...CONDITIONS, ...OVERRIDES];
  const of = 'an entry of `retry`';
  context.diagnostics.push(words.unknownKey(key.span, { name: key.text, of, near: undefined, known, help }));
  if (isGate) return { kind: 'not', gate: { text: `gate.${gate}`, span: value.span }, span };
  return { kind: 'exit', number: { kind: 'number', value: 3, text: '3', span: value.span }, span };
}

function conditionOf(
  context: ReaderContext,
  member: YamlMember,
  given: YamlMember | undefined,
  adjacent: readonly YamlMember[],
): RetryCondition | undefined {
  const { key, value } = member;
  const span = spanOf(member);
  switch (key.text) {
    case 'attempt':
    case 'exit':
      return { kind: key.text, number: attemptOf(context, member), span };
    case 'not': {
      const gate = textOf(context, { key, value }, 'a gate, as `gate.test`');
      if (gate === undefined) return undefined;
      const name = nameOf(gate);
      // The name of the gate alone can mean nothing else.
      return { kind: 'not', gate: /^[\w-]+$/.test(name.text) ? { ...name, text: `gate.${name.text}` } : name, span };
    }
    default: {
      const call = callOf(context, ...callMembers(member, given), adjacent);
      return call === undefined ? undefined : { kind: 'validate', call, span: call.span };
    }
  }
}

function attemptOf(context: ReaderContext, { key, value }: YamlMember): Expression {
  if (value.kind === 'scalar' && value.value !== null) return numberOf(context, value);
  wrongShape(context, { ...value, span: isNothing(value) ? key.span : value.span }, `\`${key.text}\``, 'a number');
  return { kind: 'broken', span: key.span };
}

/** An unknown keyword is kept, because the checker reports it with the valid ones. */
function overrideOf(context: ReaderContext, member: YamlMember): Override | undefined {
  const { key } = member;
  const span = spanOf(member);
  if (!OVERRIDES.has(key.text)) return { word: key, name: null, value: emptyTemplate(key.span), span };
  const value = key.text === 'prompt' ? promptOf(context, member) : templateOf(context, member);
  return value === undefined ? undefined : { word: key, name: key.text as Override['name'], value, span };
}

function emptyTemplate(span: Template['span']): Template {
  return { parts: [], quote: 'none', raw: '', span };
}
