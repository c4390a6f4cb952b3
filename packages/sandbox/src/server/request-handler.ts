// The way of one request: the fault seam, who asks, whether they may, what they ask, and the answer's way out.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { ApiServer } from '../api/api-server.ts';
import { ApiStatusError, badRequest, methodNotAllowed, noSuchResource } from '../api/api-status-error.ts';
import { type ResourceType, typeKey } from '../api/resource-type.ts';
import type { AccessControl } from './access-control.ts';
import { type AcceptedForm, negotiate, PROTOBUF } from './content-negotiation.ts';
import { chooseEncoder } from './encoding/choose-encoder.ts';
import type { ObjectEncoder } from './encoding/object-encoder.ts';
import { EVENTS_GROUP, viewEncoder } from './event-view.ts';
import type { FaultSeam, SeamRequest } from './fault-seam.ts';
import { handleAccessReview, REVIEW_PATH } from './handlers/access-review.ts';
import { type Answer, statusAnswer, textAnswer } from './handlers/answer.ts';
import { handleDiscovery } from './handlers/discovery.ts';
import { FrameCache } from './handlers/frame-cache.ts';
import { readListOptions } from './handlers/list-options.ts';
import { handleOpenApi } from './handlers/open-api.ts';
import { handlePlainPath } from './handlers/plain-paths.ts';
import { readBody } from './handlers/request-body.ts';
import { handleResource } from './handlers/resources.ts';
import { startWatch } from './handlers/watch-events.ts';
import { WatchStream } from './handlers/watch-stream.ts';
import { hasProtobuf } from './protobuf/protobuf-encoder.ts';
import { encodeStatus } from './protobuf/status-message.ts';
import { isTrue, type RequestInfo, readRequest } from './request-info.ts';
import type { Timers } from './timers.ts';

export interface RequestHandlerOptions {
  readonly api: ApiServer;
  readonly access: AccessControl;
  /** Read for each request, so that faults can be switched while the server runs. */
  readonly seam: () => FaultSeam;
  readonly timers: Timers;
  readonly clock: { now(): number };
  readonly bookmarkMillis: number;
  /** For watches that ask for none. */
  readonly watchTimeoutMillis: number;
  /** What the header `Date` says; undefined: the machine's time. */
  readonly date?: (() => number) | undefined;
  readonly mostWaitingEvents: number;
}

/** Below it compressing costs more than it saves; the real server draws the line here too. */
const WORTH_COMPRESSING = 128 * 1024;

export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #frames = new FrameCache();
  #requests = 0;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  handle(message: IncomingMessage, response: ServerResponse): void {
    const { date } = this.#options;
    if (date !== undefined) response.setHeader('date', new Date(date()).toUTCString());
    this.#serve(message, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else this.#refuse(message, response, error);
    });
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const info = readRequest(message.method ?? 'GET', message.url ?? '/');
    const seamRequest = this.#seamRequest(info, message);
    const { request: hook, frames } = this.#options.seam();
    if (hook !== undefined) {
      const verdict = await hook(seamRequest);
      if (verdict?.kind === 'cut') message.socket.destroy();
      if (verdict?.kind === 'answer') {
        message.resume();
        response.writeHead(verdict.status, { 'content-type': 'application/json', ...verdict.headers });
        response.end(verdict.body ?? '');
      }
      if (verdict !== undefined) return;
    }
    const user = this.#options.access.authenticate(message.headers.authorization);
    this.#options.access.authorize(user, info);
    const body = await readBody(message);
    const pretty = wantsPretty(info, message);
    const named = this.#type(info);
    const eventView = named?.group === EVENTS_GROUP;
    const type = eventView ? this.#options.api.state.registry.byName('events') : named;
    if (type === undefined) {
      this.#answer(message, response, this.#other(info, user, message, body, pretty));
      return;
    }
    const encoder = this.#encoder(type, info, message, pretty);
    if (info.verb === 'watch') {
      this.#watch(response, type, info, encoder, frames?.(seamRequest));
      return;
    }
    const { api } = this.#options;
    this.#answer(
      message,
      response,
      handleResource({ api, type, info, message, body, encoder: encoder.encoder, pretty, eventView }),
    );
  }

  #type(info: RequestInfo): ResourceType | undefined {
    if (!info.isResource || info.path === REVIEW_PATH) return undefined;
    const { registry } = this.#options.api.state;
    const type = registry.byPath(info.group, info.version, info.plural);
    if (type !== undefined) return type;
    if (registry.groupVersions().has(info.group)) throw noSuchResource();
    return undefined;
  }

  #other(info: RequestInfo, user: string, message: IncomingMessage, body: Buffer, pretty: boolean): Answer {
    if (info.path === REVIEW_PATH && info.method === 'POST') {
      return handleAccessReview(this.#options.access, user, message, body, pretty);
    }
    const { registry } = this.#options.api.state;
    const form = discoveryForm(message);
    const answer =
      handlePlainPath(info.path, info.query, pretty) ??
      handleOpenApi(registry, info.path, message.headers.accept) ??
      handleDiscovery(registry, info.path, form, pretty);
    if (answer === undefined) {
      const [root, group = ''] = info.path.split('/').slice(1);
      if (root === 'api' || (root === 'apis' && group !== '' && registry.groupVersions().has(group))) {
        throw noSuchResource();
      }
      return textAnswer('404 page not found\n', 404);
    }
    if (info.method !== 'GET' && info.method !== 'HEAD') throw methodNotAllowed();
    return answer;
  }

  #encoder(type: ResourceType, info: RequestInfo, message: IncomingMessage, pretty: boolean): ChosenEncoder {
    const eventView = info.group === EVENTS_GROUP;
    const protobuf = !eventView && hasProtobuf(type) && (info.subresource === '' || info.subresource === 'status');
    const form = negotiate(message.headers.accept, { protobuf, table: true, metadata: true, discovery: false });
    const includeObject = info.query.get('includeObject') || 'Metadata';
    if (form.as === 'Table' && !['Metadata', 'Object', 'None'].includes(includeObject)) {
      const value = JSON.stringify(includeObject);
      throw badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: ${value}: must be 'Metadata', 'Object', 'None', or empty`,
      );
    }
    const renamed = eventView && form.as !== 'Table';
    const chosen = chooseEncoder(renamed ? { ...type, group: EVENTS_GROUP } : type, info.version, form, {
      includeObject,
      pretty: pretty && info.verb !== 'watch',
      clock: this.#options.clock,
    });
    const encoder = eventView && form.as === 'object' ? viewEncoder(chosen) : chosen;
    const name = `${info.group}/${info.version} ${form.format} ${form.as} ${form.version}`;
    return { encoder, shared: form.as === 'Table' ? undefined : name };
  }

  #watch(
    response: ServerResponse,
    type: ResourceType,
    info: RequestInfo,
    { encoder, shared }: ChosenEncoder,
    filter: ReturnType<NonNullable<FaultSeam['frames']>>,
  ): void {
    const { api, timers, bookmarkMillis, watchTimeoutMillis, mostWaitingEvents } = this.#options;
    const options = readListOptions(info.query, true);
    const { store } = api.state;
    const start = startWatch(store, type, info.namespace, options);
    const seconds = options.timeoutSeconds;
    new WatchStream(response, {
      store,
      resource: typeKey(type),
      start,
      encoder,
      cache: shared === undefined ? undefined : { frames: this.#frames, form: shared },
      filter,
      timers,
      timeoutMillis: seconds === undefined || seconds <= 0 ? watchTimeoutMillis : seconds * 1000,
      bookmarkMillis: options.allowWatchBookmarks ? bookmarkMillis : undefined,
      mostWaiting: mostWaitingEvents,
    }).open();
  }

  #answer(message: IncomingMessage, response: ServerResponse, answer: Answer): void {
    const headers: Record<string, string> = {
      'cache-control': 'no-cache, private',
      'content-type': answer.contentType,
      ...answer.headers,
    };
    const { body, rest } = firstPart(answer.body);
    const large = rest !== undefined || body.length > WORTH_COMPRESSING;
    const compress = large && /\bgzip\b/.test(String(message.headers['accept-encoding'] ?? ''));
    if (rest === undefined && !compress) {
      response.writeHead(answer.status, { ...headers, 'content-length': String(body.length) });
      response.end(body);
      return;
    }
    const chunks = Readable.from(chain(body, rest));
    if (compress) {
      response.writeHead(answer.status, { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      pipeline(chunks, createGzip({ level: constants.Z_BEST_SPEED }), response, () => {});
    } else {
      response.writeHead(answer.status, headers);
      pipeline(chunks, response, () => {});
    }
  }

  #refuse(message: IncomingMessage, response: ServerResponse, error: unknown): void {
    const refusal =
      error instanceof ApiStatusError
        ? error
        : new ApiStatusError(500, 'InternalError', `Internal error occurred: ${(error as Error).message}`, {
            causes: [{ message: (error as Error).message }],
          });
    const first = (message.headers.accept ?? '').split(',')[0]?.split(';')[0]?.trim();
    if (first === PROTOBUF) {
      const answer = statusAnswer(refusal.status, false);
      this.#answer(message, response, { ...answer, contentType: PROTOBUF, body: encodeStatus(refusal.status) });
      return;
    }
    const agent = message.headers['user-agent'] ?? '';
    this.#answer(message, response, statusAnswer(refusal.status, isPerson(agent)));
  }

  #seamRequest(info: RequestInfo, message: IncomingMessage): SeamRequest {
    return {
      id: ++this.#requests,
      method: info.method,
      path: info.path,
      query: info.query,
      headers: message.headers,
      verb: info.verb,
      resource: info.isResource ? typeKey(info) : '',
      subresource: info.subresource,
      namespace: info.namespace,
      name: info.name,
    };
  }
}

type Chunk = string | Uint8Array;

/** As much of a body as shows whether it is large; `rest` goes on where it is. */
function firstPart(body: Answer['body']): { readonly body: Buffer; readonly rest: Iterator<Chunk> | undefined } {
  if (typeof body === 'string') return { body: Buffer.from(body), rest: undefined };
  if (body instanceof Uint8Array)
    return { body: Buffer.from(body.buffer, body.byteOffset, body.length), rest: undefined };
  const parts: Buffer[] = [];
  let size = 0;
  const rest = body[Symbol.iterator]();
  while (size <= WORTH_COMPRESSING) {
    const next = rest.next();
    if (next.done === true) return { body: Buffer.concat(parts), rest: undefined };
    const part = Buffer.from(next.value as Uint8Array);
    parts.push(part);
    size += part.length;
  }
  return { body: Buffer.concat(parts), rest };
}

function* chain(first: Buffer, rest: Iterator<Chunk> | undefined): Generator<Chunk> {
  yield first;
  for (let next = rest?.next(); next !== undefined && next.done !== true; next = rest?.next()) yield next.value;
}

interface ChosenEncoder {
  readonly encoder: ObjectEncoder;
  /** Names the form for frames that watches share. */
  readonly shared: string | undefined;
}

function discoveryForm(message: IncomingMessage): AcceptedForm {
  try {
    return negotiate(message.headers.accept, { protobuf: false, table: false, metadata: false, discovery: true });
  } catch {
    return { format: 'json', as: 'object', version: '' };
  }
}

function wantsPretty(info: RequestInfo, message: IncomingMessage): boolean {
  const asked = info.query.get('pretty');
  return asked === null ? isPerson(message.headers['user-agent'] ?? '') : isTrue(asked);
}

function isPerson(agent: string): boolean {
  return /^(curl|Wget|Mozilla)\//.test(agent);
}
