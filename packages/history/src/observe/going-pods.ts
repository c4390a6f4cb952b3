// Pods that are gone from the API and whose network may stand: found by node, by address and as mirror pods. Holds them
// until LiveHolders takes them out; decides nothing.
import type { LiveHolder } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import { isEndOpen } from './tenure-ends.ts';

export class GoingPods {
  readonly #pods = new Map<string, LiveHolder>();
  readonly #byNode = new Map<string, Set<string>>();
  readonly #byIp = new Map<IpAddress, Set<string>>();

  get size(): number {
    return this.#pods.size;
  }

  add(live: LiveHolder): void {
    const { uid, node } = live.holder;
    this.remove(uid);
    this.#pods.set(uid, live);
    put(this.#byNode, node, uid);
    for (const tenure of live.tenures) if (isEndOpen(tenure)) put(this.#byIp, tenure.ip, uid);
  }

  remove(uid: string): LiveHolder | undefined {
    const live = this.#pods.get(uid);
    if (live === undefined) return undefined;
    this.#pods.delete(uid);
    take(this.#byNode, live.holder.node, uid);
    for (const { ip } of live.tenures) take(this.#byIp, ip, uid);
    return live;
  }

  on(node: string): LiveHolder[] {
    return this.#found(this.#byNode.get(node));
  }

  having(ip: IpAddress): LiveHolder[] {
    return this.#found(this.#byIp.get(ip));
  }

  mirror(mirror: string): LiveHolder | undefined {
    return this.#pods.values().find(({ more }) => more?.mirror === mirror);
  }

  all(): LiveHolder[] {
    return [...this.#pods.values()];
  }

  #found(uids: ReadonlySet<string> | undefined): LiveHolder[] {
    return uids === undefined ? [] : [...uids].flatMap((uid) => this.#pods.get(uid) ?? []);
  }
}

function put<K>(index: Map<K, Set<string>>, key: K, uid: string): void {
  const uids = index.get(key);
  if (uids === undefined) index.set(key, new Set([uid]));
  else uids.add(uid);
}

function take<K>(index: Map<K, Set<string>>, key: K, uid: string): void {
  const uids = index.get(key);
  uids?.delete(uid);
  if (uids?.size === 0) index.delete(key);
}
