/** A result that was not printed: small ones are in the record itself, large ones become an artifact. */
import type { Outcome } from '../../interpreter/events/event.js';
import { decode, withText } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import type { EffectContext } from '../effect-context.js';
import { INLINE_BYTES, outputSink } from '../process/output.js';

/** `text`: the result as JSON, with numbers as they were written. */
export async function valueOutcome(text: string, context: EffectContext, durationMs: number): Promise<Outcome> {
  if (text.length <= INLINE_BYTES) return { kind: 'value', ...withText(decode(text) as Json), duration_ms: durationMs };
  const sink = outputSink(context.resources.outputs, null);
  sink.write(Buffer.from(text, 'utf8'));
  return { kind: 'exited', exit: 0, stdout: await sink.finish(true), stderr: '', duration_ms: durationMs };
}
