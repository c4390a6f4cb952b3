// Waiting while a target is congested: its `onDrained` belongs to who waits, for as long as the wait lasts. Called by the
// reflector, which never waits for two things at once.
import type { Cacheable } from '../objects/kube-object.ts';
import type { WatchEnd, WatchStream } from '../watch/watch-stream.ts';
import type { ReflectionTarget } from './reflection-target.ts';

/** The stream that was paused goes on whenever the target is drained, until it ends; an abort ends it. */
export async function untilEnded<T extends Cacheable>(
  stream: WatchStream<T>,
  target: ReflectionTarget<T>,
  signal: AbortSignal,
): Promise<WatchEnd> {
  const close = () => stream.close();
  signal.addEventListener('abort', close, { once: true });
  // Perhaps the observer of the state has aborted it just now.
  if (signal.aborted) close();
  target.onDrained = () => stream.resume();
  try {
    return await stream.ended;
  } finally {
    target.onDrained = undefined;
    signal.removeEventListener('abort', close);
  }
}

/** Rejects when the signal aborts. */
export async function untilDrained<T extends Cacheable>(
  target: ReflectionTarget<T>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  target.onDrained = resolve;
  try {
    await promise;
  } finally {
    target.onDrained = undefined;
    signal.removeEventListener('abort', abort);
  }
}
