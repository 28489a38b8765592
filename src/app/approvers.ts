/**
 * Who may answer what, by `approvers` of the configuration. It is a rule of an organization for doors that know who asks: over
 * HTTP, in the page and for agents. The owner of the folder of the runs can answer everything on the command line.
 */
import type { Through } from '../interpreter/events/event.js';
import type { Json } from '../machine/expression.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { Configuration } from '../runtime/configuration/load-configuration.js';
import type { Delivery } from '../runtime/store/inbox.js';
import { nameInId } from '../runtime/store/inbox.js';
import { RunRefused } from '../runtime/store/store-error.js';
import type { Settings } from './project/settings.js';
import type { DeliverOptions } from './runs.js';

/** Who acts if nobody is named. */
export const DEFAULT_PERSON = 'user';

/** Answers as they are delivered. */
export function answersOf(
  answers: Readonly<Record<string, Json>>,
  { by = DEFAULT_PERSON, through = 'library', reason }: DeliverOptions,
): Delivery[] {
  const how = omitUndefined({ by, through, reason });
  return Object.entries(answers).map(([name, value]) => ({ kind: 'answer', name, value, ...how }));
}

const GUARDED: ReadonlySet<Through> = new Set(['http', 'page', 'mcp', 'form']);

/**
 * The names of those who may answer a question, by its name or its id; null: everybody. A name without the numbers of calls
 * may mean any approval of that name, so that all rules for these apply.
 */
function approversOf({ approvers }: Configuration, nameOrId: string): readonly string[] | null {
  if (approvers === undefined) return null;
  if (Array.isArray(approvers)) return approvers;
  const rules = approvers as Readonly<Record<string, readonly string[]>>;
  const name = nameInId(nameOrId);
  const short = withoutCalls(name);
  const keys =
    name !== short && Object.hasOwn(rules, name)
      ? [name]
      : Object.keys(rules).filter((key) => key === short || (name === short && withoutCalls(key) === short));
  const [first, ...others] = (keys.length > 0 ? keys : ['*']).flatMap((key) =>
    Object.hasOwn(rules, key) ? [rules[key] as readonly string[]] : [],
  );
  return first?.filter((person) => others.every((names) => names.includes(person))) ?? null;
}

const withoutCalls = (name: string): string => name.replace(/^(?:\d+\.)+/, '');

/**
 * Passes answers on that their persons may give. Others are put on record by `record`, and a `RunRefused` is thrown. A
 * configuration with mistakes lets nobody answer where it would decide.
 */
export async function guardAnswers(
  deliveries: readonly Delivery[],
  settings: () => Promise<Pick<Settings, 'configuration' | 'diagnostics'>>,
  record: (refused: readonly Delivery[]) => Promise<unknown>,
): Promise<void> {
  const guarded = deliveries.flatMap((one) =>
    one.kind === 'answer' && one.through !== undefined && GUARDED.has(one.through)
      ? [{ ...one, through: one.through }]
      : [],
  );
  if (guarded.length === 0) return;
  const { configuration, diagnostics } = await settings();
  const [mistake] = diagnostics;
  if (mistake !== undefined)
    throw new RunRefused(
      'unusable',
      `the configuration has a mistake: ${mistake.message}`,
      'correct it: `statedsl doctor`',
    );
  const refused = guarded.flatMap((one) => {
    const names = approversOf(configuration, one.name);
    return names === null || names.includes(one.by) ? [] : [{ one, names }];
  });
  const [first] = refused;
  if (first === undefined) return;
  await record(refused.map(({ one }): Delivery => ({ ...one, kind: 'refused' })));
  const { one, names } = first;
  throw new RunRefused(
    'not-allowed',
    `${one.by} may not answer \`${one.name}\``,
    names.length === 0 ? 'the configuration allows no one to' : `ask ${names.join(' or ')}`,
  );
}
