/** Files of a program as an editor names them. A text that is not on disk as it runs is given by the adapter itself. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { type ProjectHost, pathOf } from '../../app/project/project-host.js';
import type { SourceSet } from '../../language/source/diagnostic.js';

export interface ShownSource {
  readonly name: string;
  readonly path?: string;
  readonly sourceReference?: number;
  readonly origin?: string;
}

export class SourceFiles {
  private readonly shown = new Map<string, ShownSource>();
  private readonly texts: string[] = [];

  constructor(
    private readonly host: ProjectHost,
    private readonly sources: SourceSet,
  ) {}

  /** The name of the file of the program at a path; undefined: none is there. */
  nameOf(path: string): string | undefined {
    const wanted = realPath(path);
    return this.sources.find(({ name }) => realPath(pathOf(this.host, name)) === wanted)?.name;
  }

  /** The name of the text that was given with this number. */
  nameOfReference(reference: number): string | undefined {
    return [...this.shown].find(([, { sourceReference }]) => sourceReference === reference)?.[0];
  }

  textOf(name: string): string | null {
    return this.sources.find((one) => one.name === name)?.text ?? null;
  }

  /** The text of the file on disk, if it is not the one that runs. */
  otherText(name: string): string | null {
    const path = pathOf(this.host, name);
    if (!existsSync(path)) return null;
    const text = readFileSync(path, 'utf8');
    return text === this.textOf(name) ? null : text;
  }

  source(name: string): ShownSource {
    const known = this.shown.get(name);
    if (known !== undefined) return known;
    const path = pathOf(this.host, name);
    const text = this.textOf(name);
    const isOnDisk = existsSync(path) && (text === null || readFileSync(path, 'utf8') === text);
    const made: ShownSource = isOnDisk
      ? { name: basename(name), path }
      : {
          name: basename(name),
          sourceReference: this.texts.push(text ?? ''),
          origin: existsSync(path) ? 'the text that runs, which is not the one on disk' : 'comes with statedsl',
        };
    this.shown.set(name, made);
    return made;
  }

  textOfReference(reference: number): string | undefined {
    return this.texts[reference - 1];
  }

  get all(): readonly ShownSource[] {
    return this.sources.map(({ name }) => this.source(name));
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
