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
