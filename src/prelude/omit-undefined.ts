/**
 * The one way to leave out members that may be undefined. Events, requests and snapshots are compared and stored member
 * by member, so a member is either there with a value or not there at all.
 */

/** `T` without its undefined members: those that may be undefined are optional. */
type OmitUndefined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * `members` without those that are undefined, in the same order: `omitUndefined({ id, label: undefined })` is `{ id }`.
 * Only undefined is left out: null, `false`, 0 and '' stay. The object given is returned itself when nothing is left
 * out, so give it a new one.
 */
export function omitUndefined<const T extends object>(members: T): OmitUndefined<T> {
  const given = members as Readonly<Record<string, unknown>>;
  for (const name in given) {
    if (given[name] === undefined) return copyDefined(given) as OmitUndefined<T>;
  }
  return members as OmitUndefined<T>;
}

function copyDefined(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name in members) {
    const value = members[name];
    if (value !== undefined) copy[name] = value;
  }
  return copy;
}
