// What a request's body must agree with: the kind of the resource and the name on the path.
import { badRequest, invalid } from './api-status-error.ts';
import { builtInResources } from './built-in-resources.ts';
import { type JsonObject, textAt } from './json-object.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';

/** Kinds that the real server knows, of which bodies for other resources are distinguished from those of no kind. */
const KNOWN_KINDS = new Set([
  ...builtInResources().map((type) => `${apiVersionOf(type.group, type.storageVersion)} ${type.kind}`),
  ...['Secret', 'ServiceAccount', 'Endpoints'].map((kind) => `v1 ${kind}`),
]);

/** Namespace and name in a body must be those of the path. */
export function checkPath(namespace: string, name: string, given: unknown): void {
  checkNamespace(namespace, given);
  checkNamed(name, given);
}

/** It may be left out, and is not looked at where the path has none. */
export function checkNamespace(namespace: string, given: unknown): void {
  const own = textAt(given, 'metadata', 'namespace');
  if (own === '' || namespace === '' || own === namespace) return;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function checkNamed(name: string, given: unknown): void {
  const own = textAt(given, 'metadata', 'name');
  if (own === name) return;
  throw badRequest(
    own === ''
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${own}) does not match the name on the URL (${name})`,
  );
}

/** A body may leave kind and apiVersion out, but not name another. */
export function checkKind(type: ResourceType, given: JsonObject): void {
  const kind = textAt(given, 'kind');
  if (type.custom && kind !== '' && kind !== type.kind) {
    const detail = `must be ${type.kind}`;
    throw invalid({ kind, group: type.group }, textAt(given, 'metadata', 'name'), [
      { field: 'kind', reason: 'Invalid', value: JSON.stringify(kind), detail },
    ]);
  }
  const problem = kindProblem(type, given);
  if (problem === undefined) return;
  const version = shortVersion(textAt(given, 'apiVersion') || type.storageVersion);
  throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${type.kind}: ${problem}`);
}

/** Why a body cannot be read as this type, or undefined. */
export function kindProblem(type: ResourceType, given: JsonObject): string | undefined {
  const kind = textAt(given, 'kind');
  const apiVersion = textAt(given, 'apiVersion');
  const known = type.versions.some((version) => apiVersion === apiVersionOf(type.group, version));
  const unheardOf = kind === type.kind ? !known : !KNOWN_KINDS.has(`${apiVersion} ${kind}`);
  if (kind !== '' && apiVersion !== '' && unheardOf) {
    const named = `${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    return `no kind ${named} in scheme "pkg/runtime/scheme.go:111"`;
  }
  if (kind === '' || kind === type.kind) return undefined;
  const version = shortVersion(apiVersion || type.storageVersion);
  const group = type.group === '' ? 'core' : type.group.split('.')[0];
  return `converting (${version}.${kind}) to (${group}.${type.kind}): unknown conversion`;
}

/** Without the group. */
function shortVersion(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
}
