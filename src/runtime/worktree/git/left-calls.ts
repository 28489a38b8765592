/**
 * Calls of git that a killed process left running: they would go on writing beside ours. They are found by the mark in
 * their environment; where there is no `/proc` they end by themselves.
 */
import { stopMarked } from '../../process/marked.js';
import { MARK } from './git.js';

/** Stops all processes with this mark, and returns when they are gone. */
export function stopLeftCalls(mark: string): Promise<void> {
  return stopMarked((variables) => variables.includes(`${MARK}=${mark}`));
}
