// A pod informer on a scripted server and a manual clock, with everything it delivered written down: for the
// tests of reflector and informer.
import { podCodec } from '../codec/pod-codec.ts';
import type { PodView } from '../codec/pod-view.ts';
import type { Delta } from '../informer/delta.ts';
import { Informer, type InformerOptions } from '../informer/informer.ts';
import { PODS } from '../objects/group-version-resource.ts';
import { seededRandom } from '../random.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import { ManualClock } from './manual-clock.ts';
import { type ScriptedCall, ScriptedServer, type ScriptedStream } from './scripted-server.ts';

interface TestContext {
  after(done: () => Promise<void>): void;
}

export class FollowedPods {
  readonly server: ScriptedServer;
  readonly clock: ManualClock;
  readonly informer: Informer<PodView>;
  readonly deltas: Delta<PodView>[] = [];
  readonly states: ReflectorState[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #wake: (() => void)[] = [];

  static async start(t: TestContext, options: Partial<InformerOptions<PodView>> = {}): Promise<FollowedPods> {
    const followed = new FollowedPods(await ScriptedServer.start(), options);
    t.after(() => followed.stop());
    return followed;
  }

  private constructor(server: ScriptedServer, options: Partial<InformerOptions<PodView>>) {
    this.server = server;
    this.clock = new ManualClock();
    // The transport retries by itself on the real clock's behalf; here every try must reach the reflector.
    const retry = { connectionRetries: 0, refusalRetries: 0, firstDelayMs: 1, longestDelayMs: 1 };
    this.informer = new Informer<PodView>({
      transport: new HttpTransport(server.config(), { clock: this.clock, retry }),
      resource: PODS,
      codec: podCodec,
      clock: this.clock,
      random: seededRandom(7),
      onState: (state) => {
        this.states.push(state);
        this.#wakeAll();
      },
      ...options,
    });
    this.informer.addHandler({
      name: 'recording',
      marks: true,
      onDelta: (delta) => {
        this.deltas.push(delta);
        this.#wakeAll();
      },
    });
    this.#running = this.informer.start(this.#stop.signal);
  }

  /** What was delivered, in short (the end of a listing left out): "added web-1", "relisted start@10", "progress 12". */
  get story(): string[] {
    return this.deltas.filter((delta) => delta.kind !== 'relist-ended').map(describe);
  }

  get names(): string[] {
    return this.informer.lister.list().map((pod) => pod.metadata.name);
  }

  /** Resolves as soon as the condition holds; looked at after every delta and state. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  /** Resolves once this has been delivered. */
  untilDelivered(line: string): Promise<void> {
    return this.until(() => this.story.includes(line));
  }

  /** Resolves with the error that the reflector waits out; the clock is then ready to be advanced. */
  async untilWaiting(): Promise<Extract<ReflectorState, { kind: 'waiting' }>> {
    await this.until(() => this.informer.state.kind === 'waiting');
    return this.informer.state as Extract<ReflectorState, { kind: 'waiting' }>;
  }

  /** Lets the present waiting time pass, and not a millisecond more. Returns how long it was. */
  async waitOut(): Promise<number> {
    const { until } = await this.untilWaiting();
    const ms = until - this.clock.monotonic();
    await this.clock.advance(ms);
    return ms;
  }

  /** Answers the streaming listing and leaves its stream open as the live watch. */
  async sync(version: string, pods: readonly object[] = []): Promise<ScriptedStream> {
    const stream = answerListing(await this.server.next(), version, pods);
    await this.until(() => this.story.some((line) => line.startsWith('relisted') && line.endsWith(`@${version}`)));
    return stream;
  }

  /** Stops the informer and leaves the server: the informer may be started again. */
  async pause(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async stop(): Promise<void> {
    await this.pause();
    await this.server.stop();
  }

  #wakeAll(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const resume of wake) resume();
  }
}

export function answerListing(call: ScriptedCall, version: string, pods: readonly object[]): ScriptedStream {
  const stream = call.stream();
  for (const pod of pods) stream.event('ADDED', pod);
  stream.bookmark('Pod', version, true);
  return stream;
}

function describe(delta: Delta<PodView>): string {
  switch (delta.kind) {
    case 'relist-began':
    case 'relist-ended':
      return `relisted ${delta.relist.reason}@${delta.relist.resourceVersion}`;
    case 'progress':
      return `progress ${delta.resourceVersion}`;
    case 'caught-up':
      return `caught up ${delta.outcome} ${delta.from}..${delta.to}`;
    case 'replayed':
      return `replayed ${delta.type} ${delta.object.metadata.name}`;
    case 'deleted':
      return `deleted ${delta.object.metadata.name}${delta.finalStateUnknown ? ' (final state unknown)' : ''}`;
    default:
      return `${delta.kind} ${delta.object.metadata.name}`;
  }
}
