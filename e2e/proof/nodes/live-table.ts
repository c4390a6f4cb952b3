// The peer: a table of addresses, newest pod wins, as a flow enricher keeps it, asked some time after the packet. An entry
// stays until a newer pod shows the same address: that is the table at its best. Built from the same watch.
import type { GivenAnswer } from './node-questions.ts';
import { readLines, type WatchLine } from './run-folder.ts';

interface Shown {
  readonly uid: string;
  readonly createdAt: number;
  readonly from: number;
}

export class LiveTable {
  readonly #byIp = new Map<string, Shown[]>();

  static async read(directory: string): Promise<LiveTable> {
    const table = new LiveTable();
    const known = new Set<string>();
    for await (const line of readLines<WatchLine>(directory, 'watch')) {
      if (line.kind !== 'Pod' || line.type === 'BOOKMARK' || line.type === 'PROBE') continue;
      for (const { metadata, spec, status } of line.type === 'LIST' ? line.items : [line.object]) {
        const ip = status?.podIP ?? '';
        const key = `${metadata.uid} ${ip}`;
        if (ip === '' || spec?.hostNetwork || known.has(key)) continue;
        known.add(key);
        const createdAt = Date.parse(metadata.creationTimestamp ?? '');
        const shown = table.#byIp.get(ip) ?? [];
        shown.push({ uid: metadata.uid, createdAt, from: line.at });
        table.#byIp.set(ip, shown);
      }
    }
    return table;
  }

  ask(ip: string, at: number): GivenAnswer {
    const there = (this.#byIp.get(ip) ?? []).filter(({ from }) => from <= at);
    const newest = there.reduce<Shown | undefined>(
      (best, entry) => (best === undefined || entry.createdAt >= best.createdAt ? entry : best),
      undefined,
    );
    return newest === undefined ? { answer: 'free', uids: [] } : { answer: 'held', uids: [newest.uid] };
  }
}
