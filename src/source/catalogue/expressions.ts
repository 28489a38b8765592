/** Messages about expressions: functions, regular expressions and filters. */
import { functionMeant } from './foreign-words.js';
import { message, type Near } from './message.js';

export const expressionMessages = {
  unknownFunction: message<{ name: string; known: readonly string[] } & Near>('unknown-function', 'error', (f) => ({
    message: `there is no function \`${f.name}\``,
    ...functionMeant(f.name, f.near, f.known),
  })),
  wrongArity: message<{ name: string; least: number; most: number; has: number }>(
    'wrong-number-of-arguments',
    'error',
    (f) => {
      const range = f.least === f.most ? `${f.least}` : `${f.least} ${f.most === f.least + 1 ? 'or' : 'to'} ${f.most}`;
      const wants = f.most === Number.POSITIVE_INFINITY ? `at least ${f.least}` : range;
      return {
        message: `\`${f.name}\` takes ${wants} argument${/^(?:at least )?1$/.test(wants) ? '' : 's'}, but gets ${f.has} here`,
        help: `write \`${f.name}(${Array.from({ length: f.least }, () => '…').join(', ')})\``,
      };
    },
  ),
  badRegex: message<{ reason: string }>('bad-regex', 'error', (f) => ({
    message: `this is not a regular expression: ${f.reason}`,
    help: 'patterns are JavaScript regular expressions with the `u` flag',
  })),
  exitCodeOf: message('exit-code-of', 'error', () => ({
    message: '`exit_code` needs a variable that a CHECK or DO of this state binds',
    help: 'write `exit_code(x)` with the name of that variable',
  })),
  badFilter: message<{ name: string; why: string }>('bad-filter-place', 'error', (f) => ({
    message: `the filter \`:${f.name}\` ${f.why}`,
    help: '`:json` and `:int` work everywhere, `:path` and `:file` in shell text',
  })),
} as const;
