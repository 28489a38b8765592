/** The pages of the manual, and the code blocks of a Markdown document with the line where each begins. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** In alphabetical order. */
export const pages: readonly string[] = readdirSync(join(root, 'docs'))
  .filter((one) => one.endsWith('.md'))
  .map((one) => `docs/${one}`)
  .sort();

export interface Fence {
  readonly title: string;
  readonly language: string;
  readonly info: readonly string[];
  readonly text: string;
}

export function fences(document: string): Fence[] {
  const found: Fence[] = [];
  const lines = readFileSync(join(root, document), 'utf8').split('\n');
  for (let at = 0; at < lines.length; at++) {
    const open = /^(`{3,}|~{3,})\s*(\S*)\s*(.*)$/.exec(lines[at] as string);
    if (open === null) continue;
    const [, mark, language, info] = open as unknown as [string, string, string, string];
    const start = at + 1;
    while (at + 1 < lines.length && lines[at + 1] !== mark) at++;
    at++;
    const text = `${lines.slice(start, at).join('\n')}\n`;
    found.push({ title: `${document}:${start}`, language, info: info.split(/\s+/).filter(Boolean), text });
  }
  return found;
}
