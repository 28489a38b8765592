/** What a run did, as it can be compared with another run. It is computed when it is needed, in parts. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { RunTrace } from '../../views/history/run-trace.js';
import { Pace } from '../data/pace.js';
import { recordOf } from '../data/record-lines.js';
import type { RunModel } from '../run/run-model.js';

/** Null until the whole record is here and was read; a new object when there is more. */
export function useTrace(model: RunModel): { readonly trace: RunTrace } | null {
  const { lines, isComplete } = model.record.value;
  const growing = useRef({ trace: new RunTrace(), taken: 0 }).current;
  const [known, setKnown] = useState<{ readonly trace: RunTrace } | null>(null);
  useEffect(() => {
    if (!isComplete) return;
    let isStopped = false;
    const read = async (): Promise<void> => {
      const pace = new Pace();
      while (growing.taken < lines.length) {
        const line = lines.at(growing.taken++);
        const record = line === null ? null : recordOf(line);
        if (record !== null) growing.trace.take(record);
        if (!pace.isDue) continue;
        await pace.pause();
        if (isStopped) return;
      }
      setKnown({ trace: growing.trace });
    };
    void read();
    return () => {
      isStopped = true;
    };
  }, [isComplete, lines.length]);
  return known;
}
