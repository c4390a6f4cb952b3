// Moves of pods and reuse of addresses in numbers. Labels are closed lists: causes, and the kinds of workloads that
// Kubernetes itself has; never an address, a name or a UID.
import { CAUSES, type Move } from '@podtrail/history';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Reuse } from '../moves/address-reuse.ts';
import type { MoveListener } from '../moves/move-listener.ts';

const KINDS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'Node', 'none', 'other'] as const;
type Kind = (typeof KINDS)[number];

const RESCHEDULE_BUCKETS = [0, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800];
const REUSE_BUCKETS = [0, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 21_600];

export class MoveMetrics implements MoveListener {
  readonly #registry: Registry;
  readonly #moves: Counter<'cause' | 'kind'>;
  readonly #reschedule: Histogram;
  readonly #reuses: Counter;
  readonly #reuse: Histogram;
  readonly #uncounted: Counter<'what'>;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#moves = new Counter({
      ...{ name: 'podtrail_pod_moves_total', help: 'Pods that ended, by why, and by the kind of their workload.' },
      ...{ labelNames: ['cause', 'kind'], registers },
    });
    // Present from the beginning: the first move of a cause is an increase.
    for (const cause of CAUSES) for (const kind of KINDS) this.#moves.inc({ cause, kind }, 0);
    this.#reschedule = new Histogram({
      name: 'podtrail_pod_reschedule_seconds',
      help: 'From when a pod was not ready any more until the one that took its place was; 0: that was ready before.',
      ...{ buckets: RESCHEDULE_BUCKETS, registers },
    });
    this.#reuses = new Counter({
      name: 'podtrail_address_reuses_total',
      help: 'Addresses that went from one pod to another within six hours.',
      registers,
    });
    this.#reuse = new Histogram({
      name: 'podtrail_address_reuse_seconds',
      help: "From the end of one pod's tenure of an address to the beginning of the next pod's.",
      ...{ buckets: REUSE_BUCKETS, registers },
    });
    this.#uncounted = new Counter({
      name: 'podtrail_moves_uncounted_total',
      help: 'Departures and addresses that were not looked at: too many waited, or the store could not be read.',
      ...{ labelNames: ['what'], registers },
    });
    for (const what of ['departures', 'addresses']) this.#uncounted.inc({ what }, 0);
  }

  departed({ verdict: { cause }, departure }: Pick<Move, 'verdict' | 'departure'>): void {
    this.#moves.inc({ cause, kind: kindOf(departure.pod.workload?.kind) });
  }

  replaced({ downtimeMs }: Pick<Move, 'downtimeMs'>): void {
    if (downtimeMs !== undefined) this.#reschedule.observe(downtimeMs / 1000);
  }

  reused({ betweenMs }: Pick<Reuse, 'betweenMs'>): void {
    this.#reuses.inc();
    if (betweenMs !== undefined) this.#reuse.observe(betweenMs / 1000);
  }

  uncounted(what: 'departures' | 'addresses', count: number): void {
    this.#uncounted.inc({ what }, count);
  }

  /** From now on the page also shows how many wait. */
  watch(follower: { readonly waiting: number }): void {
    new Gauge({
      name: 'podtrail_moves_waiting',
      help: 'Departures and addresses that wait for their traces before they are counted.',
      registers: [this.#registry],
      collect() {
        this.set(follower.waiting);
      },
    });
  }
}

function kindOf(kind: string | undefined): Kind {
  if (kind === undefined) return 'none';
  return KINDS.find((known) => known === kind) ?? 'other';
}
