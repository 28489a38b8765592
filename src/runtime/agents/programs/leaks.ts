/** Finds actions that an agent's program can do although `allow` does not permit them. */
import type { Adapter, AgentConfiguration } from './adapter.js';
import { allowedBy, PERMISSIONS, type Permission } from './permissions.js';

export interface Leak {
  readonly permission: Permission;
  readonly reason: string;
}

/** The actions that the program cannot be prevented from, although the agent may not do them. */
export function leaksOf(adapter: Adapter, configuration: AgentConfiguration): readonly Leak[] {
  const allowed = allowedBy(configuration);
  if (allowed === null) return [];
  const own = looseningArgument(adapter, configuration);
  const leaks = own === null ? adapter.leaks(allowed, configuration.args ?? []) : null;
  const isConfined = (permission: Permission): boolean =>
    permission === 'network' && configuration.sandbox === 'strict';
  return PERMISSIONS.filter((permission) => !allowed[permission] && !isConfined(permission)).flatMap((permission) => {
    const reason = leaks === null ? `its \`args\` have \`${own}\`, which wins` : leaks[permission];
    return reason === undefined ? [] : [{ permission, reason }];
  });
}

/** The argument in an agent's configuration that may permit more than `allow`, or null. */
export function looseningArgument({ loosens }: Adapter, { args = [] }: AgentConfiguration): string | null {
  return args.find((arg) => loosens.some((flag) => isFlag(arg, flag))) ?? null;
}

interface LeakGroup {
  readonly permissions: readonly Permission[];
  readonly reason: string;
}

/** Groups permissions with the same reason. */
export function leakGroups(adapter: Adapter, configuration: AgentConfiguration): readonly LeakGroup[] {
  const leaks = leaksOf(adapter, configuration);
  return [...new Set(leaks.map(({ reason }) => reason))].map((reason) => ({
    permissions: leaks.filter((leak) => leak.reason === reason).map(({ permission }) => permission),
    reason,
  }));
}

/** Matches `--flag` and `--flag=value`. Any other entry is the beginning of an argument. */
function isFlag(arg: string, flag: string): boolean {
  return arg === flag || arg.startsWith(flag.startsWith('-') ? `${flag}=` : flag);
}
