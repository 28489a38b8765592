/**
 * Calls of git that a killed process left running and that would still write. They are found by the mark in their
 * environment. Without `/proc` they cannot be found, and end by themselves.
 */
import { stopMarked } from '../../process/marked.js';
import { MARK } from './git.js';

/** Stops all processes with this mark, and returns when they are gone. */
export function stopLeftCalls(mark: string): Promise<void> {
  return stopMarked((variables) => variables.includes(`${MARK}=${mark}`));
}
