// Records as bytes, for rows of the head (head-append.ts) and week files (week-writer.ts).
import type { Boundary, Provenance } from '../../../model/boundary.ts';
import type { LiveState } from '../../../model/fact.ts';
import type { ChangeValue, Checkpoint, Coverage, Holder, PossibleTenure } from '../../../model/records.ts';
import type { BodyWriter } from '../../occurrences/occurrence-type.ts';
import { ByteWriter } from './bytes.ts';
import type { Dictionary } from './dictionary.ts';
import { ipKey } from './ip-key.ts';
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
  originText,
  type Reference,
  SAME_END,
} from './record-layout.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SHORT_DECIMAL = /^(?:0|[1-9]\d{0,14})$/;

export class RecordWriter extends ByteWriter implements BodyWriter {
  readonly #dictionary: Dictionary;
  readonly #origin: number;

  /** Times of lives are written as differences from `origin`; whoever reads them must know it. */
  constructor(dictionary: Dictionary, origin = 0) {
    super();
    this.#dictionary = dictionary;
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
    this.uint(this.#dictionary.numberOf(namespace));
    this.uint(this.#dictionary.numberOf(node));
    if (workload !== undefined) {
      this.uint(this.#dictionary.numberOf(workload.kind));
      const number = this.#dictionary.passingNumberOf(workload.name);
      this.uint(number === undefined ? 0 : number + 1);
      if (number === undefined) this.text(workload.name);
    }
    this.text(shared ? name.slice(workload.name.length + 1) : name);
  }

  /** Begins as a holder does, with its UID. */
  liveState({ uid, state }: LiveState): void {
    const isUuid = UUID.test(uid);
    this.byte(isUuid ? IS_UUID : 0);
    if (isUuid) this.hex(uid.replaceAll('-', ''));
    else this.text(uid);
    this.text(state);
  }

  /** As a life with a placement, and the networks behind it. */
  possible({ pod, within, start, end }: PossibleTenure): void {
    this.life({ holder: pod, placement: { pod, start, end }, tenures: [] });
    this.uint(within.length);
    for (const network of within) this.text(network);
  }

  /** Few, and written with the names of their fields: nothing is gained by packing them. */
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
      this.int(other.watermark);
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
    this.uint(this.#dictionary.numberOf(originText(boundary)));
    this.version(resourceVersion, reference.version);
    reference.time = notBefore;
    if (SHORT_DECIMAL.test(resourceVersion)) reference.version = Number(resourceVersion);
  }

  provenance(of: Provenance): void {
    this.uint(this.#dictionary.numberOf(originText(of)));
    this.version(of.resourceVersion, 0);
    this.int(of.observedAt);
  }

  value(value: ChangeValue | undefined): void {
    this.byte(value === undefined ? 0 : value.sha256 === undefined ? 1 : 2);
    if (value === undefined) return;
    this.text(value.text);
    if (value.sha256 !== undefined) this.text(value.sha256);
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
