/** The run that the views are about: the one that is debugged, or one that a person chose. Its events are read as they come. */
import { resolve } from 'node:path';
import * as vscode from 'vscode';
import type { Workspace } from './workspace.js';

export interface ShownEvent {
  readonly seq: number;
  readonly ts?: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

export class ShownRun implements vscode.Disposable {
  events: ShownEvent[] = [];
  id: string | null = null;
  folder: string | null = null;
  /** The program of the run, if it is a file. */
  program: vscode.Uri | null = null;
  /** The machine of its file. */
  machine: string | null = null;
  private reading = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onChange = this.changed.event;

  constructor(private readonly workspace: Workspace) {}

  /** The state that the run entered last; null: it has entered none, or has ended. */
  get state(): string | null {
    if (/^run_(?:returned|failed|skipped)$/.test(this.events.at(-1)?.type ?? '')) return null;
    const entered = this.events.findLast(({ type }) => type === 'state_entered');
    return typeof entered?.state === 'string' ? entered.state : null;
  }

  /** `dir`: where runs are kept. */
  async show(folder: string, id: string, dir?: string): Promise<void> {
    this.reading.abort();
    const reading = new AbortController();
    this.reading = reading;
    [this.id, this.folder, this.events, this.program, this.machine] = [id, folder, [], null, null];
    this.announce();
    const { openRuns } = await this.workspace.library();
    const runs = openRuns({ folder, ...(dir === undefined ? {} : { dir }) });
    const found = await runs.find(id);
    if (reading.signal.aborted || !found.ok) return;
    const { program, machine } = found.value;
    this.machine = machine;
    if (program !== null) this.program = vscode.Uri.file(resolve(folder, program));
    const stream = await runs.events(id, 0, reading.signal, 'until-over');
    if (!stream.ok) return;
    for await (const event of stream.value) {
      if (reading.signal.aborted) return;
      this.events.push(event as ShownEvent);
      this.announce();
    }
  }

  /** Not more often than a person can see. */
  private announce(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.changed.fire();
    }, 100);
  }

  dispose(): void {
    this.reading.abort();
    clearTimeout(this.timer);
    this.changed.dispose();
  }
}
