/**
 * Sends spans to a receiver of OTLP over HTTP. A run never waits for it while it works, and at its end only as long as a
 * healthy receiver needs: what could not be sent is reported once, and made again from the record later.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { clockMs } from '../clock.js';
import { type OtlpSpan, traceRequest } from './otlp.js';
import type { TraceEndpoint } from './trace-options.js';

/** Spans of one request, and of those that wait for one. */
const MOST_AT_ONCE = 512;
const MOST_WAITING = 8_192;
/** How long spans are gathered before they are sent. */
const GATHER_MS = 1000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** How long the end of a run waits for a receiver that has shown no problem. */
const LAST_WAIT_MS = 300;
/** Enough of an answer to see what it says. */
const MOST_ANSWER = 64 * 1024;

/** `again`: the receiver may take the same spans later. */
export interface SendProblem {
  readonly message: string;
  readonly again: boolean;
}

export class SpanSender {
  private waiting: OtlpSpan[] = [];
  private sending: { readonly ended: Promise<void>; readonly since: number; readonly count: number } | null = null;
  private problem: SendProblem | null = null;
  private pauseMs = FIRST_PAUSE_MS;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private lost = 0;
  private request: ClientRequest | null = null;

  constructor(private readonly endpoint: TraceEndpoint) {}

  add(span: OtlpSpan): void {
    if (this.waiting.length >= MOST_WAITING) {
      this.lost++;
      return;
    }
    this.waiting.push(span);
    if (this.sending !== null) return;
    if (this.problem === null && this.waiting.length >= MOST_AT_ONCE) this.sendNow();
    else if (this.timer === null) this.sendLater(this.problem === null ? GATHER_MS : this.pauseMs);
  }

  /** Sends the rest as far as that takes no time. Returns how many spans were not sent, and why. */
  async close(): Promise<{ readonly lost: number; readonly why: string } | null> {
    this.stopTimer();
    const until = (this.sending?.since ?? clockMs()) + LAST_WAIT_MS;
    while (this.problem === null && (this.sending !== null || this.waiting.length > 0)) {
      if (this.sending === null) this.sendNow();
      if (!(await endsBefore((this.sending as unknown as { ended: Promise<void> }).ended, until))) break;
    }
    this.stopTimer();
    const lost = this.lost + this.waiting.length + (this.sending?.count ?? 0);
    this.request?.destroy();
    return lost === 0 ? null : { lost, why: this.problem?.message ?? 'no answer in time' };
  }

  private stopTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private sendLater(ms: number): void {
    this.timer = setTimeout(() => this.sendNow(), ms);
    this.timer.unref();
  }

  private sendNow(): void {
    this.stopTimer();
    const spans = this.waiting.slice(0, MOST_AT_ONCE);
    this.waiting = this.waiting.slice(MOST_AT_ONCE);
    const ended = postSpans(this.endpoint, spans, (request) => {
      this.request = request;
    }).then((problem) => this.afterSending(spans, problem));
    this.sending = { ended, since: clockMs(), count: spans.length };
  }

  private afterSending(spans: readonly OtlpSpan[], problem: SendProblem | null): void {
    this.sending = null;
    this.request = null;
    this.problem = problem;
    if (problem === null) {
      this.pauseMs = FIRST_PAUSE_MS;
    } else if (problem.again) {
      const free = MOST_WAITING - this.waiting.length;
      this.lost += Math.max(0, spans.length - free);
      this.waiting = [...spans.slice(0, free), ...this.waiting];
    } else {
      this.lost += spans.length;
    }
    if (this.waiting.length === 0) return;
    if (problem === null) return this.sendNow();
    this.sendLater(this.pauseMs);
    this.pauseMs = Math.min(LONGEST_PAUSE_MS, this.pauseMs * 2);
  }
}

async function endsBefore(ended: Promise<void>, until: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, until - clockMs()));
  });
  const first = await Promise.race([ended.then(() => true), late]);
  clearTimeout(timer);
  return first;
}

/** A sentence about spans that were not sent. `later`: the command that sends them; null: there is none. */
export function unsentSpans(
  { url }: TraceEndpoint,
  { lost, why }: { readonly lost: number; readonly why: string },
  later: string | null,
): string {
  const { origin, pathname } = new URL(url);
  const count = lost === 1 ? '1 span was' : `${lost} spans were`;
  return `${count} not sent to ${origin}${pathname} (${why})${later === null ? '' : `; \`${later}\` sends all of them`}`;
}

/** Sends all spans, one request after the other; returns the first problem. */
export async function postAll(endpoint: TraceEndpoint, spans: readonly OtlpSpan[]): Promise<SendProblem | null> {
  for (let at = 0; at < spans.length; at += MOST_AT_ONCE) {
    const problem = await postSpans(endpoint, spans.slice(at, at + MOST_AT_ONCE));
    if (problem !== null) return problem;
  }
  return null;
}

/** Null: the receiver has them. Never rejects. */
async function postSpans(
  endpoint: TraceEndpoint,
  spans: readonly OtlpSpan[],
  onRequest: (request: ClientRequest) => void = () => undefined,
): Promise<SendProblem | null> {
  try {
    const answer = await post(endpoint, JSON.stringify(traceRequest(spans, endpoint.resource)), onRequest);
    return problemIn(answer, spans.length);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    return { message: code === 'ECONNREFUSED' ? 'connection refused' : message || code || 'no answer', again: true };
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function problemIn({ status, body }: Answer, count: number): SendProblem | null {
  if (status < 200 || status > 299)
    return { message: `the receiver answered ${status}`, again: status === 429 || status >= 502 };
  let refused: { readonly rejectedSpans?: string | number; readonly errorMessage?: string } | undefined;
  try {
    refused = (JSON.parse(body) as { partialSuccess?: typeof refused }).partialSuccess;
  } catch {
    return null;
  }
  const rejected = Number(refused?.rejectedSpans ?? 0);
  if (!(rejected > 0)) return null;
  return {
    message: `the receiver refused ${rejected} of ${count} spans: ${refused?.errorMessage ?? ''}`,
    again: false,
  };
}

async function post(
  { url, headers, timeoutMs }: TraceEndpoint,
  body: string,
  onRequest: (request: ClientRequest) => void,
): Promise<Answer> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
        signal: AbortSignal.timeout(timeoutMs),
      },
      (answer) => collect(answer, resolve, reject),
    );
    sent.on('error', reject);
    onRequest(sent);
    sent.end(body);
  });
}

function collect(answer: IncomingMessage, resolve: (answer: Answer) => void, reject: (cause: unknown) => void): void {
  let body = '';
  answer.setEncoding('utf8');
  answer.on('data', (text: string) => {
    if (body.length < MOST_ANSWER) body += text;
  });
  answer.on('error', reject);
  answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
}
