/**
 * What is told about steps, in the words of a workflow file. Both spellings are checked as one tree, and their messages are
 * worded for text; whoever wrote YAML has to read what can be pasted there.
 */
import type { Diagnostic } from '../../source/diagnostic.js';
import { positionAt, type SourceFile, type SourceSet } from '../../source/source-file.js';

function limitKey(option: string): string {
  return { cost: 'max_budget', time: 'max_timeout' }[option] ?? 'max_tokens';
}

/** `a={a}, b={b}` of a program. */
function yamlArguments(given: string): string {
  return given.replace(/(\w+)=(\{\w+\})/g, '$1: "$2"');
}

/** In text, and in YAML. Only what stands in backticks is code. */
const FORMS: readonly (readonly [RegExp, string | ((...groups: string[]) => string)])[] = [
  [/ in state `MAIN`$/g, ''],
  [/^bind it with `?CHECK.*$/g, 'name an input, or a step that runs before, as `{step.output}`'],
  [/`type=(\w+)`/g, '`type: $1`'],
  [/`(EXIT|ATTEMPT) (\d+)`/g, (_, word = '', number = '') => `\`- ${word.toLowerCase()}: ${number}\``],
  [/`(SESSION|WORKTREE) (new|reset)`/g, (_, word = '', value = '') => `\`${word.toLowerCase()}: ${value}\``],
  [/`SESSION: from=([^`]*)`/g, '`session: { from: $1 }`'],
  [/`(AGENT|PROMPT|WORKFLOW|GATE|SESSION|WORKTREE|EACH|RETRY):?`/g, (_, word = '') => `\`${word.toLowerCase()}\``],
  [/(?<!`)\b(RETRY|EXIT|ATTEMPT|EACH|NOT|VALIDATE)\b(?!`)/g, (_, word = '') => `\`${word.toLowerCase()}\``],
  [/`coverage (\d+)`/g, '`coverage: $1`'],
  [/`schema "([^"]*)"`/g, '`schema: $1`'],
  [/`(cost|time|tokens)=([\w.]+)`/g, (_, word = '', value = '') => `\`${limitKey(word)}: ${value}\``],
  [/^option `(cost|time|tokens)`/g, (_, word = '') => `\`${limitKey(word)}\``],
  [/`(max_\w+)=([\w.]+)`/g, '`$1: $2`'],
  [/`no_write` alone/g, '`no_write: true`'],
  [/`with (\w+=\{\w+\}(?:, \w+=\{\w+\})*)`/g, (_, given = '') => `\`with: { ${yamlArguments(given)} }\``],
  [/`as (\w+)`/g, '`as: $1`'],
];

const isYaml = (name: string | undefined): boolean => name !== undefined && /\.ya?ml$/i.test(name);

/** The same diagnostics; those in workflow files speak YAML. */
export function inYamlWords(diagnostics: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  if (!sources.some(({ name }) => isYaml(name))) return diagnostics;
  return diagnostics.map(({ repair, ...one }) => {
    if (!isYaml(sources[one.span.file]?.name)) return repair === undefined ? one : { ...one, repair };
    // A name is a name in both; lines to add are not.
    const fits = repair !== undefined && ('replace' in repair || one.code === 'bad-character');
    return {
      ...one,
      ...(fits ? { repair } : {}),
      message: nameless(translated(one.message), sources[one.span.file]),
      ...(one.help === undefined ? {} : { help: translated(one.help) }),
    };
  });
}

/** A step without a name has one of its offset, which nobody wrote. */
function nameless(text: string, source: SourceFile | undefined): string {
  if (source === undefined) return text;
  return text.replace(/(the step )?`step-(\d+)`/g, (_, __, offset: string) => {
    return `the step in line ${positionAt(source, Number(offset)).line}`;
  });
}

function translated(text: string): string {
  return FORMS.reduce((words, [form, yaml]) => words.replace(form, yaml as string), text);
}
