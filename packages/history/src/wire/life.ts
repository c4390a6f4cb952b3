// The life of a pod, as documents have it: its milestones, its class, how its containers ended.
import { lifecycle } from '../explain/index.ts';
import type { PodLife } from '../model/pod-life.ts';
import { toText } from '../model/time.ts';
import type { LifeDocument } from './schemas/index.ts';

export function lifeDocument(life: PodLife): LifeDocument {
  const { qosClass, priority, restarts, endings } = life;
  return {
    lifecycle: lifecycle(life).map(({ name, at, afterMs, detail }) => {
      return { name, at: toText(at), afterMs: afterMs ?? null, detail };
    }),
    ...{ qosClass, priority, restarts },
    endings: endings.map(({ restarted: _restarted, ...ending }) => ({ ...ending, at: toText(ending.at) })),
  };
}
