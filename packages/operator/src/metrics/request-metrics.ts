// Requests to the API server in numbers: what was done to which kind, with which outcome. A path is read for its kind
// alone; names and namespaces never become labels.
import type { RequestObserver } from '@podtrail/machinery';
import { Counter, Histogram, type Registry } from 'prom-client';

const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** For a transport's `observer`. */
export function requestMetrics(registry: Registry): RequestObserver {
  const requests = new Counter({
    name: 'podtrail_api_requests_total',
    help: 'Requests to the API server; code 0 means that no answer came.',
    labelNames: ['verb', 'resource', 'code'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'podtrail_api_request_seconds',
    help: 'To the complete answer; for a watch to its headers.',
    labelNames: ['verb', 'resource'],
    buckets: BUCKETS,
    registers: [registry],
  });
  return ({ method, path, status, durationMs }) => {
    const labels = describeRequest(method, path);
    requests.inc({ ...labels, code: String(status) });
    seconds.observe(labels, durationMs / 1000);
  };
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** The verb as RBAC calls it and the kind in the plural; `other` for what is no resource. */
export function describeRequest(method: string, path: string): { verb: string; resource: string } {
  const [route = '', query = ''] = path.split('?', 2);
  const parts = route.split('/').filter((part) => part !== '');
  const afterVersion = parts[0] === 'api' ? 2 : parts[0] === 'apis' ? 3 : parts.length;
  let rest = parts.slice(afterVersion);
  if (rest[0] === 'namespaces' && rest.length > 2) rest = rest.slice(2);
  const [resource = 'other', name, subresource] = rest;
  const read = name === undefined ? (/(^|&)watch=(true|1)(&|$)/.test(query) ? 'watch' : 'list') : 'get';
  const verb = method === 'GET' ? (resource === 'other' ? 'get' : read) : (VERBS[method] ?? 'other');
  return { verb, resource: subresource === undefined ? resource : `${resource}/${subresource}` };
}
