/** The object of an address: which workers share it, as they say themselves. */
import { EngineRefusal, type ObjectContext, type SharedContext } from './engine-context.js';

/** A worker, by a name that only its process has, and where others reach it alone. */
export interface Peer {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** How many workers an address may have, and how many addresses a worker. A killed worker stays known until others come. */
const MOST_PEERS = 64;
export const MOST_ADDRESSES = 16;
const LONGEST = 300;

/** Handlers that change the list of the workers with an address, by their names on the engine. */
export function workersHandlers() {
  return {
    /** A worker begins. Resolves with all of them. */
    async join(context: ObjectContext, given: Peer): Promise<readonly Peer[]> {
      const peer = checkedPeer(given);
      if (peer === null) throw new EngineRefusal(400, 'this is not what a worker says about itself');
      const isSame = (one: Peer): boolean => one.name === peer.name || String(one.addresses) === String(peer.addresses);
      const others = (await peersIn(context)).filter((one) => !isSame(one));
      const peers = [...others, peer].slice(-MOST_PEERS);
      context.set('peers', peers);
      return peers;
    },

    /** A worker has ended. */
    async leave(context: ObjectContext, name: string): Promise<void> {
      const peers = await peersIn(context);
      const others = peers.filter((one) => one.name !== name);
      if (others.length < peers.length) context.set('peers', others);
    },
  };
}

export function workersReaders() {
  return { list: (context: SharedContext): Promise<readonly Peer[]> => peersIn(context) };
}

async function peersIn({ get }: Pick<SharedContext, 'get'>): Promise<readonly Peer[]> {
  return (await get<readonly Peer[]>('peers')) ?? [];
}

/** Anybody who reaches the engine can say it, so it has little room. */
function checkedPeer(given: unknown): Peer | null {
  const { name, addresses } = (given ?? {}) as Partial<Record<keyof Peer, unknown>>;
  const isText = (one: unknown): one is string => typeof one === 'string' && one.length <= LONGEST;
  if (!isText(name) || !Array.isArray(addresses) || addresses.length > MOST_ADDRESSES) return null;
  return addresses.every((one) => isText(one) && URL.canParse(one)) ? { name, addresses } : null;
}
