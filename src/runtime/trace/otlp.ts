/**
 * Spans as OTLP/JSON: ids in hexadecimal, numbers of 64 bits as text, enums as numbers. A span is plain data, made of a
 * record alone, so making it again gives the same.
 */
import { sha256Hex } from '../sha256.js';
import { VERSION } from '../version.js';

type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number };

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** A span that another one continues. */
export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
}

export interface OtlpSpan extends SpanLink {
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: internal, 3: a client of something else. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly links?: readonly SpanLink[];
  readonly status: { readonly code?: 2; readonly message?: string };
}

export type AttributeValue = string | number | boolean | null | undefined;

/** Attributes without those that have no value. */
export function attributesOf(values: Readonly<Record<string, AttributeValue>>): KeyValue[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | boolean): AnyValue {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: wellFormed(value) };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Half of a pair of surrogates is not a character, and receivers refuse it. */
export function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}

/** Milliseconds since the epoch as nanoseconds, which a number cannot hold. */
export function nanoseconds(ms: number): string {
  return `${Math.max(0, Math.trunc(ms))}000000`;
}

/** One request with these spans. `resource`: attributes of what made them. */
export function traceRequest(spans: readonly OtlpSpan[], resource: Readonly<Record<string, string>>) {
  const scope = { name: 'statedsl', version: VERSION };
  return { resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope, spans }] }] };
}

/** The trace that a run belongs to, and the span that started it. */
export interface TraceParent extends SpanLink {
  /** False: the origin of the trace does not want its spans. */
  readonly isSampled: boolean;
}

/** Reads a `TRACEPARENT`; null if it is not a valid one, which then has no effect. */
export function parseTraceparent(text: string | null | undefined): TraceParent | null {
  const match = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text?.trim() ?? '');
  if (match === null) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId) || (version === '00' && more !== undefined)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** A run that was started as part of a trace belongs to it; any other is a trace of its own. */
export function traceIdOf(runId: string, parent: string | null): string {
  return parseTraceparent(parent)?.traceId ?? sha256Hex(`trace\0${runId}`).slice(0, 32);
}

export function spanIdOf(runId: string, seq: number, what: string): string {
  return sha256Hex(`span\0${runId}\0${seq}\0${what}`).slice(0, 16);
}

/** What the span of one attempt of an effect is, besides the number of the event with which it began. */
export const spanOfEffect = (effect: string): string => `effect ${effect}`;

/** A run, and the `TRACEPARENT` with which it was started. */
export interface TracedOrigin {
  readonly runId: string;
  readonly parent: string | null;
}

/** The `TRACEPARENT` for what happens in a span of a run. */
export function traceparentFor({ runId, parent }: TracedOrigin, spanId: string): string {
  const flags = parseTraceparent(parent)?.isSampled === false ? '00' : '01';
  return `00-${traceIdOf(runId, parent)}-${spanId}-${flags}`;
}
