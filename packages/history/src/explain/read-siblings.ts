// The other pods of a workload that lived around the end of one. Those that came later may have taken its place; those
// that came before say which revision is growing, and whether its own lives on.
import type { Snapshot, Span, Subject } from '../engines/snapshot.ts';
import type { PodLife } from '../model/pod-life.ts';
import { epochMillis } from '../model/time.ts';
import { MINUTE_MS } from './traces.ts';

const BEFORE_MS = 60 * MINUTE_MS;
const PAGE = 500;
const MOST_PAGES = 4;

/** `around`: from the end of the pod to as long after it as a successor may come. In the order of their creation. */
export async function readSiblings(snapshot: Snapshot, life: PodLife, around: Span): Promise<PodLife[]> {
  const { owner, pod } = life;
  const subjects: Subject[] = [];
  if (owner !== undefined && owner.uid !== '') subjects.push({ by: 'uid', uid: owner.uid });
  if (pod.workload !== undefined) {
    const { kind, name } = pod.workload;
    subjects.push({ by: 'workload', namespace: pod.namespace, kind, name });
  }
  // A static pod has no owner: its successor has its name.
  if (subjects.length === 0) subjects.push({ by: 'name', namespace: pod.namespace, name: pod.name });
  const found = new Map<string, PodLife>();
  const near = { from: epochMillis(around.from - BEFORE_MS), to: around.to };
  for (const subject of subjects) {
    for (const one of await readLives(snapshot, subject, near, MOST_PAGES)) found.set(one.pod.uid, one);
  }
  const [first] = subjects;
  if (first !== undefined && near.from > life.created) {
    const earlier = await readLives(snapshot, first, { from: epochMillis(0), to: near.from }, 1);
    for (const one of earlier) found.set(one.pod.uid, one);
  }
  found.delete(pod.uid);
  return [...found.values()].sort((a, b) => a.created - b.created);
}

async function readLives(snapshot: Snapshot, subject: Subject, span: Span, pages: number): Promise<PodLife[]> {
  const found: PodLife[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    const read = await snapshot.occurrences({ kind: 'life', subject, span, page: { limit: PAGE, cursor } });
    found.push(...read.items);
    cursor = read.cursor;
    if (cursor === undefined) break;
  }
  return found;
}
