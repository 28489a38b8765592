/** The variables by which programs learn of a proxy. */

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'] as const;

/** All requests go through the proxy at `url`, also those to the machine itself. */
export function proxyVariables(url: string): Record<string, string> {
  return {
    ...Object.fromEntries(NAMES.map((name) => [name, url])),
    ...{ NO_PROXY: '', no_proxy: '' },
    // Programs on newer versions of Node.js use these variables only if they are told to.
    NODE_USE_ENV_PROXY: '1',
  };
}
