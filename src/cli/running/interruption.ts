/**
 * Ctrl-C and similar signals during a run. The first asks the run to stop: its process groups are ended, and the run
 * stays resumable. The second ends everything at once.
 */
import { Stopper, type StopSignal } from '../../runtime/stop-signal.js';
import { endProcess } from '../end-process.js';
import { EXIT } from '../terminal/exit-code.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ignored, so that a write beyond the file size limit fails with an error that is reported; the signal would end the
 * process.
 */
const noSignal = (): void => undefined;

export interface Interruption {
  readonly signal: StopSignal;
  /** Asks the run to stop, as the first signal does. */
  interrupt(reason: string): void;
  /** Restores the default handling of the signals. */
  release(): void;
}

/** `killNow` ends every process group of the run at once; then the process exits. */
export function onInterruption(onReason: (reason: string) => void, killNow: () => void): Interruption {
  const stopper = new Stopper();
  function interrupt(reason: string): void {
    if (stopper.signal.aborted) return;
    stopper.abort(reason);
    onReason(reason);
  }
  function onSignal(reason: string): void {
    if (stopper.signal.aborted) {
      killNow();
      endProcess(EXIT.interrupted);
    }
    interrupt(reason);
  }
  for (const name of SIGNALS) process.on(name, onSignal);
  process.on('SIGXFSZ', noSignal);
  return {
    signal: stopper.signal,
    interrupt,
    release: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
      process.off('SIGXFSZ', noSignal);
    },
  };
}
