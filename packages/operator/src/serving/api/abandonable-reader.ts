// A reader for one request: it reads nothing more once nobody waits for the answer. So a question whose client has gone
// ends at its next read, and its place on the store is free for others.
import type { JoinedReader, Snapshot } from '@podtrail/history/wire';

export function abandonableReader(reader: JoinedReader, gone: AbortSignal): JoinedReader {
  const { joined } = reader;
  const own: JoinedReader = {
    clusters: () => reader.clusters(),
    snapshot: async (cluster) => {
      gone.throwIfAborted();
      return abandonable(await reader.snapshot(cluster), gone);
    },
  };
  if (joined === undefined) return own;
  return { ...own, joined: (cluster, ask) => joined(cluster, (snapshot) => ask(abandonable(snapshot, gone))) };
}

function abandonable(snapshot: Snapshot, gone: AbortSignal): Snapshot {
  return new Proxy(snapshot, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      // Rejects, and does not throw: reads are begun side by side, and none of them may be left without anybody waiting.
      return (...asked: unknown[]) =>
        gone.aborted && name !== 'close' ? Promise.reject(gone.reason) : Reflect.apply(value, target, asked);
    },
  });
}
