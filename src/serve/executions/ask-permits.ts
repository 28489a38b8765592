/**
 * The permits of a process that executes a run: it asks the service for each effect. Without the service, which may have
 * died, it keeps to its equal share until its run ends.
 */
import type { EffectPermits } from '../../runtime/effect-context.js';

/** What a process sends to the service, which answers with `permit`. */
export type PermitRequest = 'take' | 'give' | 'cancel';

/** The way to the service. */
export interface ServiceChannel {
  readonly isOpen: boolean;
  send(request: PermitRequest): void;
  onPermit(action: () => void): void;
  onClose(action: () => void): void;
  /** While an effect waits for a permit, the process must not end. */
  keepAlive(isWanted: boolean): void;
}

/** `share`: how many effects are performed at once without the service. */
export function askPermits(channel: ServiceChannel, share: number): EffectPermits {
  const waiters: (() => void)[] = [];
  let held = 0;
  const grantNext = (): void => {
    const next = waiters.shift();
    channel.keepAlive(waiters.length > 0);
    if (next === undefined) return;
    held++;
    next();
  };
  const grantShare = (): void => {
    while (!channel.isOpen && held < share && waiters.length > 0) grantNext();
  };
  const giveBack = (): void => {
    held--;
    if (channel.isOpen) channel.send('give');
    else grantShare();
  };
  channel.onPermit(() => {
    // Nobody waits any more: the request was cancelled while the permit was on its way.
    if (waiters.length === 0) channel.send('give');
    else grantNext();
  });
  channel.onClose(grantShare);
  return {
    take(stop) {
      if (stop.aborted) return Promise.resolve(null);
      return new Promise((resolve) => {
        const receive = (): void => {
          stop.removeEventListener('abort', giveUp);
          resolve(once(giveBack));
        };
        const giveUp = (): void => {
          const at = waiters.indexOf(receive);
          if (at < 0) return;
          waiters.splice(at, 1);
          if (channel.isOpen) channel.send('cancel');
          channel.keepAlive(waiters.length > 0);
          resolve(null);
        };
        waiters.push(receive);
        stop.addEventListener('abort', giveUp, { once: true });
        channel.keepAlive(true);
        if (channel.isOpen) channel.send('take');
        else grantShare();
      });
    },
  };
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

/** What a process sends to the service when it executes its run. */
export const BEGUN = 'begun';

/** Reports to the process that started this one that the run is executed from now on. */
export function reportBegun(): void {
  if (process.connected === true) process.send?.(BEGUN, undefined, undefined, () => undefined);
}

/** The channel of this process to the process that started it. */
export function parentChannel(): ServiceChannel {
  let isOpen = process.connected === true;
  return {
    get isOpen() {
      return isOpen;
    },
    send(request) {
      // It may have closed just now, which `disconnect` reports.
      if (process.connected === true) process.send?.(request, undefined, undefined, () => undefined);
    },
    onPermit(action) {
      process.on('message', (message) => {
        if (message === 'permit') action();
      });
      // Listening alone is no reason to stay.
      process.channel?.unref();
    },
    onClose(action) {
      process.once('disconnect', () => {
        isOpen = false;
        action();
      });
    },
    keepAlive(isWanted) {
      if (isWanted) process.channel?.ref();
      else process.channel?.unref();
    },
  };
}
