// One stream between a made world and the recorder: a real informer and delta log, and frames on their way to them.
import type { Observed } from '@podtrail/history';
import {
  type Cacheable,
  type Clock,
  Informer,
  NODES,
  nodeCodec,
  PODS,
  podCodec,
  SERVICES,
  serviceCodec,
} from '@podtrail/machinery';
import { DeltaLog } from '../../delta-log.ts';
import type { Kind, Written } from './made-shapes.ts';

export interface Frame {
  readonly due: number;
  /** Undefined for a bookmark. */
  readonly write: Written | undefined;
  readonly version: number;
}

export class Line {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly informer: Informer<Cacheable>;
  readonly log: DeltaLog<Cacheable>;
  frames: Frame[] = [];
  /** Up to here frames were made. */
  made: number;
  version: number;
  receivedAt: number | undefined;
  stalledUntil = 0;
  brokenUntil = 0;
  currentFrom = 0;
  afterwards: 'go-on' | 'list' | 'list-hiding' = 'go-on';
  catchUp: { from: number; to: number; position: number; expiresAt: number } | undefined;
  nextBookmark = 0;
  loses = false;

  constructor(kind: Kind, namespace: string | undefined, startFrom: string | undefined, clock: Clock) {
    this.kind = kind;
    this.namespace = namespace;
    this.made = 0;
    this.version = 0;
    const common = { transport: undefined as never, clock };
    this.informer = (kind === 'Pod'
      ? new Informer({ ...common, resource: PODS, codec: podCodec })
      : kind === 'Service'
        ? new Informer({ ...common, resource: SERVICES, codec: serviceCodec })
        : new Informer({ ...common, resource: NODES, codec: nodeCodec })) as unknown as Informer<Cacheable>;
    const wrap = (object: Cacheable) => ({ kind, object }) as unknown as Observed;
    this.log = new DeltaLog(kind, wrap, { catchesUp: startFrom !== undefined, namespace });
  }

  concerns({ kind, object }: Written): boolean {
    return kind === this.kind && (this.namespace === undefined || object.metadata.namespace === this.namespace);
  }
}
