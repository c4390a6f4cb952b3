// Where a reflector stands; each state says what moves it on. For health checks, metrics and people.
import type { RelistReason } from '../informer/delta.ts';

export type ReflectorState =
  /** Left by `run`. */
  | { readonly kind: 'idle' }
  /** Left when the listing is complete (→ watching) or failed (→ waiting). Times are monotonic milliseconds. */
  | { readonly kind: 'listing'; readonly reason: RelistReason; readonly since: number }
  /** Left when the stream ends: at once → watching again, after an error → waiting, after 410 → listing. */
  | { readonly kind: 'watching'; readonly from: string; readonly since: number }
  /** Left when the time is over: → what `next` says. */
  | { readonly kind: 'waiting'; readonly error: Error; readonly until: number; readonly next: 'list' | 'watch' }
  /** The signal was aborted; final. */
  | { readonly kind: 'stopped' };

/** What the loop does next. */
export type Step = { readonly do: 'list'; readonly reason: RelistReason } | { readonly do: 'watch' };
