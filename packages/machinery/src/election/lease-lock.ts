// Reads and writes one Lease for one candidate. It remembers the object it saw last, so that every update carries that
// resourceVersion and a late one conflicts. It decides nothing; LeaderElector does.
import { randomUUID } from 'node:crypto';
import type { CallOptions, ResourceClient } from '../client/resource-client.ts';
import { MachineryError } from '../errors.ts';
import { type ElectionRecord, type Lease, recordOf, specWith } from './lease.ts';

export interface LeaseLockOptions {
  /** The leases of `namespace`. */
  readonly client: ResourceClient<Lease>;
  readonly namespace: string;
  readonly name: string;
  /** Unique among all candidates that ever ran: see `electionIdentity`. */
  readonly identity: string;
  /** Set on the Lease with each write; other labels are left alone. */
  readonly labels?: Readonly<Record<string, string>>;
}

export class LeaseLock {
  readonly identity: string;
  readonly #options: LeaseLockOptions;
  #lease: Lease | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.identity = options.identity;
  }

  /** For messages: "namespace/name". */
  get description(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }

  /** The Lease as it was last read or written. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  async get(options: CallOptions = {}): Promise<ElectionRecord> {
    this.#lease = await this.#options.client.get(this.#options.name, options);
    return recordOf(this.#lease.spec);
  }

  async create(record: ElectionRecord, options: CallOptions = {}): Promise<void> {
    const { namespace, name, labels } = this.#options;
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace, name, ...(labels === undefined ? {} : { labels: { ...labels } }) },
      spec: specWith(undefined, record),
    };
    this.#lease = await this.#options.client.create(lease, options);
  }

  async update(record: ElectionRecord, options: CallOptions = {}): Promise<void> {
    if (this.#lease === undefined) {
      throw new MachineryError('lease-not-read', `the lease ${this.description} was neither read nor created yet`, {
        hint: 'Call get or create before update.',
      });
    }
    const { metadata, spec } = this.#lease;
    const labels = { ...metadata.labels, ...this.#options.labels };
    const lease: Lease = {
      ...this.#lease,
      metadata: { ...metadata, ...(Object.keys(labels).length === 0 ? {} : { labels }) },
      spec: specWith(spec, record),
    };
    this.#lease = await this.#options.client.update(lease, options);
  }
}

/** Host name for people, UUID so that a restarted process is another candidate. */
export function electionIdentity(hostname: string, uuid: string = randomUUID()): string {
  return `${hostname}_${uuid}`;
}
