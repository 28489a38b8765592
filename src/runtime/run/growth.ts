/**
 * Limits what a run writes to disk: its journal, and the output of its commands and agents. So an endless loop makes the
 * run fail instead of filling the disk. A run that approaches a limit gets a warning.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../interpreter/events/event.js';
import { byteCount } from '../../machine/byte-count.js';
import type { LimitScope, Limits } from '../../machine/machine.js';
import type { OutputUse } from '../process/scratch.js';
import { entryAt } from '../store/own-file.js';

const DEFAULTS = { journal: 1024 ** 3, output: 256 * 1024 ** 2 } as const;

/** The default limits; undefined: no limit. */
export function defaultLimit(scope: LimitScope): number | undefined {
  return scope === 'journal' || scope === 'output' ? DEFAULTS[scope] : undefined;
}

const NEAR = 0.9;

type GrowthScope = 'journal' | 'output';

interface Exceeded {
  readonly scope: GrowthScope;
  readonly limit: number;
  readonly used: number;
}

export class Growth {
  private readonly warned = new Set<GrowthScope>();

  /** `journal`: its size in bytes. */
  constructor(
    private readonly limits: Limits,
    private readonly journal: () => number,
    private readonly output: OutputUse,
  ) {
    output.limit = limits.output ?? DEFAULTS.output;
  }

  /** Calls `onExceeded` once, when the output exceeds its limit. */
  watch(onExceeded: () => void): void {
    this.output.onExceeded = onExceeded;
  }

  /** The limit that was exceeded, or null. */
  exceededLimit(): Exceeded | null {
    return this.isFarFromLimits ? null : (this.uses().find(({ used, limit }) => used > limit) ?? null);
  }

  /** The usual case. It is looked at after each effect, so it makes no list. */
  private get isFarFromLimits(): boolean {
    const { output } = this;
    return this.journal() <= this.journalLimit * NEAR && output.bytes <= output.limit * NEAR;
  }

  private get journalLimit(): number {
    return this.limits.journal ?? DEFAULTS.journal;
  }

  /** One warning for each limit that the run approaches. */
  warnings(state: string | null): RunEvent[] {
    if (this.isFarFromLimits) return [];
    const near = this.uses().filter(
      ({ scope, used, limit }) => used > limit * NEAR && used <= limit && !this.warned.has(scope),
    );
    return near.map(({ scope, limit }) => {
      this.warned.add(scope);
      const what = scope === 'journal' ? 'the journal of the run' : 'the output of commands and agents';
      const message = `${what} has used ${NEAR * 100} % of its limit of ${byteCount(limit)}; \`--max-${scope}\` or \`LIMIT: ${scope}=…\` raises it`;
      return { type: 'warned', message, state: state ?? '', line: 0, by: 'runner' };
    });
  }

  private uses(): Exceeded[] {
    return [
      { scope: 'journal', used: this.journal(), limit: this.journalLimit },
      { scope: 'output', used: this.output.bytes, limit: this.output.limit },
    ];
  }
}

/** The size of the artifacts that earlier processes of a run left, in bytes. */
export function keptOutput(artifacts: string | null): number {
  if (artifacts === null) return 0;
  let bytes = 0;
  try {
    for (const name of readdirSync(artifacts)) bytes += entryAt(join(artifacts, name))?.size ?? 0;
  } catch {
    // There are none.
  }
  return bytes;
}
