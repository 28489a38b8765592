/** The flags of commands that use an engine. */

export interface EngineFlags {
  /** The address of the ingress. */
  readonly on?: string;
  readonly namespace?: string;
}

/** Separates runs that share an engine. */
export const NAMESPACE = 'statedsl';

/** What the environment says about access to an engine. */
export function engineAccess(): { readonly token: string | null; readonly key: string | null } {
  return { token: process.env.STATEDSL_ENGINE_TOKEN ?? null, key: process.env.STATEDSL_ENGINE_KEY ?? null };
}
