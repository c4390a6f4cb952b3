// A scripted server with a transport to it, both ended after the test, and what else several tests of transport/ need.
import type { TestContext } from 'node:test';
import type { ClusterConfig, Identity, IdentitySource, TlsMaterial } from '../../config/identity.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { ScriptedServer, type ScriptedTls } from '../../testing/scripted-server.ts';
import { HttpTransport, type HttpTransportOptions } from '../http-transport.ts';
import type { ResponseHeaders, StreamSink } from '../transport.ts';

export interface TransportStage {
  readonly server: ScriptedServer;
  readonly transport: HttpTransport;
  readonly clock: ManualClock;
}

export interface StageOptions extends Omit<HttpTransportOptions, 'clock'> {
  readonly config?: Partial<ClusterConfig>;
  readonly identity?: IdentitySource | Partial<Identity>;
  readonly tls?: ScriptedTls;
}

export async function aStage(t: TestContext, options: StageOptions = {}): Promise<TransportStage> {
  const { config, identity, tls, ...rest } = options;
  const server = await ScriptedServer.start(tls === undefined ? {} : { tls });
  const clock = new ManualClock();
  const transport = new HttpTransport({ ...server.config(identity), ...config }, { clock, random: () => 0, ...rest });
  t.after(async () => {
    await transport.close();
    await server.stop();
  });
  return { server, transport, clock };
}

export const PLAIN: TlsMaterial = {
  ca: undefined,
  cert: undefined,
  key: undefined,
  serverName: undefined,
  insecureSkipVerify: false,
};

/** Credentials in the test's hand: what is current now, and what was refused. */
export class HeldIdentity implements IdentitySource {
  readonly refused: Identity[] = [];
  /** What `current` gives once the present one was refused. */
  next: Identity | undefined;
  now: Identity;

  constructor(now: Partial<Identity>, next?: Partial<Identity>) {
    this.now = { authorization: undefined, tls: PLAIN, ...now };
    if (next !== undefined) this.next = { authorization: undefined, tls: PLAIN, ...next };
  }

  current(): Promise<Identity> {
    return Promise.resolve(this.now);
  }

  refuse(rejected: Identity): void {
    this.refused.push(rejected);
    if (rejected === this.now && this.next !== undefined) this.now = this.next;
  }
}

/** Keeps everything that a stream does, and fails the test if it goes on after its end. */
export class RecordingSink implements StreamSink {
  readonly opened: ResponseHeaders[] = [];
  text = '';
  bytes = 0;
  error: Error | undefined;
  calls: string[] = [];
  /** Resolves with `end` or the error. */
  readonly over: Promise<'end' | Error>;
  onChunk: (chunk: Buffer) => void = () => {};
  #finish: (how: 'end' | Error) => void = () => {};
  #waiting: { readonly isThere: () => boolean; readonly wake: () => void }[] = [];

  constructor() {
    this.over = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  onOpen(headers: ResponseHeaders): void {
    this.opened.push(headers);
    this.#called('open');
  }

  onData(chunk: Buffer): void {
    this.text += chunk.toString();
    this.bytes += chunk.length;
    this.#called('data');
    this.onChunk(chunk);
  }

  onEnd(): void {
    this.#called('end');
    this.#finish('end');
  }

  onError(error: Error): void {
    this.error = error;
    this.#called('error');
    this.#finish(error);
  }

  /** Resolves as soon as it holds, checked at each call. */
  until(isThere: () => boolean): Promise<void> {
    if (isThere()) return Promise.resolve();
    return new Promise((wake) => this.#waiting.push({ isThere, wake }));
  }

  #called(what: string): void {
    this.calls.push(what);
    this.#waiting = this.#waiting.filter(({ isThere, wake }) => {
      if (!isThere()) return true;
      wake();
      return false;
    });
  }
}
