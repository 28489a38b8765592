/** What a run did, as it can be compared with another run. It is computed when it is needed, in parts. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { RunTrace } from '../../views/history/run-trace.js';
import { isEvent } from '../data/record-lines.js';
import { untilIdle } from '../data/until-idle.js';
import type { RunModel } from '../run/run-model.js';

const BUSY_MS = 12;

/** Null until the whole record is here and was read; a new object when there is more. */
export function useTrace(model: RunModel): { readonly trace: RunTrace } | null {
  const { lines, isComplete } = model.record.value;
  const growing = useRef({ trace: new RunTrace(), taken: 0 }).current;
  const [known, setKnown] = useState<{ readonly trace: RunTrace } | null>(null);
  useEffect(() => {
    if (!isComplete) return;
    let isStopped = false;
    const read = async (): Promise<void> => {
      let began = performance.now();
      while (growing.taken < lines.length) {
        const line = lines.at(growing.taken++);
        if (line !== null && isEvent(line)) growing.trace.take({ seq: line.seq, time: line.ts, event: line });
        if (performance.now() - began < BUSY_MS) continue;
        await untilIdle();
        if (isStopped) return;
        began = performance.now();
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
