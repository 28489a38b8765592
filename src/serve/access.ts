/**
 * Who may talk to the service. A browser sends requests for every page that is open in it, so a request must name the
 * service by its own address (a foreign `Host` is a rebound DNS name), must not come from another site, and must carry the
 * token: in a header, or in a cookie that the printed address sets.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { answerWith } from './answer.js';

export interface AccessOptions {
  readonly token: string;
  /** Names and addresses by which clients may call the service, each as `host:port`; null: any. */
  readonly hosts: readonly string[] | null;
  /** For the name of the cookie: browsers share cookies between the ports of a host. */
  readonly port: () => number;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests, so the time it takes does not depend on the secret. */
const isEqual = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

/** `Host` and `Origin`: neither is under the control of a page that another site has opened. */
export function checkOrigin(options: Pick<AccessOptions, 'hosts'>): MiddlewareHandler {
  return async (c, next) => {
    // The port is known when the service listens.
    const { hosts } = options;
    const host = c.req.header('host')?.toLowerCase();
    if (host === undefined || (hosts !== null && !hosts.includes(host)))
      return answerWith(c, 403, {
        code: 'wrong-host',
        message: 'this service is not called by that name',
        help: hosts === null ? null : `use http://${hosts[0]}`,
      });
    const origin = c.req.header('origin');
    const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
    const site = c.req.header('sec-fetch-site') ?? 'none';
    const isNavigation = c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate';
    if (!isOwn || (site === 'cross-site' && !isNavigation))
      return answerWith(c, 403, {
        code: 'foreign-origin',
        message: 'pages of other sites may not use this service',
        help: null,
      });
    return next();
  };
}

const cookieName = ({ port }: AccessOptions): string => `statedsl_${port()}`;

/** Null if the request has no token, or a wrong one. */
function presentedToken(c: Context, options: AccessOptions): string | null {
  const bearer = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  return bearer ?? getCookie(c, cookieName(options)) ?? null;
}

export function hasToken(c: Context, options: AccessOptions): boolean {
  const presented = presentedToken(c, options);
  return presented !== null && isEqual(presented, options.token);
}

/** For all routes that give or change data. */
export function requireToken(options: AccessOptions): MiddlewareHandler {
  return async (c, next) => {
    if (hasToken(c, options)) return next();
    c.header('WWW-Authenticate', 'Bearer realm="statedsl"');
    return answerWith(c, 401, {
      code: 'no-token',
      message: 'the request has no valid token',
      help: 'send `Authorization: Bearer TOKEN`, or open the address that `statedsl serve` prints',
    });
  };
}

/** The printed address holds the token. It becomes a cookie, and the address without it is what the browser shows. */
export function signIn(options: AccessOptions): MiddlewareHandler {
  return async (c, next) => {
    const given = c.req.query('token');
    if (c.req.method !== 'GET' || given === undefined || c.req.path.startsWith('/api/')) return next();
    if (!isEqual(given, options.token))
      return answerWith(c, 401, {
        code: 'no-token',
        message: 'the token in the address is not valid',
        help: 'open the address that the service printed when it started: each start has its own token',
      });
    setCookie(c, cookieName(options), options.token, { httpOnly: true, sameSite: 'Strict', path: '/' });
    const url = new URL(c.req.url);
    url.searchParams.delete('token');
    // Two slashes at the beginning would name another host.
    return c.redirect(`${url.pathname.replace(/^\/+/, '/')}${url.search}`, 303);
  };
}
