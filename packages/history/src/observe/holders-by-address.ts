// Who has an address: UIDs by address. Nearly every address has one holder, whose UID then stands for itself: a Set for
// each would take a tenth of a recorder's memory. Called by live-holders.ts.
import type { IpAddress } from '../model/ip-address.ts';

export class HoldersByAddress {
  /** Invariant: no Set in here has fewer than two members. */
  readonly #holders = new Map<IpAddress, string | Set<string>>();

  /** A copy: what follows from it may change who is here. */
  of(ip: IpAddress): readonly string[] {
    const holders = this.#holders.get(ip);
    if (holders === undefined) return [];
    return typeof holders === 'string' ? [holders] : [...holders];
  }

  add(ip: IpAddress, uid: string): void {
    const holders = this.#holders.get(ip);
    if (holders === undefined) this.#holders.set(ip, uid);
    else if (typeof holders !== 'string') holders.add(uid);
    else if (holders !== uid) this.#holders.set(ip, new Set([holders, uid]));
  }

  remove(ip: IpAddress, uid: string): void {
    const holders = this.#holders.get(ip);
    if (holders === uid) this.#holders.delete(ip);
    if (holders === undefined || typeof holders === 'string' || !holders.delete(uid) || holders.size > 1) return;
    for (const last of holders) this.#holders.set(ip, last);
  }
}
