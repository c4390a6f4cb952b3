// The query parameters of lists and watches, checked with the real server's words.
import { badRequest, type FieldError, invalid } from '../../api/api-status-error.ts';
import { isTrue } from '../request-info.ts';

export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

export function readListOptions(query: URLSearchParams, watch: boolean): ListOptions {
  const initial = query.get('sendInitialEvents');
  const timeout = readInteger(query, 'timeoutSeconds');
  const options: ListOptions = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: readInteger(query, 'limit') ?? 0,
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    watch,
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
    timeoutSeconds: timeout,
  };
  const errors = watch ? checkWatch(options) : checkList(options);
  if (errors.length > 0) throw invalid({ kind: 'ListOptions', group: 'meta.k8s.io' }, '', errors);
  return options;
}

const MATCH = 'resourceVersionMatch';

function checkWatch(options: ListOptions): FieldError[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  if (sendInitialEvents === undefined) {
    return match === ''
      ? []
      : [prohibited(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')];
  }
  if (match === 'NotOlderThan') return [];
  const required = prohibited(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  if (match === '') return [required];
  const detail = 'supported values: "NotOlderThan"';
  return [required, { field: MATCH, reason: 'NotSupported', value: JSON.stringify(match), detail }];
}

function checkList(options: ListOptions): FieldError[] {
  const { resourceVersionMatch: match, resourceVersion, sendInitialEvents } = options;
  if (sendInitialEvents !== undefined) {
    return [prohibited('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  }
  if (match === '') return [];
  const errors: FieldError[] = [];
  if (options.continue !== '')
    errors.push(prohibited(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  if (resourceVersion === '') {
    errors.push(prohibited(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    const detail = 'supported values: "Exact", "NotOlderThan", ""';
    errors.push({ field: MATCH, reason: 'NotSupported', value: JSON.stringify(match), detail });
  }
  if (match === 'Exact' && resourceVersion === '0') {
    errors.push(prohibited(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}

function prohibited(field: string, detail: string): FieldError {
  return { field, reason: 'Forbidden', detail };
}

function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}
