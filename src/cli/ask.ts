/**
 * Questions of a program, on a terminal. Prompts go to stderr, so that the result on stdout stays clean. The prompt
 * library is loaded with the first question.
 */
import { escapeControls } from '../views/visible-text.js';

/** What a program asks. */
export interface Question {
  readonly question: string;
  readonly choices: readonly string[] | null;
  readonly default: string | null;
}

/** The answer as text; null when the person went away (Ctrl-C) or `signal` ended the question. */
export async function askOnTerminal(question: Question, signal: AbortSignal): Promise<string | null> {
  const { isCancel, select, text } = await import('@clack/prompts');
  const message = escapeControls(question.question);
  const streams = { input: process.stdin, output: process.stderr, signal };
  const preset = question.default;
  const answer =
    question.choices !== null && question.choices.length > 0
      ? await select<string>({
          message,
          options: question.choices.map((choice) => ({ value: choice, label: escapeControls(choice) })),
          ...(preset === null ? {} : { initialValue: preset }),
          ...streams,
        })
      : await text({
          message,
          ...(preset === null ? {} : { placeholder: escapeControls(preset), defaultValue: preset }),
          ...streams,
        });
  return isCancel(answer) ? null : String(answer ?? preset ?? '');
}
