/**
 * Values and prompts of a request are part of its event up to 64 KiB; above that they are an artifact, so that the
 * journal stays something that can be read line by line. The artifact holds the prompt, or the values as JSON.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import { INLINE_BYTES } from '../process/output.js';
import { entryAt, writeOwn } from './own-file.js';
import { storeError } from './store-error.js';

/** The event as it is recorded: itself, or without what went into an artifact. */
export function withoutLargeArguments(event: RunEvent, artifacts: string): RunEvent {
  if (event.type !== 'effect_requested') return event;
  const { args, prompt, ...rest } = event;
  if ((args?.reduce<number>((sum, arg) => sum + characters(arg), 0) ?? 0) + (prompt?.length ?? 0) <= INLINE_BYTES)
    return event;
  const content = prompt ?? JSON.stringify(args);
  const artifact = createHash('sha256').update(content).digest('hex');
  const path = join(artifacts, artifact);
  try {
    if (entryAt(path) === null) writeOwn(path, content);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
  return { ...rest, artifact };
}

function characters(value: Json): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let sum = 0;
  for (const key in value) sum += key.length + characters((value as Readonly<Record<string, Json>>)[key] ?? null);
  return sum;
}
