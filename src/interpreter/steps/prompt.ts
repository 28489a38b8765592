/**
 * The prompt of an agent: the prompt of the step, its context, and in a retry why the last attempt did not pass. A prompt
 * that was written for a retry has all of that, so nothing is added to it.
 */

import type { ContextLayout, StepLayout, StepType } from '../../machine/step.js';
import { CONTINUES } from '../agents/continued-session.js';
import type { StepFrame } from '../run-state/frame.js';
import type { Thread } from '../run-state/thread.js';
import { render } from '../values/json.js';
import { compileTemplate } from '../values/template.js';

/** The form of an answer that the run decodes. */
const FORMS: Readonly<Record<StepType, string>> = {
  code: '',
  artifact: '',
  none: '',
  split: [
    'Answer with a JSON list of tasks and nothing else:',
    '[{"name": "short-name", "description": "what to do", "files": ["path/of/a/file"]}]',
    'Names are unique and made of letters, digits, `_` and `-`; `files` may be left out.',
  ].join('\n'),
  validate: 'Answer with one JSON object and nothing else: {"pass": true or false, "comments": "what has to change"}',
};

interface PromptParts {
  readonly layout: StepLayout;
  /** The prompt of the step; null if it only continues a session. */
  readonly prompt: ((thread: Thread) => string) | null;
  /** Prompts of entries of RETRY. */
  readonly overrides: readonly (((thread: Thread) => string) | null)[];
  readonly context: readonly ContextLayout[];
  /** What the prompt of the step shows itself, which a retry does not append again: `error`, `diff`. */
  readonly shown: ReadonlySet<string>;
}

/** The complete prompt for an agent. */
export function compilePromptOf({ layout, prompt, overrides, context, shown }: PromptParts) {
  const sections = context.map(({ title, slot, optional }) => ({
    title: compileTemplate(title).text,
    slot,
    optional: optional === true,
  }));
  return (t: Thread, frame: StepFrame): string => {
    if (frame.correction !== null) return correction(frame.correction, layout.type);
    const override = frame.overrides.prompt === undefined ? null : (overrides[frame.overrides.prompt] ?? null);
    const parts = override === null ? (prompt === null ? [] : [prompt(t)]) : [override(t)];
    for (const { title, slot, optional } of sections) {
      const value = t.locals[slot];
      if (value === undefined) continue;
      const text = render(value).trimEnd();
      if (text !== '' || !optional) parts.push(`## ${title(t)}\n\n${text}`);
    }
    // Without any text, the agent is asked to continue its session or to follow its own instructions.
    if (parts.length === 0) parts.push('Go on.');
    if (override === null && (frame.attempt > 1 || frame.startedBy !== undefined))
      parts.push(retrySection(frame, layout, shown));
    if (FORMS[layout.type] !== '') parts.push(FORMS[layout.type]);
    // What RETRY says is complete, but only here it is known that a conversation mentions changes that are gone.
    if (override !== null && frame.undone === true && frame.session !== null) parts.push(UNDONE);
    if (frame.continues === true) parts.unshift(CONTINUES);
    const [only, ...more] = parts;
    // A prompt to which nothing is added is sent unchanged, including spaces at its end.
    return more.length === 0 ? (only as string) : parts.map((part) => part.trimEnd()).join('\n\n');
  };
}

const UNDONE = 'The changes that the attempt before made to files were undone: the files are as they were before it.';

function correction(why: string, type: StepType): string {
  return `Your answer cannot be used: ${why}.\n\n${FORMS[type]}`;
}

function retrySection(
  { attempt, agent, agentBefore, errorBefore, diffBefore, undone, startedBy }: StepFrame,
  { retry }: StepLayout,
  shown: ReadonlySet<string>,
): string {
  const left = Math.max(0, (retry?.exit ?? attempt) - attempt);
  const lines =
    startedBy === undefined
      ? [
          '## The attempt before this one did not pass',
          `This is attempt ${attempt}; ${left === 0 ? 'it is the last one' : `${left} more ${left === 1 ? 'is' : 'are'} left after it`}.`,
        ]
      : [
          `## \`${startedBy}\` did not pass`,
          'The work starts again from here: the files are as they were before, and what was done since is gone.',
        ];
  if (agent !== agentBefore && agentBefore !== null && startedBy === undefined)
    lines.push(`The attempt before was made by ${agentBefore}; you are ${agent ?? 'another agent'} and take over.`);
  if (undone === true) lines.push(UNDONE);
  if (errorBefore !== '' && !shown.has('error')) lines.push('', '### What went wrong', '', errorBefore.trimEnd());
  if (diffBefore !== '' && !shown.has('diff')) lines.push('', '### What was changed by then', '', diffBefore.trimEnd());
  return lines.join('\n');
}
