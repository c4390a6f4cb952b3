// What a reflector is given: which collection, how to reach and read it, what to feed.
import type { Clock } from '../clock.ts';
import type { ObjectCodec } from '../codec/codec.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import type { Random } from '../random.ts';
import type { Transport } from '../transport/transport.ts';
import type { LivenessLimits } from '../watch/liveness.ts';
import type { Collection } from './collection.ts';
import type { CheckOutcome } from './consistency-check.ts';
import type { ReflectionTarget } from './reflection-target.ts';
import type { ReflectorState } from './reflector-state.ts';

export interface ReflectorOptions<T extends Cacheable> extends Collection {
  readonly transport: Transport;
  readonly codec: ObjectCodec<T>;
  readonly target: ReflectionTarget<T>;
  /** Deliver every event since this version besides the listing (the ledger's catch-up after a restart). */
  readonly startFrom?: string | undefined;
  /** False: always list by pages. Default: stream the listing where the server can. */
  readonly streaming?: boolean | undefined;
  /** False: JSON only. Default: protobuf where codec and server can. */
  readonly protobuf?: boolean | undefined;
  readonly pageSize?: number | undefined;
  /** Compare the cache with a consistent listing this often. Default: never. */
  readonly consistencyMs?: number | undefined;
  /** Called after each comparison, also one that failed or could not be made. */
  readonly onChecked?: ((outcome: CheckOutcome) => void) | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly liveness?: LivenessLimits | undefined;
  readonly onState?: ((state: ReflectorState) => void) | undefined;
}
