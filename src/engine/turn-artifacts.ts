/**
 * The artifacts that a turn knows: outputs of its effects, which workers have stored, and values that it puts away itself.
 * What it does not know, it stores again. So its lines depend on nothing but its entries.
 */
import { Buffer } from 'node:buffer';
import type { Outcome } from '../interpreter/events/event.js';
import { type Artifacts, artifactName } from '../runtime/store/artifacts.js';
import { StoreError } from '../runtime/store/store-error.js';
import { artifactContent } from './artifact-content.js';
import type { StoredArtifact } from './messages.js';
import { MOST_ARTIFACT, type TooLarge, tooMuch } from './most-stored.js';

export class TurnArtifacts implements Artifacts {
  private readonly sizes = new Map<string, number>();
  private readonly texts = new Map<string, string>();
  private added: StoredArtifact[] = [];
  private tooLarge: TooLarge | null = null;

  noteOutput(outcome: Outcome): void {
    if (!('stdout' in outcome)) return;
    const { artifact, bytes, text, lossy, cut } = outcome.stdout;
    if (artifact === undefined || cut) return;
    this.sizes.set(artifact, bytes);
    if (text !== undefined && !lossy) this.texts.set(artifact, text);
  }

  sizeOf(name: string): number | null {
    return this.sizes.get(name) ?? null;
  }

  get(name: string): Buffer {
    const text = this.texts.get(name);
    if (text === undefined) throw new StoreError(`the turn does not have the artifact \`${name}\``);
    return Buffer.from(text);
  }

  put(text: string): string {
    const name = artifactName(text);
    if (this.sizes.has(name)) return name;
    const bytes = Buffer.from(text);
    const tooLarge = tooMuch(bytes.length, MOST_ARTIFACT);
    if (tooLarge !== null) {
      this.tooLarge = tooLarge;
      return name;
    }
    this.sizes.set(name, bytes.length);
    this.added.push({ name, content: artifactContent(bytes) });
    return name;
  }

  /** A value that was put since the last call and is too large for an engine; null: there was none. */
  takeTooLarge(): TooLarge | null {
    const { tooLarge } = this;
    this.tooLarge = null;
    return tooLarge;
  }

  /** Those that were put since the last call. */
  takeAdded(): readonly StoredArtifact[] {
    const { added } = this;
    this.added = [];
    return added;
  }
}
