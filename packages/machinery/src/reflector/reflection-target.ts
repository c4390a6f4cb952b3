// What a reflector feeds: the informer's cache, or a test. All calls are synchronous and in order.
import type { Cacheable } from '../objects/kube-object.ts';
import type { Relist } from './relist.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** A listing in the making; nothing is visible before `commit`. */
export interface Replacement<T extends Cacheable> {
  readonly size: number;
  /** True while what was added waits for a slow handler: no more should be added until the target's `onDrained`. */
  readonly congested: boolean;
  add(object: T): void;
  /** The object went away while the listing was still on its way. */
  remove(object: T): void;
  /**
   * True when something in it is not newer than `version`, up to which everything has been applied, and yet is not as it
   * is held: then the versions are those of another history.
   */
  contradicts(version: string): boolean;
  commit(relist: Relist): void;
}

export interface ReflectionTarget<T extends Cacheable> {
  /** `rewound`: equal versions do not mean equal objects, so that nothing held may be kept instead of what is listed. */
  beginReplace(rewound: boolean): Replacement<T>;
  /**
   * An event that is not older than everything before it. One of the version of the last event is of another object,
   * where a server changes several at once, or a duplicate, which must have no effect.
   */
  onEvent(type: EventType, object: T): void;
  /** An event older than what was applied already: dropped, only counted. */
  ignoredStale(): void;
  /** An event from before the listing, asked for by `startFrom`. */
  replay(type: EventType, object: T): void;
  caughtUp(outcome: 'complete' | 'expired', from: string, to: string): void;
  /** Every event up to this version has been applied. */
  progress(resourceVersion: string): void;
  /** What a consistency check compares: the version and UID held under a key. */
  held(): Iterable<readonly [key: string, object: T]>;
  /** The check found the truth about one key; undefined means that the object is gone. */
  correct(key: string, truth: T | undefined): void;
  /** True while some handler is too far behind: the reflector stops reading until `onDrained`. */
  readonly congested: boolean;
  onDrained: (() => void) | undefined;
}
