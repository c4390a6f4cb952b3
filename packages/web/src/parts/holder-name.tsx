// A pod, node or Service by its name, as links: to its trail, and to its node.
import type { HolderDocument } from '@podtrail/history/wire';
import { Link } from '../address/link.tsx';
import type { Parameters } from '../address/page-address.ts';

type Named = Pick<HolderDocument, 'kind' | 'namespace' | 'name' | 'uid' | 'node' | 'workload'>;

export function HolderName({
  holder,
  times = {},
}: {
  readonly holder: Named;
  readonly times?: Parameters | undefined;
}) {
  const { kind, namespace, name, uid } = holder;
  const shown = namespace === '' ? name : `${namespace}/${name}`;
  if (kind === 'Node') return <NodeName node={name} times={times} />;
  const subject = kind === 'Service' ? { subject: `svc/${name}`, namespace } : { subject: uid };
  return (
    <Link view="trail" parameters={{ ...subject, ...times }} class="name">
      {kind === 'Service' ? `Service ${shown}` : shown}
    </Link>
  );
}

export function NodeName({ node, times = {} }: { readonly node: string; readonly times?: Parameters | undefined }) {
  if (node === '') return <span class="muted">no node</span>;
  return (
    <Link view="trail" parameters={{ by: 'pod', node, ...times }} class="name">
      {node}
    </Link>
  );
}

export function WorkloadName({
  holder,
  times = {},
}: {
  readonly holder: Named;
  readonly times?: Parameters | undefined;
}) {
  const { workload, namespace } = holder;
  if (workload === null) return <span class="muted">no workload</span>;
  const { kind, name } = workload;
  return (
    <Link view="trail" parameters={{ subject: `${kind.toLowerCase()}/${name}`, namespace, ...times }} class="name">
      {kind} {name}
    </Link>
  );
}
