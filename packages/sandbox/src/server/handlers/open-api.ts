// As much OpenAPI as kubectl asks before it writes: which kinds take `fieldValidation` and `dryRun`. No schemas: so
// `kubectl apply` works and `kubectl explain` does not. Version 2 is answered with 404.
import type { ResourceRegistry } from '../../api/resource-registry.ts';
import { apiVersionOf, type ResourceType } from '../../api/resource-type.ts';
import { type Answer, jsonAnswer } from './answer.ts';

const ROOT = '/openapi/v3';
const INFO = { title: 'podtrail sandbox', version: 'v1.36.3' };
const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => {
  return { name, in: 'query', schema: { type: 'string', uniqueItems: true } };
});

export function handleOpenApi(registry: ResourceRegistry, path: string): Answer | undefined {
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) return undefined;
  const documents = new Map<string, { group: string; version: string }>();
  for (const [group, versions] of registry.groupVersions()) {
    for (const version of versions) documents.set(pathOf(group, version), { group, version });
  }
  if (path === ROOT) {
    const paths = Object.fromEntries(
      [...documents.keys()].map((document) => [document, { serverRelativeURL: `${ROOT}/${document}` }]),
    );
    return jsonAnswer({ paths });
  }
  const document = documents.get(path.slice(ROOT.length + 1));
  if (document === undefined) return undefined;
  const types = [...registry.all()].filter(
    (type) => type.group === document.group && type.versions.includes(document.version),
  );
  const paths = Object.fromEntries(types.map((type) => pathEntry(type, document.version)));
  return jsonAnswer({ openapi: '3.0.0', info: INFO, paths });
}

function pathOf(group: string, version: string): string {
  return `${group === '' ? 'api' : 'apis'}/${apiVersionOf(group, version)}`;
}

function pathEntry(type: ResourceType, version: string): [string, object] {
  const scope = type.namespaced ? '/namespaces/{namespace}' : '';
  const path = `/${pathOf(type.group, version)}${scope}/${type.plural}/{name}`;
  const kind = { group: type.group, version, kind: type.kind };
  return [path, { patch: { 'x-kubernetes-group-version-kind': kind, parameters: PARAMETERS } }];
}
