// A story that an operator can read: what happens in a cluster and to its recorder, and what must be answered later.
// The language is described in examples/scenarios/README.md.
import type { IpAddress } from '../model/ip-address.ts';
import type { EpochMillis } from '../model/time.ts';
import type { AnswerKind, UnknownReason } from '../query/answer.ts';

export interface Named {
  /** Empty for nodes. */
  readonly namespace: string;
  readonly name: string;
}

/** What happens. `line` is where it is written. */
export type Statement = { readonly line: number; readonly at: EpochMillis } & (
  | { readonly kind: 'watch-starts'; readonly namespaces: readonly string[] | undefined }
  /** Nothing is delivered until then; what happened meanwhile comes late, is caught up with, or is lost. */
  | {
      readonly kind: 'interruption';
      readonly how: 'silent' | 'lost' | 'rewound' | 'stopped' | 'stopped-too-long';
      readonly until: EpochMillis;
    }
  | {
      readonly kind: 'pod-gets';
      readonly pod: Named;
      readonly addresses: readonly IpAddress[];
      readonly node: string | undefined;
    }
  | {
      readonly kind: 'pod-uses-host';
      readonly pod: Named;
      readonly addresses: readonly IpAddress[];
      readonly node: string;
    }
  | { readonly kind: 'pod-shows-nothing'; readonly pod: Named }
  | { readonly kind: 'pod-loses-sandbox'; readonly pod: Named }
  | { readonly kind: 'pod-ends'; readonly pod: Named; readonly phase: 'Succeeded' | 'Failed' }
  | { readonly kind: 'pod-annotated'; readonly pod: Named; readonly key: string; readonly value: string }
  | {
      readonly kind: 'has-addresses';
      readonly what: 'Node' | 'Service';
      readonly named: Named;
      readonly addresses: readonly IpAddress[];
    }
  | { readonly kind: 'deleted'; readonly what: 'Pod' | 'Node' | 'Service'; readonly named: Named }
  | { readonly kind: 'removed'; readonly before: EpochMillis }
);

export interface Ask {
  readonly line: number;
  readonly at: EpochMillis;
  readonly ip: IpAddress;
  readonly answer: AnswerKind;
  readonly reason: UnknownReason | undefined;
  /** As they are written: `namespace/name`, or a node's name. */
  readonly holders: readonly string[];
}

export interface Scenario {
  /** For messages: a file's name. */
  readonly name: string;
  readonly statements: readonly Statement[];
  readonly asks: readonly Ask[];
}
