// Bytes as records. Every field of the model is built by name, so that the compiler asks for what is added there.
import type { Boundary, Provenance } from '../../../model/boundary.ts';
import type { LiveState } from '../../../model/fact.ts';
import { type IpAddress, ipFromBytes } from '../../../model/ip-address.ts';
import type {
  ChangeValue,
  Checkpoint,
  Coverage,
  Holder,
  Placement,
  PossibleTenure,
  StreamPosition,
  Tenure,
  Workload,
} from '../../../model/records.ts';
import type { EpochMillis } from '../../../model/time.ts';
import type { BodyReader } from '../../occurrences/occurrence-type.ts';
import { ByteReader } from './bytes.ts';
import type { Dictionary } from './dictionary.ts';
import {
  BEGINS_WITH_WORKLOAD,
  HAS_END,
  HAS_WORKLOAD,
  HOST_NETWORK,
  IS_INFERRED,
  IS_IPV4,
  IS_UUID,
  KINDS,
  type Life,
  type Reference,
  readOrigin,
  SAME_END,
} from './record-layout.ts';

export class RecordReader extends ByteReader implements BodyReader {
  readonly #dictionary: Dictionary;
  readonly #origin: number;

  constructor(dictionary: Dictionary, bytes: Buffer, origin = 0) {
    super(bytes);
    this.#dictionary = dictionary;
    this.#origin = origin;
  }

  life(): Life {
    return this.records(this.holder());
  }

  /** Of a life, without reading on. */
  placement(): Placement | undefined {
    const holder = this.holder();
    return this.uint() % 2 === 1 ? this.#placement(holder, this.#reference()) : undefined;
  }

  /** Of a life, passing over its placement. */
  tenures(): readonly Tenure[] {
    const holder = this.holder();
    const counts = this.uint();
    const reference = this.#reference();
    let end: Boundary | undefined;
    if (counts % 2 === 1) {
      const flags = this.byte();
      this.#passBoundary(reference);
      end = this.#end(flags, reference, undefined);
    }
    return this.#tenures(holder, counts >> 1, reference, end);
  }

  /** What follows a holder in a life. */
  records(holder: Holder): Life {
    const counts = this.uint();
    const reference = this.#reference();
    const placement = counts % 2 === 1 ? this.#placement(holder, reference) : undefined;
    return { holder, placement, tenures: this.#tenures(holder, counts >> 1, reference, placement?.end) };
  }

  #placement(holder: Holder, reference: Reference): Placement {
    const flags = this.byte();
    const start = this.#boundary(reference);
    return { pod: holder, start, end: this.#end(flags, reference, undefined) };
  }

  #tenures(holder: Holder, count: number, reference: Reference, endBefore: Boundary | undefined): Tenure[] {
    const tenures: Tenure[] = [];
    let end = endBefore;
    for (let left = count; left > 0; left--) {
      const flags = this.byte();
      const start = this.#boundary(reference);
      end = this.#end(flags, reference, end);
      tenures.push({ ip: this.#ip((flags & IS_IPV4) !== 0), holder, start, end });
    }
    return tenures;
  }

  #reference(): Reference {
    return { time: this.#origin, version: 0 };
  }

  /** Of what begins with a holder, without reading on. */
  uid(): string {
    return this.byte() & IS_UUID ? this.uuid() : this.text();
  }

  holder(): Holder {
    const flags = this.byte();
    const uid = flags & IS_UUID ? this.uuid() : this.text();
    const namespace = this.#dictionary.textOf(this.uint());
    const node = this.#dictionary.textOf(this.uint());
    const workload = flags & HAS_WORKLOAD ? this.#workload((flags & IS_INFERRED) !== 0) : undefined;
    const rest = this.text();
    const name = flags & BEGINS_WITH_WORKLOAD ? `${workload!.name}-${rest}` : rest;
    const kind = KINDS[flags & 3];
    if (kind === undefined) throw new RangeError('there is no such kind of holder');
    return { kind, namespace, name, uid, node, workload, hostNetwork: (flags & HOST_NETWORK) !== 0 };
  }

  liveState(): LiveState {
    return { uid: this.uid(), state: this.text() };
  }

  possible(): PossibleTenure {
    const { placement } = this.life();
    if (placement === undefined) throw new RangeError('it has no times');
    const { pod, start, end } = placement;
    return { pod, within: Array.from({ length: this.uint() }, () => this.text()), start, end };
  }

  coverage(): Coverage {
    return JSON.parse(this.text()) as Coverage;
  }

  checkpoint(): Checkpoint {
    const epoch = this.uint();
    const resourceVersion = this.version({ time: 0, version: 0 });
    const at = this.int() as EpochMillis;
    const others: StreamPosition[] = [];
    while (!this.isAtEnd) {
      const kind = this.text() as StreamPosition['kind'];
      const version = this.version({ time: 0, version: 0 });
      others.push({ kind, resourceVersion: version, watermark: this.int() as EpochMillis });
    }
    return others.length === 0 ? { epoch, resourceVersion, at } : { epoch, resourceVersion, at, others };
  }

  version(reference: Reference): string {
    const tagged = this.uint();
    if (tagged % 2 === 1) return this.text();
    const zigzag = tagged / 2;
    reference.version += zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    return String(reference.version);
  }

  #end(flags: number, reference: Reference, previous: Boundary | undefined): Boundary | undefined {
    if (!(flags & HAS_END)) return undefined;
    return flags & SAME_END ? previous : this.#boundary({ time: reference.time, version: reference.version });
  }

  #boundary(reference: Reference): Boundary {
    const notBefore = (reference.time + this.int()) as EpochMillis;
    const at = (notBefore + this.int()) as EpochMillis;
    const notAfter = (at + this.int()) as EpochMillis;
    const observedAt = (notAfter + this.int()) as EpochMillis;
    const { source, epoch, collector } = readOrigin(this.#dictionary.textOf(this.uint()));
    const resourceVersion = this.version(reference);
    reference.time = notBefore;
    return { at, notBefore, notAfter, source, epoch, resourceVersion, observedAt, collector };
  }

  /** Leaves what follows readable. */
  #passBoundary(reference: Reference): void {
    reference.time += this.int();
    for (let left = 4; left > 0; left--) this.uint();
    this.version(reference);
  }

  provenance(): Provenance {
    const { source, epoch, collector } = readOrigin(this.#dictionary.textOf(this.uint()));
    const resourceVersion = this.version({ time: 0, version: 0 });
    return { source, epoch, resourceVersion, observedAt: this.int() as EpochMillis, collector };
  }

  #ip(isV4: boolean): IpAddress {
    if (!isV4) return ipFromBytes(this.raw(16));
    return `${this.byte()}.${this.byte()}.${this.byte()}.${this.byte()}` as IpAddress;
  }

  #workload(inferred: boolean): Workload {
    const kind = this.#dictionary.textOf(this.uint());
    const number = this.uint();
    return { kind, name: number === 0 ? this.text() : this.#dictionary.textOf(number - 1), inferred };
  }

  value(): ChangeValue | undefined {
    const tag = this.byte();
    if (tag === 0) return undefined;
    const text = this.text();
    return { text, sha256: tag === 2 ? this.text() : undefined };
  }

  optional(): EpochMillis | undefined {
    return this.byte() === 1 ? (this.int() as EpochMillis) : undefined;
  }
}
