// A pod informer on the stage of faults, with everything it said written down.
import {
  type Delta,
  Informer,
  type InformerOptions,
  PODS,
  type PodView,
  podCodec,
  type ReflectorState,
  seededRandom,
} from '@podtrail/machinery';
import type { FaultStage } from './fault-stage.ts';

export interface Pause {
  readonly ms: number;
  readonly error: Error;
  readonly next: string;
  /** By the stage's clock. */
  readonly until: number;
}

export class FollowedSandbox {
  readonly informer: Informer<PodView>;
  readonly deltas: Delta<PodView>[] = [];
  /** What the reflector waited out, in order. */
  readonly pauses: Pause[] = [];

  static async start(
    stage: FaultStage,
    { retries = false, ...options }: Partial<InformerOptions<PodView>> & { readonly retries?: boolean } = {},
  ): Promise<FollowedSandbox> {
    const { transport } = await stage.connect({ retries });
    const followed = new FollowedSandbox(stage, { transport, ...options });
    const stop = new AbortController();
    const running = followed.informer.start(stop.signal);
    stage.atEnd(async () => {
      stop.abort();
      await running;
    });
    return followed;
  }

  private constructor(
    stage: FaultStage,
    options: Partial<InformerOptions<PodView>> & Pick<InformerOptions<PodView>, 'transport'>,
  ) {
    const { clock } = stage;
    this.informer = new Informer<PodView>({
      ...{ resource: PODS, codec: podCodec, clock, random: seededRandom(7) },
      onState: (state) => notePause(this.pauses, state, clock),
      ...options,
    });
    this.informer.addHandler({ name: 'written down', marks: true, onDelta: (delta) => void this.deltas.push(delta) });
  }

  /** What was delivered, in short: "added web-1", "relisted expired". */
  get story(): string[] {
    return this.deltas.filter(({ kind }) => kind !== 'relist-ended' && kind !== 'progress').map(described);
  }

  get names(): string[] {
    return this.informer.lister
      .list()
      .map(({ metadata }) => metadata.name)
      .sort();
  }
}

export function notePause(pauses: Pause[], state: ReflectorState, clock: FaultStage['clock']): void {
  if (state.kind !== 'waiting') return;
  const { error, next, until } = state;
  pauses.push({ ms: until - clock.monotonic(), error, next, until });
}

function described(delta: Delta<PodView>): string {
  if (delta.kind === 'relist-began') return `relisted ${delta.relist.reason}`;
  if (!('object' in delta)) return delta.kind;
  const unseen = delta.kind === 'deleted' && delta.finalStateUnknown ? ' unseen' : '';
  return `${delta.kind} ${delta.object.metadata.name}${unseen}`;
}
