// What the bodies of a request and its answer add to the action, where the policy of the log keeps them (levels Request
// and RequestResponse).
import { type AuditEvent, isObject, nameText, text } from './audit-event.ts';
import type { Act, ActionDetails } from './audited-action.ts';
import type { RequestQuery } from './request-uri.ts';

/** Of a collection: more than a namespace holds. */
const MOST_OBJECTS = 10_000;
const MOST_TAINTS = 50;

export function detailsOf(event: AuditEvent, what: Act, query: RequestQuery): ActionDetails {
  const { requestObject, responseObject } = event;
  const body = isObject(requestObject) ? requestObject : {};
  const spec = part(body, 'spec');
  const metadata = part(body, 'metadata');
  const deletion = what === 'evict' ? part(body, 'deleteOptions') : what.startsWith('delete') ? body : {};
  const node = what === 'bind' ? nameText(part(body, 'target')['name']) : undefined;
  const replicas = what === 'scale' ? wholeNumber(spec['replicas']) : undefined;
  const grace = wholeNumber(deletion['gracePeriodSeconds']) ?? query.gracePeriodSeconds;
  const generateName = what === 'create' ? nameText(metadata['generateName']) : undefined;
  const isCollection = what === 'delete-collection';
  const objects = isCollection ? items(responseObject) : undefined;
  const taints = what === 'taint' ? taintTexts(spec['taints']) : undefined;
  return {
    ...(node !== undefined && { node }),
    ...(replicas !== undefined && { replicas }),
    ...(grace !== undefined && { gracePeriodSeconds: grace }),
    ...(generateName !== undefined && { generateName }),
    ...(isCollection && query.labelSelector !== undefined && { labelSelector: query.labelSelector }),
    ...(isCollection && query.fieldSelector !== undefined && { fieldSelector: query.fieldSelector }),
    ...(objects !== undefined && { objects }),
    ...(taints !== undefined && { taints }),
  };
}

/** A dry run that only the body asks for, as deletions do. */
export function isDryRunByBody({ requestObject }: AuditEvent): boolean {
  if (!isObject(requestObject)) return false;
  return [requestObject, part(requestObject, 'deleteOptions')].some(
    ({ dryRun }) => Array.isArray(dryRun) && dryRun.length > 0,
  );
}

function part(object: Record<string, unknown>, key: string): Record<string, unknown> {
  return isObject(object[key]) ? object[key] : {};
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function items(list: unknown): ActionDetails['objects'] {
  if (!isObject(list) || !Array.isArray(list['items'])) return undefined;
  return list['items'].slice(0, MOST_OBJECTS).flatMap((item) => {
    const metadata = isObject(item) ? part(item, 'metadata') : {};
    const name = nameText(metadata['name']);
    return name === undefined ? [] : [{ name, uid: nameText(metadata['uid']) }];
  });
}

/** As kubectl writes them: `key=value:effect`. */
function taintTexts(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .slice(0, MOST_TAINTS)
    .filter(isObject)
    .map((taint) => {
      const equals = text(taint['value'], 300) === '' ? '' : `=${text(taint['value'], 300)}`;
      return `${text(taint['key'], 300)}${equals}:${text(taint['effect'], 300)}`;
    });
}
