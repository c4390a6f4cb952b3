// Records as bytes and back. Head rows and week files use the same spelling; only the dictionary behind the numbers is
// another. A reader must build every field of the model by name, so that the compiler asks for what is added there.
import type { Boundary, Provenance, Source } from '../../model/boundary.ts';
import type { LiveHolder } from '../../model/fact.ts';
import { type IpAddress, ipFromBytes } from '../../model/ip-address.ts';
import type {
  Anomaly,
  Change,
  ChangeValue,
  Checkpoint,
  Conflict,
  Coverage,
  Holder,
  Placement,
  StreamPosition,
  Tenure,
  Workload,
} from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { ipKey } from './ip-key.ts';
import type { Words } from './words.ts';

/** What one holder did: its placement and tenures under one copy of who it was. */
export interface Life {
  readonly holder: Holder;
  readonly placement: Placement | undefined;
  readonly tenures: readonly Tenure[];
}

const KINDS: readonly Holder['kind'][] = ['Pod', 'Node', 'Service'];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SHORT_DECIMAL = /^(?:0|[1-9]\d{0,14})$/;

const HOST_NETWORK = 4;
const HAS_WORKLOAD = 8;
const IS_UUID = 16;
const BEGINS_WITH_WORKLOAD = 32;
const IS_INFERRED = 64;

const HAS_END = 1;
const SAME_END = 2;
const IS_IPV4 = 4;

/** Boundaries are written as differences from one before. */
interface Reference {
  time: number;
  version: number;
}

export class RecordWriter extends ByteWriter {
  readonly #words: Words;
  readonly #origin: number;

  /** Times of lives are told as differences from `origin`; whoever reads them must know it. */
  constructor(words: Words, origin = 0) {
    super();
    this.#words = words;
    this.#origin = origin;
  }

  life(life: Life): void {
    this.holder(life.holder);
    this.#records(life);
  }

  #records({ placement, tenures }: Omit<Life, 'holder'>): void {
    this.uint(tenures.length * 2 + (placement === undefined ? 0 : 1));
    const reference: Reference = { time: this.#origin, version: 0 };
    let previousEnd: Boundary | undefined;
    const interval = (start: Boundary, end: Boundary | undefined, more: number): void => {
      const same = end !== undefined && previousEnd !== undefined && sameBoundary(end, previousEnd);
      this.byte(more | (end === undefined ? 0 : HAS_END) | (same ? SAME_END : 0));
      this.#boundary(start, reference);
      if (end !== undefined && !same) this.#boundary(end, { time: reference.time, version: reference.version });
      previousEnd = end;
    };
    if (placement !== undefined) interval(placement.start, placement.end, 0);
    for (const { ip, start, end } of tenures) {
      const isV4 = !ip.includes(':');
      interval(start, end, isV4 ? IS_IPV4 : 0);
      this.raw(ipKey(ip));
    }
  }

  holder({ kind, namespace, name, uid, node, workload, hostNetwork }: Holder): void {
    const isUuid = UUID.test(uid);
    const shared = workload !== undefined && name.startsWith(`${workload.name}-`);
    this.byte(
      KINDS.indexOf(kind) |
        (hostNetwork ? HOST_NETWORK : 0) |
        (workload === undefined ? 0 : HAS_WORKLOAD) |
        (isUuid ? IS_UUID : 0) |
        (shared ? BEGINS_WITH_WORKLOAD : 0) |
        (workload?.inferred ? IS_INFERRED : 0),
    );
    if (isUuid) this.hex(uid.replaceAll('-', ''));
    else this.text(uid);
    this.uint(this.#words.numberOf(namespace));
    this.uint(this.#words.numberOf(node));
    if (workload !== undefined) {
      this.uint(this.#words.numberOf(workload.kind));
      const number = this.#words.passingNumberOf(workload.name);
      this.uint(number === undefined ? 0 : number + 1);
      if (number === undefined) this.text(workload.name);
    }
    this.text(shared ? name.slice(workload.name.length + 1) : name);
  }

  liveHolder(live: LiveHolder): void {
    this.holder(live.holder);
    this.uint(live.epoch);
    this.version(live.resourceVersion, 0);
    this.int(live.seenAt);
    this.byte(live.terminal ? 1 : 0);
    for (const time of [live.blankSince, live.networkReadyAt, live.networkLostAt]) this.#optional(time);
    this.uint(live.tenures.length);
    for (const tenure of live.tenures) {
      this.#holderOrSame(tenure.holder, live.holder);
      this.#records({ placement: undefined, tenures: [tenure] });
    }
    const { placement } = live;
    this.byte(placement === undefined ? 0 : 1);
    if (placement !== undefined) {
      this.#holderOrSame(placement.pod, live.holder);
      this.#records({ placement, tenures: [] });
    }
    this.uint(live.annotations.length);
    for (const [key, value] of live.annotations) {
      this.text(key);
      this.#value(value);
    }
  }

  /** What is known of a holder may have grown since its records began; mostly it has not. */
  #holderOrSame(holder: Holder, known: Holder): void {
    this.byte(holder === known ? 1 : 0);
    if (holder !== known) this.holder(holder);
  }

  change(change: Change): void {
    this.#provenance(change);
    this.holder(change.pod);
    this.text(change.key);
    this.#value(change.before);
    this.#value(change.after);
  }

  conflict(conflict: Conflict): void {
    this.#provenance(conflict);
    this.text(conflict.ip);
    for (const holder of conflict.holders) this.holder(holder);
  }

  anomaly(anomaly: Anomaly): void {
    this.#provenance(anomaly);
    this.text(anomaly.what);
    this.text(anomaly.uid);
    this.text(anomaly.detail);
  }

  /** Few, and told by their own names: nothing is gained by packing them. */
  coverage(coverage: Coverage): void {
    this.text(JSON.stringify(coverage));
  }

  checkpoint({ epoch, resourceVersion, at, others = [] }: Checkpoint): void {
    this.uint(epoch);
    this.version(resourceVersion, 0);
    this.int(at);
    for (const other of others) {
      this.text(other.kind);
      this.version(other.resourceVersion, 0);
      this.int(other.settled);
    }
  }

  version(version: string, reference: number): void {
    if (SHORT_DECIMAL.test(version)) {
      const difference = Number(version) - reference;
      this.uint((difference < 0 ? -difference * 2 - 1 : difference * 2) * 2);
    } else {
      this.uint(1);
      this.text(version);
    }
  }

  #boundary(boundary: Boundary, reference: Reference): void {
    const { at, notBefore, notAfter, observedAt, resourceVersion } = boundary;
    this.int(notBefore - reference.time);
    this.int(at - notBefore);
    this.int(notAfter - at);
    this.int(observedAt - notAfter);
    this.uint(this.#words.numberOf(originText(boundary)));
    this.version(resourceVersion, reference.version);
    reference.time = notBefore;
    if (SHORT_DECIMAL.test(resourceVersion)) reference.version = Number(resourceVersion);
  }

  #provenance(of: Provenance): void {
    this.uint(this.#words.numberOf(originText(of)));
    this.version(of.resourceVersion, 0);
    this.int(of.observedAt);
  }

  #value(value: ChangeValue | undefined): void {
    this.byte(value === undefined ? 0 : value.sha256 === undefined ? 1 : 2);
    if (value === undefined) return;
    this.text(value.text);
    if (value.sha256 !== undefined) this.text(value.sha256);
  }

  #optional(time: number | undefined): void {
    this.byte(time === undefined ? 0 : 1);
    if (time !== undefined) this.int(time);
  }
}

export class RecordReader extends ByteReader {
  readonly #words: Words;
  readonly #origin: number;

  constructor(words: Words, bytes: Buffer, origin = 0) {
    super(bytes);
    this.#words = words;
    this.#origin = origin;
  }

  life(): Life {
    return this.#records(this.holder());
  }

  #records(holder: Holder): Life {
    const counts = this.uint();
    const reference: Reference = { time: this.#origin, version: 0 };
    let placement: Placement | undefined;
    let end: Boundary | undefined;
    if (counts % 2 === 1) {
      const flags = this.byte();
      const start = this.#boundary(reference);
      end = this.#end(flags, reference, undefined);
      placement = { pod: holder, start, end };
    }
    const tenures: Tenure[] = [];
    for (let left = counts >> 1; left > 0; left--) {
      const flags = this.byte();
      const start = this.#boundary(reference);
      end = this.#end(flags, reference, end);
      tenures.push({ ip: this.#ip((flags & IS_IPV4) !== 0), holder, start, end });
    }
    return { holder, placement, tenures };
  }

  /** Of what begins with a holder, without reading on. */
  uid(): string {
    return this.byte() & IS_UUID ? this.#uuid() : this.text();
  }

  holder(): Holder {
    const flags = this.byte();
    const uid = flags & IS_UUID ? this.#uuid() : this.text();
    const namespace = this.#words.textOf(this.uint());
    const node = this.#words.textOf(this.uint());
    const workload = flags & HAS_WORKLOAD ? this.#workload((flags & IS_INFERRED) !== 0) : undefined;
    const rest = this.text();
    const name = flags & BEGINS_WITH_WORKLOAD ? `${workload!.name}-${rest}` : rest;
    const kind = KINDS[flags & 3];
    if (kind === undefined) throw new RangeError('there is no such kind of holder');
    return { kind, namespace, name, uid, node, workload, hostNetwork: (flags & HOST_NETWORK) !== 0 };
  }

  liveHolder(): LiveHolder {
    const holder = this.holder();
    const epoch = this.uint();
    const resourceVersion = this.version({ time: 0, version: 0 });
    const seenAt = this.int() as EpochMillis;
    const terminal = this.byte() === 1;
    const blankSince = this.#optional();
    const networkReadyAt = this.#optional();
    const networkLostAt = this.#optional();
    const tenures = Array.from({ length: this.uint() }, () => this.#records(this.#holderOrSame(holder)).tenures[0]!);
    const placement = this.byte() === 1 ? this.#records(this.#holderOrSame(holder)).placement : undefined;
    const annotations = Array.from({ length: this.uint() }, () => [this.text(), this.#value()!] as const);
    return {
      holder,
      epoch,
      resourceVersion,
      seenAt,
      terminal,
      tenures,
      placement,
      blankSince,
      networkReadyAt,
      networkLostAt,
      annotations,
    };
  }

  #holderOrSame(known: Holder): Holder {
    return this.byte() === 1 ? known : this.holder();
  }

  change(): Change {
    const provenance = this.#provenance();
    const pod = this.holder();
    const key = this.text();
    const before = this.#value();
    const after = this.#value();
    return { ...provenance, pod, key, before, after };
  }

  conflict(): Conflict {
    const provenance = this.#provenance();
    const ip = this.text() as IpAddress;
    return { ...provenance, ip, holders: [this.holder(), this.holder()] };
  }

  anomaly(): Anomaly {
    const provenance = this.#provenance();
    const what = this.text() as Anomaly['what'];
    return { ...provenance, what, uid: this.text(), detail: this.text() };
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
      others.push({ kind, resourceVersion: version, settled: this.int() as EpochMillis });
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
    const { source, epoch, collector } = readOrigin(this.#words.textOf(this.uint()));
    const resourceVersion = this.version(reference);
    reference.time = notBefore;
    return { at, notBefore, notAfter, source, epoch, resourceVersion, observedAt, collector };
  }

  #provenance(): Provenance {
    const { source, epoch, collector } = readOrigin(this.#words.textOf(this.uint()));
    const resourceVersion = this.version({ time: 0, version: 0 });
    return { source, epoch, resourceVersion, observedAt: this.int() as EpochMillis, collector };
  }

  #ip(isV4: boolean): IpAddress {
    if (!isV4) return ipFromBytes(this.raw(16));
    return `${this.byte()}.${this.byte()}.${this.byte()}.${this.byte()}` as IpAddress;
  }

  #workload(inferred: boolean): Workload {
    const kind = this.#words.textOf(this.uint());
    const number = this.uint();
    return { kind, name: number === 0 ? this.text() : this.#words.textOf(number - 1), inferred };
  }

  #uuid(): string {
    const h = this.hex(16);
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
  }

  #value(): ChangeValue | undefined {
    const tag = this.byte();
    if (tag === 0) return undefined;
    const text = this.text();
    return { text, sha256: tag === 2 ? this.text() : undefined };
  }

  #optional(): EpochMillis | undefined {
    return this.byte() === 1 ? (this.int() as EpochMillis) : undefined;
  }
}

function sameBoundary(a: Boundary, b: Boundary): boolean {
  return (
    a.at === b.at &&
    a.notBefore === b.notBefore &&
    a.notAfter === b.notAfter &&
    a.source === b.source &&
    a.epoch === b.epoch &&
    a.resourceVersion === b.resourceVersion &&
    a.observedAt === b.observedAt &&
    a.collector === b.collector
  );
}

type Origin = Pick<Provenance, 'source' | 'epoch' | 'collector'>;

/** Few and asked for at every boundary, hence remembered in both directions. */
const originTexts = new Map<string, Map<number, Map<Source, string>>>();
const origins = new Map<string, Origin>();

function originText({ source, epoch, collector }: Origin): string {
  let byEpoch = originTexts.get(collector);
  if (byEpoch === undefined) originTexts.set(collector, (byEpoch = new Map()));
  let bySource = byEpoch.get(epoch);
  if (bySource === undefined) byEpoch.set(epoch, (bySource = new Map()));
  let text = bySource.get(source);
  if (text === undefined) bySource.set(source, (text = JSON.stringify([source, epoch, collector])));
  return text;
}

function readOrigin(text: string): Origin {
  let origin = origins.get(text);
  if (origin === undefined) {
    const [source, epoch, collector] = JSON.parse(text) as [Source, number, string];
    origins.set(text, (origin = { source, epoch, collector }));
  }
  return origin;
}
