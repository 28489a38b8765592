/**
 * The permissions of an agent in addition to reading files and writing to STATEDSL_OUT, in the same terms for all
 * programs. Each adapter translates them to the switches of its program.
 */
import { isAbsolute, relative } from 'node:path';
import { omitUndefined } from '../../../prelude/omit-undefined.js';

/** `edit`: change files in the working directory; `shell`: run commands; `network`: read and search the web. */
export type Permission = 'edit' | 'shell' | 'network';

export const PERMISSIONS: readonly Permission[] = ['edit', 'shell', 'network'];

/** The three permissions; null if the agent's configuration has no `allow`. */
export type Allowed = Readonly<Record<Permission, boolean>>;

/** For each permission, a clause that explains why the program does it although the agent lacks the permission. */
export type Leaks = { readonly [permission in Permission]?: string };

interface WithAllow {
  readonly allow?: readonly Permission[];
}

export function allowedBy({ allow }: WithAllow): Allowed | null {
  if (allow === undefined) return null;
  return { edit: allow.includes('edit'), shell: allow.includes('shell'), network: allow.includes('network') };
}

/** A project's own program: its actions are unknown. */
const LIMITS_ITSELF = 'only the program itself can limit what it does; it has the list in `STATEDSL_ALLOW`';
export const UNLIMITED: Leaks = { edit: LIMITS_ITSELF, shell: LIMITS_ITSELF, network: LIMITS_ITSELF };

/** An agent that asks before it uses some tools, and not before others. */
const DOES_NOT_ASK = 'the agent itself decides which tools it asks for; those that it asks for are denied';
export const UNASKED: Leaks = { edit: DOES_NOT_ASK, shell: DOES_NOT_ASK, network: DOES_NOT_ASK };

/** Programs that limit tools, but not the actions of a command. */
export function leaksOfCommands({ shell }: Allowed): Leaks {
  const reason = 'its commands can change files and use the network';
  return shell ? { edit: reason, network: reason } : {};
}

/** The names of the tools that are allowed, or of those that are not. */
export function toolsFor(
  tools: Readonly<Record<Permission, readonly string[]>>,
  allowed: Allowed,
  isAllowed: boolean,
): string[] {
  return PERMISSIONS.filter((permission) => allowed[permission] === isAllowed).flatMap(
    (permission) => tools[permission],
  );
}

/** Characters with a special meaning in rules, which name folders with patterns. */
const PATTERN = /[()[\]{}*?!\\,"'\s]/;

/**
 * The folder for a rule that denies writing, even if the user's settings allow it. Null if a rule cannot name the
 * folder, or would also deny writing to `out`.
 */
export function forbiddenFolder(directory: string, out: string): string | null {
  const way = relative(directory, out);
  const isInside = way !== '..' && !way.startsWith('../') && !isAbsolute(way);
  return isInside || PATTERN.test(directory) ? null : directory;
}

/** The permissions for a project's own program, which may respect them itself. */
export function allowVariable({ allow }: WithAllow): { readonly STATEDSL_ALLOW?: string } {
  return omitUndefined({ STATEDSL_ALLOW: allow === undefined ? undefined : [...new Set(allow)].join(' ') });
}

/** The kinds of tools in the Agent Client Protocol, by the permission that they need; null: none. A kind that is not here needs all. */
const NEEDS: Readonly<Record<string, keyof Allowed | null>> = {
  read: null,
  search: null,
  think: null,
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  execute: 'shell',
  fetch: 'network',
};

/** Whether a tool of this kind may be used. Without `allow`, an agent may edit, as those of other adapters. */
export function permitsKind(kind: string, allowed: Allowed | null): boolean {
  const may = allowed ?? { edit: true, shell: false, network: false };
  const needed = Object.hasOwn(NEEDS, kind) ? NEEDS[kind] : undefined;
  if (needed === undefined) return may.edit && may.shell && may.network;
  return needed === null || may[needed];
}
