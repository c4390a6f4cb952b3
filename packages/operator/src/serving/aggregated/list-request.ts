// What the query of a list or a watch asks for, read as API servers read it. What they understand and a history cannot do
// is refused, not ignored.
import type { HttpRequest } from '../http/http-request.ts';
import { Problem } from '../problem.ts';
import { type FieldSelector, parseFieldSelector } from './field-selector.ts';
import { type Form, formOf, type IncludeObject } from './representation.ts';
import type { HistoryResource } from './resource.ts';

export interface ListRequest {
  readonly form: Form;
  readonly include: IncludeObject;
  /** Of the path or of the selector; undefined: of all that are visible. */
  readonly namespace: string | undefined;
  readonly selector: FieldSelector;
  readonly labelSelector: string | undefined;
  readonly limit: number;
  /** Of the page before; empty: the first one. */
  readonly continue: string;
  /** Undefined: a list. */
  readonly watch: WatchRequest | undefined;
}

export interface WatchRequest {
  /** Empty: from what there is now. */
  readonly version: string;
  readonly hasInitialEvents: boolean;
  readonly hasBookmarks: boolean;
  readonly seconds: number;
}

/** Of a list that gives no limit, and of one that gives a larger one. */
export const PAGE = 500;
const LONGEST_WATCH_S = 1_800;

export function listRequest({ query: text, headers, captures }: HttpRequest, resource: HistoryResource): ListRequest {
  const query = new URLSearchParams(text);
  const form = formOf(headers.accept);
  checkOptions(query, resource);
  const selector = parseFieldSelector(query.get('fieldSelector') ?? '', resource.fields, resource.plural);
  checkBesideName(selector, query.get('labelSelector') ?? '', resource);
  const { namespace } = captures;
  const chosen = selector.get('metadata.namespace') ?? namespace;
  if (namespace !== undefined && chosen !== namespace) {
    throw new Problem(400, 'bad-selector', 'metadata.namespace names another namespace than the path');
  }
  return {
    ...{ form, include: includeOf(query), namespace: chosen, selector, limit: limitOf(query) },
    labelSelector: query.get('labelSelector') || undefined,
    continue: query.get('continue') ?? '',
    watch: ['true', '1'].includes(query.get('watch') ?? '') ? watchOf(query) : undefined,
  };
}

export function includeOf(query: URLSearchParams): IncludeObject {
  const text = query.get('includeObject') ?? 'Metadata';
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text;
  throw new Problem(400, 'bad-include', `includeObject=${text} is not known`, { hint: 'None, Metadata or Object.' });
}

function watchOf(query: URLSearchParams): WatchRequest {
  const version = query.get('resourceVersion') ?? '';
  return {
    version: version === '0' ? '' : version,
    hasInitialEvents: query.get('sendInitialEvents') === 'true',
    hasBookmarks: query.get('allowWatchBookmarks') === 'true',
    seconds: Math.min(LONGEST_WATCH_S, Number(query.get('timeoutSeconds')) || LONGEST_WATCH_S),
  };
}

function checkOptions(query: URLSearchParams, { plural, hasLabels }: HistoryResource): void {
  if ((query.get('labelSelector') ?? '') !== '' && hasLabels !== true) {
    throw new Problem(400, 'no-labels', `${plural} have no labels: the ledger does not keep those of pods`, {
      hint: 'use a field selector: --field-selector ip=, pod=, workload= …',
    });
  }
  if (query.get('resourceVersionMatch') === 'Exact') {
    throw new Problem(400, 'no-exact', 'a list is of what is known now; a resourceVersion cannot be had exactly', {
      hint: 'ask about a time of the past with at=, since= and until= of the field selector.',
    });
  }
}

/** One object is read by its name, whatever else is selected by; gaps are selected by both. */
function checkBesideName(selector: FieldSelector, labelSelector: string, { namespaced }: HistoryResource): void {
  if (!namespaced || !selector.has('metadata.name')) return;
  const field = [...selector.keys()].find((name) => !name.startsWith('metadata.'));
  const beside = field ?? (labelSelector === '' ? undefined : 'a label selector');
  if (beside === undefined) return;
  throw new Problem(400, 'bad-selector', `metadata.name names one object; ${beside} beside it would be passed over`, {
    hint: 'leave one of them out.',
  });
}

function limitOf(query: URLSearchParams): number {
  const text = query.get('limit') ?? '';
  if (text === '' || text === '0') return PAGE;
  if (/^\d{1,9}$/.test(text)) return Math.min(PAGE, Number(text));
  throw new Problem(400, 'bad-limit', `a page of ${text} objects cannot be given`, {
    hint: 'limit is a whole number.',
  });
}
