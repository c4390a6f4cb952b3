// The API server's own part of the lag: a watch that only notes when it sees an address. What passes before that,
// no recorder can make shorter.
import { type Client, Informer, PODS, podCodec } from '@podtrail/machinery';

export class BareWatch {
  readonly #seenAt = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly synced: Promise<void>;

  constructor(client: Client) {
    const pods = new Informer({ transport: client.transport, resource: PODS, codec: podCodec });
    pods.addHandler({
      name: 'bare watch',
      onDelta: (delta) => {
        if (delta.kind === 'updated') this.#seenAt.set(delta.object.status.podIP, now());
      },
    });
    this.synced = pods.waitForSync(this.#stop.signal);
    this.#running = pods.start(this.#stop.signal);
  }

  /** From the commit to the watch; 0 when the watch had it before the writer. Undefined when it never was. */
  lagOf({ ip, committedAt }: { readonly ip: string; readonly committedAt: number }): number | undefined {
    const seenAt = this.#seenAt.get(ip);
    return seenAt === undefined ? undefined : Math.max(0, seenAt - committedAt);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
