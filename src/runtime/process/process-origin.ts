/**
 * Where a process number means anything: on one host, in one pid namespace, until the machine starts again. A store may
 * be shared by containers and machines, and the same number is another process in each of them.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** All null where the system does not tell. */
export interface ProcessOrigin {
  readonly host: string | null;
  /** One start of the machine. */
  readonly boot: string | null;
  readonly pidNamespace: string | null;
}

let known: ProcessOrigin | null = null;

/** That of this process. */
export function thisOrigin(): ProcessOrigin {
  known ??= {
    host: hostname() || null,
    boot: readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: readOrNull(() => readlinkSync('/proc/self/ns/pid')),
  };
  return known;
}

/** Whether numbers of processes that were written down there can be looked up here. */
export function isHere({ host, boot, pidNamespace }: ProcessOrigin): boolean {
  const here = thisOrigin();
  return host === here.host && boot === here.boot && pidNamespace === here.pidNamespace;
}

/** A number that can be a process of ours: 0 and negative ones mean groups or everything, and 1 is the system's. */
export function isProcessNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 1 && value < 2 ** 31;
}

function readOrNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
