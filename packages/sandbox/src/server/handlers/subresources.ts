// status, scale, binding, eviction, finalize and log of the resources that have them.
import { ApiStatusError, badRequest, methodNotAllowed, noSuchResource, notFound } from '../../api/api-status-error.ts';
import { bindPod } from '../../api/binding.ts';
import { checkNamed } from '../../api/body-checks.ts';
import type { KubeObject } from '../../api/cluster-api.ts';
import { evictPod } from '../../api/eviction.ts';
import { objectAt, textAt } from '../../api/json-object.ts';
import type { Subresource } from '../../api/resource-type.ts';
import { scaleOf, withScale } from '../../api/scale.ts';
import { type Answer, jsonAnswer, textAnswer } from './answer.ts';
import { readObject } from './request-body.ts';
import { find, namespaceOf, objectAnswer, patcher, type ResourceRequest } from './resources.ts';
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
  const dryRun = readDryRun(info.query, info.verb === 'patch' ? 'PatchOptions' : 'UpdateOptions');
  const options = { subresource: 'status', dryRun, replaces: info.verb === 'update' } as const;
  return objectAnswer(request, api.verbs.update(type, namespaceOf(request), info.name, producer(request), options));
}

function scale(request: ResourceRequest): Answer {
  const { api, type, info, pretty } = request;
  if (info.verb === 'get') return jsonAnswer(scaleOf(type, find(request)), 200, pretty);
  const produce = producer(request);
  const dryRun = readDryRun(info.query, info.verb === 'patch' ? 'PatchOptions' : 'UpdateOptions');
  const change = (current: KubeObject) => withScale(type, current, produce(scaleOf(type, current)));
  const written = api.verbs.update(type, namespaceOf(request), info.name, change, { dryRun });
  return jsonAnswer(scaleOf(type, written), 200, pretty);
}

/** What an update or a patch makes of what is there. */
function producer(request: ResourceRequest): (current: unknown) => unknown {
  if (request.info.verb === 'patch') return patcher(request);
  if (request.info.verb !== 'update') throw methodNotAllowed();
  const given = readObject(request.message, request.body, request.type.kind);
  checkNamed(request.info.name, given);
  return () => given;
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
