// GET /api/v1/live: news as server-sent events. A client that comes back says with Last-Event-ID where it was. One that
// reads too slowly is sent away with the reason, and so is one whose rights have changed; nobody stays for ever, so that
// who asks is looked at again.
import { clusterOf } from '@podtrail/history/wire/catalogue';
import { z } from 'zod';
import type { AskedLedger } from '../api/asked-ledger.ts';
import { API, type Operation } from '../api/operation.ts';
import { QueryParameters } from '../api/query-parameters.ts';
import { CallerPlaces } from '../http/caller-places.ts';
import type { HttpRequest } from '../http/http-request.ts';
import type { ReplyStream } from '../http/reply.ts';
import { Problem } from '../problem.ts';
import { type LiveEvent, LiveHub, MOST_AT_ONCE, visibilityKey } from './live-hub.ts';

export interface LiveTimes {
  readonly everyMs: number;
  readonly heartbeatMs: number;
  readonly longestMs: number;
}

const TIMES: LiveTimes = { everyMs: 1_000, heartbeatMs: 15_000, longestMs: 10 * 60_000 };
/** Events that wait for one client: what one look may find, and as much again. */
const MOST_WAITING = 4 * MOST_AT_ONCE;
/** What a client may see is found out again after this, whatever is sent meanwhile. */
const RIGHTS_MS = 10_000;
/** Streams at once: well below the connections that a server takes, so that there is room for those who ask. */
const STREAMS = { most: 256, mostOfOne: 128, code: 'too-many-streams', message: 'there are too many streams' };

const parameters = z.strictObject({
  cluster: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .meta({ description: 'Name or ID of the cluster; may be left out where the store holds one.' }),
});

export function liveRoute(ledger: AskedLedger, times: LiveTimes = TIMES): Operation {
  const readable = new QueryParameters(parameters);
  const hub = new LiveHub(ledger, { everyMs: times.everyMs, mostGroups: STREAMS.most });
  const places = new CallerPlaces(STREAMS);
  return {
    ...{ method: 'GET', path: `${API}/live`, id: 'live', query: parameters },
    summary:
      'Moves and changes of annotations as they are recorded, and how far the cluster is watched, as server-sent events.',
    headers: { 'Last-Event-ID': 'The id of the last event that was received: what came since is sent first.' },
    reply: { 'text/event-stream': 'text' },
    handle: async (request) => {
      const { cluster } = readable.checked('live', request.query);
      await ledger.ask(async () => clusterOf(await ledger.clusters(), cluster));
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
        stream: async (out) => {
          const release = places.take(request.caller);
          try {
            await new LiveStream(request, out, times).run(hub, cluster);
          } finally {
            release();
          }
        },
      };
    },
  };
}

/** One client. */
class LiveStream {
  readonly #request: HttpRequest;
  readonly #out: ReplyStream;
  readonly #times: LiveTimes;
  #waiting: LiveEvent[] = [];
  #isSlow = false;
  /** The ledger could not be read: what waits is the end of it. */
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(request: HttpRequest, out: ReplyStream, times: LiveTimes) {
    this.#request = request;
    this.#out = out;
    this.#times = times;
  }

  async run(hub: LiveHub, cluster: string | undefined): Promise<void> {
    const { signal } = this.#out;
    const { heartbeatMs, longestMs } = this.#times;
    const visibility = await this.#request.visibility();
    const lastId = this.#request.headers['last-event-id'];
    const stop = hub.follow(visibility, cluster, typeof lastId === 'string' ? lastId : undefined, (events, error) =>
      this.#take(events, error),
    );
    const onEnd = () => this.#wake();
    signal.addEventListener('abort', onEnd, { once: true });
    const over = performance.now() + longestMs;
    const rightsMs = Math.min(RIGHTS_MS, heartbeatMs);
    let checked = performance.now();
    try {
      // Clients that lose the connection come back after so long.
      await this.#out.write('retry: 2000\n\n');
      while (!signal.aborted && performance.now() < over) {
        if (this.#isSlow)
          return await this.#end('too-slow', 'events came faster than they were read; ask for what is there now');
        // Before anything is sent: beside a recorder there is news every second.
        if (performance.now() - checked >= rightsMs) {
          checked = performance.now();
          if (visibilityKey(await this.#request.visibility()) !== visibilityKey(visibility))
            return await this.#end('rights-changed', 'what you may see has changed; connect again');
        }
        const events = this.#waiting;
        this.#waiting = [];
        if (events.length > 0) {
          await this.#out.write(events.map(textOf).join(''));
          continue;
        }
        if (this.#failure !== undefined) {
          this.#request.bug = this.#failure.error;
          return await this.#end('unreadable', 'the ledger could not be read for a while; connect again');
        }
        if (!(await this.#news(heartbeatMs))) await this.#out.write(': still here\n\n');
      }
      if (isServerEnding(signal)) await this.#end('ending', 'the server ends; connect again');
    } finally {
      stop();
      signal.removeEventListener('abort', onEnd);
    }
  }

  #take(events: readonly LiveEvent[], error: unknown): void {
    if (error !== undefined) this.#failure = { error };
    if (this.#waiting.length + events.length > MOST_WAITING) {
      this.#isSlow = true;
      this.#waiting = [];
    }
    if (!this.#isSlow) this.#waiting.push(...events);
    this.#wake();
  }

  /** False when nothing came within this time. */
  #news(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(false), ms);
      this.#wake = () => {
        clearTimeout(late);
        resolve(true);
      };
      if (this.#waiting.length > 0 || this.#isSlow || this.#failure !== undefined || this.#out.signal.aborted)
        this.#wake();
    });
  }

  async #end(code: string, reason: string): Promise<void> {
    await this.#out.write(`event: end\ndata: ${JSON.stringify({ code, reason })}\n\n`);
  }
}

/** And not that the client has gone. */
function isServerEnding({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof Problem && reason.code === 'ending';
}

function textOf({ id, event, data }: LiveEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}
