#!/usr/bin/env node
/**
 * The entry point of the process. The result of a command is the exit code; an exception is a bug in statedsl and is
 * reported as one.
 */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { VERSION } from '../runtime/version.js';
import { runCommandLine } from './command-line.js';
import { endProcess, meansToEnd, reportOtherEnds } from './end-process.js';
import { EXIT } from './terminal/exit-code.js';
import { stderr, stdout } from './terminal/streams.js';

function bugText(error: unknown): number {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // What started the program, or bundled it, has no part of it that was asked for.
  if (error instanceof Error && 'code' in error && error.code === 'STATEDSL_PART_MISSING' && 'help' in error) {
    stderr.write(`error: ${error.message}\n  = help: ${error.help}\n`);
    return EXIT.failed;
  }
  if (isForeign(text)) {
    stderr.write(`error: a module failed outside of a call, so the process ends\n${text}\n`);
    return EXIT.failed;
  }
  stderr.write(`internal error: this is a bug in statedsl ${VERSION}\n${text}\n`);
  return EXIT.bug;
}

/** Timers of a plan's modules can fail at any time. The innermost file of the stack is then not part of statedsl. */
function isForeign(stack: string): boolean {
  const file = /^ +at (?:.*\()?(?:file:\/\/)?(\/[^\n]+?):\d+:\d+\)?$/m.exec(stack)?.[1];
  const own = dirname(realpathSync(process.argv[1] ?? '.'));
  return file !== undefined && !file.startsWith(own);
}

/** Waits for pending output first, because a pipe accepts it later than it was written. */
async function end(code: number): Promise<never> {
  meansToEnd();
  await stdout.flush();
  const trouble = stdout.trouble();
  if (trouble !== null) stderr.write(`error: cannot write to standard output: ${trouble}\n`);
  await stderr.flush();
  endProcess(trouble !== null && code === EXIT.returned ? EXIT.failed : code);
}

reportOtherEnds();
process.on('uncaughtException', (error) => void end(bugText(error)));
process.on('unhandledRejection', (error) => void end(bugText(error)));
runCommandLine(process.argv).then(end, (error) => end(bugText(error)));
