// Tenures as questions need them: those of the address, and pods that may have had it and never showed which one they
// had, as tenures whose beginning is never certain. Everything that judges reads through here.

import { touches } from '../engines/matching.ts';
import { sortedBy, tenurePlace } from '../engines/order.ts';
import type { IpSpan, Moment, Snapshot, Span } from '../engines/snapshot.ts';
import { isWithin } from '../model/cidr.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { PossibleTenure, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { neverCertain } from '../observe/boundaries.ts';

/** An address with more tenures around is answered without them: that excludes less. */
const MOST_AROUND = 1000;

type At = Pick<Snapshot, 'tenuresAt' | 'tenuresOfIps' | 'possibleTenures'>;
type AtMany = Pick<Snapshot, 'tenuresAtMany' | 'tenuresOfIps' | 'possibleTenures'>;
type OfIps = Pick<Snapshot, 'tenuresOfIps' | 'possibleTenures'>;

export async function readTenuresAt(snapshot: At, ip: IpAddress, at: EpochMillis): Promise<readonly Tenure[]> {
  const span = { from: at, to: epochMillis(at + 1) };
  const [tenures, unaddressed] = await Promise.all([snapshot.tenuresAt(ip, at), snapshot.possibleTenures(span)]);
  const [joint = tenures] = await joined(snapshot, [tenures], unaddressed, [{ ip, ...span }]);
  return joint;
}

export async function readTenuresAtMany(
  snapshot: AtMany,
  moments: readonly Moment[],
): Promise<readonly (readonly Tenure[])[]> {
  const [tenures, unaddressed] = await Promise.all([
    snapshot.tenuresAtMany(moments),
    snapshot.possibleTenures(hullOfMoments(moments)),
  ]);
  if (unaddressed.length === 0) return tenures;
  const spans = moments.map(({ ip, at }) => ({ ip, from: at, to: epochMillis(at + 1) }));
  return (await joined(snapshot, tenures, unaddressed, spans)) as readonly (readonly Tenure[])[];
}

/** Undefined for an address that has more than `most`. */
export async function readTenuresOfIps(
  snapshot: OfIps,
  asked: readonly IpSpan[],
  most: number,
): Promise<readonly (readonly Tenure[] | undefined)[]> {
  const [tenures, unaddressed] = await Promise.all([
    snapshot.tenuresOfIps(asked, most),
    snapshot.possibleTenures(hullOf(asked)),
  ]);
  return await joined(snapshot, tenures, unaddressed, asked);
}

/** Each list with those who may have had its address without showing it. */
async function joined(
  snapshot: Pick<Snapshot, 'tenuresOfIps'>,
  tenures: readonly (readonly Tenure[] | undefined)[],
  all: readonly PossibleTenure[],
  asked: readonly IpSpan[],
): Promise<readonly (readonly Tenure[] | undefined)[]> {
  if (all.length === 0) return tenures;
  const maybe = asked.map((span, i) =>
    tenures[i] === undefined ? [] : all.filter((possible) => touches(possible, span) && mayHave(possible, span.ip)),
  );
  // What held the address while they had another one: one read for all that are in question.
  const wanted = asked.flatMap(({ ip }, i) => (maybe[i]?.length ? [{ i, span: { ip, ...lifeOf(maybe[i]) } }] : []));
  if (wanted.length === 0) return tenures;
  const spans = wanted.map(({ span }) => span);
  const around = await snapshot.tenuresOfIps(spans, MOST_AROUND);
  const joint = [...tenures];
  for (const [w, { i }] of wanted.entries()) {
    const others = around[w] ?? [];
    const { ip } = asked[i]!;
    const left = (maybe[i] ?? []).flatMap((possible) => narrowed(possible, ip, others) ?? []);
    const touching = left.filter((tenure) => touches(tenure, asked[i]!));
    if (touching.length > 0) joint[i] = sortedBy([...(tenures[i] ?? []), ...touching], tenurePlace);
  }
  return joint;
}

/**
 * When the pod may have had this address, as a tenure that is never certain. A sandbox has one address for all of its
 * life: whoever certainly held this one at an instant of it excludes the pod; before its sandbox certainly was there, the
 * pod had it only after that one; and once the pod may be gone, only before.
 */
function narrowed({ pod, start, end }: PossibleTenure, ip: IpAddress, others: readonly Tenure[]): Tenure | undefined {
  const certainTo = end?.notBefore ?? start.observedAt;
  // Nothing says that it had a network at all: who held the address before or after says nothing of it.
  const isCertain = start.notAfter < certainTo;
  let { notBefore } = start;
  let notAfter = end?.notAfter;
  for (const other of others) {
    if (other.holder.uid === pod.uid || other.holder.kind !== 'Pod' || other.holder.hostNetwork) continue;
    const from = other.start.notAfter;
    const to = other.end?.notBefore ?? Number.POSITIVE_INFINITY;
    if (from >= to) continue;
    // It has had its address without a break since it began, at the latest then: whoever held this one later excludes it.
    const later = Math.max(from, start.notAfter);
    if (!isCertain) {
      if (later < to && notAfter !== undefined) notAfter = epochMillis(Math.min(notAfter, later));
      continue;
    }
    if (Math.max(from, start.notAfter) < Math.min(to, certainTo)) return undefined;
    if (to <= start.notAfter) notBefore = epochMillis(Math.max(notBefore, to));
    else if (from >= certainTo && notAfter !== undefined) notAfter = epochMillis(Math.min(notAfter, from));
  }
  if (end === undefined || notAfter === undefined)
    return { ip, holder: pod, start: neverCertain({ ...start, notBefore }), end: undefined };
  if (notBefore >= notAfter) return undefined;
  return { ip, holder: pod, start: neverCertain({ ...start, notBefore }), end: { ...end, notAfter } };
}

function lifeOf(all: readonly PossibleTenure[]): Span {
  return hullOf(
    all.map(({ start, end }) => ({ from: start.notBefore, to: epochMillis((end?.notAfter ?? start.observedAt) + 1) })),
  );
}

/** Where nothing is known of its node's networks, it may have had any address. */
function mayHave({ within }: PossibleTenure, ip: IpAddress): boolean {
  return within.length === 0 || within.some((cidr) => isWithin(cidr, ip));
}

function hullOfMoments(moments: readonly Moment[]): Span {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { at } of moments) {
    if (at < from) from = at;
    if (at >= to) to = at + 1;
  }
  return from < to ? { from: epochMillis(from), to: epochMillis(to) } : { from: epochMillis(0), to: epochMillis(0) };
}

function hullOf(spans: readonly Span[]): Span {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const span of spans) {
    if (span.from < from) from = span.from;
    if (span.to > to) to = span.to;
  }
  return from < to ? { from: epochMillis(from), to: epochMillis(to) } : { from: epochMillis(0), to: epochMillis(0) };
}
