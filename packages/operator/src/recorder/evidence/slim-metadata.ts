// What a cache of owners holds of each: its name, its version, its controller. An owner may have kilobytes of annotations
// and labels that nobody reads.
import { type MetadataOnlyView, type MetadataView, StringMap } from '@podtrail/machinery';

export const REVISION = 'deployment.kubernetes.io/revision';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
const KEPT = [REVISION, DESIRED_REPLICAS];
const NONE: readonly never[] = Object.freeze([]);

export function slimMetadata({ metadata }: MetadataOnlyView): MetadataOnlyView {
  const kept = KEPT.flatMap((key): [string, string][] => {
    const value = metadata.annotations.get(key);
    return value === undefined ? [] : [[key, value]];
  });
  const slim: MetadataView = {
    ...metadata,
    labels: StringMap.EMPTY,
    annotations: kept.length === 0 ? StringMap.EMPTY : StringMap.of(kept),
    finalizers: NONE,
    ownerReferences: controllersOf(metadata),
  };
  return { metadata: slim };
}

/** The list itself where there is nothing else in it: many objects share one. */
function controllersOf({ ownerReferences }: MetadataView): MetadataView['ownerReferences'] {
  const isController = ({ controller }: { readonly controller: boolean }) => controller;
  return ownerReferences.every(isController) ? ownerReferences : ownerReferences.filter(isController);
}
