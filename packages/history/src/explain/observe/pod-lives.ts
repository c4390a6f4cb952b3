// The lives of pods, and their departures, as facts. A life is a fact when a milestone of it is new; between them nothing
// is kept of a pod but one number, and what its object does not show for ever.
import type { Provenance } from '../../model/boundary.ts';
import type { LiveHolder } from '../../model/fact.ts';
import { type OccurrenceFact, occurrenceFact } from '../../model/occurrence.ts';
import { clamp, type EpochMillis, latest } from '../../model/time.ts';
import { firstDisruptionOf } from '../../observe/disruption.ts';
import { hasBegunToEnd } from '../../observe/evidence.ts';
import type { ObservedPod } from '../../observe/observation.ts';
import { LONGEST_DELIVERY_MS } from '../../observe/stream.ts';
import { digestOf } from './digest.ts';
import { createdAt, endOf, type LifeContent, lastMilestone, lifeOf, milestonesOf } from './life-of.ts';

type LifeFact = OccurrenceFact<'life' | 'departure'>;

/** In the number of a pod, beside the digest of its milestones. */
const WAS_READY = 1;
const DEPARTED = 2;
const FLAGS = 2;

export class PodLives {
  /** By UID. */
  readonly #known = new Map<string, number>();
  /** When it was first seen: of the few pods that do not say when they were created. */
  readonly #firstSeen = new Map<string, EpochMillis>();

  /** `live`: what the ledger remembered of it before this sighting. */
  present(pod: ObservedPod, live: LiveHolder | undefined, provenance: Provenance): LifeFact[] {
    const { uid } = pod.metadata;
    const before = this.#known.get(uid);
    const life = this.#life(pod, live, provenance, false);
    const flags = this.#flags(pod, life, before, live);
    const now = numberOf(life, flags);
    this.#known.set(uid, now);
    const isSame = before === undefined ? isStored(life, live, provenance) : before >> FLAGS === now >> FLAGS;
    const facts: LifeFact[] = isSame ? [] : [occurrenceFact('life', { ...provenance, ...life })];
    return [...facts, ...departure(life, before, live, provenance)];
  }

  /** `pod` is its last state, as far as that is known. */
  gone(pod: ObservedPod, live: LiveHolder | undefined, provenance: Provenance): LifeFact[] {
    const { uid } = pod.metadata;
    const life = this.#life(pod, live, provenance, true);
    const before = this.#known.get(uid);
    this.#forget(uid);
    return [occurrenceFact('life', { ...provenance, ...life }), ...departure(life, before, live, provenance)];
  }

  /**
   * A listing lacks it, and nobody saw it go. It may have begun to end as soon as nobody watched: that is its departure,
   * so that whatever took its place came later.
   */
  missing(live: LiveHolder, watermark: EpochMillis | undefined, provenance: Provenance): LifeFact[] {
    const { holder: pod, seenAt } = live;
    const before = this.#known.get(pod.uid);
    this.#forget(pod.uid);
    if (isDeparted(before, live)) return [];
    const at = clamp(latest(seenAt, watermark) ?? seenAt, seenAt, provenance.observedAt);
    const { disruption } = live.more ?? {};
    const why = disruption === undefined ? {} : { disruption };
    return [occurrenceFact('departure', { ...provenance, source: 'inferred', pod, owner: undefined, at, ...why })];
  }

  /** The ledger has this version of it already, and so its life is stored: after a restart that is known again here. */
  recognise(pod: ObservedPod, live: LiveHolder | undefined, at: EpochMillis): void {
    const { uid } = pod.metadata;
    if (this.#known.has(uid)) return;
    const { resourceVersion } = pod.metadata;
    const seen = { epoch: live?.epoch ?? 0, resourceVersion, source: 'list', observedAt: at } as const;
    const life = this.#life(pod, live, seen, false);
    this.#known.set(uid, numberOf(life, this.#flags(pod, life, undefined, live)));
  }

  #life(
    pod: ObservedPod,
    live: LiveHolder | undefined,
    provenance: Omit<Provenance, 'collector'>,
    isGone: boolean,
  ): LifeContent {
    const { observedAt: at } = provenance;
    const { uid } = pod.metadata;
    const isEnding = isGone || hasBegunToEnd(pod);
    const disruption = firstDisruptionOf(live?.more?.disruption, pod, provenance, isEnding);
    const firstSeen = this.#firstSeen.get(uid) ?? at;
    if (createdAt(pod, at) === undefined) this.#firstSeen.set(uid, firstSeen);
    return lifeOf(pod, { at, firstSeen, disruption, isGone });
  }

  #flags(pod: ObservedPod, life: LifeContent, before: number | undefined, live: LiveHolder | undefined): number {
    const wasReady = life.ready !== undefined || ((before ?? 0) & WAS_READY) !== 0;
    return (wasReady ? WAS_READY : 0) | (hasBegunToEnd(pod) || isDeparted(before, live) ? DEPARTED : 0);
  }

  #forget(uid: string): void {
    this.#known.delete(uid);
    this.#firstSeen.delete(uid);
  }
}

function numberOf(life: LifeContent, flags: number): number {
  return (digestOf(milestonesOf(life, (flags & WAS_READY) !== 0)) << FLAGS) | flags;
}

function departure(
  life: LifeContent,
  before: number | undefined,
  live: LiveHolder | undefined,
  provenance: Provenance,
): LifeFact[] {
  const at = endOf(life);
  if (at === undefined || isDeparted(before, live)) return [];
  const { pod, owner } = life;
  return [occurrenceFact('departure', { ...provenance, pod, owner, at })];
}

/** Its end has been seen to begin; after a restart the ledger remembers that. */
function isDeparted(before: number | undefined, live: LiveHolder | undefined): boolean {
  if (before !== undefined) return (before & DEPARTED) !== 0;
  if (live === undefined) return false;
  return live.terminal || live.more?.graceUntil !== undefined || live.more?.going !== undefined;
}

/**
 * A recorder before this one saw it after its last milestone. Asked of listings, which show every pod at once: an event
 * that was long under way may be the first word of an old milestone.
 */
function isStored(life: LifeContent, live: LiveHolder | undefined, { source }: Provenance): boolean {
  if (live === undefined || source === 'watch' || endOf(life) !== undefined) return false;
  return lastMilestone(life) < live.seenAt - LONGEST_DELIVERY_MS;
}
