// How well something fits a text that somebody typed: a name, a beginning or a part of it, a UID, an address, or one of
// them behind a namespace or a kind (`shop/cart`, `deploy/cart`).
import { parseIp } from '../model/ip-address.ts';
import { kindOf } from './subject.ts';

/** Less is better; undefined: it does not fit. */
export type Rank = 0 | 1 | 2 | undefined;

/** Shorter beginnings of UIDs fit too much to mean one. */
const LEAST_OF_UID = 8;
const LIKE_A_UID = /^[0-9a-z-]+$/;
const LIKE_AN_ADDRESS = /^[0-9a-f:.]+$/;

export class TextMatch {
  readonly #text: string;
  /** What stands behind the slash, and before it. */
  readonly #name: string;
  readonly #before: string | undefined;
  readonly #kind: string | undefined;
  readonly #uid: string | undefined;
  readonly #address: string | undefined;

  constructor(text: string) {
    this.#text = text.trim().toLowerCase();
    const slash = this.#text.indexOf('/');
    this.#before = slash > 0 ? this.#text.slice(0, slash) : undefined;
    this.#name = slash > 0 ? this.#text.slice(slash + 1) : this.#text;
    this.#kind = this.#before === undefined ? undefined : kindOf(this.#before);
    const uid = this.#before === 'uid' ? this.#name : this.#text;
    this.#uid = uid.length >= LEAST_OF_UID && LIKE_A_UID.test(uid) ? uid : undefined;
    this.#address = LIKE_AN_ADDRESS.test(this.#text) ? (parseIp(this.#text) ?? this.#text) : undefined;
  }

  /** Of something with a name. `kind`: as owner references write it, and Pod, Node, Service. */
  name(kind: string, namespace: string, name: string): Rank {
    if (this.#before === undefined) return fits(name.toLowerCase(), this.#text);
    const isMeant = this.#kind === kind || (namespace !== '' && namespace.toLowerCase() === this.#before);
    return isMeant ? fits(name.toLowerCase(), this.#name) : undefined;
  }

  uid(uid: string): Rank {
    if (this.#uid === undefined || !uid.toLowerCase().startsWith(this.#uid)) return undefined;
    return uid.length === this.#uid.length ? 0 : 1;
  }

  address(ip: string): Rank {
    if (this.#address === undefined || !ip.startsWith(this.#address)) return undefined;
    return ip.length === this.#address.length ? 0 : 1;
  }

  /** Whether no address can fit: then none are read. */
  get mayBeAddress(): boolean {
    return this.#address !== undefined;
  }
}

function fits(name: string, text: string): Rank {
  if (text === '') return undefined;
  const at = name.indexOf(text);
  if (at === -1) return undefined;
  return at > 0 ? 2 : name.length === text.length ? 0 : 1;
}
