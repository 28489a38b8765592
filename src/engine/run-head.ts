/** What every handler of a run reads first. */
import { EngineRefusal, type ReaderContext } from './engine-context.js';
import type { Head } from './messages.js';

export async function headOf(context: Pick<ReaderContext, 'key' | 'get'>): Promise<Head> {
  const head = await context.get<Head>('head');
  if (head === null) throw new EngineRefusal(404, `there is no run \`${context.key}\``);
  return head;
}
