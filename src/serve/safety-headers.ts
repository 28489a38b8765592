/**
 * Headers of every answer: what a run printed must not become a part of a page, and no client may keep an answer. They
 * are set before a request reaches the application, because changing the headers of an answer later takes longer than
 * showing a run.
 */
import type { ServerResponse } from 'node:http';

/** No script but its own files, no frame, no form. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** The service speaks HTTP; a proxy with HTTPS decides about `Strict-Transport-Security` for itself. */
const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', POLICY.join('; ')],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['X-Download-Options', 'noopen'],
  ['X-Frame-Options', 'DENY'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['X-XSS-Protection', '0'],
  ['Cache-Control', 'no-store'],
];

/** A route may replace them. */
export function setSafetyHeaders(answer: Pick<ServerResponse, 'setHeader'>): void {
  for (const [name, value] of HEADERS) answer.setHeader(name, value);
}
