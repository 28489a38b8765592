/**
 * The origin of a process number, which is valid on one host, in one pid namespace, until the machine restarts.
 * Containers and machines may share a store, and the same number is another process in each of them.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** All members are null if the system does not report them. */
export interface ProcessOrigin {
  readonly host: string | null;
  /** The id of one start of the machine. */
  readonly boot: string | null;
  readonly pidNamespace: string | null;
}

let known: ProcessOrigin | null = null;

/** The origin of this process. */
export function thisOrigin(): ProcessOrigin {
  known ??= {
    host: hostname() || null,
    boot: readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: readOrNull(() => readlinkSync('/proc/self/ns/pid')),
  };
  return known;
}

/** Whether process numbers recorded with that origin are valid here. */
export function isHere({ host, boot, pidNamespace }: ProcessOrigin): boolean {
  const here = thisOrigin();
  return host === here.host && boot === here.boot && pidNamespace === here.pidNamespace;
}

/**
 * Whether the number can be one of our processes: 0 and negative numbers mean groups or all processes, and 1 belongs to
 * the system.
 */
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
