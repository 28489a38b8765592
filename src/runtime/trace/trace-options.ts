/**
 * Whether spans of a run are wanted, and where: the variables of OpenTelemetry, then the configuration. It is loaded at
 * every start, and what makes and sends spans only if they are wanted.
 */

/** Where spans go. */
export interface TraceEndpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Attributes of what makes the spans, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
}

export interface TraceOptions {
  /** Null: spans are not sent, but what the run starts gets its `TRACEPARENT`. */
  readonly endpoint: TraceEndpoint | null;
  /** The `TRACEPARENT` that the run was started with. */
  readonly parent: string | null;
  /** That of the run which a replayed run was copied from. */
  readonly origin: string | null;
  readonly prompts: boolean;
}

/** The part `otel` of the configuration. */
export interface TraceConfiguration {
  /** The base address of the receiver; `/v1/traces` is added. */
  readonly endpoint?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly prompts?: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 10_000;

/** Undefined: no spans are wanted. `parent`: the `TRACEPARENT` that the run has from its start. */
export function traceOptions(
  env: Variables,
  otel: TraceConfiguration | undefined,
  parent: string | null = env.TRACEPARENT || null,
  origin: string | null = null,
): TraceOptions | undefined {
  const endpoint = traceEndpoint(env, otel);
  if (endpoint === null && parent === null) return undefined;
  const captures = env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT;
  const prompts =
    captures === undefined ? otel?.prompts === true : /^(?:true|1|span_only|span_and_event)$/i.test(captures);
  return { endpoint, parent, origin, prompts };
}

export function traceEndpoint(env: Variables, otel: TraceConfiguration | undefined): TraceEndpoint | null {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return null;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT || otel?.endpoint;
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || (base && `${base.replace(/\/+$/, '')}/v1/traces`);
  if (!url) return null;
  const timeout = Number(env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || env.OTEL_EXPORTER_OTLP_TIMEOUT);
  return {
    url,
    headers: {
      ...otel?.headers,
      ...pairs(env.OTEL_EXPORTER_OTLP_HEADERS),
      ...pairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS),
    },
    timeoutMs: timeout > 0 ? timeout : TIMEOUT_MS,
    resource: {
      'service.name': 'statedsl',
      ...pairs(env.OTEL_RESOURCE_ATTRIBUTES),
      ...(env.OTEL_SERVICE_NAME ? { 'service.name': env.OTEL_SERVICE_NAME } : {}),
    },
  };
}

/** `a=1,b=2` with escapes as in addresses. A part that is not a pair is left out. */
function pairs(text = ''): Record<string, string> {
  return Object.fromEntries(
    text.split(',').flatMap((part) => {
      const at = part.indexOf('=');
      const name = part.slice(0, at).trim();
      return at < 0 || name === '' ? [] : [[name, unescapePart(part.slice(at + 1).trim())]];
    }),
  );
}

function unescapePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What must not be recorded or shown: headers are often keys. */
export function traceSecrets({ endpoint }: TraceOptions): { readonly name: string; readonly value: string }[] {
  return Object.entries(endpoint?.headers ?? {}).flatMap(([name, value]) =>
    [...new Set([value, ...value.split(/\s+/)])].flatMap((one) => (one.length < 8 ? [] : [{ name, value: one }])),
  );
}
