// A ResourceClient whose writes ask first whether this process still leads. Reconcilers of leader-only controllers get
// this one, so that forgetting to ask is not possible. Reads pass.
import type { ResourceClient } from '../client/resource-client.ts';
import { MachineryError } from '../errors.ts';

export function fencedClient<T>(client: ResourceClient<T>, isLeader: () => boolean): ResourceClient<T> {
  const ifLeading = <R>(write: () => Promise<R>): Promise<R> =>
    isLeader()
      ? write()
      : Promise.reject(
          new MachineryError('not-leader', 'the write was not sent: this process no longer leads', {
            hint: 'Another replica has taken over or will; this process should exit.',
          }),
        );
  return {
    get: (name, options) => client.get(name, options),
    list: (options) => client.list(options),
    pages: (options) => client.pages(options),
    create: (object, options) => ifLeading(() => client.create(object, options)),
    update: (object, options) => ifLeading(() => client.update(object, options)),
    patch: (name, patch, options) => ifLeading(() => client.patch(name, patch, options)),
    delete: (name, options) => ifLeading(() => client.delete(name, options)),
  };
}
