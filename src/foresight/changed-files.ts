/** Names of changed files with which gates about files pass or fail, as was decided. */
import { filesMatching } from '../interpreter/steps/glob.js';
import type { Template } from '../machine/expression.js';
import type { DecidedCheck } from './unknown/knowledge.js';

/** What files must be: at least one that matches each of `some`, and none that matches `none`. */
interface Wanted {
  readonly some: readonly (readonly string[])[];
  readonly none: readonly string[];
}

/** Files that fit; `given` if it does. Null: none were found. */
export function changedFiles(given: readonly string[], checks: readonly DecidedCheck[]): readonly string[] | null {
  const wanted = wantedBy(checks);
  if (wanted === null) return null;
  const { some, none } = wanted;
  const isFree = (file: string): boolean => filesMatching([file], none).length === 0;
  const fits = (files: readonly string[]): boolean =>
    files.every(isFree) && some.every((globs) => filesMatching(files, globs).length > 0);
  if (fits(given)) return given;
  const files = some.flatMap(
    (globs) => globs.flatMap(namesOf).find((name) => filesMatching([name], globs).length > 0 && isFree(name)) ?? [],
  );
  return fits(files) ? files : null;
}

/** Null: the patterns depend on values. */
function wantedBy(checks: readonly DecidedCheck[]): Wanted | null {
  const some: (readonly string[])[] = [];
  const none: string[] = [];
  for (const { check, passes } of checks) {
    // A task that names files is one that may change them.
    if (check.kind !== 'touched' && check.kind !== 'untouched') continue;
    const globs = check.globs.map(textOf);
    if (!globs.every((glob) => glob !== null)) return null;
    if ((check.kind === 'touched') === passes) some.push(globs);
    else none.push(...globs);
  }
  return { some, none };
}

const textOf = (glob: Template): string | null =>
  glob.every((part) => typeof part === 'string') ? glob.join('') : null;

/** Names that may match a pattern: with little, and with more, in the place of its stars. */
function namesOf(glob: string): string[] {
  const ways = choicesOf(glob.endsWith('/') ? `${glob}**` : glob);
  return ways.flatMap((way) =>
    ['file', 'other', 'file.txt', 'folder/file', 'folder/other.txt', ''].map((filling) =>
      way
        .replace(/^(?:\.?\/)+/, '')
        .replaceAll('**/', filling.includes('/') ? 'folder/' : '')
        .replaceAll(/\*+/g, (stars) => (stars.length > 1 ? filling : filling.replaceAll('/', '_')))
        .replaceAll('?', 'x')
        .replaceAll(/(?<!\\)\[[!^]?(.)[^\]]*\]/g, '$1')
        .replaceAll(/\\(.)/g, '$1'),
    ),
  );
}

/** The pattern with the choices of its first braces, and so on. */
function choicesOf(glob: string): string[] {
  const braces = /(?<!\\)\{([^{}]*,[^{}]*)\}/.exec(glob);
  if (braces === null) return [glob];
  const [all, inside = ''] = braces;
  const [first = '', ...others] = inside.split(',');
  const before = glob.slice(0, braces.index);
  const after = glob.slice(braces.index + all.length);
  return [first, ...others.slice(-1)].flatMap((choice) => choicesOf(`${before}${choice}${after}`));
}
