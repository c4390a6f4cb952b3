// One event that was recorded, with the count of its repetitions and how much of that the server knows; and what a
// failed write of it means.
import { ApiError, ConnectionError, isForbidden } from '../errors.ts';
import { microTime } from '../objects/micro-time.ts';
import type { EventSeries, KubeEvent } from './kube-event.ts';

export class EventEntry {
  /** Without `series`; its name may change once, before it is created. */
  readonly event: KubeEvent;
  count = 1;
  /** Monotonic. */
  lastSeenAt: number;
  /** Wall clock. */
  lastSeen: number;
  /** The count that the server has; 0 until the event is created. */
  writtenCount = 0;

  constructor(event: KubeEvent, monotonic: number, now: number) {
    this.event = event;
    this.lastSeenAt = monotonic;
    this.lastSeen = now;
  }

  seeAgain(monotonic: number, now: number): void {
    this.count++;
    this.lastSeenAt = monotonic;
    this.lastSeen = now;
  }

  get series(): EventSeries | undefined {
    return this.count < 2 ? undefined : { count: this.count, lastObservedTime: microTime(this.lastSeen) };
  }

  /** The event as it would be created now. */
  get whole(): KubeEvent {
    const { series } = this;
    return { ...this.event, ...(series === undefined ? {} : { series }) };
  }
}

export type Verdict =
  | { readonly kind: 'retry'; readonly atLeastMs: number }
  | { readonly kind: 'give-up'; readonly because: 'forbidden' | 'namespaceTerminating' | 'rejected' };

/** No answer, or an error of the server: later. A refusal: never, the event will be refused again. */
export function judgeFailure(error: unknown): Verdict {
  if (error instanceof ConnectionError) return { kind: 'retry', atLeastMs: 0 };
  if (error instanceof ApiError && (error.status === 429 || error.status >= 500)) {
    return { kind: 'retry', atLeastMs: error.retryAfterMs ?? 0 };
  }
  if (isForbidden(error)) {
    const terminating = error.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating') ?? false;
    return { kind: 'give-up', because: terminating ? 'namespaceTerminating' : 'forbidden' };
  }
  return { kind: 'give-up', because: 'rejected' };
}
