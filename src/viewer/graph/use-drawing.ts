/** The drawing of a picture. While a new one is computed, the one before stays. */
import { useEffect, useState } from 'preact/hooks';
import type { Drawing } from '../../views/picture/drawing.js';
import type { Picture } from '../../views/picture/picture.js';

/** A text says why there is no drawing; null: it is not known yet. */
export function useDrawing(
  picture: Picture | null,
  layOut: (picture: Picture) => Promise<Drawing>,
): Drawing | string | null {
  const [drawing, setDrawing] = useState<Drawing | string | null>(null);
  useEffect(() => {
    if (picture === null) return;
    let isWanted = true;
    layOut(picture).then(
      (done) => isWanted && setDrawing(done),
      (cause: Error) => isWanted && setDrawing(`The graph cannot be drawn: ${cause.message}`),
    );
    return () => {
      isWanted = false;
    };
  }, [picture]);
  return drawing;
}
