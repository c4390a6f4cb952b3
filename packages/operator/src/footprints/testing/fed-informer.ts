// A real informer that a test feeds in place of a reflector: listings and events go in, the cache and its handlers do
// what they always do. No network, no time but the clock's.
import { type Clock, Informer, PODS, type PodView, podCodec, type Transport } from '@podtrail/machinery';
import { feed, type PodBuilder } from '@podtrail/machinery/testing';

export class FedInformer extends Informer<PodView> {
  current = true;
  #version = 100;

  constructor(clock: Clock) {
    super({ transport: {} as Transport, resource: PODS, codec: podCodec, clock });
  }

  override get isCurrent(): boolean {
    return this.current;
  }

  /** The listing is all there is. */
  list(...pods: PodBuilder[]): void {
    const replacement = feed(this).beginReplace(false);
    for (const pod of pods) replacement.add(this.#next(pod));
    const to = 0;
    const resourceVersion = String(++this.#version);
    replacement.commit({ reason: 'start', resourceVersion, previousVersion: undefined, from: undefined, to });
  }

  add(pod: PodBuilder): void {
    feed(this).onEvent('ADDED', this.#next(pod));
  }

  change(pod: PodBuilder): void {
    feed(this).onEvent('MODIFIED', this.#next(pod));
  }

  delete(pod: PodBuilder): void {
    feed(this).onEvent('DELETED', this.#next(pod));
  }

  #next(pod: PodBuilder): PodView {
    return podCodec.fromJson(pod.atVersion(++this.#version).build());
  }
}
