/**
 * What a run may put on disk: its journal, and what its commands and agents print. Both have a limit with a name, so that
 * a loop that was forgotten fails the run instead of filling the disk; a run that comes near it is warned of it.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../interpreter/events/event.js';
import { byteCount } from '../../machine/byte-count.js';
import type { LimitScope, Limits } from '../../machine/machine.js';
import type { OutputUse } from '../process/output-store.js';
import { entryAt } from '../store/own-file.js';

const DEFAULTS = { journal: 1024 ** 3, output: 256 * 1024 ** 2 } as const;

/** What holds where nobody says anything else; undefined: nothing does. */
export function defaultLimit(scope: LimitScope): number | undefined {
  return scope === 'journal' || scope === 'output' ? DEFAULTS[scope] : undefined;
}

const NEAR = 0.9;

type Scope = 'journal' | 'output';

export interface Exceeded {
  readonly scope: Scope;
  readonly limit: number;
  readonly used: number;
}

export class Growth {
  private readonly warned = new Set<Scope>();

  /** `journal`: bytes of it. */
  constructor(
    private readonly limits: Limits,
    private readonly journal: () => number,
    private readonly output: OutputUse,
  ) {
    output.limit = limits.output ?? DEFAULTS.output;
  }

  /** `passed` is called once, when more is printed than may be. */
  watch(passed: () => void): void {
    this.output.onExceeded = passed;
  }

  /** The limit that was passed, or null. */
  exceededLimit(): Exceeded | null {
    return this.uses().find(({ used, limit }) => used > limit) ?? null;
  }

  /** A warning for each that comes near its limit, once. */
  warnings(state: string | null): RunEvent[] {
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
      { scope: 'journal', used: this.journal(), limit: this.limits.journal ?? DEFAULTS.journal },
      { scope: 'output', used: this.output.bytes, limit: this.output.limit },
    ];
  }
}

/** What earlier processes of a run left in its artifacts. */
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
