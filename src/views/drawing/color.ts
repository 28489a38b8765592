/** A `Paint` with colors. Chalk gets the level explicitly, because its own detection ignores NO_COLOR. */
import { Chalk } from 'chalk';
import type { ColorLevel } from './color-level.js';
import { type Paint, plain } from './paint.js';

export function createPaint(level: ColorLevel): Paint {
  if (level === 0) return plain;
  const chalk = new Chalk({ level });
  return {
    error: chalk.bold.red,
    warning: chalk.bold.yellow,
    frame: chalk.blue,
    strong: chalk.bold,
    faint: chalk.dim,
    state: chalk.bold.cyan,
    event: chalk.magenta,
    success: chalk.green,
  };
}
