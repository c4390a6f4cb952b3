// One state of a peer's ledger. Reads that are asked for in one turn travel together; each that fails fails as a
// PeerFailure, so that whoever asks can go on without that peer.
import type { LiveState } from '@podtrail/history';
import { epochMillis, type IpAddress, type Snapshot } from '@podtrail/history/wire';
import { PeerFailure } from './peer-failure.ts';
import { decodedResult, listOf, objectOf, PEER_VERSION, type PeerRead, type PeerRequest } from './peer-reads.ts';

/** Sends a request to one peer and gives what it sent; rejects with PeerFailure. */
export type PeerSend = (body: string) => Promise<string>;

interface Waiting extends PeerRead {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class RemoteSnapshot implements Snapshot {
  readonly cluster: string;
  readonly #peer: string;
  readonly #session: string;
  readonly #send: PeerSend;
  #waiting: Waiting[] = [];
  #collector: string | undefined;

  constructor(peer: string, cluster: string, session: string, send: PeerSend) {
    this.cluster = cluster;
    this.#peer = peer;
    this.#session = session;
    this.#send = send;
  }

  /** Who recorded it, once it has said so. */
  get collector(): string | undefined {
    return this.#collector;
  }

  async tenuresAt(ip: IpAddress, at: ReturnType<typeof epochMillis>) {
    const [found = []] = await this.tenuresAtMany([{ ip, at }]);
    return found;
  }
  async tenuresAtMany(moments: Parameters<Snapshot['tenuresAtMany']>[0]) {
    const spans = moments.map(({ ip, at }) => ({ ip, from: at, to: epochMillis(at + 1) }));
    const found = await this.tenuresOfIps(spans, Number.MAX_SAFE_INTEGER);
    return found.map((tenures) => tenures ?? []);
  }
  async tenuresOfIp(ip: IpAddress, span: Parameters<Snapshot['tenuresOfIp']>[1]) {
    const [items = []] = await this.tenuresOfIps([{ ip, ...span }], Number.MAX_SAFE_INTEGER);
    return { items, cursor: undefined };
  }
  tenuresOfIps: Snapshot['tenuresOfIps'] = this.#read('tenuresOfIps');
  tenuresOf: Snapshot['tenuresOf'] = this.#read('tenuresOf');
  placementsOf: Snapshot['placementsOf'] = this.#read('placementsOf');
  placementsOn: Snapshot['placementsOn'] = this.#read('placementsOn');
  hostNetworkPodsOn: Snapshot['hostNetworkPodsOn'] = this.#read('hostNetworkPodsOn');
  possibleTenures: Snapshot['possibleTenures'] = this.#read('possibleTenures');
  occurrences = this.#read('occurrences') as Snapshot['occurrences'];
  coverage: Snapshot['coverage'] = this.#read('coverage');
  expired: Snapshot['expired'] = this.#read('expired');

  /** Of a whole ledger: peers do not send it. */
  async liveStates(): Promise<readonly LiveState[]> {
    return [];
  }
  async records() {
    return { facts: [], next: undefined };
  }
  /** A union reads it of its own ledger, and never here. */
  async staysWithin(): ReturnType<Snapshot['staysWithin']> {
    throw new PeerFailure(this.#peer, 'does not send all records of a span');
  }

  /** Nobody waits for it: the peer forgets by itself. */
  async close(): Promise<void> {
    this.#send(this.#request([], true)).catch(() => undefined);
  }

  #read<Name extends keyof Snapshot>(read: Name): Snapshot[Name] {
    const ask = (...args: readonly unknown[]) =>
      new Promise<unknown>((resolve, reject) => {
        if (this.#waiting.length === 0) queueMicrotask(() => this.#flush());
        this.#waiting.push({ read, args, resolve, reject });
      });
    return ask as unknown as Snapshot[Name];
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const reads = waiting.map(({ read, args }) => ({ read, args }));
    this.#send(this.#request(reads, false))
      .then((text) => {
        const results = this.#results(text, reads);
        for (const [i, { resolve }] of waiting.entries()) resolve(results[i]);
      })
      .catch((error: unknown) => {
        for (const { reject } of waiting) reject(this.#failure(error));
      });
  }

  #request(reads: readonly PeerRead[], isEnd: boolean): string {
    const request: PeerRequest = { version: PEER_VERSION, cluster: this.cluster, session: this.#session, reads };
    return JSON.stringify(isEnd ? { ...request, isEnd } : request);
  }

  #results(text: string, reads: readonly PeerRead[]): readonly unknown[] {
    const { version, cluster, collector, results } = objectOf(JSON.parse(text));
    if (version !== PEER_VERSION) throw new PeerFailure(this.#peer, 'speaks another version');
    if (cluster !== this.cluster) throw new PeerFailure(this.#peer, 'records another cluster');
    if (typeof collector !== 'string') throw new PeerFailure(this.#peer, 'does not say who it is');
    const all = listOf(results);
    if (all.length !== reads.length) throw new PeerFailure(this.#peer, 'left something out');
    this.#collector = collector;
    return reads.map((read, i) => decodedResult(read, all[i]));
  }

  #failure(cause: unknown): PeerFailure {
    return cause instanceof PeerFailure ? cause : new PeerFailure(this.#peer, 'sent what is no record', { cause });
  }
}
