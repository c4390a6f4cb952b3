// News of the ledger as they come: /api/v1/live, resumed by the id of the last event. Where a proxy holds the stream back,
// so that not even the comments of every 15 seconds come through, the page polls instead. A machine of four states:
//
//   connecting ── first bytes ──▶ live ── stream ends ──▶ connecting
//   connecting, live ── nothing for 20 s ──▶ polling ── every 5 s onPoll, every minute a new stream ── first bytes ──▶ live
//   any ── refused or unreachable ──▶ down ── every 2 s onPoll and a new stream ── first bytes ──▶ live
import { type Signal, signal } from '../state/signal.ts';
import { askPath, send } from './ask.ts';
import { readEvents, type ServerEvent } from './event-stream.ts';
import { asProblem } from './problem.ts';

export type LiveState = 'connecting' | 'live' | 'polling' | 'down';

export interface LiveOptions {
  readonly cluster: string | undefined;
  readonly onEvent: (event: ServerEvent) => void;
  /** What was missed is not known: ask for what is there now. Also called every 5 s while polling. */
  readonly onPoll: () => void;
}

/** Where the stream comes from, and the time. */
export interface LiveTransport {
  /** Rejects where the server refuses or cannot be reached. When `end` aborts, what was opened rejects, too. */
  readonly open: (lastId: string | undefined, end: AbortSignal) => Promise<ReadableStream<Uint8Array> | null>;
  /** Call the result to cancel it. */
  readonly after: (ms: number, run: () => void) => () => void;
}

export const SILENT_MS = 20_000;
export const POLL_MS = 5_000;
export const POLL_TURNS = 12;
export const RETRY_MS = 2_000;
/** Also a stream that ends at once is not opened more often than this. */
export const RESUME_MS = 500;

/** Follows until `end` aborts. */
export function followLive(
  { cluster, onEvent, onPoll }: LiveOptions,
  end: AbortSignal,
  transport: LiveTransport = browserTransport(cluster),
): Signal<LiveState> {
  const { open, after } = transport;
  const state = signal<LiveState>('connecting');
  let lastId: string | undefined;

  const connect = async (): Promise<'ended' | 'silent' | 'failed'> => {
    const abort = new AbortController();
    const stop = () => abort.abort();
    end.addEventListener('abort', stop, { once: true });
    let isSilent = false;
    let isAlive = false;
    let cancel = () => {};
    const listen = () => {
      cancel();
      cancel = after(SILENT_MS, () => {
        isSilent = true;
        abort.abort();
      });
    };
    try {
      listen();
      const body = await open(lastId, abort.signal);
      if (body === null) return 'failed';
      const onBytes = () => {
        isAlive = true;
        state.value = 'live';
        listen();
      };
      for await (const event of readEvents(body, onBytes)) {
        if (event.id !== undefined) lastId = event.id;
        if (event.event === 'reset') onPoll();
        else onEvent(event);
      }
      return isAlive ? 'ended' : 'failed';
    } catch (error) {
      if (isSilent) return 'silent';
      if (end.aborted) return 'ended';
      return isAlive && asProblem(error).status <= 0 ? 'ended' : 'failed';
    } finally {
      cancel();
      end.removeEventListener('abort', stop);
      abort.abort();
    }
  };

  /** Until bytes come; a new stream is tried meanwhile, every so many turns. */
  const poll = () => {
    if (end.aborted || state.peek() !== 'polling') return;
    onPoll();
    after(POLL_MS, poll);
  };

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const done = () => {
        cancel();
        end.removeEventListener('abort', done);
        resolve();
      };
      const cancel = after(ms, done);
      end.addEventListener('abort', done, { once: true });
    });

  const run = async () => {
    while (!end.aborted) {
      const how = await connect();
      if (end.aborted) return;
      if (how === 'silent') {
        const wasPolling = state.peek() === 'polling';
        state.value = 'polling';
        if (!wasPolling) poll();
        await pause(POLL_TURNS * POLL_MS);
        continue;
      }
      state.value = how === 'failed' ? 'down' : 'connecting';
      await pause(how === 'failed' ? RETRY_MS : RESUME_MS);
      if (how === 'failed' && !end.aborted) onPoll();
    }
  };
  void run();
  return state;
}

function browserTransport(cluster: string | undefined): LiveTransport {
  return {
    open: async (lastId, end) => {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (lastId !== undefined) headers['last-event-id'] = lastId;
      return (await send(askPath('live', { cluster }), { headers }, end)).body;
    },
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
}
