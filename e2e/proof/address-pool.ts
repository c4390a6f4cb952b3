// A node's few addresses, handed out again soon after they came back: the reuse that makes the question hard.
import type { Chance } from './random.ts';

export interface Addresses {
  readonly v4: string;
  readonly v6: string;
}

export class AddressPool {
  readonly #free: Addresses[] = [];
  readonly #chance: Chance;
  readonly all: readonly Addresses[];

  constructor(size: number, chance: Chance) {
    this.#chance = chance;
    this.all = Array.from({ length: size }, (_, i) => ({
      v4: `10.9.0.${i + 1}`,
      v6: `fd00:9::${(i + 1).toString(16)}`,
    }));
    this.#free.push(...this.all);
  }

  take(): Addresses | undefined {
    if (this.#free.length === 0) return undefined;
    return this.#free.splice(Math.floor(this.#chance.next() * this.#free.length), 1)[0];
  }

  giveBack(addresses: Addresses): void {
    this.#free.push(addresses);
  }
}
