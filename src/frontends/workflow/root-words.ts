/**
 * Keys at the root of a workflow file that have no effect: `description`, and other notes of its author. A key of a
 * step, or a key that resembles a valid one, is a mistake.
 */

import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import type { Program } from '../../syntax/ast.js';
import { STEP_KEYS } from './step-reader.js';
import { isNothing, type Members, type ReaderContext } from './values.js';
import type { YamlMember, YamlNode } from './yaml/yaml-nodes.js';

/** In the order of the suggestions. */
export const ROOT_KEYS = ['name', 'description', 'inputs', 'max_budget', 'max_timeout', 'max_tokens', 'steps'] as const;

type Documentation = NonNullable<Program['documentation']>;

/** Takes the remaining keys at the root. For a file without steps, only that is reported. */
export function documentationOf(context: ReaderContext, members: Members, hasSteps: boolean): Documentation {
  const found = members.rest();
  if (!hasSteps) return [];
  for (const member of found) report(context, member);
  return found.flatMap(({ key, value }) => {
    const text = textOf(value).trim();
    return text === '' ? [] : [{ key, text }];
  });
}

function report(context: ReaderContext, { key, value }: YamlMember): void {
  const { text: name, span } = key;
  const help = helpForOlder(name, value);
  if (name === 'description' || help === null) return;
  const near = nearest(name, ROOT_KEYS);
  if (help !== undefined || near !== undefined || STEP_KEYS.includes(name)) {
    const known = ROOT_KEYS;
    const hint = help ?? (near === undefined ? `write \`${name}\` in the step that it applies to` : undefined);
    const facts = { name, of: 'a workflow', near, known, ...omitUndefined({ help: hint }) };
    context.diagnostics.push(words.unknownKey(span, facts));
    return;
  }
  context.diagnostics.push(words.unknownRootKey(span, { name }));
}

/** The suggestion for a key of the older dialect. Null if the key requests the default. */
function helpForOlder(name: string, value: YamlNode): string | null | undefined {
  if (name === 'review') {
    const gates = value.kind === 'list' ? value.items.map((item) => textOf(item)) : [textOf(value)];
    if (gates.every((gate) => gate === '')) return null;
    return `end \`steps:\` with \`- { name: review, gate: [${gates.join(', ')}] }\``;
  }
  if (name !== 'blast_radius') return undefined;
  if (textOf(value) === 'enforce') return null;
  return 'leave it out; to let a task change any file, let the split name no `files` for it';
}

function textOf(value: YamlNode): string {
  if (value.kind === 'list') return value.items.map(textOf).join(', ');
  if (value.kind === 'map') return value.members.map((one) => `${one.key.text}: ${textOf(one.value)}`).join(', ');
  return isNothing(value) ? '' : value.located.text;
}
