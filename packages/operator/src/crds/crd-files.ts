// The files of deploy/crds/, as text by name. Called by scripts/generate-crds.ts and by the test that compares.
import { PODTRACKER_DEFINITION, PODTRACKER_SLICE_DEFINITION } from './manifests.ts';
import { toYaml } from './to-yaml.ts';

const HEADER = '# Generated from packages/operator/src/crds/ by `npm run generate`; do not edit.\n';

export function crdFiles(): ReadonlyMap<string, string> {
  return new Map(
    [PODTRACKER_DEFINITION, PODTRACKER_SLICE_DEFINITION].map((definition) => [
      `${definition.metadata.name}.yaml`,
      HEADER + toYaml(definition),
    ]),
  );
}
