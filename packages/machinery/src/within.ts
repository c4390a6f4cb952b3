// A bound in time on anything asynchronous, on an injected clock. Elections, recorders and health checks use it, so
// that a call which ignores its signal cannot hold them up.
import type { Clock } from './clock.ts';
import { ConnectionError } from './errors.ts';

/**
 * What `act` resolves to, or a rejection as soon as `ms` have passed or `signal` aborts, whichever comes first. `act`
 * gets a signal that aborts then too; if it goes on regardless, its late result is ignored.
 */
export function within<R>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  return new Promise<R>((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const inner = new AbortController();
    const end = () => {
      timer.cancel();
      signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (reason: unknown) => {
      end();
      inner.abort(reason);
      reject(reason);
    };
    const onAbort = () => giveUp(signal?.reason);
    const timer = clock.setTimer(ms, () => giveUp(new ConnectionError('timeout', `no answer within ${ms} ms`)));
    signal?.addEventListener('abort', onAbort, { once: true });
    (async () => act(inner.signal))().then(
      (result) => {
        end();
        resolve(result);
      },
      (error) => {
        end();
        reject(error);
      },
    );
  });
}
