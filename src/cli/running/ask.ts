/**
 * Asks the questions of a program on a terminal: prints one line and reads one line. This works in every terminal,
 * including a dumb one or one that a script controls. Prompts go to stderr, because stdout is for the result.
 */
import { createInterface } from 'node:readline';
import type { ShownValues } from '../../interpreter/events/event.js';
import { escapeControls, oneLine } from '../../views/drawing/visible-text.js';
import { shownLines } from '../../views/log/event-line.js';

/** A question of a program. */
interface TerminalQuestion {
  readonly question: string;
  readonly choices: readonly string[] | null;
  readonly default: string | null;
  readonly show?: ShownValues;
}

/** `left`: the person closed the input, and the question stays open. */
type Reply = { readonly answer: string } | 'left' | 'interrupted';

/**
 * Asks until the answer is one of the choices, or the first letter of only one of them. An empty line is the default where
 * there is one.
 */
export function askOnTerminal(question: TerminalQuestion, signal: AbortSignal): Promise<Reply> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  let ended = false;
  return new Promise<Reply>((resolve) => {
    const end = (reply: Reply): void => {
      signal.removeEventListener('abort', onAbort);
      // Without an answer, the line of the prompt has no end yet.
      if (typeof reply === 'string' && !ended) process.stderr.write('\n');
      ended = true;
      resolve(reply);
      lines.close();
    };
    const onAbort = (): void => end('left');
    signal.addEventListener('abort', onAbort, { once: true });
    // While a line is read the terminal sends no signals: Ctrl-C arrives here.
    lines.on('SIGINT', () => end('interrupted'));
    lines.on('close', () => end('left'));
    lines.on('line', (line) => {
      const answer = line === '' && question.default !== null ? question.default : chosenAnswer(line, question);
      if (answer !== null) end({ answer });
      else {
        process.stderr.write(`  ${escapeControls(`the answer must be one of ${question.choices?.join(', ')}`)}\n`);
        lines.prompt();
      }
    });
    for (const line of shownLines(question)) process.stderr.write(`${escapeControls(line)}\n`);
    lines.setPrompt(promptText(question));
    lines.prompt();
  });
}

/** The choice that a line is, or the only one that begins with the letter on the line; null: there is none. */
export function chosenAnswer(line: string, { choices }: Pick<TerminalQuestion, 'choices'>): string | null {
  if (choices === null || choices.length === 0) return line;
  const written = line.trim();
  if (choices.includes(written)) return written;
  const [first, ...more] = [...written];
  if (first === undefined || more.length > 0) return null;
  const found = choices.filter((choice) => [...choice][0]?.toLowerCase() === first.toLowerCase());
  return found.length === 1 ? (found[0] as string) : null;
}

/** `? Continue? (yes, no) [yes] `. */
function promptText({ question, choices, default: preset }: TerminalQuestion): string {
  const list = choices === null || choices.length === 0 ? '' : ` (${choices.join(', ')})`;
  return escapeControls(`? ${oneLine(question)}${list}${preset === null ? '' : ` [${preset}]`} `);
}
