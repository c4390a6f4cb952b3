// Which objects have been delivered at the newest version, for an informer without a cache: a repetition of the last
// event is dropped, and the event of another object of the same version is not.
import type { Cacheable } from '../objects/kube-object.ts';
import { keyOf } from '../objects/object-key.ts';
import type { EventType } from '../reflector/reflection-target.ts';
import { isOlder } from '../reflector/version-order.ts';

/** Some servers give all objects one version. Beyond this a repetition is delivered twice, as after a relist. */
const MOST_KEYS = 1024;

export class NewestKeys {
  #version = '';
  readonly #keys = new Set<string>();

  /** False when this event was noted already. */
  note(type: EventType, object: Cacheable): boolean {
    const version = object.metadata.resourceVersion ?? '';
    // A listing is in the order of names.
    if (isOlder(version, this.#version)) return true;
    if (version !== this.#version) this.clear();
    this.#version = version;
    const key = `${type === 'DELETED' ? 'gone' : 'there'} ${keyOf(object)}`;
    if (version !== '' && this.#keys.has(key)) return false;
    if (this.#keys.size < MOST_KEYS) this.#keys.add(key);
    return true;
  }

  /** A listing follows, perhaps of another history. */
  clear(): void {
    this.#version = '';
    this.#keys.clear();
  }
}
