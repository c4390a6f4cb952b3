// A CustomResourceDefinition for one case: made, established and served.
import { until } from '../../controlplane/index.ts';
import type { Stage } from '../case.ts';
import type { Json } from '../raw-client.ts';

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
export const SCHEMA = { openAPIV3Schema: { type: 'object', properties: { spec: OPEN, status: OPEN } } };

interface Wanted {
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly versions?: readonly Json[];
  readonly version?: Json;
}

/** A definition of its own group, so that cases do not meet. */
export function aDefinition(server: Stage, { scope = 'Namespaced', versions, version = {} }: Wanted = {}): Json {
  const group = `${server.unique('g')}.example.com`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope,
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] },
      versions: versions ?? [{ name: 'v1', served: true, storage: true, schema: SCHEMA, ...version }],
    },
  };
}

/** Created, established and served. */
export async function define(server: Stage, wanted: Wanted = {}) {
  const definition = aDefinition(server, wanted);
  const { group } = definition.spec;
  const path = `${CRDS}/${definition.metadata.name}`;
  const created = await server.client.create(CRDS, definition);
  const stream = await server.client.watch(
    `${CRDS}?fieldSelector=metadata.name%3D${definition.metadata.name}&resourceVersion=${created.metadata.resourceVersion}`,
  );
  const isEstablished = (object: Json) =>
    object.status?.conditions?.some(({ type, status }: Json) => type === 'Established' && status === 'True') ?? false;
  if (!isEstablished(created)) await stream.until(({ object }) => isEstablished(object));
  stream.close();
  const served = definition.spec.versions.find((version: Json) => version.served).name;
  // Objects, discovery and watches of a new kind come one after the other, each with a delay of its own.
  for (const path of [`/apis/${group}/${served}/widgets`, `/apis/${group}/${served}`, `/apis/${group}`]) {
    await until(`${path} is served`, async () => (await server.client.get(path)).status === 200);
  }
  await until(`${group} can be watched`, async () => {
    const widgets = await server.client.watch(`/apis/${group}/${served}/widgets`);
    widgets.close();
    return widgets.status === 200;
  });
  return { group, path, definition, remove: () => server.client.delete(path) };
}
