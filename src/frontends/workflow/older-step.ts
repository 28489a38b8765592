/** Reads keys of a step with other names in the older dialects, and records what they show about the dialect. */
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import type { StepParts } from '../../syntax/step.js';
import { attemptsOf, isOlderRetry, onFailure } from './older-retry.js';
import type { Members, ReaderContext } from './reader-context.js';
import { retryOf } from './retry.js';
import { reportOneOf } from './values.js';
import type { YamlMember } from './yaml/yaml-nodes.js';

/** `gate`, or `validate` of the oldest files. */
export function gateMember(context: ReaderContext, members: Members): YamlMember | undefined {
  const gate = members.take('gate');
  const validate = members.take('validate');
  if (validate === undefined) return gate;
  context.signs.push({ dialect: 'older', text: 'validate', span: validate.key.span, oldest: true });
  if (gate !== undefined) reportOneOf(context, inOrder(gate, validate), 'this step');
  return gate ?? validate;
}

/** `retry` in either form, or `on_failure` of the older dialect. */
export function retryMember(context: ReaderContext, members: Members): StepParts['retry'] {
  const retry = members.take('retry');
  const failure = members.take('on_failure');
  if (failure !== undefined) {
    context.signs.push({ dialect: 'older', text: 'on_failure', span: failure.key.span });
    if (retry === undefined) return onFailure(context, failure);
    reportOneOf(context, inOrder(retry, failure), 'this step');
  }
  if (retry === undefined) return undefined;
  if (!isOlderRetry(retry)) {
    // Files of the older dialect may contain it too.
    context.signs.push({ dialect: 'current', text: 'retry', span: retry.key.span, weak: true });
    return retryOf(context, retry);
  }
  context.signs.push({ dialect: 'older', text: 'retry.max_attempts', span: retry.key.span, oldest: true });
  return attemptsOf(context, retry);
}

/** Older keys for the work of a step: another name for `workflow`, and limits next to the agent. */
export function olderRun(context: ReaderContext, members: Members, parts: Map<string, YamlMember>): void {
  const recipe = members.take('recipe');
  if (recipe !== undefined) {
    context.signs.push({ dialect: 'older', text: 'recipe', span: recipe.key.span });
    const workflow = parts.get('workflow');
    if (workflow !== undefined) reportOneOf(context, inOrder(workflow, recipe), 'this step');
    else parts.set('workflow', recipe);
  }
  for (const key of ['timeout', 'max_turns']) {
    const member = members.take(key);
    if (member !== undefined) parts.set(key, member);
  }
}

const inOrder = (...members: readonly YamlMember[]): YamlMember[] =>
  [...members].sort((a, b) => a.key.span.start - b.key.span.start);

/** In the oldest files a type can be `plan`, or repeat other keys. Then it shows nothing about the dialect. */
export function typeMember(context: ReaderContext, members: Members): YamlMember | undefined {
  const type = members.take('type');
  if (type === undefined) return undefined;
  const word = type.value.kind === 'scalar' ? type.value.located.text.trim() : '';
  const { span } = type.key;
  if (word === 'foreach_task') {
    context.signs.push({ dialect: 'older', text: 'type: foreach_task', span, oldest: true });
    const help = 'write `foreach: plan`, with the name of the step that creates the tasks';
    const why = 'it does not say which step creates the tasks';
    context.diagnostics.push(words.meaningless(type.value.span, { what: '`foreach_task`', why, help }));
    return undefined;
  }
  if (word !== 'plan') {
    context.signs.push({ dialect: 'current', text: 'type', span });
    return type;
  }
  context.signs.push({ dialect: 'older', text: `type: ${word}`, span, oldest: true });
  const means = { kind: 'scalar', span: type.value.span, value: 'split' } as const;
  return {
    key: type.key,
    value: { ...means, located: { text: means.value, pieces: [{ at: 0, source: span.start }] } },
  };
}
