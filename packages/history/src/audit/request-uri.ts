// What the query of a request's URI says: a dry run, selectors, the grace of a deletion. Never throws.

export interface RequestQuery {
  readonly dryRun: boolean;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly gracePeriodSeconds: number | undefined;
}

export function readQuery(requestURI: string): RequestQuery {
  const mark = requestURI.indexOf('?');
  const query = new URLSearchParams(mark === -1 ? '' : requestURI.slice(mark + 1));
  const grace = query.get('gracePeriodSeconds') ?? '';
  return {
    // The API server refuses every value but All.
    dryRun: query.getAll('dryRun').some((value) => value !== ''),
    labelSelector: query.get('labelSelector') || undefined,
    fieldSelector: query.get('fieldSelector') || undefined,
    gracePeriodSeconds: /^\d{1,9}$/.test(grace) ? Number(grace) : undefined,
  };
}
