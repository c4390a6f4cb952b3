// How a sentence of the ledger names an object: `pod shop/web-1 on node node-a`, `node node-a`, `service shop/cart`.
import type { Observed } from './observation.ts';

export function objectName({ kind, object }: Observed): string {
  const { namespace, name } = object.metadata;
  const node = kind === 'Pod' && object.spec.nodeName !== '' ? ` on node ${object.spec.nodeName}` : '';
  return `${kind.toLowerCase()} ${namespace === '' ? name : `${namespace}/${name}`}${node}`;
}
