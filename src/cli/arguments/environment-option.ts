/** Options that environment variables can set too. */
import { Option } from 'commander';

/**
 * An option that an environment variable can set too: `--max-cost` and `STATEDSL_MAX_COST`. The flag wins, and an empty
 * variable is ignored.
 */
export function environmentOption(flags: string, description: string, parse?: (value: string) => unknown): Option {
  const option = new Option(flags, description);
  if (parse !== undefined) option.argParser(parse);
  const name = `STATEDSL_${option.attributeName().replace(/[A-Z]/g, '_$&').toUpperCase()}`;
  return process.env[name] === '' ? option : option.env(name);
}
