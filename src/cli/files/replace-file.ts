/** Replaces a file atomically, so that no reader sees half of it. */
import { readFileSync, realpathSync } from 'node:fs';
import { reasonOf } from '../../project/read-text.js';
import { whyNamedRefused, writeNamed } from './host.js';

/**
 * Replaces the target of a link, so that a link of a project to another of its files stays a link. Returns a clause about
 * the problem, or null.
 */
export function replaceFile(path: string, text: string): string | null {
  try {
    const problem = whyNamedRefused(path) ?? writeNamed(realpathSync(path), text);
    return problem === null ? null : `cannot write \`${path}\`: ${problem}`;
  } catch (error) {
    return `cannot write \`${path}\`: ${reasonOf(error as NodeJS.ErrnoException)}`;
  }
}

/**
 * Replaces the text of a file that was read earlier, and keeps its byte order mark. A file that has changed since then
 * is not replaced.
 */
export function replaceRead(path: string, before: string, text: string): string | null {
  let now: string;
  try {
    now = readFileSync(path, 'utf8');
  } catch (error) {
    return `cannot read \`${path}\`: ${reasonOf(error as NodeJS.ErrnoException)}`;
  }
  const mark = now.startsWith('\ufeff') ? '\ufeff' : '';
  if (now !== mark + before) return `\`${path}\` changed while it was being checked, so it was not fixed`;
  return replaceFile(path, mark + text);
}
