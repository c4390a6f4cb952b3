// Chance with a seed, so that a difference that was found once can be found again.
export interface Draw {
  /** From 0 to below `below`. */
  number(below: number): number;
  pick<T>(choices: readonly T[]): T;
  chance(probability: number): boolean;
}

export function drawFrom(seed: number): Draw {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  const next = (): number => {
    // xorshift32: never zero, period 2^32 - 1.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 0x1_0000_0000;
  };
  for (let i = 0; i < 8; i++) next();
  return {
    number: (below) => Math.floor(next() * below),
    pick: (choices) => choices[Math.floor(next() * choices.length)] as never,
    chance: (probability) => next() < probability,
  };
}
