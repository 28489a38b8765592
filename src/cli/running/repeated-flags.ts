/** The flags that a suggested command must repeat to find the same runs. */

interface WhereRunsAre {
  readonly dir?: string;
  readonly on?: string;
  readonly namespace?: string;
}

/** The flags for the store or the engine, unless the next command uses the same one by default. */
export function repeatedFlags({ dir, on, namespace }: WhereRunsAre): readonly string[] {
  if (on !== undefined) return [...(on === process.env.STATEDSL_ON ? [] : ['--on', on]), ...namespaceFlag(namespace)];
  return dir === undefined || dir === process.env.STATEDSL_DIR ? [] : ['--dir', dir];
}

function namespaceFlag(namespace: string | undefined): readonly string[] {
  const usual = process.env.STATEDSL_NAMESPACE || 'statedsl';
  return namespace === undefined || namespace === usual ? [] : ['--namespace', namespace];
}
