// Jobs: pods that run to their end, as many at once as wanted, again after failures up to a limit; finished jobs go
// with their pods when their time to live is over. Pods carry no tracking finalizer, unlike those of a real cluster.
import { ObjectIndex } from '../object-index.ts';
import { controllerOf, isLeaving, isReady, isTerminal, kubeTime, type PodObject } from '../pod-object.ts';
import { WorkKeys } from '../work-keys.ts';
import type { World } from '../world.ts';
import { recordOnOwner } from './owner-events.ts';
import { makePod } from './pod-maker.ts';
import type { WorkloadObject } from './workload-object.ts';

const DELAY_MS = 150;
const FAILURE_DELAY_MS = 10_000;

export class JobController {
  readonly #world: World;
  readonly #keys: WorkKeys;
  readonly jobs: ObjectIndex<WorkloadObject>;

  constructor(world: World) {
    this.#world = world;
    this.#keys = new WorkKeys(world.clock, DELAY_MS, (uid) => this.#reconcile(uid));
    this.jobs = new ObjectIndex<WorkloadObject>(world.api, 'jobs.batch');
    for (const { metadata } of this.jobs.all()) this.#keys.add(metadata.uid);
    this.jobs.follow((type, job) => {
      if (type === 'ADDED') this.#keys.add(job.metadata.uid);
    });
    world.pods.follow((type, pod, previous) => {
      const owner = controllerOf(pod);
      // Between a pod's beginning and its end a job has nothing to decide.
      if (owner?.kind !== 'Job') return;
      if (type === 'DELETED' || (isTerminal(pod) && previous?.status.phase !== pod.status.phase))
        this.#keys.add(owner.uid);
    });
  }

  #reconcile(uid: string): void {
    const job = this.jobs.get(uid);
    if (job === undefined || job.metadata.deletionTimestamp !== undefined || isFinished(job)) return;
    const pods = [...this.#world.podsOwnedBy(uid).values()];
    const succeeded = pods.filter(({ status }) => status.phase === 'Succeeded').length;
    const failed = pods.filter(({ status }) => status.phase === 'Failed').length;
    const active = pods.filter((pod) => !isTerminal(pod) && !isLeaving(pod));
    const { completions = 1, parallelism = 1, backoffLimit = 6 } = job.spec;
    const counts = { succeeded, failed };
    if (succeeded >= completions) {
      this.#finish(job, counts, 'Complete', 'CompletionsReached', 'Reached expected number of succeeded pods');
      return;
    }
    if (failed > backoffLimit) {
      this.#finish(job, counts, 'Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit');
      return;
    }
    const missing = Math.min(parallelism, completions - succeeded) - active.length;
    if (missing > 0 && failed > 0 && this.#failedLately(pods)) {
      this.#keys.add(uid, FAILURE_DELAY_MS);
      return;
    }
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': job.metadata.name,
      'job-name': job.metadata.name,
    };
    for (let n = 0; n < missing; n++) makePod(this.#world, { owner: job, template: job.spec.template, labels });
    this.#report(job, {
      ...counts,
      active: active.length + Math.max(0, missing),
      ready: active.filter(isReady).length,
    });
  }

  #failedLately(pods: readonly PodObject[]): boolean {
    const since = kubeTime(this.#world.clock.now() - FAILURE_DELAY_MS + 1000);
    return pods.some((pod) => pod.status.phase === 'Failed' && (endOf(pod) ?? '') > since);
  }

  #report(job: WorkloadObject, counts: Readonly<Record<string, number>>): void {
    const status = {
      startTime: job.status?.['startTime'] ?? kubeTime(this.#world.clock.now()),
      ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    };
    this.#world.attempt(() => this.#world.api.update('jobs.batch', { ...job, status }, 'status'));
  }

  #finish(
    job: WorkloadObject,
    counts: Readonly<Record<string, number>>,
    type: 'Complete' | 'Failed',
    reason: string,
    message: string,
  ): void {
    const at = kubeTime(this.#world.clock.now());
    const condition = { status: 'True', lastProbeTime: at, lastTransitionTime: at, reason, message };
    const status = {
      startTime: job.status?.['startTime'] ?? at,
      ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
      ...(type === 'Complete' ? { completionTime: at } : {}),
      conditions: [
        { type: type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', ...condition },
        { type, ...condition },
      ],
    };
    this.#world.attempt(() => this.#world.api.update('jobs.batch', { ...job, status }, 'status'));
    if (type === 'Complete') recordOnOwner(this.#world, job, { reason: 'Completed', message: 'Job completed' });
    else recordOnOwner(this.#world, job, { type: 'Warning', reason, message });
    const { ttlSecondsAfterFinished } = job.spec;
    const { namespace, name, uid } = job.metadata;
    if (ttlSecondsAfterFinished === undefined) return;
    this.#world.clock.in(ttlSecondsAfterFinished * 1000, () => {
      const options = { uid, propagationPolicy: 'Background' as const };
      if (this.jobs.get(uid) !== undefined) {
        this.#world.attempt(() => this.#world.api.delete('jobs.batch', namespace, name, options));
      }
    });
  }
}

function isFinished(job: WorkloadObject): boolean {
  const conditions = job.status?.['conditions'];
  return Array.isArray(conditions) && conditions.some(({ type }) => type === 'Complete' || type === 'Failed');
}

function endOf(pod: PodObject): string | undefined {
  return pod.status.containerStatuses?.[0]?.state.terminated?.finishedAt ?? undefined;
}
