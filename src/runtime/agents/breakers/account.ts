/** The account that a call of an agent uses: the program or service, its credentials, and the configured model. */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../../process/shell.js';
import { providerOf } from '../programs/model.js';
import type { ResolvedAgent } from '../resolve.js';

/** Variables of the configuration that decide who pays, for programs of which nothing else is known. */
const SECRET = /KEY|TOKEN|SECRET|ACCOUNT|PROFILE|_HOME$|CONFIG_DIR/i;

/** The name of an account, such as `claude:opus@~/.claude`. It contains no key, only a part of its digest. */
export function accountOf(
  { adapter, configuration }: ResolvedAgent,
  inherited: Environment,
  folder: string | null,
): string {
  const { env: own = {}, model, key_env: keyName, base_url: address } = configuration;
  const env = { ...inherited, ...own };
  const home = env.HOME ?? homedir();
  const { name } = adapter;
  const clean = (text: string): string => text.replace(/[\s\p{Cc}]/gu, '_');
  const accountName = (what: string, credentials: string): string =>
    clean(`${what}${model === undefined ? '' : `:${model}`}@${credentials}`);
  if (name === 'fake') return clean(`${name}@${shortenPath(resolve(folder ?? '.', model ?? ''), home)}`);
  if (name === 'model') {
    const provider = providerOf(configuration) ?? name;
    const key = keyName ?? Object.keys(env).find((one) => isKeyOf(provider, one));
    const where = address === undefined ? '' : `${withoutCredentials(address)} `;
    return accountName(provider, `${where}${keyOf([env[key ?? '']])}`.trim() || 'no-key');
  }
  const known = adapter.credentials;
  if (known !== undefined) {
    const key = keyOf(known.keys.map((one) => env[one]));
    if (key !== '') return accountName(name, key);
    const folderVariable = known.folderVariable === undefined ? undefined : env[known.folderVariable];
    const path =
      folderVariable === undefined || folderVariable === ''
        ? join(home, known.folder)
        : join(resolve(folderVariable), known.below ?? '');
    return accountName(name, shortenPath(path, home));
  }
  const [program = '', ...args] = configuration.run ?? [];
  const path = /^\.\.?\//.test(program) && folder !== null ? resolve(folder, program) : program;
  const words = [isAbsolute(path) ? shortenPath(path, home) : path, ...args.map((arg) => arg.slice(0, 40))].join('_');
  const key = keyOf(Object.entries(own).flatMap(([one, value]) => (SECRET.test(one) ? `${one}=${value}` : [])));
  return accountName(name, key === '' ? words : `${words}_${key}`);
}

const KEY_NAMES: Readonly<Record<string, readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
};
const isKeyOf = (provider: string, variable: string): boolean => KEY_NAMES[provider]?.includes(variable) === true;

/** A part of the digest of the keys; empty if there is none. */
function keyOf(values: readonly (string | undefined)[]): string {
  const given = values.filter((value) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `key-${createHash('sha256').update(given.join('\n')).digest('hex').slice(0, 8)}`;
}

function withoutCredentials(address: string): string {
  try {
    const { host, pathname } = new URL(address);
    return `${host}${pathname === '/' ? '' : pathname}`;
  } catch {
    return 'address';
  }
}

const shortenPath = (path: string, home: string): string =>
  path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
