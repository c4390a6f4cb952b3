// Which cluster is asked about: shown only where the ledger has several.
import { address, adjust } from '../address/location.ts';
import { useQuestion } from '../api/use-question.ts';

interface Clusters {
  readonly clusters: readonly { readonly name: string; readonly id: string }[];
}

export function ClusterChoice() {
  const { document } = useQuestion<Clusters>('clusters', {});
  const clusters = document?.clusters ?? [];
  const [first] = clusters;
  if (first === undefined) return null;
  if (clusters.length === 1) return <span class="muted">{first.name}</span>;
  return (
    <label>
      <span class="visually-hidden">Cluster</span>
      <select
        value={address.value.parameters['cluster'] ?? ''}
        onChange={({ currentTarget }) => adjust({ cluster: currentTarget.value }, true)}
      >
        <option value="">Choose a cluster</option>
        {clusters.map(({ name, id }) => (
          <option key={id} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
