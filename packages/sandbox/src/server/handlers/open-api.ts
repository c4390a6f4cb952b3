// As much OpenAPI as kubectl asks before it writes: which kinds take `fieldValidation` and `dryRun`. No schemas: so
// `kubectl apply` works and `kubectl explain` does not. For a `kind: List` kubectl reads version 2 instead, and leaves
// kinds that it does not find there to the server's own check.
import type { ResourceRegistry } from '../../api/resource-registry.ts';
import { apiVersionOf, type ResourceType } from '../../api/resource-type.ts';
import { MessageWriter } from '../protobuf/message-writer.ts';
import { type Answer, jsonAnswer } from './answer.ts';

const VERSION_2 = '/openapi/v2';
/** As clients ask for it, and as a header may name it: no media type may have an @. */
const PROTOBUF_2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const ROOT = '/openapi/v3';
const INFO = { title: 'podtrail sandbox', version: 'v1.36.3' };
const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => {
  return { name, in: 'query', schema: { type: 'string', uniqueItems: true } };
});

export function handleOpenApi(registry: ResourceRegistry, path: string, accept = ''): Answer | undefined {
  if (path === VERSION_2) return versionTwo(accept);
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

function versionTwo(accept: string): Answer {
  const wanted = accept.split(',').map((type) => type.split(';')[0]?.trim().replace('@', '.'));
  if (!wanted.includes(PROTOBUF_2)) return jsonAnswer({ swagger: '2.0', info: INFO, paths: {}, definitions: {} });
  const writer = new MessageWriter();
  // Document: 1 swagger, 2 info (1 title, 2 version), 8 paths, 9 definitions.
  writer.text(1, '2.0');
  writer.nested(2, () => {
    writer.text(1, INFO.title);
    writer.text(2, INFO.version);
  });
  writer.nested(8, () => undefined);
  writer.nested(9, () => undefined);
  return { status: 200, contentType: PROTOBUF_2, body: writer.take() };
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
