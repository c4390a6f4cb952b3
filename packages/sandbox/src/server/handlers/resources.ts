// The verbs on resources over HTTP: reads what is asked, calls the verbs of the API, and encodes what they give.
import type { IncomingMessage } from 'node:http';
import type { ApiServer } from '../../api/api-server.ts';
import { badRequest, methodNotAllowed, noSuchResource, notFound, tooLargeVersion } from '../../api/api-status-error.ts';
import { checkKind, checkNamespace, checkPath } from '../../api/body-checks.ts';
import type { KubeObject } from '../../api/cluster-api.ts';
import { isObject, type JsonObject, objectAt, textAt } from '../../api/json-object.ts';
import { type ResourceType, typeKey } from '../../api/resource-type.ts';
import { checkUid } from '../../api/verbs.ts';
import type { ObjectEncoder } from '../encoding/object-encoder.ts';
import { toCoreEvent } from '../event-view.ts';
import type { RequestInfo } from '../request-info.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { bodyKind, keepKnownFields, readFieldValidation, warningHeaders } from './known-fields.ts';
import { listObjects, parseVersion } from './list.ts';
import { readListOptions } from './list-options.ts';
import { Patching } from './patching.ts';
import { excerpt, readObject } from './request-body.ts';
import { handleSubresource } from './subresources.ts';
import { readDeleteOptions, readDryRun } from './write-options.ts';

export interface ResourceRequest {
  readonly api: ApiServer;
  readonly type: ResourceType;
  readonly info: RequestInfo;
  readonly message: IncomingMessage;
  readonly body: Buffer;
  readonly encoder: ObjectEncoder;
  readonly pretty: boolean;
  /** Events under the names of events.k8s.io. */
  readonly eventView: boolean;
}

export function handleResource(request: ResourceRequest): Answer {
  const { info, type } = request;
  if (type.namespaced && info.name !== '' && info.namespace === '') throw methodNotAllowed();
  if (!type.namespaced && info.namespace !== '' && typeKey(type) !== 'namespaces') throw noSuchResource();
  if (info.subresource !== '') return handleSubresource(request);
  switch (info.verb) {
    case 'list':
      return list(request);
    case 'get':
      return get(request);
    case 'create':
      return create(request);
    case 'update':
      return update(request);
    case 'patch':
      return patch(request);
    case 'delete':
      return remove(request);
    case 'deletecollection':
      return removeAll(request);
    default:
      throw methodNotAllowed();
  }
}

/** Undefined where a resource has no namespace. */
export function namespaceOf({ type, info }: ResourceRequest): string | undefined {
  return type.namespaced ? info.namespace : undefined;
}

export function objectAnswer(request: ResourceRequest, object: KubeObject, status = 200): Answer {
  return { status, contentType: request.encoder.contentType, body: request.encoder.object(object) };
}

export function find(request: ResourceRequest): KubeObject {
  const { api, type, info } = request;
  const object = api.state.find(type, namespaceOf(request), info.name);
  if (object === undefined) throw notFound(type, info.name);
  return object;
}

function list(request: ResourceRequest): Answer {
  const { api, type, info, encoder } = request;
  const options = readListOptions(info.query, false);
  const { meta, items } = listObjects(api.state.store, type, type.namespaced ? info.namespace : '', options);
  return { status: 200, contentType: encoder.contentType, body: encoder.list(meta, items) };
}

function get(request: ResourceRequest): Answer {
  const asked = request.info.query.get('resourceVersion') ?? '';
  if (asked !== '') {
    const newest = request.api.state.store.version;
    if (parseVersion(asked, '') > newest) throw tooLargeVersion(asked, newest);
  }
  return objectAnswer(request, find(request));
}

function create(request: ResourceRequest): Answer {
  const { api, type, info, body } = request;
  if (info.name !== '' || (type.namespaced && info.namespace === '')) throw methodNotAllowed();
  const dryRun = readDryRun(info.query, 'CreateOptions');
  const { given, headers } = readKnown(request);
  if (type.custom && textAt(given, 'kind') === '') {
    const text = body.toString();
    throw badRequest(
      `the object provided is unrecognized (must be of type ${type.kind}): Object 'Kind' is missing in '${text}' (${excerpt(text)})`,
    );
  }
  const namespace = namespaceOf(request);
  checkNamespace(namespace ?? '', given);
  if (isObject(given)) checkKind(type, given);
  const created = api.verbs.create(type, namespace, given, { dryRun });
  return { ...objectAnswer(request, created, 201), headers };
}

function update(request: ResourceRequest): Answer {
  const { api, type, info } = request;
  if (info.name === '') throw methodNotAllowed();
  const dryRun = readDryRun(info.query, 'UpdateOptions');
  const { given, headers } = readKnown(request);
  const namespace = namespaceOf(request);
  checkPath(namespace ?? '', info.name, given);
  if (CREATED_BY_UPDATE.has(typeKey(type)) && api.state.find(type, namespace, info.name) === undefined) {
    const wanted = objectAt(given, 'metadata') ?? {};
    checkUid(type, { name: info.name, ...(namespace === undefined ? {} : { namespace }) }, textAt(wanted, 'uid'));
    const first = { ...(given as JsonObject), metadata: { ...wanted, resourceVersion: '' } };
    return objectAnswer(request, api.verbs.create(type, namespace, first, { dryRun }), 201);
  }
  const written = api.verbs.update(type, namespace, info.name, () => given, { dryRun, replaces: true });
  return { ...objectAnswer(request, written), headers };
}

/** What a body holds of its kind, and the warnings about the rest as headers. */
function readKnown(request: ResourceRequest): { readonly given: unknown; readonly headers: Record<string, string> } {
  const { type, info, message, body } = request;
  const read = readObject(message, body, type.kind);
  const whole = request.eventView ? toCoreEvent(read) : read;
  // The kind of a custom object is a field like others, and looked at later.
  if (!type.custom && isObject(whole)) checkKind(type, whole);
  const validation = readFieldValidation(info.query);
  const { object, unknown } = keepKnownFields(bodyKind(type, info.version), whole, validation);
  return { given: object, headers: warningHeaders(unknown, validation) };
}

/** Resources whose PUT may be the first write. */
const CREATED_BY_UPDATE = new Set(['leases.coordination.k8s.io', 'events']);

function patch(request: ResourceRequest): Answer {
  const { api, type, info } = request;
  if (info.name === '') throw methodNotAllowed();
  const patching = new Patching(request, bodyKind(type, info.version));
  const dryRun = readDryRun(info.query, 'PatchOptions');
  const options = { dryRun, patches: true };
  const written = api.verbs.update(type, namespaceOf(request), info.name, patching.produce, options);
  return { ...objectAnswer(request, written), headers: patching.headers };
}

function remove(request: ResourceRequest): Answer {
  const { api, type, info } = request;
  const { options, dryRun } = readDeleteOptions(info.query, deleteBody(request));
  const { object, gone } = api.verbs.delete(type, namespaceOf(request), info.name, options, { dryRun });
  if (!gone || type.rules.answersDeletionWith === 'object') return objectAnswer(request, object);
  return jsonAnswer(deletedStatus(type, object), 200, request.pretty);
}

function deleteBody({ message, body }: ResourceRequest): unknown {
  return body.length === 0 ? undefined : readObject(message, body, 'DeleteOptions');
}

function deletedStatus(type: ResourceType, { metadata }: KubeObject): unknown {
  const group = type.group === '' ? {} : { group: type.group };
  const details = { name: metadata.name, ...group, kind: type.plural, uid: metadata.uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function removeAll(request: ResourceRequest): Answer {
  const { api, type, info, encoder } = request;
  if (typeKey(type) === 'namespaces' || (type.namespaced && info.namespace === '')) throw methodNotAllowed();
  const { options, dryRun } = readDeleteOptions(info.query, deleteBody(request));
  const listed = readListOptions(info.query, false);
  const { meta, items } = listObjects(api.state.store, type, namespaceOf(request) ?? '', listed);
  for (const { metadata } of items) {
    const present = api.state.find(type, metadata.namespace, textAt(metadata, 'name'));
    if (present?.metadata.uid === metadata.uid) {
      api.verbs.delete(type, metadata.namespace, metadata.name as string, options, { dryRun });
    }
  }
  return { status: 200, contentType: encoder.contentType, body: encoder.list(meta, items) };
}
