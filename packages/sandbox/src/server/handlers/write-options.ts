// The options of writes, from queries and bodies: dry runs, grace periods, propagation, preconditions.
import { badRequest, invalid } from '../../api/api-status-error.ts';
import type { DeleteOptions } from '../../api/cluster-api.ts';
import { isObject, numberAt, textAt } from '../../api/json-object.ts';
import { isTrue } from '../request-info.ts';

export function readDryRun(query: URLSearchParams, kind: string, body?: unknown): boolean {
  const inBody = isObject(body) && Array.isArray(body['dryRun']) ? body['dryRun'].map(String) : [];
  const asked = [...query.getAll('dryRun').filter((value) => value !== ''), ...inBody];
  if (asked.some((value) => value !== 'All')) {
    const detail = 'supported values: "All"';
    throw invalid({ kind, group: 'meta.k8s.io' }, '', [
      { field: 'dryRun', reason: 'NotSupported', value: JSON.stringify(asked), detail },
    ]);
  }
  return asked.length > 0;
}

const POLICIES = ['Foreground', 'Background', 'Orphan'] as const;

export function readDeleteOptions(
  query: URLSearchParams,
  given: unknown,
): { readonly options: DeleteOptions; readonly dryRun: boolean } {
  const dryRun = readDryRun(query, 'DeleteOptions', given);
  const grace = numberAt(given, 'gracePeriodSeconds') ?? readGrace(query);
  const policy = textAt(given, 'propagationPolicy') || query.get('propagationPolicy') || orphanWord(query, given);
  if (policy !== '' && !POLICIES.includes(policy as (typeof POLICIES)[number])) {
    const detail = 'supported values: "Foreground", "Background", "Orphan", "nil"';
    throw invalid({ kind: 'DeleteOptions', group: 'meta.k8s.io' }, '', [
      { field: 'propagationPolicy', reason: 'NotSupported', value: JSON.stringify(policy), detail },
    ]);
  }
  const uid = textAt(given, 'preconditions', 'uid');
  const resourceVersion = textAt(given, 'preconditions', 'resourceVersion');
  return {
    dryRun,
    options: {
      ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
      ...(policy === '' ? {} : { propagationPolicy: policy as (typeof POLICIES)[number] }),
      ...(uid === '' ? {} : { uid }),
      ...(resourceVersion === '' ? {} : { resourceVersion }),
    },
  };
}

function readGrace(query: URLSearchParams): number | undefined {
  const text = query.get('gracePeriodSeconds');
  if (text === null || text === '') return undefined;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** The older way to say it. */
function orphanWord(query: URLSearchParams, body: unknown): string {
  const asked = isObject(body) && typeof body['orphanDependents'] === 'boolean' ? body['orphanDependents'] : undefined;
  const orphan = asked ?? (query.has('orphanDependents') ? isTrue(query.get('orphanDependents')) : undefined);
  return orphan === undefined ? '' : orphan ? 'Orphan' : 'Background';
}
