/** The header of a new run: the facts about it that are fixed before its first event, without secrets. */
import { resolve } from 'node:path';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type Redactor, redactNamed } from '../redact.js';
import { digestOf } from '../store/image.js';
import type { FixedOptions, RunHeader } from '../store/run-header.js';
import { VERSION } from '../version.js';
import type { RunOptions } from './run-options.js';

/** What is known of a run only when it starts. */
interface StartFacts {
  readonly runId: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly redactor: Redactor | null;
  readonly fixed: FixedOptions;
}

export function headerOf(
  machine: Machine,
  options: Pick<RunOptions, 'inputs' | 'cwd' | 'sources' | 'settings' | 'key'>,
  { runId, startedAt, redactor, fixed }: StartFacts,
): RunHeader {
  const clean = <T>(value: T): T => (redactor === null ? value : (redactor.value(value as Json) as T));
  const value = redactor?.value ?? ((given: Json) => given);
  const { printed_inputs: printed, start, ...others } = fixed;
  const inputs = redactNamed(options.inputs ?? {}, printed, value);
  const entry = start === null ? null : redactNamed(start.with, start.printed, value);
  return {
    runId,
    machine,
    digest: digestOf(machine),
    inputs: inputs.values,
    startedAt,
    cwd: resolve(options.cwd ?? process.cwd()),
    version: VERSION,
    sources: (options.sources ?? []).map(({ name, text }) => ({ name, text: clean(text) })),
    // Who did something is never replaced, as in events.
    options: {
      ...clean(others),
      start: start && entry && { state: start.state, with: entry.values, ...omitUndefined({ printed: entry.printed }) },
      ...omitUndefined({ printed_inputs: inputs.printed, started_by: fixed.started_by }),
    },
    settings: clean(options.settings ?? {}),
    key: options.key && { name: options.key.name, ...omitUndefined({ while: options.key.while }) },
  };
}
