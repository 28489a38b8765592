/** What events count: calls and entries by their site, and failures of the program's own expressions. */
import type { RunEvent } from '../interpreter/events/event.js';
import { type CountedSite, countedSite, type Mistake } from './graph.js';

/** Most segments count nothing, and have no mistakes. */
const NOTHING: readonly number[] = [];

type Failed = Extract<RunEvent, { readonly type: 'instruction_failed' }>;

const isMistake = (event: RunEvent): event is Failed =>
  event.type === 'instruction_failed' && event.error_type === 'bad_value';

export class Counted {
  readonly sites: CountedSite[] = [];
  readonly mistakes: Mistake[] = [];
  /** Where each agent is called, as `STATE LINE`. */
  readonly agentLines = new Map<string, Set<string>>();
  private readonly siteIndex = new Map<string, number>();
  private readonly mistakeIndex = new Map<string, number>();

  /** The indexes of the sites that events count. */
  sitesOf(events: readonly RunEvent[]): readonly number[] {
    let found: number[] | null = null;
    for (const event of events) {
      const site = countedSite(event);
      if (site === null) continue;
      found ??= [];
      found.push(this.indexOf(site));
    }
    return found ?? NOTHING;
  }

  private indexOf(site: CountedSite): number {
    if (site.kind === 'agent') this.noteAgent(site);
    const key = site.kind === 'command' ? JSON.stringify(site) : `${site.kind} ${site.name}`;
    let index = this.siteIndex.get(key);
    if (index === undefined) {
      index = this.sites.push(site) - 1;
      this.siteIndex.set(key, index);
    }
    return index;
  }

  private noteAgent({ name, state, line }: CountedSite): void {
    const lines = this.agentLines.get(name);
    if (lines === undefined) this.agentLines.set(name, new Set([`${state} ${line}`]));
    else lines.add(`${state} ${line}`);
  }

  /** The indexes of the failures. `isOver`: the run has ended. `reasons`: why lines failed, where an event has unknown words. */
  mistakesIn(events: readonly RunEvent[], isOver: boolean, reasons: ReadonlyMap<number, string>): readonly number[] {
    if (!events.some(isMistake)) return NOTHING;
    const end = events.find(({ type }) => type === 'run_failed');
    return events.flatMap((event) => {
      if (!isMistake(event)) return [];
      const { error_type: kind, error, state, line } = event;
      const message = reasons.get(line) ?? error;
      const isFatal = isOver && end?.type === 'run_failed' && end.error.line === line && end.error.state === state;
      const key = `${state} ${line} ${isFatal}`;
      let index = this.mistakeIndex.get(key);
      if (index === undefined) {
        index = this.mistakes.push({ kind, message, state, line, isFatal }) - 1;
        this.mistakeIndex.set(key, index);
      }
      return [index];
    });
  }
}
