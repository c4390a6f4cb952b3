// The windows of the addresses that a log asks about. AnswerWindows keeps them here; finding one allocates nothing. What
// has not been used for long goes; nothing here reads a ledger.
import type { IpAddress } from '../model/ip-address.ts';
import { AddressWindow } from './address-window.ts';

const MOST_KEPT = 400_000;
/** What a window without answers weighs. */
const WINDOW_WEIGHT = 2;

export class WindowCache<T> {
  readonly #mostKept: number;
  /** Those that were used of late, and those of before: what is not used until the next change of generations goes. */
  #young = new Map<number | IpAddress, AddressWindow<T>>();
  #old = new Map<number | IpAddress, AddressWindow<T>>();
  #weight = 0;

  /** How many answers may be kept. */
  constructor(mostKept = MOST_KEPT) {
    this.#mostKept = mostKept;
  }

  /** The window of an address; an IPv4 address may be given as its 32 bits, signed. */
  of(key: number | IpAddress): AddressWindow<T> {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const window = this.#old.get(key) ?? new AddressWindow<T>(typeof key === 'number' ? ipv4Text(key) : key);
    this.#young.set(key, window);
    this.#weight += window.answers.length + WINDOW_WEIGHT;
    if (this.#weight > this.#mostKept / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    return window;
  }

  /** The window of an address if there is one, whichever its key was. Does not count as using it. */
  find(ip: IpAddress): AddressWindow<T> | undefined {
    const bits = ipv4Bits(ip);
    const byBits = bits === undefined ? undefined : (this.#young.get(bits) ?? this.#old.get(bits));
    return byBits ?? this.#young.get(ip) ?? this.#old.get(ip);
  }

  /** A window has so many answers more than before. */
  grow(answers: number): void {
    this.#weight += answers;
  }
}

function ipv4Bits(ip: IpAddress): number | undefined {
  return ip.includes(':') ? undefined : ip.split('.').reduce((bits, part) => (bits << 8) | Number(part), 0);
}

export function ipv4Text(bits: number): IpAddress {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}` as IpAddress;
}
