// What a request's body must agree with: the kind of the resource and the name on the path.
import { badRequest, invalid } from './api-status-error.ts';
import { builtInResources } from './built-in-resources.ts';
import { type JsonObject, textAt } from './json-object.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';

/** Kinds that the real server knows, of which bodies for other resources are told apart from those of no kind. */
const KNOWN_KINDS = new Set([
  ...builtInResources().map((type) => `${apiVersionOf(type.group, type.storageVersion)} ${type.kind}`),
  ...['Secret', 'ServiceAccount', 'Endpoints'].map((kind) => `v1 ${kind}`),
]);

/** The name in a body must be that of the path. */
export function checkNamed(name: string, given: unknown): void {
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
  const apiVersion = textAt(given, 'apiVersion');
  if (type.custom && kind !== '' && kind !== type.kind) {
    const detail = `must be ${type.kind}`;
    throw invalid({ kind, group: type.group }, textAt(given, 'metadata', 'name'), [
      { field: 'kind', reason: 'Invalid', value: JSON.stringify(kind), detail },
    ]);
  }
  const known = type.versions.some((version) => apiVersion === apiVersionOf(type.group, version));
  const unheardOf = kind === type.kind ? !known : !KNOWN_KINDS.has(`${apiVersion} ${kind}`);
  if (kind !== '' && apiVersion !== '' && unheardOf) {
    throw badRequest(
      `${kind} in version ${JSON.stringify(apiVersion.slice(apiVersion.lastIndexOf('/') + 1))} cannot be handled as a ${type.kind}: ` +
        `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (kind !== '' && kind !== type.kind) {
    const version = apiVersion === '' ? type.storageVersion : apiVersion;
    const short = version.slice(version.lastIndexOf('/') + 1);
    throw badRequest(
      `${kind} in version ${JSON.stringify(short)} cannot be handled as a ${type.kind}: ` +
        `converting (${short}.${kind}) to (${type.group === '' ? 'core' : type.group.split('.')[0]}.${type.kind}): unknown conversion`,
    );
  }
}
