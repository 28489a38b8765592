/**
 * The page: the files that the bundler made of `src/viewer/`. They hold no data, so anyone who reaches the service may have
 * them. A request without the token gets the same page with another status: its script finds out how to get in.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Context } from 'hono';
import { viewerFolder } from '../control/viewer-folder.js';
import { type AccessOptions, hasToken } from './access.js';
import type { ServiceApp } from './service.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

interface Asset {
  readonly type: string;
  readonly content: Buffer;
  readonly zipped: Buffer | null;
}

/** The names of the files contain a hash of their content, so a browser may keep them; the page itself names them. */
const KEEP = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

/** What the page will ask for: browsers fetch it while they read the script. The routes are exactly those of the page. */
const PRELOAD = 'rel=preload; as=fetch; crossorigin';
const COMMON: readonly string[] = ['/service'];
const LIST: readonly string[] = ['/runs?limit=60', '/waiting?limit=6'];
const ID = /^[0-9a-f-]{1,36}$/;

/** Without the files, for example in a checkout that was not built. */
const MISSING = 'The page is not built. `npm run build` makes it.\n';

export function addPage(app: ServiceApp, access: AccessOptions): void {
  let known: ReadonlyMap<string, Asset> | null = null;
  const assets = (): ReadonlyMap<string, Asset> => {
    known ??= readAssets();
    return known;
  };
  const send = (name: string, request: Request, cache: string, status = 200): Response | null => {
    const asset = assets().get(name);
    if (asset === undefined) return null;
    const { type, content, zipped } = asset;
    const isZipped = zipped !== null && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
    const headers = { 'Content-Type': type, 'Cache-Control': cache, Vary: 'Accept-Encoding' };
    const body = new Uint8Array(isZipped ? zipped : content);
    return new Response(body, { status, headers: isZipped ? { ...headers, 'Content-Encoding': 'gzip' } : headers });
  };
  const sendPage = (c: Context, wanted: readonly string[]): Response => {
    const isKnown = hasToken(c, access);
    const page = send('index.html', c.req.raw, ASK_AGAIN, isKnown ? 200 : 401);
    if (isKnown) page?.headers.set('Link', wanted.map((route) => `</api/v1${route}>; ${PRELOAD}`).join(', '));
    return page ?? c.text(MISSING, 503);
  };
  app.get('/', (c) => sendPage(c, [...COMMON, ...(c.req.url.includes('?') ? [] : LIST)]));
  app.get('/runs/:id', (c) => {
    const id = c.req.param('id');
    const isPast = c.req.query('event') !== undefined;
    const routes = isPast ? [`/runs/${id}/program`] : [`/runs/${id}`, `/runs/${id}/program`];
    return sendPage(c, ID.test(id) ? [...COMMON, ...routes] : COMMON);
  });
  app.get('/assets/:name', (c) => send(c.req.param('name'), c.req.raw, KEEP) ?? c.notFound());
}

function readAssets(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  const folder = viewerFolder();
  if (folder === null) return assets;
  const names = readdirSync(folder);
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const read = (of: string): Buffer => readFileSync(join(folder, of));
    assets.set(name, { type, content: read(name), zipped: names.includes(`${name}.gz`) ? read(`${name}.gz`) : null });
  }
  return assets;
}
