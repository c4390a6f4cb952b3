// Deployments: one ReplicaSet for each template, and a rolling change from the old to the new within what may be too
// many and too few. Old sets beyond the history limit are deleted.
import type { KubeObject } from '../../api/cluster-api.ts';
import { ObjectIndex } from '../object-index.ts';
import { controllerOf, kubeTime } from '../pod-object.ts';
import { WorkKeys } from '../work-keys.ts';
import type { World } from '../world.ts';
import { recordOnOwner } from './owner-events.ts';
import { type ReplicaSetController, sameStatus } from './replica-set-controller.ts';
import { ownedBy, portion, templateHash, type WorkloadObject } from './workload-object.ts';

const DELAY_MS = 500;
const HASH_LABEL = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAX = 'deployment.kubernetes.io/max-replicas';

export class DeploymentController {
  readonly #world: World;
  readonly #sets: ReplicaSetController;
  readonly #keys: WorkKeys;
  readonly deployments: ObjectIndex<WorkloadObject>;

  constructor(world: World, sets: ReplicaSetController) {
    this.#world = world;
    this.#sets = sets;
    this.#keys = new WorkKeys(world.clock, DELAY_MS, (uid) => this.#reconcile(uid));
    this.deployments = new ObjectIndex<WorkloadObject>(world.api, 'deployments.apps');
    for (const { metadata } of this.deployments.all()) this.#keys.add(metadata.uid);
    this.deployments.follow((type, deployment) => {
      if (type !== 'DELETED') this.#keys.add(deployment.metadata.uid);
    });
    sets.sets.follow((_type, set) => {
      const owner = controllerOf(set);
      if (owner?.kind === 'Deployment') this.#keys.add(owner.uid);
    });
  }

  #reconcile(uid: string): void {
    const deployment = this.deployments.get(uid);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
    const sets = [...this.#sets.sets.group(0, uid).values()].filter(
      (set) => set.metadata.deletionTimestamp === undefined,
    );
    const hash = templateHash(deployment.spec.template);
    const current = sets.find((set) => set.metadata.labels?.[HASH_LABEL] === hash);
    const old = sets.filter((set) => set !== current);
    if (deployment.spec.paused !== true) {
      if (current !== undefined) this.#number(deployment, current, old);
      if (current === undefined) this.#makeSet(deployment, hash, old);
      else if (deployment.spec.strategy?.type === 'Recreate') this.#recreate(deployment, current, old);
      else this.#roll(deployment, current, old);
      this.#forgetOld(deployment, old);
    }
    this.#report(deployment, hash);
  }

  #makeSet(deployment: WorkloadObject, hash: string, old: readonly WorkloadObject[]): void {
    const { name, namespace, labels } = deployment.metadata;
    const { template, selector, replicas = 1 } = deployment.spec;
    const running = old.reduce((sum, set) => sum + (set.spec.replicas ?? 0), 0);
    const size =
      deployment.spec.strategy?.type === 'Recreate' && running > 0
        ? 0
        : Math.min(replicas, Math.max(0, this.#most(deployment) - running));
    const revision = Math.max(0, ...old.map(revisionOf)) + 1;
    const own = { ...template.metadata?.labels, [HASH_LABEL]: hash };
    const made = this.#world.attempt(() =>
      this.#world.api.create('replicasets.apps', {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: {
          name: `${name}-${hash}`,
          namespace,
          labels: { ...labels, ...own },
          annotations: { [REVISION]: String(revision), ...this.#sizes(deployment) },
          ownerReferences: [ownedBy(deployment)],
        },
        spec: {
          replicas: size,
          selector: { matchLabels: { ...selector?.matchLabels, [HASH_LABEL]: hash } },
          template: { ...template, metadata: { ...template.metadata, labels: own } },
        },
      }),
    );
    if (made !== undefined && size > 0) this.#scaled(deployment, `${name}-${hash}`, 0, size);
  }

  /** What is rolled out has the highest revision, also when it was there before; the deployment shows it. */
  #number(deployment: WorkloadObject, current: WorkloadObject, old: readonly WorkloadObject[]): void {
    const newest = Math.max(0, ...old.map(revisionOf));
    const revision = String(revisionOf(current) > newest ? revisionOf(current) : newest + 1);
    for (const [resource, object] of [
      ['replicasets.apps', current],
      ['deployments.apps', deployment],
    ] as const) {
      if (object.metadata.annotations?.[REVISION] === revision) continue;
      const { namespace, name } = object.metadata;
      const annotations = { [REVISION]: revision };
      this.#world.attempt(() => this.#world.api.mergePatch(resource, namespace, name, { metadata: { annotations } }));
    }
  }

  #recreate(deployment: WorkloadObject, current: WorkloadObject, old: readonly WorkloadObject[]): void {
    for (const set of old) this.#scale(deployment, set, 0);
    const left = old.some((set) => this.#world.podsOwnedBy(set.metadata.uid).size > 0);
    if (!left) this.#scale(deployment, current, deployment.spec.replicas ?? 1);
  }

  /** One step: the new set grows into what may be too many, the old ones shrink by what may be missing. */
  #roll(deployment: WorkloadObject, current: WorkloadObject, old: readonly WorkloadObject[]): void {
    const { replicas = 1 } = deployment.spec;
    const wanted = (set: WorkloadObject): number => set.spec.replicas ?? 0;
    const ready = (set: WorkloadObject): number => Number(set.status?.['readyReplicas'] ?? 0);
    const oldWanted = old.reduce((sum, set) => sum + wanted(set), 0);
    const size = Math.min(replicas, Math.max(wanted(current), this.#most(deployment) - oldWanted));
    this.#scale(deployment, current, wanted(current) > replicas ? replicas : size);
    if (oldWanted === 0) return;
    const least = Math.max(0, replicas - this.#mayMiss(deployment));
    // What is wanted but not ready must not count as spare.
    let spare = [current, ...old].reduce((sum, set) => sum + Math.min(ready(set), wanted(set)), 0) - least;
    for (const set of old.toSorted((a, b) => revisionOf(a) - revisionOf(b))) {
      const unready = Math.max(0, wanted(set) - ready(set));
      const healthy = Math.max(0, Math.min(spare, wanted(set) - unready));
      spare -= healthy;
      this.#scale(deployment, set, wanted(set) - unready - healthy);
    }
  }

  /** How many are wanted in all is written into each ReplicaSet: whether one shrinks in a rollout, or because of fewer. */
  #sizes(deployment: WorkloadObject): Record<string, string> {
    return { [DESIRED]: String(deployment.spec.replicas ?? 1), [MAX]: String(this.#most(deployment)) };
  }

  #most(deployment: WorkloadObject): number {
    const { replicas = 1, strategy } = deployment.spec;
    return replicas + portion(strategy?.rollingUpdate?.maxSurge, replicas, 'up', '25%');
  }

  #mayMiss(deployment: WorkloadObject): number {
    const { replicas = 1, strategy } = deployment.spec;
    const missing = portion(strategy?.rollingUpdate?.maxUnavailable, replicas, 'down', '25%');
    // With neither, nothing could ever move.
    return missing === 0 && this.#most(deployment) === replicas ? 1 : missing;
  }

  #scale(deployment: WorkloadObject, set: WorkloadObject, replicas: number): void {
    const sizes = this.#sizes(deployment);
    const isSame = replicas === 0 || set.metadata.annotations?.[DESIRED] === sizes[DESIRED];
    if (set.spec.replicas === replicas && isSame) return;
    const latest = this.#sets.sets.get(set.metadata.uid);
    if (latest === undefined) return;
    const metadata = { ...latest.metadata, annotations: { ...latest.metadata.annotations, ...sizes } };
    const scaled = this.#world.attempt(() =>
      this.#world.api.update('replicasets.apps', { ...latest, metadata, spec: { ...latest.spec, replicas } }),
    );
    const before = set.spec.replicas ?? 0;
    if (scaled !== undefined && before !== replicas) this.#scaled(deployment, set.metadata.name, before, replicas);
  }

  #scaled(deployment: WorkloadObject, set: string, from: number, to: number): void {
    const message = `Scaled ${from < to ? 'up' : 'down'} replica set ${set} from ${from} to ${to}`;
    recordOnOwner(this.#world, deployment, { reason: 'ScalingReplicaSet', message });
  }

  #forgetOld(deployment: WorkloadObject, old: readonly WorkloadObject[]): void {
    const idle = old.filter((set) => set.spec.replicas === 0 && this.#world.podsOwnedBy(set.metadata.uid).size === 0);
    const surplus = idle.length - (deployment.spec.revisionHistoryLimit ?? 10);
    if (surplus <= 0) return;
    for (const { metadata } of idle.toSorted((a, b) => revisionOf(a) - revisionOf(b)).slice(0, surplus)) {
      this.#world.attempt(() => this.#world.api.delete('replicasets.apps', metadata.namespace, metadata.name));
    }
  }

  #report(deployment: WorkloadObject, hash: string): void {
    const latest = this.deployments.get(deployment.metadata.uid);
    if (latest === undefined) return;
    let [replicas, ready, updated, readyUpdated] = [0, 0, 0, 0];
    for (const set of this.#sets.sets.group(0, deployment.metadata.uid).values()) {
      const has = Number(set.status?.['replicas'] ?? 0);
      const hasReady = Number(set.status?.['readyReplicas'] ?? 0);
      replicas += has;
      ready += hasReady;
      if (set.metadata.labels?.[HASH_LABEL] !== hash) continue;
      updated += has;
      readyUpdated += hasReady;
    }
    const wanted = latest.spec.replicas ?? 1;
    const counts = {
      observedGeneration: latest.metadata.generation ?? 1,
      ...(replicas === 0 ? {} : { replicas }),
      ...(updated === 0 ? {} : { updatedReplicas: updated }),
      ...(ready === 0 ? {} : { readyReplicas: ready, availableReplicas: ready }),
      ...(ready >= wanted ? {} : { unavailableReplicas: wanted - ready }),
    };
    const { conditions: before, ...beforeCounts } = latest.status ?? {};
    if (sameStatus(beforeCounts, counts) && before !== undefined) return;
    const available = ready >= wanted - this.#mayMiss(latest);
    const done = updated === wanted && readyUpdated === wanted && replicas === wanted;
    const conditions = [
      available
        ? this.#condition(
            before,
            'Available',
            'True',
            'MinimumReplicasAvailable',
            'Deployment has minimum availability.',
          )
        : this.#condition(
            before,
            'Available',
            'False',
            'MinimumReplicasUnavailable',
            'Deployment does not have minimum availability.',
          ),
      this.#condition(
        before,
        'Progressing',
        'True',
        done ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
        `ReplicaSet "${latest.metadata.name}-${hash}" ${done ? 'has successfully progressed.' : 'is progressing.'}`,
      ),
    ];
    const status = { ...counts, conditions };
    this.#world.attempt(() => this.#world.api.update('deployments.apps', { ...latest, status }, 'status'));
  }

  #condition(before: unknown, type: string, status: string, reason: string, message: string): unknown {
    const last = (Array.isArray(before) ? before : []).find((one: { type?: string }) => one.type === type);
    const at = kubeTime(this.#world.clock.now());
    const lastTransitionTime = last?.status === status ? last.lastTransitionTime : at;
    const same = last?.reason === reason && last?.message === message;
    return { type, status, reason, message, lastUpdateTime: same ? last.lastUpdateTime : at, lastTransitionTime };
  }
}

function revisionOf(set: KubeObject): number {
  return Number(set.metadata.annotations?.[REVISION] ?? 0);
}
