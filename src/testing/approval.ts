/** Names of approvals of plans, such as `approvals.publish`. */

export function isApproval(name: string): boolean {
  return name.startsWith('approvals.');
}

/** The name without the numbers of calls before it. */
export function askedName(name: string): string {
  return name.replace(/^(?:\d+\.)+/, '');
}
