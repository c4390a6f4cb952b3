// What a request asked for: its verb and subresource, and where the log has the body, what the body says of it.
import { type AuditEvent, isObject } from './audit-event.ts';
import type { Act } from './audited-action.ts';

const BY_VERB: Readonly<Record<string, Act>> = {
  create: 'create',
  update: 'update',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete-collection',
  get: 'get',
  list: 'list',
  watch: 'watch',
};

/** Whatever the verb is: a connection over a WebSocket is a `get`. */
const BY_SUBRESOURCE: Readonly<Record<string, Act>> = {
  exec: 'exec',
  attach: 'attach',
  portforward: 'port-forward',
  proxy: 'proxy',
};

/** Where the verb changes something. */
const CHANGES_BY_SUBRESOURCE: Readonly<Record<string, Act>> = {
  eviction: 'evict',
  binding: 'bind',
  scale: 'scale',
  status: 'write-status',
  ephemeralcontainers: 'debug',
  resize: 'resize',
};

const READS = new Set<Act>(['get', 'list', 'watch']);

/** Whether a request that was allowed is worth a word: the verbs of the API that change something, and connections. */
export function changesOrConnects({ verb }: AuditEvent, what: Act): boolean {
  return !READS.has(what) && (what !== 'other' || Object.hasOwn(BY_VERB, verb));
}

export function actOf({ verb, objectRef, requestObject }: AuditEvent): Act {
  const { resource, subresource } = objectRef;
  const byVerb = lookUp(BY_VERB, verb) ?? 'other';
  const connects = lookUp(BY_SUBRESOURCE, subresource);
  if (connects !== undefined) return connects;
  if (READS.has(byVerb) || byVerb === 'other') return byVerb;
  if (resource === 'bindings') return 'bind';
  const changes = lookUp(CHANGES_BY_SUBRESOURCE, subresource);
  if (changes !== undefined) return changes;
  if (subresource !== '') return 'other';
  return byVerb === 'patch' && isObject(requestObject) ? patched(resource, requestObject) : byVerb;
}

/** What a merge patch is for. Other patches are lists of operations, and stay patches. */
function patched(resource: string, patch: Record<string, unknown>): Act {
  const spec = isObject(patch['spec']) ? patch['spec'] : {};
  if (resource === 'nodes') {
    if (Object.hasOwn(spec, 'unschedulable')) return spec['unschedulable'] === true ? 'cordon' : 'uncordon';
    return Object.hasOwn(spec, 'taints') ? 'taint' : 'patch';
  }
  if (typeof spec['replicas'] === 'number' && Object.keys(spec).length === 1) return 'scale';
  return hasRestart(spec) ? 'restart' : 'patch';
}

/** As `kubectl rollout restart` does it. */
function hasRestart(spec: Record<string, unknown>): boolean {
  let inner: unknown = spec;
  for (const key of ['template', 'metadata', 'annotations']) {
    if (!isObject(inner)) return false;
    inner = inner[key];
  }
  return isObject(inner) && Object.hasOwn(inner, 'kubectl.kubernetes.io/restartedAt');
}

function lookUp(table: Readonly<Record<string, Act>>, key: string): Act | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
