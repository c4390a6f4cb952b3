// On which node a pod is, from its binding to its end. Pure; holder-life.ts calls it with each observation of a pod.
import type { Holder, Placement } from '../model/records.ts';
import { epochMillis, latest } from '../model/time.ts';
import { asMillis, boundary, isDoubtful, terminalEnd, undoneEnd } from './boundaries.ts';
import { RESOLUTION_MS } from './evidence.ts';
import { provenanceOf } from './observation-context.ts';
import type { Scene, Transition } from './pod-life.ts';
import { notBeforeStart } from './tenure-ends.ts';

type Move = Pick<Scene, 'holder' | 'context' | 'facts'>;

export function placementAfter(scene: Scene, transition: Transition): Placement | undefined {
  const known = scene.before?.placement;
  if (known !== undefined && scene.holder.node !== scene.before?.holder.node) reportMove(scene, known);
  const placement = known ?? bind(scene);
  return transition === 'ended' && placement !== undefined ? endWithPod(scene, placement) : placement;
}

/**
 * A pod of a restored etcd is shown on another node than before: it was restored to before it was bound, and goes
 * elsewhere. A ledger has one placement of a pod: the first one ends.
 */
export function undoneMove(scene: Move, placement: Placement): Placement {
  reportMove(scene, placement);
  const ended = { ...placement, end: notBeforeStart(undoneEnd(scene.context), placement.start) };
  scene.facts.push({ kind: 'placement', placement: ended });
  return ended;
}

function bind({ pod, holder, context, facts }: Scene): Placement | undefined {
  if (holder.node === '') return undefined;
  const scheduled = pod.status.conditions.find((c) => c.type === 'PodScheduled' && c.status === 'True');
  const since = asMillis(scheduled?.lastTransitionTime, context.at);
  const created = asMillis(pod.metadata.creationTimestamp);
  const start =
    since !== undefined
      ? boundary(context, epochMillis(since - RESOLUTION_MS), epochMillis(since + RESOLUTION_MS), since)
      : boundary(context, latest(context.watermark, created) ?? context.at, context.at);
  const placement: Placement = { pod: holder, start, end: undefined };
  facts.push({ kind: 'placement', placement });
  return placement;
}

function endWithPod({ before, pod, context, facts }: Scene, placement: Placement): Placement {
  if (placement.end !== undefined && !isDoubtful(placement.end)) return placement;
  const ended = { ...placement, end: notBeforeStart(terminalEnd(pod, context, before), placement.start) };
  facts.push({ kind: 'placement', placement: ended });
  return ended;
}

/** Kubernetes never moves a pod. As the other anomalies, this one names the object first. */
function reportMove({ holder, context, facts }: Move, { pod: { node: before } }: { readonly pod: Holder }): void {
  const { namespace, name, node, uid } = holder;
  const detail = `pod ${namespace}/${name} on node ${node || '<none>'}: it was on ${before} before`;
  facts.push({ kind: 'anomaly', anomaly: { ...provenanceOf(context), what: 'node-changed', uid, detail } });
}
