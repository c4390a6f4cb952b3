// A cluster's history, made up from a seed: pods of workloads of many sizes come and go on nodes, take addresses from a
// small pool and give them back. In the order of their ends, as a recorder would have closed them.
import { type EpochMillis, type IpAddress, parseIp, type StoredFact } from '@podtrail/history';

type TenureFact = Extract<StoredFact, { kind: 'tenure' }>;
type PlacementFact = Extract<StoredFact, { kind: 'placement' }>;
type Boundary = TenureFact['tenure']['start'];
type Holder = TenureFact['tenure']['holder'];

export interface MadeLife {
  readonly tenure: TenureFact['tenure'];
  readonly placement: PlacementFact['placement'];
}

export interface HistoryShape {
  readonly tenures: number;
  readonly weeks: number;
  readonly nodes: number;
  readonly addresses: number;
  readonly seed: number;
  /** When it ends. */
  readonly until: number;
}

const WEEK_MS = 7 * 86_400_000;
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** xorshift32: fast, and good enough to spread things. */
  bits(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state;
  }

  below(limit: number): number {
    return Math.floor((this.bits() / 2 ** 32) * limit);
  }

  letters(count: number): string {
    let text = '';
    for (let i = 0; i < count; i++) text += ALPHABET[this.below(ALPHABET.length)];
    return text;
  }

  uuid(): string {
    const hex = [0, 0, 0, 0].map(() => this.bits().toString(16).padStart(8, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}

/** Yields lives in the order of their ends. */
export function* madeHistory(shape: HistoryShape): Generator<MadeLife> {
  const { tenures, weeks, nodes, addresses, seed, until } = shape;
  const chance = new Chance(seed);
  const step = (weeks * WEEK_MS) / tenures;
  const pool = addressPool(addresses);
  const freeAt = new Float64Array(addresses);
  const apps = Array.from({ length: 400 }, (_, i) => ({
    name: `${WORDS[i % WORDS.length]}-${i}`,
    hash: chance.letters(10),
  }));
  let version = 100_000_000;
  for (let i = 0; i < tenures; i++) {
    const end = Math.floor(until - weeks * WEEK_MS + (i + 1) * step);
    const lasted = lifetime(chance);
    const start = end - lasted;
    const at = addressFor(chance, freeAt, start, end);
    const app = apps[Math.floor((chance.below(1000) ** 2 / 1_000_000) * apps.length)]!;
    if (chance.below(2000) === 0) app.hash = chance.letters(10);
    const isJob = lasted < 20 * 60_000 && chance.below(2) === 0;
    version += 1 + chance.below(40);
    const pod: Holder = {
      kind: 'Pod',
      namespace: `team-${app.name.length * 7 + (app.name.charCodeAt(0) % 13)}`,
      name: isJob
        ? `${app.name}-${29_000_000 + Math.floor(end / 600_000)}-${chance.letters(5)}`
        : `${app.name}-${app.hash}-${chance.letters(5)}`,
      uid: chance.uuid(),
      node: `ip-10-${chance.below(nodes)}.eu-central-1.compute.internal`,
      workload: isJob
        ? { kind: 'Job', name: `${app.name}-${29_000_000 + Math.floor(end / 600_000)}`, inferred: false }
        : { kind: 'Deployment', name: app.name, inferred: true },
      hostNetwork: false,
    };
    const ready = Math.floor(start / 1000) * 1000;
    const begun = boundary(start - 1500, ready - 1000, ready + 1000, ready, version - Math.ceil(lasted / 50));
    const placed = boundary(
      start - 2000,
      ready - 3000,
      ready - 1000,
      ready - 2000,
      version - Math.ceil(lasted / 50) - 3,
    );
    const ended = boundary(end, end - 1 - chance.below(1500), end, end - 1, version);
    yield {
      tenure: { ip: pool[at]!, holder: pod, start: { ...begun, observedAt: (start + 40) as EpochMillis }, end: ended },
      placement: { pod, start: { ...placed, observedAt: (start - 900) as EpochMillis }, end: ended },
    };
  }
}

const WORDS = [
  'cart',
  'checkout',
  'search',
  'billing-worker',
  'frontend',
  'ingest',
  'recommendation-engine',
  'auth',
  'mail',
  'report-builder',
];

/** Jobs of minutes, deployments of hours, a few that last for weeks. */
function lifetime(chance: Chance): number {
  const kind = chance.below(100);
  if (kind < 40) return 20_000 + chance.below(15 * 60_000);
  if (kind < 85) return 15 * 60_000 + chance.below(6 * 3_600_000);
  if (kind < 99) return 6 * 3_600_000 + chance.below(3 * 86_400_000);
  return 3 * 86_400_000 + chance.below(14 * 86_400_000);
}

function boundary(observedAt: number, notBefore: number, notAfter: number, at: number, version: number): Boundary {
  return {
    at: at as EpochMillis,
    notBefore: notBefore as EpochMillis,
    notAfter: notAfter as EpochMillis,
    source: 'watch',
    epoch: 1,
    resourceVersion: String(version),
    observedAt: observedAt as EpochMillis,
    collector: 'recorder-0',
  };
}

/** An address that nobody holds from `start` to `end`; in a pool that is too full, any. */
function addressFor(chance: Chance, freeAt: Float64Array, start: number, end: number): number {
  for (let tries = 0; tries < 20; tries++) {
    const at = chance.below(freeAt.length);
    if (freeAt[at]! > start - 5000) continue;
    freeAt[at] = end;
    return at;
  }
  return chance.below(freeAt.length);
}

function addressPool(count: number): IpAddress[] {
  return Array.from({ length: count }, (_, i) => parseIp(`10.${64 + (i >>> 16)}.${(i >>> 8) & 255}.${i & 255}`)!);
}
