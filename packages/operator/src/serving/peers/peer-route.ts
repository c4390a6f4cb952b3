// Answers what a peer reads of this replica's ledger. Only for callers that showed the certificate of a replica; to all
// others there is nothing at this path. Bounded: reads, records, bytes, sessions and their time.
import type { Cluster, LedgerReader, Snapshot } from '@podtrail/history';
import type { Clock } from '@podtrail/machinery';
import type { Caller } from '../access/access.ts';
import { jsonReply } from '../http/reply.ts';
import type { Route } from '../http/route.ts';
import { Problem } from '../problem.ts';
import { isPeerRead, PEER_PATH, PEER_VERSION, type PeerRequest, type PeerResponse, runRead } from './peer-reads.ts';

export interface PeerRouteOptions {
  readonly reader: Pick<LedgerReader, 'snapshot'>;
  readonly cluster: Cluster;
  readonly identity: string;
  readonly clock: Clock;
  readonly isPeer: (caller: Caller) => boolean;
}

const MOST_REQUEST_BYTES = 256 * 1024;
export const MOST_RESPONSE_BYTES = 8 * 1024 * 1024;
const MOST_READS = 64;
const MOST_SESSIONS = 64;
/** Longer than any question that a peer waits for. */
const SESSION_MS = 1_000;

export function peerRoute(options: PeerRouteOptions): Route {
  const sessions = new Sessions(options);
  return {
    ...{ method: 'POST', path: PEER_PATH, isFree: true },
    handle: async (request) => {
      if (!options.isPeer(request.caller)) throw new Problem(404, 'no-such-path', 'there is nothing at this path');
      // A peer is one of ours.
      const sent = await request.body.json(MOST_REQUEST_BYTES, { mostMembers: Number.POSITIVE_INFINITY });
      const { session, reads, isEnd } = checked(sent, options.cluster);
      if (isEnd === true) {
        sessions.end(session);
        return { status: 204 };
      }
      const snapshot = await sessions.snapshot(session);
      const results = await Promise.all(reads.map((read) => runRead(snapshot, read)));
      const { cluster, identity } = options;
      const response: PeerResponse = { version: PEER_VERSION, cluster: cluster.id, collector: identity, results };
      const reply = jsonReply(response);
      if ((reply.body?.length ?? 0) > MOST_RESPONSE_BYTES)
        throw new Problem(413, 'too-much', `that is more than ${MOST_RESPONSE_BYTES} bytes of records`);
      return reply;
    },
  };
}

/** Snapshots of questions that are under way: all reads of a question see one state. */
class Sessions {
  readonly #options: PeerRouteOptions;
  readonly #open = new Map<string, { readonly opening: Promise<Snapshot>; readonly cancel: () => void }>();

  constructor(options: PeerRouteOptions) {
    this.#options = options;
  }

  snapshot(session: string): Promise<Snapshot> {
    const known = this.#open.get(session);
    if (known !== undefined) return known.opening;
    if (this.#open.size >= MOST_SESSIONS) throw new Problem(503, 'busy', 'too many questions of peers are under way');
    const { clock, reader, cluster } = this.#options;
    const opening = reader.snapshot(cluster.id);
    const timer = clock.setTimer(SESSION_MS, () => this.end(session), false);
    this.#open.set(session, { opening, cancel: () => timer.cancel() });
    opening.catch(() => this.end(session));
    return opening;
  }

  end(session: string): void {
    const known = this.#open.get(session);
    if (known === undefined) return;
    this.#open.delete(session);
    known.cancel();
    known.opening.then(
      (snapshot) => snapshot.close(),
      () => undefined,
    );
  }
}

function checked(body: unknown, { id }: Cluster): PeerRequest {
  const request = (body ?? {}) as Partial<PeerRequest>;
  const { version, cluster, session, reads } = request;
  if (version !== PEER_VERSION) throw new Problem(400, 'other-version', `this replica speaks version ${PEER_VERSION}`);
  if (cluster !== id) throw new Problem(400, 'other-cluster', 'this replica records another cluster');
  const isWhole =
    typeof session === 'string' &&
    session.length <= 64 &&
    Array.isArray(reads) &&
    reads.length <= MOST_READS &&
    reads.every((read) => isPeerRead(String(read?.read)) && Array.isArray(read.args));
  if (!isWhole) throw new Problem(400, 'bad-body', 'these are no reads of a peer');
  return request as PeerRequest;
}
