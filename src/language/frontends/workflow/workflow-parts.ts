/**
 * The steps of a workflow file, each read by itself, so that those with the same text as before are not read again. Only for the
 * usual form, in which the reading of a step cannot depend on the lines around it; any other file is read as a whole.
 */
import { type Diagnostic, type SourceFile, sourceFile } from '../../source/diagnostic.js';
import { rebase } from '../../syntax/child-blocks.js';
import type { ParsedPart } from '../../syntax/parse.js';
import { stepList } from './step-reader.js';
import type { ReaderContext, Sign } from './values.js';
import { type ReadName, readNames } from './workflow-inputs.js';
import { MAX_CHARACTERS, MAX_VALUES, mistakeInItem, readYaml, type YamlMap } from './yaml/yaml-nodes.js';

/** A step with the comments above it. */
export interface ReadStep extends ParsedPart {
  readonly signs: readonly Sign[];
  /** The offsets of the names of steps with `session: reuse`. */
  readonly reused: readonly number[];
  readonly names: readonly ReadName[];
  /** How many values it has. */
  readonly values: number;
}

type WorkflowParts = ReadParts | { readonly mistake: Diagnostic };

interface ReadParts {
  /** What is above the steps: a mapping that ends with the key `steps`. */
  readonly root: YamlMap;
  readonly comments: ParsedPart['comments'];
  readonly steps: readonly ReadStep[];
}

/** Above each part when it is read, so that its values are as deep as in the file. */
const ABOVE = 'steps:\n';

/**
 * Null for a file that must be read as a whole. `previous` has the parts of an earlier text. The only mistake in the YAML of a file is
 * the only message about it.
 */
export function partsOfWorkflow(
  file: SourceFile,
  index: number,
  previous: readonly ParsedPart[],
): WorkflowParts | null {
  const texts = file.text.length > MAX_CHARACTERS ? null : splitSteps(file.text);
  if (texts === null) return null;
  const { root, comments, diagnostics, values } = readYaml(sourceFile(file.name, texts.head), index);
  const last = root?.kind === 'map' ? root.members.at(-1) : undefined;
  if (root?.kind !== 'map' || last?.key.text !== 'steps' || diagnostics.length > 0) return null;
  // A mapping in braces, or a key inside a text.
  if (root.flow !== null || last.key.span.start !== texts.stepsAt) return null;
  const known = new Map(previous.flatMap((part) => (isReadStep(part) ? [[part.text, part]] : [])));
  const steps: ReadStep[] = [];
  let mistake: Diagnostic | null = null;
  let start = texts.head.length;
  let all = values;
  for (const text of texts.steps) {
    const same = known.get(text);
    const part = same === undefined ? readPart(file.name, text, index, start) : partAt(same, index, start);
    if (part === null) {
      if (mistake !== null) return null;
      const where = { above: ABOVE, start, end: start + text.length, column: texts.column };
      mistake = mistakeInItem(file, index, where);
      if (mistake === null) return null;
    } else {
      steps.push(part);
      all += part.values;
    }
    start += text.length;
  }
  if (mistake !== null) return { mistake };
  return all > MAX_VALUES ? null : { root, comments, steps };
}

function isReadStep(part: ParsedPart): part is ReadStep {
  return 'signs' in part && part.diagnostics.length === 0;
}

/** Null if anything about its YAML is wrong: its message may depend on what is around it. */
function readPart(name: string, text: string, file: number, start: number): ReadStep | null {
  const { root, comments, diagnostics: problems, values } = readYaml(sourceFile(name, ABOVE + text), file);
  const list = root?.kind === 'map' && root.members.length === 1 ? root.members[0]?.value : undefined;
  if (list?.kind !== 'list' || list.items.length !== 1 || problems.length > 0) return null;
  const at = start - ABOVE.length;
  const diagnostics: Diagnostic[] = [];
  const signs: Sign[] = [];
  const reused = new Set<number>();
  const context: ReaderContext = { file, diagnostics, signs, reused };
  const items = stepList(context, rebase(list, file, at));
  const names: ReadName[] = [];
  readNames(items, (read) => names.push(read));
  return {
    // A slice would keep the whole text in memory.
    text: ` ${text}`.slice(1),
    start,
    file,
    items,
    comments: rebase(comments, file, at),
    diagnostics,
    signs,
    reused: [...reused],
    names,
    values,
  };
}

function partAt(part: ReadStep, file: number, start: number): ReadStep {
  if (part.start === start && part.file === file) return part;
  const by = start - part.start;
  const { items, comments, signs, names } = part;
  const reused = part.reused.map((offset) => offset + by);
  return { ...part, ...rebase({ items, comments, signs, names }, file, by), start, file, reused };
}

interface SplitWorkflow {
  /** The text to the end of the line of `steps`. */
  readonly head: string;
  readonly stepsAt: number;
  /** Where the dashes are in their lines, from 0. */
  readonly column: number;
  /** The rest, a text for each item of the list. */
  readonly steps: readonly string[];
}

/**
 * The text at the lines that begin an item of `steps`. Nothing in an item can reach beyond it, unless it has mistakes: lines of a
 * text or a mapping are deeper than its dash. Null if a line looks otherwise.
 */
function splitSteps(text: string): SplitWorkflow | null {
  // Tabs have a meaning of their own in indentation, and directives change the meaning of words.
  if (/^ *\t/m.test(text) || /^(?:%|\uFEFF)/m.test(text)) return null;
  const opener = /^steps:[ ]*(?:#.*)?\r?\n/m.exec(text);
  if (opener === null) return null;
  const first = opener.index + opener[0].length;
  const steps: string[] = [];
  let column = -1;
  /** Where the current item begins, and the comments directly above the next one. */
  let begin = first;
  let comments = -1;
  for (let at = first; at < text.length; ) {
    const next = text.indexOf('\n', at);
    const end = next < 0 ? text.length : next + 1;
    let from = at;
    while (text[from] === ' ') from++;
    const character = text[from];
    const isBlank = character === undefined || character === '\n' || character === '\r';
    if (character === '#' && (column < 0 || from - at <= column)) {
      if (comments < 0) comments = at;
    } else if (!isBlank) {
      const after = text[from + 1];
      const isItem = character === '-' && (after === ' ' || after === '\n' || after === '\r' || after === undefined);
      if (column < 0) {
        if (!isItem) return null;
        column = from - at;
      } else if (from - at < column || (from - at === column && !isItem)) return null;
      else if (from - at === column) {
        const stop = comments < 0 ? at : comments;
        steps.push(text.slice(begin, stop));
        begin = stop;
      }
      comments = -1;
    }
    at = end;
  }
  if (column < 0) return null;
  steps.push(text.slice(begin));
  return { head: text.slice(0, first), stepsAt: opener.index, column, steps };
}
