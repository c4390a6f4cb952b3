// Discovery and OpenAPI say the same as the resources, and objects are as their schemas say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregatedVersion, apiGroupDiscovery, apiResourceList, POSTED } from './discovery.ts';
import { openApiV2, openApiV3, openApiV3Index } from './open-api.ts';
import { RESOURCES } from './resources.ts';

// biome-ignore lint/suspicious/noExplicitAny: the test reads what it knows to be there.
type Document = any;

test('every resource is in discovery, old and aggregated, with the same verbs; none can be written', () => {
  const { resources } = apiResourceList() as Document;
  const [group] = (apiGroupDiscovery('v2') as Document).items;
  assert.deepEqual(
    resources.map(({ name, verbs }: Document) => [name, verbs]),
    group.versions[0].resources.map(({ resource, verbs }: Document) => [resource, verbs]),
  );
  for (const { name, verbs } of resources) {
    assert.deepEqual(verbs, POSTED.some(({ plural }) => plural === name) ? ['create'] : ['get', 'list', 'watch']);
  }
});

test('aggregated discovery is chosen by what is accepted', () => {
  const v2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  assert.equal(aggregatedVersion(`${v2},application/json`), 'v2');
  assert.equal(aggregatedVersion(v2.replace('v=v2', 'v=v2beta1')), 'v2beta1');
  assert.equal(aggregatedVersion('application/json'), undefined);
  assert.equal(aggregatedVersion(undefined), undefined);
});

test('both versions of OpenAPI describe every resource, every reference leads somewhere, every field has a sentence', () => {
  const v3 = openApiV3() as Document;
  const v2 = openApiV2() as Document;
  assert.deepEqual(Object.keys(v3.paths), Object.keys(v2.paths));
  for (const [document, schemas] of [
    [v3, v3.components.schemas],
    [v2, v2.definitions],
  ] as const) {
    for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/[a-z/]+\/([^"]+)"/g)) {
      assert.ok(schemas[name ?? ''] !== undefined, String(name));
    }
    for (const { kind } of [...RESOURCES, ...POSTED]) described(schemas[`dev.podtrail.history.v1.${kind}`], kind);
  }
  const [[path, { serverRelativeURL }]] = Object.entries((openApiV3Index() as Document).paths) as [[string, Document]];
  assert.equal(path, 'apis/history.podtrail.dev/v1');
  assert.match(serverRelativeURL, /^\/openapi\/v3\/apis\/history\.podtrail\.dev\/v1\?hash=[0-9A-F]{32}$/);
});

function described(schema: Document, path: string): void {
  assert.match(schema.description ?? '', /[.…]$/, path);
  for (const [name, property] of Object.entries(schema.properties ?? {})) described(property, `${path}.${name}`);
}

test('tables have columns that are always there and columns of -o wide, and a cell for each', () => {
  for (const { kind, columns } of RESOURCES) {
    assert.ok(
      columns.some(({ priority }) => priority === 0),
      kind,
    );
    assert.ok(
      columns.some(({ priority }) => priority === 1),
      kind,
    );
    const object = {
      apiVersion: '',
      kind,
      metadata: { name: 'x', uid: '', resourceVersion: '', creationTimestamp: '' },
    };
    for (const { cell } of columns) assert.ok(String(cell(object)).length > 0);
  }
});
