// Several kubeconfigs into one, as kubectl merges a KUBECONFIG list: the first file that defines a name owns the whole
// entry (nothing of a later entry with that name is mixed in), and the first file that sets current-context sets it.
import type { Kubeconfig } from './kubeconfig-file.ts';

export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    files: configs.flatMap((c) => c.files),
    currentContext: configs.find((c) => c.currentContext !== undefined)?.currentContext,
    clusters: firstWins(configs.map((c) => c.clusters)),
    users: firstWins(configs.map((c) => c.users)),
    contexts: firstWins(configs.map((c) => c.contexts)),
  };
}

function firstWins<T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> {
  const merged = new Map<string, T>();
  for (const map of maps) {
    for (const [name, entry] of map) if (!merged.has(name)) merged.set(name, entry);
  }
  return merged;
}
