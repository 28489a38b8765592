/** The words of what is found about steps, their gates, retries and keys. One entry a code. */
import { message } from './message.js';

export const stepMessages = {
  unknownStep: message<{ key: string; near?: string | undefined }>('unknown-step', 'error', (f) => ({
    message: `no step writes \`${f.key}\``,
    help: f.near === undefined ? 'name a step that runs before, as `{step.output}`' : `did you mean \`${f.near}\`?`,
  })),
};
