/** A result that was not printed: small ones are in the record itself, large ones become an artifact. */
import type { Outcome } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import type { EffectContext } from '../effect-context.js';
import { INLINE_BYTES, outputSink } from '../process/output.js';

/** Undefined becomes null. A value that JSON cannot represent is a failure. */
export async function valueOutcome(result: unknown, context: EffectContext, durationMs: number): Promise<Outcome> {
  const text = textOf(result);
  if (text === undefined)
    return { kind: 'failed', error_type: 'not_json', message: 'it returned a value that JSON cannot represent' };
  if (text.length <= INLINE_BYTES) return { kind: 'value', value: JSON.parse(text) as Json, duration_ms: durationMs };
  const sink = outputSink(context.resources.outputs, null);
  sink.write(Buffer.from(text, 'utf8'));
  return { kind: 'exited', exit: 0, stdout: await sink.finish(true), stderr: '', duration_ms: durationMs };
}

function textOf(result: unknown): string | undefined {
  if (result === undefined) return 'null';
  try {
    return JSON.stringify(result) as string | undefined;
  } catch {
    // A cycle or a BigInt.
    return undefined;
  }
}
