/** The known agent programs, by their name in a configuration or at the beginning of an agent's name. */
import { acpAdapter } from './acp.js';
import type { Adapter } from './adapter.js';
import { claudeAdapter } from './claude.js';
import { codexAdapter } from './codex.js';
import { commandAdapter } from './command.js';
import { cursorAdapter } from './cursor.js';
import { fakeAdapter } from './fake.js';
import { geminiAdapter } from './gemini.js';
import { modelAdapter } from './model.js';
import { opencodeAdapter } from './opencode.js';
import { qwenAdapter } from './qwen.js';

const all: readonly Adapter[] = [
  claudeAdapter,
  codexAdapter,
  geminiAdapter,
  qwenAdapter,
  opencodeAdapter,
  cursorAdapter,
  modelAdapter,
  acpAdapter,
  commandAdapter,
  fakeAdapter,
];

const byName: ReadonlyMap<string, Adapter> = new Map(all.map((adapter) => [adapter.name, adapter]));

/** The names that are valid for `adapter:` in a configuration. */
export const adapterNames: readonly string[] = [...byName.keys()];

/** Adapters that need no configuration, so that a name alone can refer to them. */
export const nameableAdapters: readonly Adapter[] = all.filter(({ program }) => program !== null);

export function findAdapter(name: string): Adapter | null {
  return byName.get(name) ?? null;
}
