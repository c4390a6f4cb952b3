// A ResourceClient whose writes ask first whether this process still leads. Reconcilers of leader-only controllers get
// this one, so that forgetting to ask is not possible, also when a write waits for a connection or for its retry.
// Reads pass.
import type { CallOptions, ResourceClient } from '../client/resource-client.ts';
import { MachineryError } from '../errors.ts';

export function fencedClient<T>(client: ResourceClient<T>, isLeader: () => boolean): ResourceClient<T> {
  const mustLead = () => {
    if (isLeader()) return;
    throw new MachineryError('not-leader', 'the write was not sent: this process no longer leads', {
      hint: 'Another replica has taken over or will; this process should exit.',
    });
  };
  const ifLeading = async <O extends CallOptions, R>(
    options: O | undefined,
    write: (options: O & CallOptions) => Promise<R>,
  ): Promise<R> => {
    mustLead();
    const beforeSend = () => {
      options?.beforeSend?.();
      mustLead();
    };
    return await write({ ...(options as O), beforeSend });
  };
  return {
    get: (name, options) => client.get(name, options),
    list: (options) => client.list(options),
    pages: (options) => client.pages(options),
    create: (object, options) => ifLeading(options, (o) => client.create(object, o)),
    update: (object, options) => ifLeading(options, (o) => client.update(object, o)),
    patch: (name, patch, options) => ifLeading(options, (o) => client.patch(name, patch, o)),
    delete: (name, options) => ifLeading(options, (o) => client.delete(name, o)),
  };
}
