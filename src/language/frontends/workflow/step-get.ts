/** Reads the context and the session under `get:` of a step. */
import type { ContextEntry, SessionSource } from '../../syntax/step-nodes.js';
import { callMembers } from './read-gates.js';
import { wordOf } from './step-hints.js';
import {
  callOf,
  isNothing,
  itemsOf,
  Members,
  nameOf,
  type ReaderContext,
  shellOf,
  spanOf,
  templateOf,
  textOf,
  wrongShape,
} from './values.js';
import type { YamlMap, YamlMember } from './yaml/yaml-nodes.js';

const CONTEXT_KEYS: readonly string[] = ['file', 'bash', 'workflow'];

export function contextOf(context: ReaderContext, { key, value }: YamlMember): ContextEntry[] {
  if (isNothing(value)) return [];
  return itemsOf(value).flatMap((item) => {
    if (item.kind === 'map') return contextEntries(context, item);
    const help = `write \`- file: ${wordOf(item) || '…'}\``;
    wrongShape(context, item, `an entry of \`${key.text}\``, 'a file, a command or a workflow', help);
    return [];
  });
}

function contextEntries(context: ReaderContext, map: YamlMap): ContextEntry[] {
  const members = new Members(map, context);
  const given = members.take('with');
  const taken = map.members.filter(({ key }) => CONTEXT_KEYS.includes(key.text));
  for (const { key } of taken) members.take(key.text);
  members.reportUnknown('an entry of `context`', CONTEXT_KEYS);
  const called = taken.some(({ key }) => key.text === 'workflow');
  if (given !== undefined && !called)
    wrongShape(context, { ...given.value, span: given.key.span }, '`with`', 'next to `workflow`');
  return taken.flatMap((member): ContextEntry[] => {
    const { key, value } = member;
    if (key.text === 'workflow') {
      const call = callOf(context, ...callMembers(member, given));
      return call === undefined ? [] : [{ kind: 'workflow', call, span: call.span }];
    }
    return itemsOf(value).flatMap((item): ContextEntry[] => {
      const one = { key, value: item };
      if (key.text === 'file') {
        const path = templateOf(context, one);
        return path === undefined ? [] : [{ kind: 'file', path, span: item.span }];
      }
      const text = textOf(context, one, 'a command');
      return text === undefined ? [] : [{ kind: 'bash', shell: shellOf(text), span: item.span }];
    });
  });
}

/** `at` is the offset of the step's name. */
export function sessionOf(context: ReaderContext, member: YamlMember, at: number): SessionSource | undefined {
  const { value } = member;
  const span = spanOf(member);
  const help = 'write `session: { from: plan }` or `session: new`';
  if (value.kind === 'map') {
    const members = new Members(value, context);
    const reuse = members.take('reuse');
    if (reuse !== undefined) context.signs.push({ dialect: 'older', text: 'reuse', span: reuse.key.span });
    const from = members.take('from') ?? reuse;
    members.reportUnknown('`session`', ['from']);
    const text = from === undefined ? undefined : textOf(context, from, 'the name of a step');
    if (from === undefined && value.members.length === 0)
      wrongShape(context, value, '`session`', '`new`, or a step', help);
    return text === undefined ? undefined : { kind: 'from', step: nameOf(text), span };
  }
  const text = value.kind === 'scalar' && typeof value.value === 'string' ? value.value.trim() : '';
  if (text === 'new') return { kind: 'new', span };
  const older = ['fresh', 'reuse', 'reuse-on-retry'].includes(text);
  if (older) {
    context.signs.push({ dialect: 'older', text: `session: ${text}`, span: member.key.span });
    if (text === 'reuse') context.reused.add(at);
    // A retry continues the session of the previous attempt anyway.
    return text === 'reuse' ? undefined : { kind: 'new', span };
  }
  // `session: from: plan`, after its second colon was replaced for YAML.
  const [, word, from] = /^(from|reuse)\s*[:=]\s*(\S.*)$/.exec(text) ?? [];
  if (word === 'reuse') context.signs.push({ dialect: 'older', text: 'reuse', span: member.key.span });
  if (from !== undefined) {
    const end = value.span.end - (/["']$/.test(from) ? 1 : 0);
    const bare = from.replace(/^(["'])(.*)\1$/, '$2');
    return { kind: 'from', step: { text: bare, span: { ...value.span, start: end - bare.length, end } }, span };
  }
  wrongShape(context, value, '`session`', '`new`, or the step whose session it continues', help);
  return undefined;
}
