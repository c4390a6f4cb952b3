import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crdFiles } from './crd-files.ts';
import { PODTRACKER_DEFINITION, PODTRACKER_SLICE_DEFINITION } from './manifests.ts';
import type { JsonSchema } from './schema.ts';

const COMMITTED = new URL('../../../../deploy/crds/', import.meta.url);
const DEFINITIONS = [PODTRACKER_DEFINITION, PODTRACKER_SLICE_DEFINITION];

test('deploy/crds holds exactly what the generator writes', () => {
  const generated = crdFiles();
  assert.deepEqual(readdirSync(COMMITTED).sort(), [...generated.keys()].sort());
  for (const [name, text] of generated) {
    assert.equal(readFileSync(new URL(name, COMMITTED), 'utf8'), text, `${name} is old: npm run generate`);
  }
});

test('every field says what it is, in a sentence', () => {
  for (const [path, schema] of fields()) {
    if (path.endsWith('.metadata')) continue; // the server's own
    assert.match(schema.description ?? '', /^[A-Z].{8,}[.}]$/, path);
  }
});

test('every rule says what to write instead', () => {
  const rules = fields().flatMap(([path, schema]) => {
    return (schema['x-kubernetes-validations'] ?? []).map(({ message }) => [path, message] as const);
  });
  assert.ok(rules.length >= 10, `${rules.length} rules`);
  for (const [path, message] of rules) assert.match(message, /\b(write|leave|name|choose)\b/, path);
});

test('v1 is stored and served, v1alpha1 waits for the webhook, and v1 needs none', () => {
  const { versions } = PODTRACKER_DEFINITION.spec;
  assert.ok(!('conversion' in PODTRACKER_DEFINITION.spec));
  assert.deepEqual(
    versions.map(({ name, served, storage }) => ({ name, served, storage })),
    [
      { name: 'v1', served: true, storage: true },
      { name: 'v1alpha1', served: false, storage: false },
    ],
  );
});

test('everything in spec may be left out', () => {
  const spec = PODTRACKER_DEFINITION.spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec'];
  assert.equal(spec?.required, undefined);
  assert.deepEqual(spec?.default, {});
});

function fields(): [path: string, schema: JsonSchema][] {
  const found: [string, JsonSchema][] = [];
  const visit = (path: string, schema: JsonSchema) => {
    found.push([path, schema]);
    for (const [name, child] of Object.entries(schema.properties ?? {})) visit(`${path}.${name}`, child);
    if (schema.items !== undefined) visit(`${path}[]`, schema.items);
    if (schema.additionalProperties !== undefined) visit(`${path}{}`, schema.additionalProperties);
  };
  for (const { spec } of DEFINITIONS) {
    for (const { name, schema } of spec.versions) visit(`${spec.names.kind} ${name}`, schema.openAPIV3Schema);
  }
  return found;
}
