// The Lease object (coordination.k8s.io/v1) and the election record that we read from and write into its spec.
// Whatever else stands in the spec belongs to somebody else and is kept.
import type { KubeObject } from '../objects/kube-object.ts';

export interface LeaseSpec {
  holderIdentity?: string | null;
  leaseDurationSeconds?: number | null;
  acquireTime?: string | null;
  renewTime?: string | null;
  leaseTransitions?: number | null;
  /** Set by coordinated elections of the control plane; kept, not acted on. */
  strategy?: string | null;
  preferredHolder?: string | null;
  [field: string]: unknown;
}

export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

export interface ElectionRecord {
  /** Empty: nobody holds the lease, anyone may take it at once. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  /** Texts of the holder's clock. They only show that something changed, never when. */
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly leaderTransitions: number;
  readonly strategy: string;
  readonly preferredHolder: string;
}

export const NO_RECORD: ElectionRecord = recordOf(undefined);

export function recordOf(spec: LeaseSpec | undefined): ElectionRecord {
  return {
    holderIdentity: spec?.holderIdentity ?? '',
    leaseDurationSeconds: spec?.leaseDurationSeconds ?? 0,
    acquireTime: spec?.acquireTime ?? '',
    renewTime: spec?.renewTime ?? '',
    leaderTransitions: spec?.leaseTransitions ?? 0,
    strategy: spec?.strategy ?? '',
    preferredHolder: spec?.preferredHolder ?? '',
  };
}

/** `record` written over `spec`: empty fields of the record leave what is there, apart from the holder. */
export function specWith(spec: LeaseSpec | undefined, record: ElectionRecord): LeaseSpec {
  return {
    ...spec,
    holderIdentity: record.holderIdentity,
    leaseDurationSeconds: record.leaseDurationSeconds,
    leaseTransitions: record.leaderTransitions,
    ...(record.acquireTime === '' ? {} : { acquireTime: record.acquireTime }),
    ...(record.renewTime === '' ? {} : { renewTime: record.renewTime }),
    ...(record.strategy === '' ? {} : { strategy: record.strategy }),
    ...(record.preferredHolder === '' ? {} : { preferredHolder: record.preferredHolder }),
  };
}

export function sameRecord(a: ElectionRecord, b: ElectionRecord): boolean {
  return (Object.keys(a) as (keyof ElectionRecord)[]).every((field) => a[field] === b[field]);
}

/** When its holder last renewed it, by the holder's clock: whole milliseconds; undefined where it does not say. */
export function renewTimeOf({ spec }: Lease): number | undefined {
  const time = Date.parse(spec?.renewTime ?? '');
  return Number.isNaN(time) ? undefined : time;
}
