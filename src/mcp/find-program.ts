/** Which program a caller means. A path never leads out of the folder of the programs, also not through a link. */
import { realpathSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { type Result, refuse, resultWith } from '../app/result.js';
import { nearest } from '../prelude/nearest.js';
import type { Door } from './door.js';
import type { StartableFlow } from './run-operations.js';

export interface NamedFlow {
  readonly program?: string;
  readonly file?: string;
  readonly text?: string;
}

/** Exactly one of the ways to name a program. */
export async function findSource(
  door: Door,
  named: NamedFlow,
  ways: readonly (keyof NamedFlow)[],
): Promise<Result<StartableFlow>> {
  const given = ways.filter((way) => named[way] !== undefined);
  const [way, second] = given;
  const all = ways
    .map((one) => `\`${one}\``)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');
  if (way === undefined) return refuse('wrong-use', 'nothing was given', `give ${all}`);
  if (second !== undefined)
    return refuse('wrong-use', `\`${way}\` and \`${second}\` both name a program`, 'give one of them');
  if (way === 'text') return resultWith({ text: named.text as string });
  return way === 'file' ? fileInside(door, named.file as string) : findListed(door, named.program as string);
}

export const sourceOf = (source: StartableFlow): string | { readonly text: string } =>
  'file' in source ? source.file : source;

function fileInside(door: Door, file: string): Result<StartableFlow> {
  const folder = realpathSync(door.programs);
  const outside = () =>
    refuse(
      'wrong-use',
      `\`${file}\` is not in the folder of the programs`,
      'name a file that `list` shows, or give its `text`',
    );
  if (file.includes('\0')) return outside();
  const path = resolve(folder, file);
  if (!isBelow(folder, path)) return outside();
  try {
    if (!isBelow(folder, realpathSync(path))) return outside();
    if (!statSync(path).isFile())
      return refuse('unknown', `\`${file}\` is not a file`, 'name a file that `list` shows');
  } catch {
    return refuse('unknown', `there is no file \`${file}\``, 'name a file that `list` shows');
  }
  return resultWith({ file: relative(folder, path) });
}

const isBelow = (folder: string, path: string): boolean => path.startsWith(folder === sep ? sep : folder + sep);

/** The name of a file without its folders and its ending. */
const stemOf = (path: string): string => path.replace(/^.*\//, '').replace(/\.[^.]+$/, '');

async function findListed(door: Door, name: string): Promise<Result<StartableFlow>> {
  const list = await door.folder.list();
  if (!list.ok) return list;
  const { programs, workflows, plans } = list.value;
  const paths = [...programs, ...workflows, ...plans].map(({ path }) => path);
  if (paths.includes(name)) return resultWith({ file: name });
  const withName = [...programs, ...workflows].filter((one) => one.name === name);
  const stems = paths.filter((path) => stemOf(path) === name);
  const found = withName.length > 0 ? withName.map(({ path }) => path) : stems;
  const [only, second] = found;
  if (second !== undefined)
    return refuse('wrong-use', `several programs have the name \`${name}\``, `give the path: ${found.join(', ')}`);
  if (only !== undefined) return resultWith({ file: only });
  const names = paths.map(stemOf);
  const near = nearest(name, [...paths, ...names, ...programs.flatMap((one) => one.name ?? [])]);
  return refuse(
    'unknown',
    `there is no program \`${name}\``,
    near === undefined ? '`list` with `what: "programs"` shows them' : `did you mean \`${near}\`?`,
  );
}
