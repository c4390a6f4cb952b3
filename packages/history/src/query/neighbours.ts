// Who had an address before and after an instant at which nobody had it. Searched outwards, further with every step, for
// many addresses at once: most that are reused are reused soon.
import type { Engine, IpSpan, Moment } from '../engines/engine.ts';
import type { Tenure } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import { DAMAGED, eachUnlessDamaged } from './damage.ts';
import { LARGEST_PAGE } from './limits.ts';
import type { WatchedTime } from './watched-time.ts';

export interface Neighbours {
  readonly last: Tenure | undefined;
  readonly next: Tenure | undefined;
}

const FIRST_STEP_MS = 3_600_000;
const STEP_GROWTH = 8;

export async function neighboursOf(
  engine: Pick<Engine, 'tenuresOfIps'>,
  cluster: string,
  moments: readonly Moment[],
  { first, last }: Pick<WatchedTime, 'first' | 'last'>,
): Promise<Neighbours[]> {
  if (first === undefined || last === undefined) return moments.map(() => ({ last: undefined, next: undefined }));
  const before = await search(
    moments,
    async (left, near, far) => {
      const spans = left.map(({ ip, at }) => ({ ip, from: epochMillis(at - far), to: epochMillis(at - near) }));
      return (await found(engine, cluster, spans)).map((tenures) => newest(tenures));
    },
    Math.max(...moments.map(({ at }) => at - first), 0),
  );
  const after = await search(
    moments,
    async (left, near, far) => {
      const spans = left.map(({ ip, at }) => ({ ip, from: epochMillis(at + near), to: epochMillis(at + far) }));
      return (await found(engine, cluster, spans)).map((tenures) => tenures[0]);
    },
    Math.max(...moments.map(({ at }) => last - at), 0) + 1,
  );
  return moments.map((_, i) => ({ last: before[i], next: after[i] }));
}

/** For each moment what is found nearest to it; `most` is how far away anything can be. */
async function search(
  moments: readonly Moment[],
  look: (left: readonly Moment[], near: number, far: number) => Promise<readonly (Tenure | undefined)[]>,
  most: number,
): Promise<(Tenure | undefined)[]> {
  const result: (Tenure | undefined)[] = moments.map(() => undefined);
  let near = 0;
  let far = FIRST_STEP_MS;
  for (let left = moments.map((_, i) => i); left.length > 0 && near < most; ) {
    const tenures = await look(
      left.map((i) => moments[i] as Moment),
      near,
      far,
    );
    for (const [n, i] of left.entries()) result[i] = tenures[n];
    left = left.filter((i) => result[i] === undefined);
    near = far;
    far *= STEP_GROWTH;
  }
  return result;
}

async function found(
  engine: Pick<Engine, 'tenuresOfIps'>,
  cluster: string,
  spans: readonly IpSpan[],
): Promise<readonly (readonly Tenure[])[]> {
  // The answer does not rest on who was around: what cannot be read is left out.
  const all = await eachUnlessDamaged(spans, (some) => engine.tenuresOfIps(cluster, some, LARGEST_PAGE));
  return all.map((tenures) => (tenures === undefined || tenures === DAMAGED ? [] : tenures));
}

function newest(tenures: readonly Tenure[]): Tenure | undefined {
  let last: Tenure | undefined;
  for (const tenure of tenures) {
    if (tenure.end !== undefined && (last?.end === undefined || tenure.end.at >= last.end.at)) last = tenure;
  }
  return last;
}
