/** What every part of the page may use: the data, the address, and the layout of pictures. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Drawing, Picture } from '../views/picture/picture.js';
import type { PageData } from './data/page-data.js';
import type { DrawPlot } from './runs/day-bars.js';

export interface PageParts {
  readonly data: PageData;
  readonly router: Router;
  /** Computes the positions of a picture; it may take a while. */
  readonly layOut: (picture: Picture) => Promise<Drawing>;
  /** Draws charts; loaded when one is shown. Absent: there are none. */
  readonly loadPlot?: () => Promise<DrawPlot>;
}

/** What the run on the screen is called; null: not known, or no run is shown. */
export const shownTitle = signal<string | null>(null);

/** The folders of the run on the screen, which commands name by `./`. */
export const shownFolders = signal<readonly string[]>([]);

export const PageContext = createContext<PageParts | null>(null);

export function usePage(): PageParts {
  const parts = useContext(PageContext);
  if (parts === null) throw new Error('a part of the page is used outside of it');
  return parts;
}

/**
 * The address of what is shown: a run, an event, a tab, the filters of the list. Everything that can be selected is part of
 * it, so that a link leads to it and the browser can go back.
 */
export interface Address {
  /** Null: the list of runs. */
  readonly run: string | null;
  readonly query: Readonly<Record<string, string>>;
}

export interface Router {
  readonly address: ReadonlySignal<Address>;
  /** What a link to this address has. */
  href(address: Address): string;
  /** `replace`: the browser does not go back to what was shown before. */
  go(address: Address, how?: 'push' | 'replace'): void;
  /** Changes a part of the query; undefined removes it. */
  change(query: Readonly<Record<string, string | undefined>>, how?: 'push' | 'replace'): void;
}

/** A page that is a file keeps its address after `#`, because the rest of it is the name of the file. */
export function createRouter(kind: 'service' | 'file'): Router {
  const read = (): Address => parse(kind === 'file' ? location.hash.slice(1) : location.pathname + location.search);
  const address = signal<Address>(read());
  window.addEventListener(kind === 'file' ? 'hashchange' : 'popstate', () => {
    address.value = read();
  });
  const href = (to: Address): string => (kind === 'file' ? `#${print(to)}` : print(to));
  const go: Router['go'] = (to, how = 'push') => {
    if (print(to) === print(address.value)) return;
    if (how === 'push') history.pushState(null, '', href(to));
    else history.replaceState(null, '', href(to));
    address.value = to;
  };
  return {
    address,
    href,
    go,
    change(query, how = 'replace') {
      const { run, query: before } = address.value;
      const all = Object.entries({ ...before, ...query });
      go({ run, query: Object.fromEntries(all.filter((one): one is [string, string] => one[1] !== undefined)) }, how);
    },
  };
}

/** The number of an event as the address has it; null: it has none. */
export function eventNumber(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;
}

function parse(text: string): Address {
  const [path = '', search = ''] = text.split('?');
  const query = Object.fromEntries(new URLSearchParams(search));
  const run = /^\/runs\/([^/]+)$/.exec(path)?.[1];
  return { run: run === undefined ? null : decodeURIComponent(run), query };
}

function print({ run, query }: Address): string {
  const search = new URLSearchParams(query).toString();
  return `${run === null ? '/' : `/runs/${encodeURIComponent(run)}`}${search === '' ? '' : `?${search}`}`;
}
