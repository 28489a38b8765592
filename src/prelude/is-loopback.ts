/** Addresses of the machine itself. */

/** Whether only this machine reaches what listens there. `host` is a name or an address without brackets. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
