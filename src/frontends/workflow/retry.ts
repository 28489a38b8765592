/** Reads `retry:`: entries with a condition and changes. The number of conditions is checked later. */
import type { Expression, Template } from '../../syntax/expression.js';
import type { Override, RetryCondition, RetryEntry, StepParts } from '../../syntax/step.js';
import { callMembers } from './gates.js';
import { isNothing, Members, nameOf, type ReaderContext, textOf, wrongShape } from './reader-context.js';
import { callOf, itemsOf, numberOf, promptOf, spanOf, templateOf } from './values.js';
import type { YamlMap, YamlMember } from './yaml/yaml-nodes.js';

const CONDITIONS = ['attempt', 'not', 'validate', 'exit'];
const OVERRIDES: ReadonlySet<string> = new Set(['agent', 'prompt', 'session', 'worktree', 'restart_from', 'replan']);

export function retryOf(context: ReaderContext, member: YamlMember): StepParts['retry'] {
  const { key, value } = member;
  if (isNothing(value)) return { entries: [], span: key.span };
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
  const overrides = members.rest().flatMap((member) => overrideOf(context, member) ?? []);
  const last = map.members.at(-1);
  return { conditions, overrides, span: last === undefined ? map.span : { ...map.span, end: spanOf(last).end } };
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
      return gate === undefined ? undefined : { kind: 'not', gate: nameOf(gate), span };
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
