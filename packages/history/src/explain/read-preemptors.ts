// Who preempted a pod, by name. Schedulers of 1.36 leave `related` out of the Event: only its message has the preemptor's
// UID, and the store may know that pod.
import type { Snapshot } from '../engines/snapshot.ts';
import type { Evidence } from '../model/evidence.ts';
import type { PodLife } from '../model/pod-life.ts';
import { preemptorUid } from './checks/preemption.ts';
import { events } from './traces.ts';

type ReadLife = (snapshot: Snapshot, uid: string) => Promise<PodLife | undefined>;

/** A pod is preempted once or twice in its life: whoever writes more Events than that gets no more reads. */
const MOST = 4;

/** The same evidence; where a preemptor is known, with its reference. */
export async function withPreemptors(
  snapshot: Snapshot,
  evidence: readonly Evidence[],
  readLife: ReadLife,
): Promise<Evidence[]> {
  const named = new Map<Evidence, Evidence>();
  for (const event of events(evidence, 'Preempted').slice(-MOST)) {
    const uid = event.related === undefined ? preemptorUid(event) : undefined;
    const pod = uid === undefined ? undefined : (await readLife(snapshot, uid))?.pod;
    if (pod === undefined) continue;
    const { namespace, name } = pod;
    named.set(event, { ...event, related: { kind: 'Pod', namespace, name, uid: pod.uid } });
  }
  return evidence.map((one) => named.get(one) ?? one);
}
