// What a list of objects shows: who is missing, who is there and how, and whether it can follow what is recorded. Makes
// the steps of the holders' lives; the observer applies them.
import type { LiveHolder } from '../model/fact.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { compareVersions, isRecorded } from '../model/version-order.ts';
import { undoneSince } from './boundaries.ts';
import { RESOLUTION_MS, writtenNotBefore } from './evidence.ts';
import { gone, type LifeStep, present } from './holder-life.ts';
import type { LiveHolders } from './live-holders.ts';
import type { MirrorIdentities } from './mirror-identities.ts';
import type { Observation, Observed } from './observation.ts';
import { CONTINUED, type ContextFactory, type Continuity, type ObservationContext } from './observation-context.ts';
import type { RewindDoubts } from './rewind-doubts.ts';
import { LONGEST_DELIVERY_MS, type Stream } from './stream.ts';
import type { Streams } from './streams.ts';

/** All objects of one stream, by a consistent read. */
export interface ConsistentListing {
  readonly kind: Observed['kind'];
  readonly namespace: string | undefined;
  readonly present: readonly Observed[];
  /** Everything up to the listing has been delivered: a holder that is recorded and not among them is missing. */
  readonly isWhole: boolean;
}

export type Listing = Extract<Observation, { kind: 'listed' }>;
export type Correction = Extract<Observation, { kind: 'corrected' }>;

/** What a listing changes of one holder; `seen` is undefined for one that is missing. */
export interface ListedStep {
  readonly uid: string;
  readonly before: LiveHolder | undefined;
  readonly seen: Observed | undefined;
  readonly context: ObservationContext;
  readonly step: LifeStep;
}

/** A listing as it arrives on its stream; `watermark` is that of the watch before it. */
export interface Arrival {
  readonly listing: Listing;
  readonly stream: Stream;
  readonly watermark: EpochMillis | undefined;
  readonly at: EpochMillis;
}

export class Listings {
  readonly #live: LiveHolders;
  readonly #streams: Streams;
  readonly #doubts: RewindDoubts;
  readonly #contexts: ContextFactory;

  constructor(live: LiveHolders, streams: Streams, doubts: RewindDoubts, contexts: ContextFactory) {
    this.#live = live;
    this.#streams = streams;
    this.#doubts = doubts;
    this.#contexts = contexts;
  }

  /** The same listing once more, or one that is older than what was delivered since. */
  isOldListing({ resource, namespace, reason, resourceVersion, at }: Listing): boolean {
    const { listed, version } = this.#streams.of(resource, namespace);
    if (listed !== undefined && listed.version === resourceVersion && at <= listed.at) return true;
    return reason !== 'rewound' && version !== undefined && compareVersions(resourceVersion, version) < 0;
  }

  isOldCorrection({ type, seen, at }: Correction): boolean {
    const { uid, namespace, resourceVersion } = seen.object.metadata;
    const missed = this.#live.missed(uid);
    // One from before the listing which lacked it says nothing new.
    if (missed !== undefined) return type === 'deleted' || at <= missed.seenAt;
    const before = this.#live.get(uid);
    if (type === 'deleted') return before === undefined;
    const { epoch } = this.#streams.of(seen.kind, namespace);
    return this.#live.hasEnded(uid) || isRecorded(before, epoch, resourceVersion);
  }

  /** Who is remembered and not in the listing has gone. */
  missingFrom({ listing, stream, watermark, at }: Arrival): ListedStep[] {
    const { resource, namespace, resourceVersion, reason } = listing;
    const listed = new Set(listing.present.map((seen) => seen.object.metadata.uid));
    const missing = new Set(listing.goneUids);
    if (listing.whole) for (const live of this.#live.of(resource, namespace)) missing.add(live.holder.uid);
    const continuity: Continuity = reason === 'rewound' ? { kind: 'restored' } : CONTINUED;
    const steps: ListedStep[] = [];
    for (const uid of missing) {
      const before = this.#live.get(uid);
      if (before === undefined || before.holder.kind !== resource || listed.has(uid)) continue;
      const context = this.#contexts.ofMissing(before, stream, resourceVersion, watermark, at, continuity);
      steps.push({ uid, before, seen: undefined, context, step: gone(before, undefined, context) });
    }
    return steps;
  }

  /** Who is in the listing, as it is shown there. */
  presentIn(arrival: Arrival): ListedStep[] {
    const { listing, stream, at } = arrival;
    const isRewound = listing.reason === 'rewound';
    const steps: ListedStep[] = [];
    for (const seen of listing.present) {
      const { uid, resourceVersion } = seen.object.metadata;
      const missed = this.#live.missed(uid);
      const before = this.#live.get(uid) ?? missed;
      if (missed === undefined && !isRewound && isRecorded(before, stream.epoch, resourceVersion)) continue;
      const context = this.#listedContext(arrival, seen, before, missed);
      steps.push({ uid, before, seen, context, step: present(before, seen, context) });
      if (isRewound && seen.kind === 'Pod') this.#doubts.begin(seen.object, undoneSince(context), at);
      stream.mentioned(writtenNotBefore(seen, at));
    }
    return steps;
  }

  /** Of an object that a comparison found, and that no event had shown so. */
  correctedContext(
    { seen }: Correction,
    before: LiveHolder | undefined,
    stream: Stream,
    at: EpochMillis,
  ): ObservationContext {
    const watermark = before === undefined ? undefined : epochMillis(before.seenAt - LONGEST_DELIVERY_MS);
    const context: ObservationContext = { ...this.#contexts.of(seen, stream, watermark, at), source: 'list' };
    if (!this.#isOverlooked(before, seen)) return context;
    const resourceVersion = stream.version ?? context.resourceVersion;
    return { ...context, resourceVersion, continuity: { kind: 'overlooked' } };
  }

  /** Of one that a listing lacked, and that is back: perhaps not even its version has changed. */
  returnedContext(missed: LiveHolder, seen: Observed, stream: Stream, at: EpochMillis): ObservationContext {
    const context = this.#contexts.of(seen, stream, undefined, at);
    const resourceVersion = stream.version ?? context.resourceVersion;
    return { ...context, source: 'list', resourceVersion, watermark: missed.networkLostAt };
  }

  /**
   * Whether a consistent listing cannot follow what is recorded: it shows an object as it was before, or one that should
   * have been delivered and was not. Changes nothing. (Events that were lost look the same.)
   */
  contradicts({ kind, namespace, present: shown, isWhole }: ConsistentListing, identities: MirrorIdentities): boolean {
    const stream = this.#streams.of(kind, namespace);
    const uids = new Set<string>();
    for (const { object } of shown) {
      const { resourceVersion } = object.metadata;
      const uid = identities.uidOf(object.metadata.uid);
      uids.add(uid);
      const before = this.#live.get(uid);
      if (before !== undefined && before.epoch !== stream.epoch) continue;
      const order = before === undefined ? 1 : compareVersions(resourceVersion, before.resourceVersion);
      if (order < 0 || (order > 0 && (isWhole || stream.isOld(resourceVersion)))) return true;
    }
    if (!isWhole) return false;
    return this.#live.of(kind, namespace).some(({ holder, epoch }) => epoch === stream.epoch && !uids.has(holder.uid));
  }

  #listedContext(
    { listing, stream, watermark, at }: Arrival,
    seen: Observed,
    before: LiveHolder | undefined,
    missed: LiveHolder | undefined,
  ): ObservationContext {
    // When nothing is known of the time before, it was so when it was last seen, however late that arrived.
    const known = watermark ?? (before === undefined ? undefined : epochMillis(before.seenAt - LONGEST_DELIVERY_MS));
    const continuity = this.#listedContinuity(listing, seen, before, watermark);
    const context = this.#contexts.of(seen, stream, known, at);
    const listed: ObservationContext = { ...context, source: 'list', continuity };
    // The version of the object may be that of a record which has ended.
    const { resourceVersion } = listing;
    if (missed !== undefined) return { ...listed, resourceVersion, watermark: missed.networkLostAt };
    return continuity.kind === 'overlooked' ? { ...listed, resourceVersion } : listed;
  }

  #listedContinuity(
    { reason }: Listing,
    seen: Observed,
    before: LiveHolder | undefined,
    watermark: EpochMillis | undefined,
  ): Continuity {
    const { uid, creationTimestamp: created = Number.NEGATIVE_INFINITY } = seen.object.metadata;
    const isRewound = reason === 'rewound';
    // One that is not remembered, though the backup is from a time that was watched, has ended since.
    const isForgotten = isRewound && before === undefined && watermark !== undefined && created < watermark;
    if (isForgotten || before?.terminal === true || this.#live.hasEnded(uid)) return { kind: 'reappeared' };
    if (this.#isOverlooked(before, seen)) return { kind: 'overlooked' };
    return isRewound ? { kind: 'restored' } : CONTINUED;
  }

  /**
   * Everything about that time was delivered to the recorder before this one, and it does not remember the object: a
   * listing had lacked it. Within the life of one recorder `missed` knows such ones.
   */
  #isOverlooked(before: LiveHolder | undefined, { kind, object: { metadata } }: Observed): boolean {
    const { creationTimestamp: created, namespace } = metadata;
    if (before !== undefined || created === undefined) return false;
    const watermark = this.#streams.resumedWatermark(kind, namespace);
    return watermark !== undefined && created + RESOLUTION_MS < watermark;
  }
}
