/** What every part of the page may use: the data, the address, and the layout of pictures. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Drawing, Picture } from '../views/picture/drawing.js';
import type { Router } from './address.js';
import type { RunData } from './data/run-data.js';
import type { DrawPlot } from './runs/day-bars.js';

export interface PageParts {
  readonly data: RunData;
  readonly router: Router;
  /** Computes the positions of a picture; it may take a while. */
  readonly layOut: (picture: Picture) => Promise<Drawing>;
  /** Draws charts; loaded when one is shown. Absent: there are none. */
  readonly loadPlot?: () => Promise<DrawPlot>;
}

export const PageContext = createContext<PageParts | null>(null);

export function usePage(): PageParts {
  const parts = useContext(PageContext);
  if (parts === null) throw new Error('a part of the page is used outside of it');
  return parts;
}
