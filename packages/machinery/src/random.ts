// Randomness as a parameter: jitter and watch time-outs are drawn from one of these.

/** Uniform in [0, 1). */
export type Random = () => number;

export const systemRandom: Random = Math.random;

/** A small seeded generator (mulberry32) for tests and reproducible runs; not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `base` stretched by up to `factor`: uniform in [base, base × (1 + factor)). */
export function jitter(random: Random, base: number, factor: number): number {
  return base * (1 + random() * factor);
}
