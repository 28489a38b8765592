/** A receiver of OpenTelemetry on loopback, which refuses what is not the JSON form of OTLP. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { OtlpSpan } from '../../src/runtime/trace/otlp.js';

/** The JSON form of an `ExportTraceServiceRequest`: any other member or form is refused. */
const traceId = z.string().regex(/^[0-9a-f]{32}$/);
const spanId = z.string().regex(/^[0-9a-f]{16}$/);
const nanoseconds = z.string().regex(/^[0-9]{19}$/);
const attribute = z.strictObject({
  key: z.string().min(1),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ boolValue: z.boolean() }),
    z.strictObject({ intValue: z.string().regex(/^-?[0-9]+$/) }),
    z.strictObject({ doubleValue: z.number() }),
  ]),
});
export const exportRequest = z.strictObject({
  resourceSpans: z.tuple([
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attribute) }),
      scopeSpans: z.tuple([
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(
            z.strictObject({
              ...{ traceId, spanId, name: z.string().min(1), kind: z.union([z.literal(1), z.literal(3)]) },
              parentSpanId: spanId.optional(),
              startTimeUnixNano: nanoseconds,
              endTimeUnixNano: nanoseconds,
              attributes: z.array(attribute),
              links: z.array(z.strictObject({ traceId, spanId })).optional(),
              status: z.strictObject({ code: z.literal(2).optional(), message: z.string().optional() }),
            }),
          ),
        }),
      ]),
    }),
  ]),
});

export interface Receiver {
  readonly url: string;
  readonly requests: { readonly path: string; readonly headers: NodeJS.Dict<string | string[]> }[];
  /** By their ids; a span that came twice must be the same. */
  readonly spans: Map<string, OtlpSpan>;
  /** The ids of all that came. */
  readonly ids: string[];
  readonly server: Server;
}

export async function receiver(answer: { status?: number; hangs?: boolean; body?: string } = {}): Promise<Receiver> {
  const spans = new Map<string, OtlpSpan>();
  const ids: string[] = [];
  const requests: Receiver['requests'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers });
      for (const span of exportRequest.parse(JSON.parse(body)).resourceSpans[0].scopeSpans[0].spans) {
        expect(spans.get(span.spanId) ?? span).toEqual(span);
        spans.set(span.spanId, span as OtlpSpan);
        ids.push(span.spanId);
      }
      if (!answer.hangs) response.writeHead(answer.status ?? 200).end(answer.body ?? '{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, spans, ids, server };
}
