// Who had an address before and after an instant at which nobody had it. Searched outwards, further with every step, for
// many addresses at once: most that are reused are reused soon.
import type { IpSpan, Moment, Snapshot } from '../engines/snapshot.ts';
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
  snapshot: Pick<Snapshot, 'tenuresOfIps'>,
  moments: readonly Moment[],
  { first, last }: Pick<WatchedTime, 'first' | 'last'>,
): Promise<Neighbours[]> {
  if (first === undefined || last === undefined) return moments.map(() => ({ last: undefined, next: undefined }));
  const before: (Tenure | undefined)[] = moments.map(() => undefined);
  const after: (Tenure | undefined)[] = moments.map(() => undefined);
  let near = 0;
  for (let far = FIRST_STEP_MS; ; far *= STEP_GROWTH) {
    const back = moments.flatMap(({ at }, i) => (before[i] === undefined && at - near > first ? [i] : []));
    const on = moments.flatMap(({ at }, i) => (after[i] === undefined && at + near <= last ? [i] : []));
    if (back.length + on.length === 0) break;
    const spanOf = (i: number, from: number, to: number): IpSpan => {
      const { ip, at } = moments[i] as Moment;
      return { ip, from: epochMillis(at + from), to: epochMillis(at + to) };
    };
    // Both ways in one reading.
    const tenures = await found(snapshot, [
      ...back.map((i) => spanOf(i, -far, -near)),
      ...on.map((i) => spanOf(i, near, far)),
    ]);
    for (const [n, i] of back.entries()) before[i] = newest(tenures[n] ?? []);
    for (const [n, i] of on.entries()) after[i] = tenures[back.length + n]?.[0];
    near = far;
  }
  return moments.map((_, i) => ({ last: before[i], next: after[i] }));
}

async function found(
  snapshot: Pick<Snapshot, 'tenuresOfIps'>,
  spans: readonly IpSpan[],
): Promise<readonly (readonly Tenure[])[]> {
  // The answer does not rest on who was around: what cannot be read is left out.
  const all = await eachUnlessDamaged(spans, (some) => snapshot.tenuresOfIps(some, LARGEST_PAGE));
  return all.map((tenures) => (tenures === undefined || tenures === DAMAGED ? [] : tenures));
}

function newest(tenures: readonly Tenure[]): Tenure | undefined {
  let last: Tenure | undefined;
  for (const tenure of tenures) {
    if (tenure.end !== undefined && (last?.end === undefined || tenure.end.at >= last.end.at)) last = tenure;
  }
  return last;
}
