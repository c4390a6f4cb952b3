// Which pod had an address before another one got it, and how long nobody had it in between, as far as the ledger knows.
// Addresses of Services, of nodes and of pods on the network of their node are none that pods hand on.
import { epochMillis, type Holder, type IpAddress, type Snapshot, type Tenure } from '@podtrail/history';

/** The beginning of a tenure, by what names it. */
export interface BegunTenure {
  readonly ip: IpAddress;
  readonly uid: string;
  readonly epoch: number;
  readonly resourceVersion: string;
  readonly at: number;
}

export interface Reuse {
  readonly ip: IpAddress;
  readonly from: Holder;
  readonly to: Holder;
  /** Between the two, never below 0; undefined where the bounds of the two boundaries leave more than a minute open. */
  readonly betweenMs: number | undefined;
}

/** Whoever had it longer ago is not looked for. */
const WITHIN_MS = 6 * 3_600_000;
/** Tenures of one address that are read: one that has more changes hands every two minutes, and is asked about less. */
const MOST_TENURES = 200;
const BUSY_WITHIN_MS = 300_000;
const MOST_UNCERTAIN_MS = 60_000;

export function isHandedOn({ holder, start }: Tenure): boolean {
  // Of a listing it is not known when it began, and after a first start there is one for every pod.
  return holder.kind === 'Pod' && !holder.hostNetwork && start.source === 'watch';
}

/** Those of the tenures that follow one of another pod. */
export async function readReuses(snapshot: Snapshot, begun: readonly BegunTenure[]): Promise<Reuse[]> {
  const asked = (within: number, which: readonly BegunTenure[]) =>
    snapshot.tenuresOfIps(
      which.map(({ ip, at }) => ({ ip, from: epochMillis(at - within), to: epochMillis(at + MOST_UNCERTAIN_MS) })),
      MOST_TENURES,
    );
  const found = await asked(WITHIN_MS, begun);
  const busy = begun.filter((_, i) => found[i] === undefined);
  const again = busy.length === 0 ? [] : await asked(BUSY_WITHIN_MS, busy);
  return begun.flatMap((one, i) => reuseOf(one, found[i] ?? again[busy.indexOf(one)] ?? []) ?? []);
}

function reuseOf(begun: BegunTenure, tenures: readonly Tenure[]): Reuse | undefined {
  // As it is known by now; one that was withdrawn is not there any more.
  const next = tenures.find(({ holder, start }) => {
    const { uid, epoch, resourceVersion } = begun;
    return holder.uid === uid && start.epoch === epoch && start.resourceVersion === resourceVersion;
  });
  if (next === undefined) return undefined;
  const before = tenures.filter(
    ({ holder, start }) => holder.kind === 'Pod' && !holder.hostNetwork && start.at <= next.start.at,
  );
  const last = before.filter((tenure) => tenure !== next).at(-1);
  // The same pod again: a new sandbox, and the address that it had. One that has not ended: a conflict.
  if (last?.end === undefined || last.holder.uid === next.holder.uid) return undefined;
  const open = last.end.notAfter - last.end.notBefore + next.start.notAfter - next.start.notBefore;
  const between = Math.max(0, next.start.at - last.end.at);
  return {
    ...{ ip: next.ip, from: last.holder, to: next.holder },
    betweenMs: open > MOST_UNCERTAIN_MS ? undefined : between,
  };
}
