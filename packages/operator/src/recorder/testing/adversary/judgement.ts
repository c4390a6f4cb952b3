// Compares answers with the truth of a made world.
import type { Answer } from '@podtrail/history';
import type { Hold, World } from './made-shapes.ts';

/** What a question's instant must be away from every change of that address. */
const CERTAIN_BY_MS = 2000;

/** Undefined where the truth is not certain; `hold` undefined where nobody had the address. */
export function truthOf(world: World, ip: string, at: number): { readonly hold: Hold | undefined } | undefined {
  const isNear = (time: number) => Math.abs(time - at) < CERTAIN_BY_MS;
  const holds = world.holds.filter((hold) => hold.ip === ip);
  if (holds.some(({ from, to }) => isNear(from) || isNear(to))) return undefined;
  const isGray = world.grays.some(
    (gray) => gray.ip === ip && at > gray.from - CERTAIN_BY_MS && at < gray.to + CERTAIN_BY_MS,
  );
  return isGray ? undefined : { hold: holds.find(({ from, to }) => from <= at && at < to) };
}

/** Undefined when the answer is not wrong; else why it is. */
export function wrongness(world: World, { ip, at, answer, holders }: Answer, spelled: string): string | undefined {
  const truth = truthOf(world, spelled, at);
  if (truth === undefined || (answer !== 'held' && answer !== 'free')) return undefined;
  const { hold } = truth;
  const second = ((at - world.from) / 1000).toFixed(3);
  const really = hold === undefined ? 'nobody' : `${hold.kind} ${hold.uid}`;
  if (answer === 'free') return hold === undefined ? undefined : `${ip} at ${second}: free, really ${really}`;
  // A node shares its address with its pods: it is never certain that it was meant.
  const isRight = holders[0]?.uid === hold?.uid && hold?.kind !== 'Node';
  return isRight ? undefined : `${ip} at ${second}: held by ${holders[0]?.uid}, really ${really}`;
}

/** The API has shown it by then: what a kubelet has not said yet, nobody can know. */
export function isWritten(world: World, { uid, ip, from }: Hold, before: number): boolean {
  return world.writes.some(
    ({ kind, at, object }) =>
      kind === 'Pod' &&
      at >= from &&
      at <= before &&
      object.metadata.uid === uid &&
      (object.status['podIPs'] as readonly string[]).includes(ip),
  );
}

/** Around every change of the address, and at random. */
export function instantsOf(world: World, ip: string, chance: { int(least: number, most: number): number }): number[] {
  const instants: number[] = [];
  for (const { from, to } of world.holds.filter((hold) => hold.ip === ip)) {
    for (const time of [from, to].filter(Number.isFinite)) {
      instants.push(time - chance.int(2000, 2600), time + chance.int(2000, 2600));
      instants.push(time - chance.int(2000, 9000), time + chance.int(2000, 9000));
    }
  }
  for (let i = 0; i < 12; i++) instants.push(chance.int(world.from, world.to));
  return instants.filter((at) => at >= world.from && at <= world.to);
}
