// The API of the group history.podtrail.dev: takes requests of API servers, asks who asks and what that one may see, and
// answers as the Kubernetes API does. Reads only. Mounted by the TLS server; knows nothing of sockets and certificates.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Cluster,
  type EpochMillis,
  epochMillis,
  type LedgerReader,
  type Visibility,
  withSnapshot,
} from '@podtrail/history/wire';
import type { Clock } from '@podtrail/machinery';
import type { Access, Caller } from '../access/access.ts';
import type { QuestionGate } from '../http/question-gate.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { Problem } from '../problem.ts';
import { begin, bodyOf, drained, send, warnings } from './answer.ts';
import { attribute } from './attribution.ts';
import { continueToken, cursorOf } from './continue-token.ts';
import { ATTRIBUTIONS } from './discovery.ts';
import { apiDocument } from './documents.ts';
import { parseFieldSelector } from './field-selector.ts';
import { GROUP, type HistoryObject, type HistoryRecord, historyObject } from './history-object.ts';
import { formOf, type IncludeObject, listBody, metadataOnly, objectBody, tableOf } from './representation.ts';
import { type Target, targetOf } from './request-path.ts';
import type { HistoryResource, ListQuestion, PresentPod } from './resource.ts';
import { ResourceVersions, recordedUntil } from './resource-versions.ts';
import { problemFrom, statusOf } from './status.ts';
import { type WatchEvent, watch } from './watch.ts';

export interface AggregatedApiOptions {
  readonly reader: Pick<LedgerReader, 'clusters' | 'snapshot'>;
  readonly cluster: Cluster;
  readonly access: Access;
  readonly clock: Clock;
  /** This replica. */
  readonly replica: string;
  readonly present: () => readonly PresentPod[] | undefined;
  /** How often each caller may ask. */
  readonly rateLimit: Pick<RateLimit, 'take'>;
  /** How many questions are on the store at once. */
  readonly gate: Pick<QuestionGate, 'run'>;
  /** What was not refused on purpose. */
  readonly onError: (error: unknown) => void;
}

/** Of a list that gives no limit, and of one that gives a larger one. */
const PAGE = 500;
const MOST_WATCHES = 100;
const MOST_WATCHES_OF_ONE = 10;
/** A watch of more than this is narrowed by a selector, or refused. */
const MOST_WATCHED = 5_000;
const LONGEST_WATCH_S = 1_800;
type Query = URLSearchParams;

export class AggregatedApi {
  readonly #options: AggregatedApiOptions;
  readonly #versions: ResourceVersions;
  /** By caller. */
  readonly #watches = new Map<string, number>();
  #watching = 0;

  constructor(options: AggregatedApiOptions) {
    this.#options = options;
    this.#versions = new ResourceVersions(options.replica);
  }

  /** Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch (error) {
      const problem = problemFrom(error) ?? this.#unexpected(error);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      send(response, problem.status, statusOf(problem), problem.headers);
    }
  }

  #unexpected(cause: unknown): Problem {
    this.#options.onError(cause);
    return new Problem(503, 'internal', 'the question could not be answered', {
      hint: 'the log of the operator says why.',
      cause,
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const caller = await this.#options.access.identify(request);
    const url = URL.parse(request.url ?? '', 'https://localhost');
    const target = url === null ? undefined : targetOf(url.pathname);
    if (url === null || target === undefined) throw new Problem(404, 'not-found', 'there is nothing here');
    const method = request.method ?? '';
    const allowed = target.kind === 'attribution' ? ['POST'] : ['GET', 'HEAD'];
    if (!allowed.includes(method)) {
      throw new Problem(405, 'method-not-allowed', `${method} is not for this: a history is read`, {
        headers: { allow: allowed.join(', ') },
      });
    }
    if (['list', 'object', 'attribution'].includes(target.kind)) this.#options.rateLimit.take(caller.name);
    switch (target.kind) {
      case 'list':
        return await this.#list(request, response, caller, target, url.searchParams);
      case 'object':
        return await this.#get(request, response, caller, target, url.searchParams);
      case 'attribution':
        return await this.#attribute(request, response, caller);
      default: {
        const { body, type } = apiDocument(target.kind, request.headers.accept);
        send(response, 200, body, type === undefined ? {} : { 'content-type': type });
      }
    }
  }

  async #list(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    { resource, namespace }: Target & { kind: 'list' },
    query: Query,
  ): Promise<void> {
    const form = formOf(request.headers.accept);
    const isWatch = ['true', '1'].includes(query.get('watch') ?? '');
    checkOptions(query, resource);
    const selector = parseFieldSelector(query.get('fieldSelector') ?? '', resource.fields, resource.plural);
    const labelSelector = query.get('labelSelector') || undefined;
    const chosen = selector.get('metadata.namespace') ?? namespace;
    if (namespace !== undefined && chosen !== namespace) {
      throw new Problem(400, 'bad-selector', 'metadata.namespace names another namespace than the path');
    }
    const visibility = await this.#visible(caller, 'list', resource, chosen);
    if (isWatch)
      return await this.#watch(request, response, { caller, resource, namespace: chosen, query, visibility });
    const now = epochMillis(this.#options.clock.now());
    const token = query.get('continue') ?? '';
    const cursor = token === '' ? undefined : cursorOf(token, now);
    const limit = limitOf(query);
    const { found, until } = await this.#read(resource, {
      visibility,
      namespace: chosen,
      selector,
      labelSelector,
      limit,
      cursor,
      now,
    });
    const objects = found.records.map((record) => this.#objectOf(resource, record));
    const next = found.cursor === undefined ? {} : { continue: continueToken(found.cursor, now) };
    const metadata = { resourceVersion: this.#versions.of(until), ...next };
    const body = listBody(resource, form, objects, metadata, includeOf(query));
    send(response, 200, body, warnings([...narrowedWarning(visibility, chosen), ...(found.warnings ?? [])]));
  }

  async #read(
    resource: HistoryResource,
    asked: Omit<ListQuestion, 'snapshot' | 'cluster' | 'present'>,
  ): Promise<{ readonly found: Awaited<ReturnType<HistoryResource['list']>>; readonly until: EpochMillis }> {
    const { reader, cluster, present, gate } = this.#options;
    const read = () =>
      withSnapshot(reader, cluster.id, async (snapshot) => {
        const found = await resource.list({ ...asked, snapshot, cluster, present });
        return { found, until: recordedUntil(await snapshot.coverage()) };
      });
    return await gate.run(read);
  }

  async #get(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    { resource, namespace, name }: Target & { kind: 'object' },
    query: Query,
  ): Promise<void> {
    const form = formOf(request.headers.accept);
    const visibility = await this.#visible(caller, 'get', resource, namespace);
    const { reader, cluster, present, clock, gate } = this.#options;
    const now = epochMillis(clock.now());
    const record = await gate.run(() =>
      withSnapshot(reader, cluster.id, (snapshot) =>
        resource.get({ snapshot, visibility, cluster, now, namespace, present }, name),
      ),
    );
    if (record === undefined) {
      throw new Problem(404, 'not-found', `${resource.plural}.${GROUP} "${name}" not found`);
    }
    send(response, 200, objectBody(resource, form, this.#objectOf(resource, record), includeOf(query)));
  }

  async #attribute(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void> {
    const visibility = await this.#visible(caller, 'create', ATTRIBUTIONS, undefined);
    const { reader, cluster, clock, gate } = this.#options;
    const asker = { reader, cluster, visibility, now: epochMillis(clock.now()) };
    const posted = await bodyOf(request);
    const review = await gate.run(() => attribute(asker, posted));
    send(response, 201, review, warnings(narrowedWarning(visibility, undefined)));
  }

  /** Refuses who may see nothing there, whether or not there is such a namespace. */
  async #visible(
    caller: Caller,
    verb: string,
    { plural }: { readonly plural: string },
    namespace: string | undefined,
  ): Promise<Visibility> {
    const visibility = await this.#options.access.visibility(caller, namespace);
    if (visibility.kind === 'all' || visibility.since.size > 0) return visibility;
    const where = namespace === undefined ? 'in any namespace' : `in the namespace "${namespace}"`;
    const message = `${plural}.${GROUP} is forbidden: User "${caller.name}" cannot ${verb} it, because it cannot list resource "pods" in API group "" ${where}`;
    throw new Problem(403, 'forbidden', message);
  }

  #objectOf({ kind }: HistoryResource, record: HistoryRecord): HistoryObject {
    return historyObject(kind, record, this.#versions.of(record.changed));
  }

  async #watch(
    request: IncomingMessage,
    response: ServerResponse,
    asked: {
      readonly caller: Caller;
      readonly resource: HistoryResource;
      readonly namespace: string | undefined;
      readonly query: Query;
      readonly visibility: Visibility;
    },
  ): Promise<void> {
    const { caller, resource, namespace, query } = asked;
    const form = formOf(request.headers.accept);
    const selector = parseFieldSelector(query.get('fieldSelector') ?? '', resource.fields, resource.plural);
    const version = query.get('resourceVersion') ?? '';
    const after = version === '' || version === '0' ? undefined : this.#versions.read(version);
    if (after === undefined && version !== '' && version !== '0') {
      throw new Problem(400, 'bad-version', `${version} is no version that a list came with`);
    }
    const isInitial = query.get('sendInitialEvents') === 'true';
    const release = this.#takeWatch(caller);
    const stop = new AbortController();
    const seconds = Math.min(LONGEST_WATCH_S, Number(query.get('timeoutSeconds')) || LONGEST_WATCH_S);
    const timer = setTimeout(() => stop.abort(), seconds * 1000);
    const onClose = () => stop.abort();
    response.once('close', onClose);
    const { clock } = this.#options;
    const events = watch({
      ...{ clock, signal: stop.signal, after: isInitial ? undefined : after, initialEnd: isInitial },
      bookmarks: query.get('allowWatchBookmarks') === 'true',
      onBegun: () => begin(response),
      look: async (watchedFrom) => {
        // Every time: a right that was taken away ends a watch, and a namespace may be another one.
        const visibility = await this.#visible(caller, 'watch', resource, namespace);
        const records: HistoryRecord[] = [];
        let cursor: string | undefined;
        const now = epochMillis(clock.now());
        while (true) {
          const limit = PAGE;
          const { found, until } = await this.#read(resource, {
            visibility,
            namespace,
            selector,
            labelSelector: query.get('labelSelector') || undefined,
            limit,
            cursor,
            now,
            watchedFrom,
          });
          records.push(...found.records);
          if (records.length > MOST_WATCHED) {
            throw new Problem(400, 'too-many', `a watch is of ${MOST_WATCHED} ${resource.plural} at most`, {
              hint: 'narrow it by a namespace or a field selector.',
            });
          }
          ({ cursor } = found);
          if (cursor === undefined) return { records, isPresent: found.isPresent === true, recordedUntil: until };
        }
      },
    });
    let hasColumns = true;
    const bodyOfRecord = (record: HistoryRecord): object => {
      const object = this.#objectOf(resource, record);
      if (form === 'metadata') return metadataOnly(object);
      if (form === 'object') return object;
      const table = tableOf(resource, [object], includeOf(query), hasColumns);
      hasColumns = false;
      return table;
    };
    try {
      for await (const event of events) {
        const object = event.type === 'BOOKMARK' ? this.#bookmark(resource, form, event) : bodyOfRecord(event.record);
        if (!response.write(`${JSON.stringify({ type: event.type, object })}\n`)) await drained(response, stop.signal);
        if (response.destroyed) break;
      }
    } catch (error) {
      if (!response.headersSent) throw error;
      const problem = problemFrom(error) ?? this.#unexpected(error);
      response.write(`${JSON.stringify({ type: 'ERROR', object: statusOf(problem) })}\n`);
    } finally {
      clearTimeout(timer);
      response.off('close', onClose);
      release();
    }
    if (!response.headersSent) begin(response);
    response.end();
  }

  #bookmark(resource: HistoryResource, form: string, event: WatchEvent & { type: 'BOOKMARK' }): object {
    const annotations = event.isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const metadata = { resourceVersion: this.#versions.of(event.at), creationTimestamp: null, ...annotations };
    const object = { apiVersion: `${GROUP}/v1`, kind: resource.kind, metadata };
    if (form === 'object') return object;
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
    if (form === 'metadata') return partial;
    return {
      ...{ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: metadata.resourceVersion } },
      ...{ columnDefinitions: null, rows: [{ cells: resource.columns.map(() => ''), object: partial }] },
    };
  }

  #takeWatch({ name }: Caller): () => void {
    const own = this.#watches.get(name) ?? 0;
    if (own >= MOST_WATCHES_OF_ONE || this.#watching >= MOST_WATCHES) {
      throw new Problem(429, 'too-many-watches', 'there are too many watches', { headers: { 'retry-after': '5' } });
    }
    this.#watching++;
    this.#watches.set(name, own + 1);
    return () => {
      this.#watching--;
      const left = (this.#watches.get(name) ?? 1) - 1;
      if (left === 0) this.#watches.delete(name);
      else this.#watches.set(name, left);
    };
  }
}

/** What API servers understand and a history cannot do is refused, not ignored. */
function checkOptions(query: Query, { plural, hasLabels }: HistoryResource): void {
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

function limitOf(query: Query): number {
  const text = query.get('limit') ?? '';
  if (text === '' || text === '0') return PAGE;
  if (/^\d{1,9}$/.test(text)) return Math.min(PAGE, Number(text));
  throw new Problem(400, 'bad-limit', `a page of ${text} objects cannot be given`, {
    hint: 'limit is a whole number.',
  });
}

function includeOf(query: Query): IncludeObject {
  const text = query.get('includeObject') ?? 'Metadata';
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text;
  throw new Problem(400, 'bad-include', `includeObject=${text} is not known`, { hint: 'None, Metadata or Object.' });
}

function narrowedWarning({ kind }: Visibility, namespace: string | undefined): readonly string[] {
  if (kind === 'all' || namespace !== undefined) return [];
  return ['narrowed to the namespaces in which you may list pods'];
}
