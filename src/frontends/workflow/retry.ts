/** What is under `retry:`: entries with a condition and what they change. How many conditions is checked later. */
import type { Expression, Template } from '../../syntax/ast.js';
import type { Override, RetryCondition, RetryEntry, StepParts } from '../../syntax/step.js';
import { validated } from './gates.js';
import { isNothing, Members, nameOf, type ReaderContext, textOf, wrongShape } from './reader-context.js';
import { callOf, itemsOf, numberOf, promptOf, spanOf, templateOf } from './values.js';
import type { YamlMap, YamlMember } from './yaml/yaml-nodes.js';

const CONDITIONS = ['attempt', 'not', 'validate', 'exit'];
const OVERRIDES: ReadonlySet<string> = new Set(['agent', 'prompt', 'session', 'worktree']);

export function retryOf(reading: ReaderContext, member: YamlMember): StepParts['retry'] {
  const { key, value } = member;
  if (isNothing(value)) return { entries: [], span: key.span };
  const entries: RetryEntry[] = [];
  for (const item of itemsOf(value)) {
    if (item.kind === 'map') entries.push(entryOf(reading, item));
    else wrongShape(reading, item, 'an entry of `retry`', 'a mapping with one condition', 'write `- attempt: 2`');
  }
  return { entries, span: key.span };
}

function entryOf(reading: ReaderContext, map: YamlMap): RetryEntry {
  const members = new Members(map, reading);
  const given = members.take('with');
  // What is neither a condition nor an override belongs to the validator that is with it.
  const asks = map.members.some(({ key }) => key.text === 'validate');
  const beside = asks
    ? members.rest().filter(({ key: { text } }) => !CONDITIONS.includes(text) && !OVERRIDES.has(text))
    : [];
  for (const { key } of beside) members.take(key.text);
  const conditions = map.members
    .filter(({ key }) => CONDITIONS.includes(key.text))
    .flatMap((member) => {
      members.take(member.key.text);
      return conditionOf(reading, member, given, beside) ?? [];
    });
  if (given !== undefined && !map.members.some(({ key }) => key.text === 'validate'))
    wrongShape(reading, { ...given.value, span: given.key.span }, '`with`', 'next to `validate`');
  const overrides = members.rest().flatMap((member) => overrideOf(reading, member) ?? []);
  const last = map.members.at(-1);
  return { conditions, overrides, span: last === undefined ? map.span : { ...map.span, end: spanOf(last).end } };
}

function conditionOf(
  reading: ReaderContext,
  member: YamlMember,
  given: YamlMember | undefined,
  beside: readonly YamlMember[],
): RetryCondition | undefined {
  const { key, value } = member;
  const span = spanOf(member);
  switch (key.text) {
    case 'attempt':
    case 'exit':
      return { kind: key.text, number: attemptOf(reading, member), span };
    case 'not': {
      const gate = textOf(reading, { key, value }, 'a gate, as `gate.test`');
      return gate === undefined ? undefined : { kind: 'not', gate: nameOf(gate), span };
    }
    default: {
      const call = callOf(reading, ...validated(member, given), beside);
      return call === undefined ? undefined : { kind: 'validate', call, span: call.span };
    }
  }
}

function attemptOf(reading: ReaderContext, { key, value }: YamlMember): Expression {
  if (value.kind === 'scalar' && value.value !== null) return numberOf(reading, value);
  wrongShape(reading, { ...value, span: isNothing(value) ? key.span : value.span }, `\`${key.text}\``, 'a number');
  return { kind: 'broken', span: key.span };
}

/** A keyword that is none is kept: what a retry can change is said where the step is checked. */
function overrideOf(reading: ReaderContext, member: YamlMember): Override | undefined {
  const { key } = member;
  const span = spanOf(member);
  if (!OVERRIDES.has(key.text)) return { word: key, name: null, value: empty(key.span), span };
  const value = key.text === 'prompt' ? promptOf(reading, member) : templateOf(reading, member);
  return value === undefined ? undefined : { word: key, name: key.text as Override['name'], value, span };
}

function empty(span: Template['span']): Template {
  return { parts: [], quote: 'none', raw: '', span };
}
