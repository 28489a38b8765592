/** Messages about workflow files: their YAML, their keys, and the two dialects. */

import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Label } from '../diagnostic.js';
import { didYouMean, list, message } from './message.js';

/** Corrections for the most common mistakes, by the error codes of the YAML library. */
const YAML_HELP: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'put the text in quotes: `: ` inside it begins a mapping',
  BLOCK_IN_FLOW: 'put the text in quotes: `: ` inside it begins a mapping',
  TAB_AS_INDENT: 'indent with spaces',
  DUPLICATE_KEY: 'keep one of the two, or indent the second below what it belongs to',
  BAD_INDENT: 'indent it like the lines it belongs to',
  BAD_SCALAR_START: 'put the text in quotes',
  MULTIPLE_DOCS: 'write only one workflow in a file, without a `---` line',
  MISSING_CHAR: 'close the quotes or brackets that are open here',
  UNEXPECTED_TOKEN: 'put texts that begin with `{`, `[`, `*`, `&`, `!`, `|`, `>`, `%` or `@` in quotes',
  IMPOSSIBLE: 'put texts that begin with a sign in quotes',
};

/** The equivalents in the current dialect for forms of the older one. */
const IN_CURRENT: readonly (readonly [RegExp, string])[] = [
  [
    /^output$/,
    'write `type: code`, `split`, `artifact` or `validate` for `output: diff`, `plan`, `artifact` or `review`',
  ],
  [/^on_failure$/, 'write `retry: [{ attempt: 3, agent: claude-opus, session: new }, { exit: 4 }]` for `on_failure`'],
  [/^retry\./, 'write `retry: [{ attempt: 3, agent: claude-opus, session: new }, { exit: 3 }]` for `max_attempts: 3`'],
  [/^foreach$/, 'write the steps below `each:` of the step that splits, without `foreach`'],
  [/^validate$/, 'write `gate:` for `validate:`'],
  [/^recipe$/, 'write `workflow:` for `recipe:`'],
  [/^type/, 'write `type: split` with `each:` below it'],
  [
    /reuse|fresh/,
    'write `session: { from: step }` for `reuse`; without `session`, a retry continues its session and a step starts a new one',
  ],
  [/^\{steps/, 'write `{build.output}` for `{steps.build.output}`'],
  [/^\{item/, 'write `{task.name}` for `{item.name}`'],
];

function inCurrent(older: string): string {
  return IN_CURRENT.find(([sign]) => sign.test(older))?.[1] ?? 'write the whole file in one dialect';
}

export const workflowMessages = {
  yaml: message<{ code: string; problem: string }>('workflow-yaml', 'error', (f) => ({
    message: `this is not YAML: ${f.problem.charAt(0).toLowerCase()}${f.problem.slice(1).replace(/(?:;.*|[.:])$/, '')}`,
    help: YAML_HELP[f.code] ?? 'check the indentation of this line and of the one above',
  })),
  lostIndentation: message<{ under: string }>('lost-indentation', 'error', (f) => ({
    message: `this line has lost its indentation: it is next to \`${f.under}\`, not below it`,
    help: `indent it so that it belongs to \`${f.under}\``,
  })),
  tooDeep: message('workflow-too-deep', 'error', () => ({
    message: 'this workflow is nested too deeply',
    help: 'move the inner steps to a separate workflow file',
  })),
  tooLarge: message<{ what: string; limit: number }>('workflow-too-large', 'error', (f) => ({
    message: `this workflow has more than ${f.limit} ${f.what}`,
    help: 'divide it into several workflow files',
  })),
  alias: message<{ name: string; itself: boolean }>('workflow-alias', 'error', (f) => ({
    message: f.itself
      ? `\`*${f.name}\` is inside the value that it names`
      : `there is no value \`&${f.name}\` above this`,
    help: 'write the value out, or put the text in quotes if it only begins with `*`',
  })),
  keyIsNotText: message('workflow-key', 'error', () => ({
    message: 'this key is not text',
    help: 'write `key: value`, and put a text that begins with `{` or `[` in quotes',
  })),
  shape: message<{ what: string; wanted: string; help?: string }>('workflow-shape', 'error', (f) => ({
    message: `${f.what} must be ${f.wanted}`,
    ...omitUndefined({ help: f.help }),
  })),
  foreignFile: message<{ what: string; help: string }>('workflow-shape', 'error', (f) => ({
    message: `this is ${f.what}, not a statedsl workflow`,
    label: 'this key says so',
    help: f.help,
  })),
  unknownKey: message<{ name: string; of: string; near: string | undefined; known: readonly string[]; help?: string }>(
    'unknown-key',
    'error',
    (f) => ({
      message: `\`${f.name}\` is not a key of ${f.of}`,
      ...(f.help === undefined
        ? didYouMean(f.name, f.near, `its keys are ${list(f.known)}`, f.known)
        : { help: f.help }),
    }),
  ),
  meaningless: message<{ what: string; why: string; help: string }>('older-key', 'error', (f) => ({
    message: `${f.what} has no meaning here: ${f.why}`,
    help: f.help,
  })),
  unknownRootKey: message<{ name: string }>('unknown-root-key', 'warning', (f) => ({
    message: `\`${f.name}\` is not a key of workflows, so it is only kept as a note`,
    help: 'describe the workflow with `description:`',
  })),
  missingKey: message<{ key: string; of: string; example: string }>('missing-key', 'error', (f) => ({
    message: `${f.of} has no \`${f.key}\``,
    help: `write \`${f.example}\``,
  })),
  twice: message<{ key: string; of?: string; first: Label }>('key-twice', 'error', (f) => ({
    message: `\`${f.key}\` of ${f.of ?? 'this step'} is given in two places`,
    labels: [f.first],
    help: 'keep one of the two',
  })),
  oneOf: message<{ what: string; names: readonly string[] }>('workflow-one-of', 'error', (f) => ({
    message: `${f.what} has ${list(f.names)}, but can have only one of them`,
    help: f.what === 'this gate' ? 'make each a separate item' : 'make each a separate step',
  })),
  emptySteps: message<{ of: string }>('empty-steps', 'error', (f) => ({
    message: `${f.of} has no steps`,
    help: 'write `- name: …` below it',
  })),
  noYamlForm: message<{ what: string; help?: string }>('no-yaml-form', 'error', (f) => ({
    message: `${f.what} cannot be written in a workflow file`,
    help: f.help ?? 'keep this program as text',
  })),
  noTextForm: message<{ what: string; help: string }>('no-text-form', 'error', (f) => ({
    message: `${f.what} cannot be written in the text of a program`,
    help: f.help,
  })),
  dialects: message<{ older: string; current: string; first: Label }>('mixed-dialects', 'error', (f) => ({
    message: `\`${f.older}\` belongs to the older dialect of workflows, but \`${f.current}\` to the current one`,
    labels: [f.first],
    help: inCurrent(f.older),
  })),
};
