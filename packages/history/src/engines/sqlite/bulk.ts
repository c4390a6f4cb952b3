// Many questions and answers on their way between the threads: each address and each tenure travels once, the rest is
// numbers. An array of small objects would cost more on the way than the answers do.
import type { IpAddress } from '../../model/ip-address.ts';
import type { Tenure } from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Moment } from '../snapshot.ts';

export interface PackedMoments {
  readonly ips: readonly IpAddress[];
  /** For each moment, the place of its address in `ips`. */
  readonly places: Uint32Array;
  readonly times: Float64Array;
}

export interface PackedAnswers {
  readonly tenures: readonly Tenure[];
  /** For each moment, how many tenures it has; then, one after the other, their places in `tenures`. */
  readonly counts: Uint32Array;
  readonly places: Uint32Array;
}

export function packMoments(moments: readonly Moment[]): PackedMoments {
  const known = new Map<IpAddress, number>();
  const places = new Uint32Array(moments.length);
  const times = new Float64Array(moments.length);
  for (let i = 0; i < moments.length; i++) {
    const { ip, at } = moments[i]!;
    let place = known.get(ip);
    if (place === undefined) known.set(ip, (place = known.size));
    places[i] = place;
    times[i] = at;
  }
  return { ips: [...known.keys()], places, times };
}

/** Asks for each moment and packs the answers. */
export function answerPacked(
  { ips, places, times }: PackedMoments,
  ask: (ip: IpAddress, at: EpochMillis) => readonly Tenure[],
): PackedAnswers {
  const known = new Map<Tenure, number>();
  const counts = new Uint32Array(times.length);
  const found: number[] = [];
  for (let i = 0; i < times.length; i++) {
    const tenures = ask(ips[places[i]!]!, times[i] as EpochMillis);
    counts[i] = tenures.length;
    for (const tenure of tenures) {
      let place = known.get(tenure);
      if (place === undefined) known.set(tenure, (place = known.size));
      found.push(place);
    }
  }
  return { tenures: [...known.keys()], counts, places: Uint32Array.from(found) };
}

export function unpackAnswers({ tenures, counts, places }: PackedAnswers): Tenure[][] {
  const answers: Tenure[][] = [];
  let next = 0;
  for (const count of counts) {
    const answer: Tenure[] = [];
    for (let left = count; left > 0; left--) answer.push(tenures[places[next++]!]!);
    answers.push(answer);
  }
  return answers;
}
