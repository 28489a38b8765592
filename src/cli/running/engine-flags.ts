/** The flags of commands that use an engine, and how its failures are reported. */
import { EngineFailure, helpAfter } from '../../engine/ask-engine.js';
import { type EngineClient, engineClient } from '../../engine/client.js';
import type { ExitCode } from '../terminal/exit-code.js';
import { usageError } from '../terminal/usage-error.js';

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

/** `patienceMs`: how long the engine may not answer. */
export function clientOf({ on = '', namespace = NAMESPACE }: EngineFlags, patienceMs: number): EngineClient {
  return engineClient({ url: on, namespace, ...engineAccess(), patienceMs });
}

/** Turns a failure of an engine into a message and an exit code. */
export async function failuresAsErrors(action: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await action();
  } catch (cause) {
    if (!(cause instanceof EngineFailure)) throw cause;
    return usageError(cause.message, helpAfter(cause));
  }
}
