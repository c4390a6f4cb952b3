// status, scale, binding, eviction, finalize and log of the resources that have them.
import { ApiStatusError, badRequest, methodNotAllowed, noSuchResource, notFound } from '../../api/api-status-error.ts';
import { bindPod } from '../../api/binding.ts';
import { checkKind, checkPath } from '../../api/body-checks.ts';
import type { KubeObject } from '../../api/cluster-api.ts';
import { evictPod } from '../../api/eviction.ts';
import { isObject, objectAt, textAt } from '../../api/json-object.ts';
import type { Subresource } from '../../api/resource-type.ts';
import { scaleOf, withScale } from '../../api/scale.ts';
import type { UpdateOptions } from '../../api/verbs.ts';
import { type Answer, jsonAnswer, textAnswer } from './answer.ts';
import { type BodyKind, bodyKind, keepKnownFields, readFieldValidation, warningHeaders } from './known-fields.ts';
import { Patching } from './patching.ts';
import { readObject } from './request-body.ts';
import { find, namespaceOf, objectAnswer, type ResourceRequest } from './resources.ts';
import { readDeleteOptions, readDryRun } from './write-options.ts';

export function handleSubresource(request: ResourceRequest): Answer {
  const { type, info } = request;
  const subresource = info.subresource as Subresource;
  if (!type.subresources.includes(subresource)) throw type.custom ? notFound(type, info.name) : noSuchResource();
  switch (subresource) {
    case 'status':
      return status(request);
    case 'scale':
      return scale(request);
    case 'binding':
      return binding(request);
    case 'eviction':
      return eviction(request);
    case 'finalize':
      return status(request);
    case 'log':
      find(request);
      return textAnswer('');
  }
}

function status(request: ResourceRequest): Answer {
  const { api, type, info } = request;
  if (info.verb === 'get') return objectAnswer(request, find(request));
  const { produce, headers, options } = writing(request, bodyKind(type, info.version));
  const wanted = { ...options, subresource: 'status' } as const;
  const written = api.verbs.update(type, namespaceOf(request), info.name, produce, wanted);
  return { ...objectAnswer(request, written), headers: headers() };
}

function scale(request: ResourceRequest): Answer {
  const { api, type, info, pretty } = request;
  if (info.verb === 'get') return jsonAnswer(scaleOf(type, find(request)), 200, pretty);
  const { produce, headers, options } = writing(request, SCALE);
  const change = (current: KubeObject) => {
    const wanted = produce(scaleOf(type, current));
    checkPath(current.metadata.namespace ?? '', info.name, wanted);
    return withScale(type, current, wanted);
  };
  const { dryRun } = options;
  const written = api.verbs.update(type, namespaceOf(request), info.name, change, { dryRun });
  return { ...jsonAnswer(scaleOf(type, written), 200, pretty), headers: headers() };
}

/** The same for all resources that have one. */
const SCALE: BodyKind = { kind: 'Scale', version: 'v1', type: undefined };

interface Writing {
  readonly produce: (current: unknown) => unknown;
  readonly options: UpdateOptions & { readonly dryRun: boolean };
  /** Warnings, once something was produced. */
  headers(): Record<string, string>;
}

/** What an update or a patch makes of what is there. */
function writing(request: ResourceRequest, kind: BodyKind): Writing {
  const { info, message, body } = request;
  if (info.verb === 'patch') {
    const patching = new Patching(request, kind);
    const options = { dryRun: readDryRun(info.query, 'PatchOptions'), patches: true };
    return { produce: patching.produce, options, headers: () => patching.headers };
  }
  if (info.verb !== 'update') throw methodNotAllowed();
  const options = { dryRun: readDryRun(info.query, 'UpdateOptions'), replaces: true };
  const read = readObject(message, body, kind.kind);
  const validation = readFieldValidation(info.query);
  if (kind.type?.custom === false && isObject(read)) checkKind(kind.type, read);
  const { object, unknown } = keepKnownFields(kind, read, validation);
  checkPath(namespaceOf(request) ?? '', info.name, object);
  return { produce: () => object, options, headers: () => warningHeaders(unknown, validation) };
}

function binding(request: ResourceRequest): Answer {
  const { api, info, message, body, pretty } = request;
  if (info.verb !== 'create') throw methodNotAllowed();
  const given = readObject(message, body, 'Binding');
  if (textAt(given, 'metadata', 'name') !== info.name) {
    throw badRequest('name in URL does not match name in Binding object');
  }
  const target = textAt(given, 'target', 'name');
  if (target === '') throw new ApiStatusError(500, '', 'target.name: Required value');
  if (!readDryRun(info.query, 'CreateOptions')) {
    bindPod(api.state, find(request), target, objectAt(given, 'metadata', 'annotations'));
  }
  return jsonAnswer(success(201), 201, pretty);
}

function eviction(request: ResourceRequest): Answer {
  const { api, info, message, body, pretty } = request;
  if (info.verb !== 'create') throw methodNotAllowed();
  const given = readObject(message, body, 'Eviction');
  if (textAt(given, 'metadata', 'name') !== info.name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const { options, dryRun } = readDeleteOptions(info.query, objectAt(given, 'deleteOptions'));
  evictPod(api.state, api.verbs, find(request), options, dryRun);
  return jsonAnswer(success(201), 201, pretty);
}

function success(code: number): unknown {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code };
}
