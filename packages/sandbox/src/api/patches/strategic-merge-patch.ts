// Strategic merge patch, as far as kubectl's annotate, label, cordon, scale, set image and apply need it: lists that
// Kubernetes merges by a key are merged by that key here too, all others are replaced.
import { ownField, setOwnField } from '../../store/own-field.ts';
import { ApiStatusError } from '../api-status-error.ts';
import { isObject, type JsonObject } from '../json-object.ts';
import { goText } from './go-text.ts';

/** By the list's field name; a list of plain values that is merged has the key ''. */
const MERGE_KEYS: Readonly<Record<string, string | undefined>> = {
  addresses: 'type',
  conditions: 'type',
  containerStatuses: undefined,
  containers: 'name',
  env: 'name',
  ephemeralContainers: 'name',
  finalizers: '',
  hostAliases: 'ip',
  hostIPs: 'ip',
  imagePullSecrets: 'name',
  initContainers: 'name',
  ownerReferences: 'uid',
  podIPs: 'ip',
  topologySpreadConstraints: 'topologyKey',
  volumeDevices: 'devicePath',
  volumeMounts: 'mountPath',
  volumes: 'name',
};

/** Never changes `target`. */
export function applyStrategicMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  if (patch['$patch'] === 'replace') return without(patch, '$patch');
  if (patch['$patch'] === 'delete') return undefined;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  keepOnly(result, patch['$retainKeys']);
  for (const [field, value] of Object.entries(patch)) {
    if (field.startsWith('$deleteFromPrimitiveList/')) {
      const list = field.slice(field.indexOf('/') + 1);
      const gone = Array.isArray(value) ? value : [];
      const present = ownField(result, list);
      if (Array.isArray(present)) {
        setOwnField(
          result,
          list,
          present.filter((item) => !gone.includes(item)),
        );
      }
    }
    if (field.startsWith('$')) continue;
    if (value === null) delete result[field];
    else if (Array.isArray(value)) setOwnField(result, field, mergeList(field, ownField(result, field), value, patch));
    else setOwnField(result, field, applyStrategicMergePatch(ownField(result, field), value));
  }
  return result;
}

function mergeList(field: string, present: unknown, patch: readonly unknown[], parent: JsonObject): readonly unknown[] {
  const key = field === 'ports' ? portKey(patch) : (ownField(MERGE_KEYS, field) as string | undefined);
  const replaces = patch.some(
    (item) => isObject(item) && item['$patch'] === 'replace' && Object.keys(item).length === 1,
  );
  if (key === undefined || replaces) return patch.filter((item) => !(isObject(item) && item['$patch'] === 'replace'));
  const before = Array.isArray(present) ? present : [];
  if (Array.isArray(present)) checkItems(present, patch, key);
  const result = [...before];
  for (const item of patch) {
    if (key === '' || !isObject(item)) {
      if (!result.includes(item)) result.push(item);
      continue;
    }
    const at = result.findIndex((one) => isObject(one) && one[key] === item[key]);
    if (item['$patch'] === 'delete') {
      if (at >= 0) result.splice(at, 1);
    } else if (at >= 0) result[at] = applyStrategicMergePatch(result[at], item);
    else result.push(applyStrategicMergePatch({}, item));
  }
  const order = parent[`$setElementOrder/${field}`];
  return inOrder(result, key, Array.isArray(order) ? order : patch, before);
}

/** Items of two sorts, or without the key that they are merged by, make the real server fail. */
function checkItems(present: readonly unknown[], patch: readonly unknown[], key: string): void {
  const items = [...present, ...patch];
  const failed = (why: string) => new ApiStatusError(500, '', why);
  if (items.some((item) => isObject(item) !== isObject(items[0]) || typeof item !== typeof items[0])) {
    throw failed(`list element types are not identical: ${goText([present, patch])}`);
  }
  const keyless = items.find((item) => key !== '' && isObject(item) && item[key] === undefined);
  if (keyless !== undefined) throw failed(`map: ${goText(keyless)} does not contain declared merge key: ${key}`);
}

/** Ports of containers and ports of services have different keys under the same name. */
function portKey(ports: readonly unknown[]): string {
  return ports.some((port) => isObject(port) && port['containerPort'] !== undefined) ? 'containerPort' : 'port';
}

/**
 * Those that the patch names come in its order; one that it does not name stays before those that it preceded on the
 * server, and else comes after them.
 */
function inOrder(list: readonly unknown[], key: string, order: readonly unknown[], present: readonly unknown[]) {
  const identity = (item: unknown) => (isObject(item) && key !== '' ? item[key] : item);
  const wanted = order.map(identity);
  const known = present.map(identity);
  const position = (item: unknown) => wanted.indexOf(identity(item));
  const named = list.filter((item) => position(item) >= 0).sort((a, b) => position(a) - position(b));
  const others = list.filter((item) => position(item) < 0);
  const result: unknown[] = [];
  while (named.length > 0 && others.length > 0) {
    const [left, right] = [known.indexOf(identity(others[0])), known.indexOf(identity(named[0]))];
    result.push(left >= 0 && right >= 0 && left < right ? others.shift() : named.shift());
  }
  return [...result, ...named, ...others];
}

function keepOnly(result: JsonObject, fields: unknown): void {
  if (!Array.isArray(fields)) return;
  for (const field of Object.keys(result)) if (!fields.includes(field)) delete result[field];
}

function without(object: JsonObject, field: string): JsonObject {
  const { [field]: _, ...rest } = object;
  return rest;
}
