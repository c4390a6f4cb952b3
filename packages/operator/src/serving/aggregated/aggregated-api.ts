// The API of the group history.podtrail.dev as routes: asks what the caller may see, and answers as the Kubernetes API
// does. Reads only. Mounted on the history port beside the HTTP API; knows nothing of sockets and certificates.
import {
  type Cluster,
  type EpochMillis,
  epochMillis,
  type Snapshot,
  type Visibility,
  withSnapshot,
} from '@podtrail/history/wire';
import type { Clock } from '@podtrail/machinery';
import type { AskedLedger } from '../api/asked-ledger.ts';
import type { HttpRequest } from '../http/http-request.ts';
import { jsonReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/route.ts';
import { Problem } from '../problem.ts';
import { postedObject, warnings } from './answer.ts';
import { attribute } from './attribution.ts';
import { continueToken, cursorOf } from './continue-token.ts';
import { ATTRIBUTIONS } from './discovery.ts';
import { documentRoutes } from './documents.ts';
import { GROUP, GROUP_VERSION, type HistoryObject, type HistoryRecord, historyObject } from './history-object.ts';
import { includeOf, type ListRequest, listRequest, PAGE, type WatchRequest } from './list-request.ts';
import { formOf, listBody, objectBody } from './representation.ts';
import type { FoundRecords, HistoryResource, ListQuestion, PresentPod } from './resource.ts';
import { ResourceVersions, recordedUntil } from './resource-versions.ts';
import { RESOURCES } from './resources.ts';
import { problemFrom } from './status.ts';
import { type WatchLook, watch } from './watch.ts';
import { WatchPlaces } from './watch-places.ts';
import { sendWatch } from './watch-stream.ts';
import { peerWarnings } from './watched-warnings.ts';

export interface AggregatedApiOptions {
  readonly ledger: AskedLedger;
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** This replica. */
  readonly replica: string;
  readonly present: () => readonly PresentPod[] | undefined;
}

/** A watch of more than this is narrowed by a selector, or refused. */
const MOST_WATCHED = 5_000;
const ROOT = `/apis/${GROUP_VERSION}`;

export function aggregatedRoutes(options: AggregatedApiOptions): readonly Route[] {
  const api = new AggregatedApi(options);
  const routes: Route[] = [...documentRoutes()];
  const add = (method: Route['method'], path: string, handle: Route['handle']) => routes.push({ method, path, handle });
  for (const resource of RESOURCES) {
    const { plural, namespaced } = resource;
    const list = (request: HttpRequest) => api.list(request, resource);
    add('GET', `${ROOT}/${plural}`, list);
    if (namespaced) add('GET', `${ROOT}/namespaces/{namespace}/${plural}`, list);
    const one = namespaced ? `${ROOT}/namespaces/{namespace}/${plural}/{name}` : `${ROOT}/${plural}/{name}`;
    add('GET', one, (request) => api.get(request, resource));
  }
  add('POST', `${ROOT}/${ATTRIBUTIONS.plural}`, (request) => api.attribute(request));
  return routes.map(withProblems).flatMap((route) => [route, { ...route, path: `${route.path}/` }]);
}

function withProblems(route: Route): Route {
  return {
    ...route,
    handle: (request) => route.handle(request).catch((error) => Promise.reject(problemFrom(error) ?? error)),
  };
}

class AggregatedApi {
  readonly #options: AggregatedApiOptions;
  readonly #versions: ResourceVersions;
  readonly #watches = new WatchPlaces();

  constructor(options: AggregatedApiOptions) {
    this.#options = options;
    this.#versions = new ResourceVersions(options.replica);
  }

  async list(request: HttpRequest, resource: HistoryResource): Promise<Reply> {
    const asked = listRequest(request, resource);
    const { namespace, selector, labelSelector, limit, form, include } = asked;
    const visibility = await visible(request, 'list', resource, namespace);
    if (asked.watch !== undefined) return this.#watch(request, resource, asked, asked.watch);
    const now = epochMillis(this.#options.clock.now());
    const cursor = asked.continue === '' ? undefined : cursorOf(asked.continue, now);
    const question = { visibility, namespace, selector, labelSelector, limit, cursor, now };
    const { found, until } = await this.#read(request, resource, question);
    const objects = found.records.map((record) => this.#objectOf(resource, record));
    const next = found.cursor === undefined ? {} : { continue: continueToken(found.cursor, now) };
    const metadata = { resourceVersion: this.#versions.of(until), ...next };
    const headers = warnings([...narrowedWarning(visibility, namespace), ...(found.warnings ?? [])]);
    return jsonReply(listBody(resource, form, objects, metadata, include), { headers });
  }

  async get(request: HttpRequest, resource: HistoryResource): Promise<Reply> {
    const { headers, query, captures } = request;
    const { namespace, name = '' } = captures;
    const form = formOf(headers.accept);
    const visibility = await visible(request, 'get', resource, namespace);
    const { ledger, cluster, present, clock } = this.#options;
    const now = epochMillis(clock.now());
    const reader = ledger.readerFor(request);
    const ask = () =>
      withSnapshot(reader, cluster.id, (snapshot) =>
        resource.get({ snapshot, visibility, cluster, now, namespace, present }, name),
      );
    const record = await ledger.ask(ask, false, request);
    if (record === undefined) {
      throw new Problem(404, 'not-found', `${resource.plural}.${GROUP} "${name}" not found`);
    }
    const include = includeOf(new URLSearchParams(query));
    return jsonReply(objectBody(resource, form, this.#objectOf(resource, record), include));
  }

  async attribute(request: HttpRequest): Promise<Reply> {
    const visibility = await visible(request, 'create', ATTRIBUTIONS, undefined);
    const { ledger, cluster, clock } = this.#options;
    const asker = { reader: ledger.readerFor(request), cluster, visibility, now: epochMillis(clock.now()) };
    const posted = await postedObject(request.body);
    const review = await ledger.ask(() => attribute(asker, posted), false, request);
    return jsonReply(review, { status: 201, headers: warnings(narrowedWarning(visibility, undefined)) });
  }

  async #read(
    request: HttpRequest,
    resource: HistoryResource,
    asked: Omit<ListQuestion, 'snapshot' | 'cluster' | 'present'>,
  ): Promise<{ readonly found: FoundRecords; readonly until: EpochMillis }> {
    const { ledger, cluster, present } = this.#options;
    const reader = ledger.readerFor(request);
    const read = async (snapshot: Snapshot) => resource.list({ ...asked, snapshot, cluster, present });
    const ask = async () => {
      const own = await withSnapshot(reader, cluster.id, async (snapshot) => {
        return { found: await read(snapshot), until: recordedUntil(await snapshot.coverage()) };
      });
      // A watch goes on from what this replica records: its versions are of this ledger.
      if (own.found.hasGaps !== true || asked.watchedFrom !== undefined || reader.joined === undefined) return own;
      const { value, peers } = await reader.joined(cluster.id, read);
      const found = value ?? own.found;
      return { ...own, found: { ...found, warnings: [...(found.warnings ?? []), ...peerWarnings(peers)] } };
    };
    return await ledger.ask(ask, false, request);
  }

  #objectOf({ kind }: HistoryResource, record: HistoryRecord, version: EpochMillis = record.changed): HistoryObject {
    return historyObject(kind, record, this.#versions.of(version));
  }

  async #recordedUntil(request: HttpRequest): Promise<EpochMillis> {
    const { ledger, cluster } = this.#options;
    const read = async (snapshot: Snapshot) => recordedUntil(await snapshot.coverage());
    return await ledger.ask(() => withSnapshot(ledger.readerFor(request), cluster.id, read), false, request);
  }

  #watch(request: HttpRequest, resource: HistoryResource, asked: ListRequest, wanted: WatchRequest): Reply {
    const { version, hasInitialEvents, hasBookmarks, seconds } = wanted;
    const after = version === '' ? undefined : this.#versions.read(version);
    if (after === undefined && version !== '') {
      throw new Problem(400, 'bad-version', `${version} is no version that a list came with`);
    }
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      stream: async (out) => {
        const release = this.#watches.take(request.caller);
        const over = new AbortController();
        const timer = setTimeout(() => over.abort(), seconds * 1000);
        let hasBegun = false;
        const events = watch({
          ...{ clock: this.#options.clock, signal: AbortSignal.any([out.signal, over.signal]) },
          ...{ after: hasInitialEvents ? undefined : after, initialEnd: hasInitialEvents, bookmarks: hasBookmarks },
          onBegun: () => {
            hasBegun = true;
            out.begin();
          },
          recordedUntil: () => this.#recordedUntil(request),
          look: (watchedFrom, seen) => this.#look(request, resource, asked, watchedFrom, seen),
        });
        const objectOf = (record: HistoryRecord, version: EpochMillis) => this.#objectOf(resource, record, version);
        try {
          await sendWatch(out, {
            ...{ resource, request: asked, versions: this.#versions, objectOf, events, hasBegun: () => hasBegun },
          });
        } finally {
          clearTimeout(timer);
          release();
        }
      },
    };
  }

  async #look(
    request: HttpRequest,
    resource: HistoryResource,
    { namespace, selector, labelSelector }: ListRequest,
    watchedFrom: EpochMillis,
    endedSince: EpochMillis | undefined,
  ): Promise<WatchLook> {
    // Every time: a right that was taken away ends a watch, and a namespace may be another one.
    const visibility = await visible(request, 'watch', resource, namespace);
    const now = epochMillis(this.#options.clock.now());
    const records: HistoryRecord[] = [];
    const ended: HistoryRecord[] = [];
    let cursor: string | undefined;
    while (true) {
      const times = { now, watchedFrom, endedSince };
      const question = { visibility, namespace, selector, labelSelector, limit: PAGE, cursor, ...times };
      const { found, until } = await this.#read(request, resource, question);
      records.push(...found.records);
      ended.push(...(found.ended ?? []));
      if (records.length > MOST_WATCHED) {
        throw new Problem(400, 'too-many', `a watch is of ${MOST_WATCHED} ${resource.plural} at most`, {
          hint: 'narrow it by a namespace or a field selector.',
        });
      }
      ({ cursor } = found);
      if (cursor === undefined) return { records, ended, isPresent: found.isPresent === true, recordedUntil: until };
    }
  }
}

/** Refuses who may see nothing there, whether or not there is such a namespace. */
export async function visible(
  request: HttpRequest,
  verb: string,
  { plural }: { readonly plural: string },
  namespace: string | undefined,
): Promise<Visibility> {
  const visibility = await request.visibility(namespace);
  if (visibility.kind === 'all' || visibility.since.size > 0) return visibility;
  const where = namespace === undefined ? 'in any namespace' : `in the namespace "${namespace}"`;
  const message = `${plural}.${GROUP} is forbidden: User "${request.caller.name}" cannot ${verb} it, because it cannot list resource "pods" in API group "" ${where}`;
  throw new Problem(403, 'forbidden', message);
}

function narrowedWarning({ kind }: Visibility, namespace: string | undefined): readonly string[] {
  if (kind === 'all' || namespace !== undefined) return [];
  return ['narrowed to the namespaces in which you may list pods'];
}
