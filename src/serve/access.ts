/**
 * Who may talk to the service. A browser sends requests for every page that is open in it, so a request must name the
 * service by its own address (a foreign `Host` is a rebound DNS name), must not come from another site, and must carry the
 * token: in a header, or in a cookie that the printed address sets.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { isLoopback } from '../prelude/is-loopback.js';
import { answerWith } from './http-answer.js';

export interface AccessOptions {
  readonly token: string;
  /** Names and addresses by which clients may call the service, each as `host:port`; null: any. */
  readonly hosts: readonly string[] | null;
  /** For the name of the cookie: browsers share cookies between the ports of a host. */
  readonly port: () => number;
}

/** Not an async function: this code comes before every answer. */
const refuseNow = (...given: Parameters<typeof answerWith>): Promise<Response> => Promise.resolve(answerWith(...given));

const LONGEST_NAME = 200;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests, so the time it takes does not depend on the secret. */
const isEqual = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

/**
 * What a client writes as `Host` to call the service at a port of this machine; null: anything, because another machine
 * that reaches the address has names for it that only its users know.
 */
export function hostsOf(host: string, port: number): readonly string[] | null {
  const address = host.toLowerCase();
  if (!isLoopback(address)) return null;
  const names = address === '::1' ? ['[::1]', 'localhost'] : [address, 'localhost', '127.0.0.1'];
  // Clients leave out the port that everybody knows.
  return [...new Set(names)].flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

/**
 * The name that a proxy gives in a header; null: none. The bytes of headers come as characters, and names are written in
 * UTF-8.
 */
export function userOf(header: string | undefined): string | null {
  const name = header?.trim() ?? '';
  return name === '' ? null : decodeName(name).slice(0, LONGEST_NAME);
}

function decodeName(name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(name, 'latin1'));
  } catch {
    return name;
  }
}

/** A URL leaves out the port that everybody knows. */
const withoutUsualPort = (host: string): string => (host.endsWith(':80') ? host.slice(0, -3) : host);

/** Whether an absolute URL names this host. Without `new URL`, because this code comes before every answer. */
function isAt(url: string, host: string): boolean {
  const from = url.indexOf('//') + 2;
  const to = url.indexOf('/', from);
  const named = url.slice(from, to === -1 ? url.length : to).toLowerCase();
  return withoutUsualPort(named) === withoutUsualPort(host);
}

/** `Host` and `Origin`: neither is under the control of a page that another site has opened. */
export function checkOrigin(options: Pick<AccessOptions, 'hosts'>): MiddlewareHandler {
  return (c, next) => {
    // The port is known when the service listens.
    const { hosts } = options;
    const host = c.req.header('host')?.toLowerCase();
    // A request line with a whole address names the host, too, and then that one counts.
    if (host === undefined || !isAt(c.req.url, host) || (hosts !== null && !hosts.includes(host)))
      return refuseNow(c, 403, {
        code: 'wrong-host',
        message: 'this service is not called by that name',
        help: hosts === null ? null : `use http://${hosts[0]}`,
      });
    const origin = c.req.header('origin');
    const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
    // Another port of this machine is the same site.
    const isForeign = ['cross-site', 'same-site'].includes(c.req.header('sec-fetch-site') ?? 'none');
    const isNavigation = c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate';
    if (!isOwn || (isForeign && !isNavigation))
      return refuseNow(c, 403, {
        code: 'foreign-origin',
        message: 'pages of other sites may not use this service',
        help: 'send the request from the page of the service, or from a program, without `Origin`',
      });
    return next();
  };
}

const cookieName = ({ port }: AccessOptions): string => `statedsl_${port()}`;

export function hasToken(c: Context, options: AccessOptions): boolean {
  const bearer = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  if (bearer !== undefined) return isEqual(bearer, options.token);
  const session = getCookie(c, cookieName(options));
  return session !== undefined && isSession(session, options);
}

/**
 * What a browser keeps is the id of a session, which tells nobody the token. It is the token's signature of a random number, so
 * that it holds for as long as the token, also after the service was started again.
 */
function newSession(options: Pick<AccessOptions, 'token'>): string {
  const number = randomBytes(18).toString('base64url');
  return `${number}.${signatureOf(number, options)}`;
}

function isSession(session: string, options: Pick<AccessOptions, 'token'>): boolean {
  const [number = '', signature = ''] = session.split('.', 2);
  return number !== '' && isEqual(signature, signatureOf(number, options));
}

const signatureOf = (number: string, { token }: Pick<AccessOptions, 'token'>): string =>
  createHmac('sha256', token).update(`session ${number}`).digest('base64url');

/** For all routes that give or change data. */
export function requireToken(options: AccessOptions): MiddlewareHandler {
  return (c, next) => {
    if (hasToken(c, options)) return next();
    c.header('WWW-Authenticate', 'Bearer realm="statedsl"');
    return refuseNow(c, 401, {
      code: 'no-token',
      message: 'the request has no valid token',
      help: 'send `Authorization: Bearer TOKEN`, or open the address that `statedsl serve` prints',
    });
  };
}

/** The printed address holds the token. It becomes a cookie, and the address without it is what the browser shows. */
export function signIn(options: AccessOptions): MiddlewareHandler {
  return (c, next) => {
    if (c.req.method !== 'GET' || c.req.path.startsWith('/api/')) return next();
    const given = c.req.query('token');
    if (given === undefined) return next();
    if (!isEqual(given, options.token))
      return refuseNow(c, 401, {
        code: 'no-token',
        message: 'the token in the address is not valid',
        help: 'open the address that the service printed when it started: each start has its own token',
      });
    setCookie(c, cookieName(options), newSession(options), { httpOnly: true, sameSite: 'Strict', path: '/' });
    const url = new URL(c.req.url);
    url.searchParams.delete('token');
    // Two slashes at the beginning would name another host.
    return Promise.resolve(c.redirect(`${url.pathname.replace(/^\/+/, '/')}${url.search}`, 303));
  };
}

/** Whether a client closed its connection before it had sent the whole body. */
export const isAborted = ({ message, code }: NodeJS.ErrnoException): boolean =>
  code === 'ECONNRESET' && message === 'aborted';
