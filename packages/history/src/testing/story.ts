// Small made-up observation logs in which anything may happen to a few pods and addresses, also what Kubernetes
// promises not to do; and a plain reading of what must come of them, which shares no code with observing.
import type { Observation } from '../observe/observation.ts';
import { aPod } from './observed-pod.ts';
import { at } from './test-ledger.ts';

export interface Happening {
  readonly pod: number;
  readonly what: 'shows' | 'blanks' | 'completes' | 'is deleted' | 'changes node';
  readonly address: number;
}

export interface Expectation {
  /** `uid ip` → the version that ended its first tenure of that address; undefined while it lasts. */
  readonly ends: ReadonlyMap<string, string | undefined>;
  /** `ip uid uid` of those that showed one address at once. */
  readonly conflicts: ReadonlySet<string>;
  /** UIDs that were seen on two nodes. */
  readonly moved: ReadonlySet<string>;
}

export interface Story {
  readonly log: readonly Observation[];
  readonly expected: Expectation;
}

export function storyOf(happenings: readonly Happening[]): Story {
  const log: Observation[] = [
    {
      kind: 'listed',
      resource: 'Pod',
      reason: 'start',
      resourceVersion: '1',
      whole: true,
      present: [],
      goneUids: [],
      at: at(0),
    },
  ];
  const ends = new Map<string, string | undefined>();
  const conflicts = new Set<string>();
  const moved = new Set<string>();
  const lives = new Map<number, { uid: string; ip: string; blank: boolean; node: string; terminal: boolean }>();
  let lifeCount = 0;
  for (const [index, { pod, what, address }] of happenings.entries()) {
    const version = String(index + 2);
    const existing = lives.get(pod);
    if (existing === undefined && what !== 'shows') continue;
    const life = existing ?? {
      uid: `uid-${pod}-${lifeCount++}`,
      ip: '',
      blank: false,
      node: 'node-a',
      terminal: false,
    };
    lives.set(pod, life);
    const end = (): void => {
      const key = `${life.uid} ${life.ip}`;
      if (life.ip !== '' && ends.has(key) && ends.get(key) === undefined) ends.set(key, version);
    };
    let shown = life.ip;
    switch (what) {
      case 'shows':
        shown = `10.0.0.${address}`;
        if (!life.terminal && shown !== life.ip) {
          end();
          life.ip = shown;
          if (!ends.has(`${life.uid} ${shown}`)) ends.set(`${life.uid} ${shown}`, undefined);
          else ends.delete(`${life.uid} ${shown}`);
          for (const other of lives.values()) {
            if (other === life || other.terminal || other.ip !== shown) continue;
            conflicts.add(`${shown} ${other.uid} ${life.uid}`);
            if (!other.blank) continue;
            // It shows none, and another the one that it had: that has gone over.
            const key = `${other.uid} ${shown}`;
            if (ends.has(key) && ends.get(key) === undefined) ends.set(key, version);
            other.ip = '';
          }
        }
        break;
      case 'blanks':
        shown = '';
        break;
      case 'completes':
        if (!life.terminal) end();
        life.terminal = true;
        break;
      case 'is deleted':
        if (!life.terminal) end();
        lives.delete(pod);
        break;
      case 'changes node':
        life.node = life.node === 'node-a' ? 'node-b' : 'node-a';
        moved.add(life.uid);
    }
    life.blank = shown === '' && !life.terminal;
    // Two pods of one name: identity is the UID.
    const builder = aPod(`pod-${pod % 2}`)
      .withUid(life.uid)
      .onNode(life.node)
      .atVersion(version);
    const addressed = shown === '' ? builder : builder.withIp(shown);
    const object = (life.terminal ? addressed.inPhase('Succeeded') : addressed).build();
    const type = what === 'is deleted' ? 'deleted' : 'present';
    log.push({ kind: 'event', type, seen: { kind: 'Pod', object }, at: at(index + 1) });
  }
  return { log, expected: { ends, conflicts, moved } };
}
