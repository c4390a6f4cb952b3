// The other pods of a workload that lived around the end of one. Those that came later may have taken its place; those
// that came before say which revision is growing, and whether its own lives on. Pods of other namespaces are none,
// whatever owner they claim to have: their author writes that, and nobody checks the UID.
import type { Snapshot, Span, Subject } from '../engines/snapshot.ts';
import type { PodLife } from '../model/pod-life.ts';
import { epochMillis } from '../model/time.ts';
import { MINUTE_MS, SECOND_MS } from './traces.ts';

const BEFORE_MS = 60 * MINUTE_MS;
const PAGE = 500;
const MOST_PAGES = 4;
/** Of more pods than a page, those nearest to the end are read first: so far back, one range after the other. */
const BACKWARDS_MS = [MINUTE_MS, 4 * MINUTE_MS, 15 * MINUTE_MS, BEFORE_MS];
/** Pods of a workload that end within such a range read the same of it. */
const SHARED_MS = 10 * SECOND_MS;
/** Of all workloads of a snapshot, some 20 MB. */
const MOST_KEPT = 20_000;

/**
 * `around`: from the end of the pod to as long after it as a successor may come. `others`: UIDs of other owners of its workload,
 * where the pods do not say whose they are. In the order of their creation.
 */
export async function readSiblings(
  snapshot: Snapshot,
  life: PodLife,
  around: Span,
  others: readonly string[] = [],
): Promise<PodLife[]> {
  const { owner, pod } = life;
  const subjects: Subject[] = [];
  if (owner !== undefined && owner.uid !== '') subjects.push({ by: 'uid', uid: owner.uid });
  if (pod.workload !== undefined) {
    const { kind, name } = pod.workload;
    subjects.push({ by: 'workload', namespace: pod.namespace, kind, name });
  }
  for (const uid of others) subjects.push({ by: 'uid', uid });
  // A static pod has no owner: its successor has its name.
  if (subjects.length === 0) subjects.push({ by: 'name', namespace: pod.namespace, name: pod.name });
  const found = new Map<string, PodLife>();
  const add = (lives: readonly PodLife[]) => {
    for (const one of lives) if (one.pod.namespace === pod.namespace) found.set(one.pod.uid, one);
  };
  const near = around.from - BEFORE_MS;
  const shared = sharedLives(snapshot);
  for (const subject of subjects) {
    const lives = await shared.read('near', subject, roundedOut(around), readNear);
    add(lives.filter((one) => filedAt(one) >= near && filedAt(one) < around.to));
  }
  const [first] = subjects;
  // The next pod of a StatefulSet waits for those of lower numbers, which may have lived for longer than this one.
  if (first !== undefined && (near > life.created || owner?.kind === 'StatefulSet')) {
    const lives = await shared.read(
      'earlier',
      first,
      roundedOut({ from: epochMillis(0), to: epochMillis(near) }),
      readPage,
    );
    add(lives.filter((one) => filedAt(one) < near));
  }
  found.delete(pod.uid);
  return [...found.values()].sort((a, b) => a.created - b.created);
}

/** Whoever lived for long is found by its end. */
function filedAt({ created, filedAt: end = created }: PodLife): number {
  return end;
}

function roundedOut({ from, to }: Span): Span {
  const [first, last] = [Math.floor(from / SHARED_MS), Math.ceil(to / SHARED_MS)];
  return { from: epochMillis(first * SHARED_MS), to: epochMillis(last * SHARED_MS) };
}

type ReadLives = (snapshot: Snapshot, subject: Subject, span: Span) => Promise<readonly PodLife[]>;

const ofSnapshots = new WeakMap<Snapshot, SharedLives>();

function sharedLives(snapshot: Snapshot): SharedLives {
  const shared = ofSnapshots.get(snapshot) ?? new SharedLives(snapshot);
  ofSnapshots.set(snapshot, shared);
  return shared;
}

/** Invariant: all reads of a snapshot see one state, so that what was read stays right for as long as it lives. */
class SharedLives {
  readonly #snapshot: Snapshot;
  readonly #known = new Map<string, Promise<readonly PodLife[]>>();
  #kept = 0;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  async read(what: string, subject: Subject, span: Span, read: ReadLives): Promise<readonly PodLife[]> {
    const key = JSON.stringify([what, subject, span.from, span.to]);
    const known = this.#known.get(key);
    if (known !== undefined) return await known;
    const reading = read(this.#snapshot, subject, span);
    this.#known.set(key, reading);
    const lives = await reading;
    this.#kept += lives.length;
    if (this.#kept > MOST_KEPT) {
      this.#known.clear();
      this.#kept = 0;
    }
    return lives;
  }
}

/** All of them if they are few; else forwards from the end, and then backwards from it. */
async function readNear(snapshot: Snapshot, subject: Subject, { from, to }: Span): Promise<PodLife[]> {
  const all = await readLives(snapshot, subject, { from: epochMillis(from - BEFORE_MS), to }, 1);
  if (all.isWhole) return all.lives;
  // Times have a resolution of one second: a successor may be created within the second before.
  let until = epochMillis(from - SECOND_MS);
  const { lives } = await readLives(snapshot, subject, { from: until, to }, MOST_PAGES);
  const most = lives.length + MOST_PAGES * PAGE;
  for (const backMs of BACKWARDS_MS) {
    const pages = Math.ceil((most - lives.length) / PAGE);
    if (pages <= 0) break;
    const range = { from: epochMillis(from - backMs), to: until };
    lives.push(...(await readLives(snapshot, subject, range, pages)).lives);
    until = range.from;
  }
  return lives;
}

async function readPage(snapshot: Snapshot, subject: Subject, span: Span): Promise<readonly PodLife[]> {
  return (await readLives(snapshot, subject, span, 1)).lives;
}

async function readLives(snapshot: Snapshot, subject: Subject, span: Span, most: number) {
  const lives: PodLife[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < most; page++) {
    const read = await snapshot.occurrences({ kind: 'life', subject, span, page: { limit: PAGE, cursor } });
    lives.push(...read.items);
    cursor = read.cursor;
    if (cursor === undefined) break;
  }
  return { lives, isWhole: cursor === undefined };
}
