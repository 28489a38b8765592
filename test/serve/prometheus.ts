/** A parser of the text format of Prometheus, with the types that it lacks. */
import { createRequire } from 'node:module';

/** All samples of one name. */
interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly metrics: readonly { readonly value?: string; readonly labels?: Readonly<Record<string, string>> }[];
}

/** Throws if the text is not in the format. */
export const parsePrometheus = createRequire(import.meta.url)('parse-prometheus-text-format') as (
  text: string,
) => readonly MetricFamily[];
