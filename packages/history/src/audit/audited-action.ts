// What the audit log of an API server says about one request: who asked for what to be done to which object, and what
// came of it. Plain data: the command prints it, and the ledger can take it as evidence of who did it.
import type { EpochMillis } from '../model/time.ts';
import type { AuditLevel } from './audit-event.ts';
import type { PodSighting } from './pod-sighting.ts';

/** What was asked for, in the words of kubectl where it has one. */
export type Act =
  | ('create' | 'update' | 'patch' | 'delete' | 'delete-collection')
  | ('evict' | 'bind' | 'scale' | 'restart' | 'cordon' | 'uncordon' | 'taint')
  | ('exec' | 'attach' | 'port-forward' | 'proxy' | 'debug' | 'resize')
  | 'write-status'
  // Reading is kept only where it was refused or failed.
  | ('get' | 'list' | 'watch')
  | 'other';

export interface AuditedObject {
  /** Pod, Node, Namespace, Deployment … */
  readonly kind: string;
  /** Empty for what has none. */
  readonly namespace: string;
  /** Undefined: the log does not say (a collection, or a name that the server made up). */
  readonly name: string | undefined;
  readonly uid: string | undefined;
}

export interface Actor {
  /** As whom the request was judged; undefined where authentication failed. */
  readonly user: string | undefined;
  readonly groups: readonly string[];
  /** Who really asked, where the request was made in the name of another. */
  readonly impersonatedBy: string | undefined;
  /** The pod and the node whose token it was, as the API server attests for ServiceAccounts. */
  readonly pod: string | undefined;
  readonly node: string | undefined;
  readonly userAgent: string;
  /** In the order of the log: all but the last may be made up by the client. */
  readonly sourceIPs: readonly string[];
}

/** Where in the API server a request was refused, in the order in which it passes them. */
export type RefusalStage =
  | ('authentication' | 'throttling' | 'authorization' | 'request' | 'not-found' | 'admission' | 'validation')
  | ('conflict' | 'gone' | 'disruption-budget')
  /** 403, and the log does not say whether by authorization or admission. */
  | 'forbidden'
  | 'other';

/** Who refused. */
export interface Refuser {
  readonly kind: 'webhook' | 'policy' | 'plugin' | 'quota' | 'disruption-budget';
  readonly name: string;
  /** Of a policy. */
  readonly binding?: string;
}

export type Outcome =
  | { readonly kind: 'allowed'; readonly code: number }
  /** It would have been allowed, and nothing was done. */
  | { readonly kind: 'dry-run'; readonly code: number }
  /** Nothing was done. */
  | {
      readonly kind: 'refused';
      readonly code: number;
      readonly stage: RefusalStage;
      readonly by: Refuser | undefined;
      readonly message: string;
      readonly hint: string;
    }
  /** The server failed: it may have been done or not. */
  | { readonly kind: 'failed'; readonly code: number | undefined; readonly message: string; readonly hint: string }
  /** The log has no answer to the request: it may have been done or not. */
  | { readonly kind: 'unfinished'; readonly hint: string };

/** What admission did to a request that it let pass. */
export interface AdmissionNotes {
  /** Webhooks that changed the object. */
  readonly mutatedBy: readonly string[];
  /** Webhooks that could not be asked, and were passed over. */
  readonly failedOpen: readonly string[];
  /** Policies that were violated, and only audit or warn. */
  readonly violated: readonly { readonly policy: string; readonly binding: string; readonly message: string }[];
}

/** Known only as far as the policy of the log has it: most of it needs level Request. */
export interface ActionDetails {
  /** Of a binding. */
  readonly node?: string;
  readonly replicas?: number;
  readonly gracePeriodSeconds?: number;
  readonly generateName?: string;
  /** Of a collection. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** What a collection was, from the answer. */
  readonly objects?: readonly { readonly name: string; readonly uid: string | undefined }[];
  /** Taints that a node was given. */
  readonly taints?: readonly string[];
}

export interface AuditedAction {
  /** When the API server received the request. */
  readonly at: EpochMillis;
  /** When it had answered; undefined without an answer. */
  readonly answeredAt: EpochMillis | undefined;
  /** May be chosen by the client: it identifies a request only together with its time. */
  readonly auditID: string;
  /**
   * How much of the request the log keeps. With Metadata a dry run of a deletion or eviction looks like the deletion:
   * only their bodies say so.
   */
  readonly level: AuditLevel | undefined;
  readonly verb: string;
  readonly what: Act;
  readonly dryRun: boolean;
  readonly object: AuditedObject;
  readonly actor: Actor;
  readonly outcome: Outcome;
  readonly details: ActionDetails;
  readonly admission: AdmissionNotes | undefined;
  /** What the answer showed of a pod with addresses. For the ledger: it is not printed. */
  readonly sighting: PodSighting | undefined;
}
