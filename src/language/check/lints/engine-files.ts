/**
 * Files that one effect writes and a later one names. On an engine the later one may run on another machine, unless the
 * workers share a directory or the run belongs to a home.
 */
import { type Instruction, type Machine, type Origin, performedBy, type State } from '../../../machine/machine.js';

export interface FileHandover {
  readonly file: string;
  readonly written: Origin;
  readonly named: Origin;
}

interface Files {
  readonly written: ReadonlySet<string>;
  readonly named: ReadonlySet<string>;
}

interface Located extends Files {
  readonly state: number;
  readonly at: number;
  readonly origin: Origin;
}

/** The first effect that writes a file, and the first later one that names it. */
export function fileHandovers(machine: Machine): readonly FileHandover[] {
  const { states } = machine;
  const effects = states.flatMap(({ code }, state) =>
    code.flatMap((one, at): Located[] => {
      const files = filesOf(performedBy(one));
      return files === null ? [] : [{ ...files, state, at, origin: one.origin }];
    }),
  );
  const reaches = states.map((_, from) => reachedFrom(states, from));
  const found = new Map<string, FileHandover>();
  for (const writer of effects)
    for (const file of writer.written) {
      if (found.has(file)) continue;
      const isLater = ({ state, at }: Located): boolean =>
        (state === writer.state && at > writer.at) || (reaches[writer.state]?.has(state) ?? false);
      const reader = effects.find((one) => one !== writer && one.named.has(file) && isLater(one));
      if (reader !== undefined) found.set(file, { file, written: writer.origin, named: reader.origin });
    }
  return [...found.values()];
}

/** The states that a run may enter after it was in the state. */
function reachedFrom(states: readonly State[], from: number): ReadonlySet<number> {
  const reached = new Set<number>();
  const work = [from];
  for (let at = work.pop(); at !== undefined; at = work.pop())
    for (const to of successors(states, at)) {
      if (reached.has(to)) continue;
      reached.add(to);
      work.push(to);
    }
  return reached;
}

/** Every state may fail, and then ERROR is entered. */
function successors(states: readonly State[], at: number): readonly number[] {
  const { code = [] } = states[at] ?? {};
  if (code.some(({ op }) => op === 'goto-dynamic')) return states.map((_, to) => to);
  const errors = states.flatMap(({ name }, to) => (name === 'ERROR' && to !== at ? [to] : []));
  return [...code.flatMap((one) => (one.op === 'goto' ? [one.state] : [])), ...errors];
}

/** Null: the instruction is not an effect that could use files. */
function filesOf(one: Instruction): Files | null {
  switch (one.op) {
    case 'shell':
      return filesInShell(one.template.source);
    case 'agent': {
      const [output] = one.output ?? [];
      const written = one.output?.length === 1 && typeof output === 'string' ? [output] : [];
      return { written: new Set(written.flatMap(fileNamed)), named: wordsIn(one.text) };
    }
    case 'argv':
    case 'function':
      return { written: new Set(), named: wordsIn(one.text) };
    default:
      return null;
  }
}

function wordsIn(text: string): ReadonlySet<string> {
  return new Set((text.match(/[^\s"'`,;:()[\]]+/g) ?? []).flatMap((word) => fileNamed(word.replace(/\.+$/, ''))));
}

/** A redirection, an operator, or a word with its quotes. */
const TOKEN = /\d*(?:&?>>?[|&]?|<<?<?&?)|[|;&()\n]+|(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\<>|;&()])+/g;
/** Programs that write all files that they are given, and those that write the last one. */
const WRITE_ALL: ReadonlySet<string> = new Set(['tee', 'touch', 'truncate']);
const WRITE_LAST: ReadonlySet<string> = new Set(['cp', 'mv', 'install', 'ln']);
/** Options behind which many programs have the name of the file that they write. */
const OUTPUT: ReadonlySet<string> = new Set(['-o', '-O', '--output', '--out']);

/** A file that is only written anew is not named: what was in it does not matter. */
function filesInShell(source: string): Files {
  const written = new Set<string>();
  const named = new Set<string>();
  let words: string[] = [];
  let redirect = '';
  const addAll = (to: Set<string>, texts: readonly string[]): void => {
    for (const text of texts) for (const file of fileNamed(text)) to.add(file);
  };
  const endCommand = (): void => {
    const [program = '', ...given] = words;
    const files = given.filter((word) => !word.startsWith('-'));
    const toFiles = WRITE_ALL.has(program) ? files : WRITE_LAST.has(program) ? files.slice(-1) : outputsOf(given);
    addAll(written, toFiles);
    addAll(
      named,
      words.filter((word) => !toFiles.includes(word)).flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]),
    );
    words = [];
  };
  for (const [token] of source.matchAll(TOKEN)) {
    if (/^\d*(?:&?>|<)/.test(token)) redirect = token;
    else if (/^[|;&()\n]/.test(token)) endCommand();
    else {
      const word = token.replace(/['"]/g, '').replace(/\\(.)/g, '$1');
      if (redirect === '') words.push(word);
      else if (redirect.includes('>')) addAll(redirect.includes('>>') ? named : new Set(), [word]);
      else addAll(named, [word]);
      if (redirect.includes('>')) addAll(written, [word]);
      redirect = '';
    }
  }
  endCommand();
  return { written, named };
}

function outputsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => (OUTPUT.has(words[at - 1] ?? '') ? [word] : []));
}

/** The name of a file, in one spelling. Devices, options and variables are none. */
function fileNamed(word: string): readonly string[] {
  const name = word.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  return name === '' || /^(?:-|\$|&|\d+$|\/dev\/|\.{1,2}$)/.test(name) ? [] : [name];
}
