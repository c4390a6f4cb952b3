// The clock of a made world, its API, and the book of who really has which address.
import { Chance } from './chance.ts';
import type { Gray, Hold, Kind, WorldObject, Written } from './made-shapes.ts';

const START = Date.UTC(2026, 10, 15, 10, 0, 0, 137);

export class WorldBook {
  readonly from = START;
  readonly chance: Chance;
  readonly writes: Written[] = [];
  readonly holds: Hold[] = [];
  readonly grays: Gray[] = [];
  readonly objects = new Map<string, WorldObject>();
  readonly ips: string[] = [];
  readonly story: string[] = [];
  now = START;
  readonly #queue: { at: number; order: number; act: () => void }[] = [];
  /** The API server's clock is a little off, too. */
  readonly #apiSkew: number;
  #order = 0;
  #uids = 0;
  #version = 1000;

  constructor(seed: number) {
    this.chance = new Chance(seed);
    this.#apiSkew = this.chance.int(-300, 300);
  }

  uid(kind: string): string {
    return `${kind}-uid-${++this.#uids}`;
  }

  runUntil(end: number): void {
    for (;;) {
      const next = this.#queue.shift();
      if (next === undefined || next.at > end) break;
      this.now = next.at;
      next.act();
    }
  }

  later(ms: number, act: () => void): void {
    const at = this.now + ms;
    const order = this.#order++;
    let i = this.#queue.length;
    while (i > 0 && (this.#queue[i - 1] as { at: number }).at > at) i--;
    this.#queue.splice(i, 0, { at, order, act });
  }

  tell(text: string): void {
    this.story.push(`${((this.now - START) / 1000).toFixed(3)} ${text}`);
  }

  write(type: Written['type'], kind: Kind, key: string, make: (version: string) => WorldObject): void {
    const version = (this.#version += this.chance.int(1, 4));
    const object = make(String(version));
    if (type === 'DELETED') this.objects.delete(`${kind}/${key}`);
    else this.objects.set(`${kind}/${key}`, object);
    this.writes.push({ version, at: this.now, type, kind, key, object });
  }

  second(time: number): number {
    return Math.floor(time / 1000) * 1000;
  }

  get apiTime(): number {
    return this.second(this.now + this.#apiSkew);
  }

  meta(name: string, namespace: string, uid: string, version: string, created: number): WorldObject['metadata'] {
    return {
      ...{ name, namespace, uid, resourceVersion: version, creationTimestamp: created },
      ...{ deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined },
      ...{ labels: new Map(), annotations: new Map(), ownerReferences: [] },
    };
  }

  /** What no kubelet ever reported to the API, nobody can know. */
  grayUntold(): void {
    for (const { kind, uid, ip, from, to } of this.holds) {
      if (kind !== 'Pod') continue;
      const again = this.holds.find((hold) => hold.uid === uid && hold.ip === ip && hold.from > from)?.from;
      const isReported = this.writes.some(
        ({ at, object }) =>
          object.metadata.uid === uid &&
          at >= from &&
          at < (again ?? Number.POSITIVE_INFINITY) &&
          (object.status['podIPs'] as string[]).includes(ip),
      );
      if (!isReported) this.grays.push({ ip, from, to });
    }
  }

  isHeld(ip: string): boolean {
    return this.holds.some((hold) => hold.ip === ip && hold.to > this.now);
  }

  isRunOn(ip: string): boolean {
    return this.grays.some((gray) => gray.ip === ip && gray.to > this.now && Number.isFinite(gray.to));
  }

  hold(ip: string, uid: string, kind: Kind): Hold {
    const hold: Hold = { ip, uid, kind, from: this.now, to: Number.POSITIVE_INFINITY };
    this.holds.push(hold);
    return hold;
  }

  release(ip: string, uid: string): void {
    const hold = this.holds.findLast((it) => it.ip === ip && it.uid === uid && it.to > this.now);
    if (hold !== undefined) hold.to = this.now;
  }
}
