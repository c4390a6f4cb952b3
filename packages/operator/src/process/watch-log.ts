// What the log says of watches and of the handlers that follow them. A watch that is refused is tried again for ever,
// and a handler that fails once fails often: both are reported thinned, and counted in full by the metrics.
import type { Cacheable, HandlerFailure, ReflectorState } from '@podtrail/machinery';
import { type Log, problemOf } from './log.ts';
import { LogSampler } from './log-sampler.ts';

export class WatchLog {
  readonly #log: Log;
  readonly #refused = new LogSampler();
  readonly #failed = new LogSampler();

  constructor(log: Log) {
    this.#log = log;
  }

  watchChanged(resource: string, state: ReflectorState): void {
    if (state.kind === 'watching') this.#refused.over(resource);
    if (state.kind !== 'waiting') {
      this.#log.debug('watch', { resource, state: state.kind });
      return;
    }
    const times = this.#refused.again(resource);
    if (times === undefined) return;
    this.#log.warn('cannot be watched; trying again', { resource, times, problem: problemOf(state.error) });
  }

  handlerFailed(resource: string, failure: HandlerFailure<Cacheable>): void {
    const { handler, error, attempt, givenUp } = failure;
    const times = this.#failed.again(`${resource} ${handler}`);
    if (times === undefined) return;
    const stack = error instanceof Error ? error.stack : undefined;
    const fields = { resource, handler, times, attempt, givenUp, problem: problemOf(error), stack };
    this.#log.error('a change could not be taken in; the others go on', fields);
  }
}
