// From where and when an observation comes, and how it continues what is recorded of its object: what every boundary that
// follows from it rests on. The observer makes one for each step of a holder's life; nothing changes it afterwards.
import type { Provenance, Source } from '../model/boundary.ts';
import type { LiveHolder } from '../model/fact.ts';
import type { EpochMillis } from '../model/time.ts';
import type { KubeletEvidence } from './node-book.ts';
import type { Observed } from './observation.ts';
import type { Stream } from './stream.ts';

export interface ObservationContext {
  readonly source: Source;
  readonly epoch: number;
  readonly resourceVersion: string;
  readonly collector: string;
  readonly at: EpochMillis;
  /**
   * What this observation shows was written after this instant. For an event: the watermark of its stream just before it,
   * because events arrive in the order in which they were written. For a listing: that of the watch before it. Undefined
   * when nothing is known of the time before.
   */
  readonly watermark: EpochMillis | undefined;
  readonly continuity: Continuity;
  /** What is known of the pod's node. Undefined where nodes are not watched: then fixed limits count. */
  readonly node: NodeEvidence | undefined;
}

/** How an observation continues what is recorded of its object. */
export type Continuity =
  /** It follows what is recorded. */
  | { readonly kind: 'continued' }
  /** The end of the object is recorded, and an etcd that was restored from a backup shows it again, as it was. */
  | { readonly kind: 'reappeared' }
  /**
   * An earlier recorder recorded its end, because a listing lacked it. It had not ended; what is recorded of it has, and
   * the next record begins now.
   */
  | { readonly kind: 'overlooked' }
  /** A listing after a rewind: what it shows may be older than what is recorded, and what it lacks may still run. */
  | { readonly kind: 'restored' }
  /** Shortly after a rewind, which may have hidden the end of the pod, at any time since then. */
  | { readonly kind: 'doubted'; readonly since: EpochMillis }
  /** The same, and its kubelet has not written since the rewind: what the pod shows of its network proves nothing. */
  | { readonly kind: 'unconfirmed' };

export interface NodeEvidence {
  /** Undefined where the Node is not known. */
  readonly kubelet: KubeletEvidence | undefined;
  /** The networks from which the node hands out addresses. */
  readonly networks: () => readonly string[];
}

export const CONTINUED: Continuity = { kind: 'continued' };

export function provenanceOf({ source, epoch, resourceVersion, collector, at }: ObservationContext): Provenance {
  return { source, epoch, resourceVersion, collector, observedAt: at };
}

/** Makes contexts; what is special about one is set by whoever asks for it. */
export class ContextFactory {
  readonly #collector: string;
  readonly #evidenceOf: (node: string) => NodeEvidence | undefined;

  constructor(collector: string, evidenceOf: (node: string) => NodeEvidence | undefined) {
    this.#collector = collector;
    this.#evidenceOf = evidenceOf;
  }

  /** Of an object as a watch shows it. */
  of(
    { kind, object }: Observed,
    { epoch }: Stream,
    watermark: EpochMillis | undefined,
    at: EpochMillis,
  ): ObservationContext {
    return {
      source: 'watch',
      epoch,
      resourceVersion: object.metadata.resourceVersion,
      collector: this.#collector,
      at,
      watermark: watermark !== undefined && watermark > at ? at : watermark,
      continuity: CONTINUED,
      node: this.#evidenceOf(kind === 'Pod' ? object.spec.nodeName : ''),
    };
  }

  /** Of one that a listing of this version lacks. */
  ofMissing(
    { holder }: LiveHolder,
    { epoch }: Stream,
    resourceVersion: string,
    watermark: EpochMillis | undefined,
    at: EpochMillis,
    continuity: Continuity = CONTINUED,
  ): ObservationContext {
    const node = this.#evidenceOf(holder.node);
    return { source: 'inferred', epoch, resourceVersion, collector: this.#collector, at, watermark, continuity, node };
  }
}
