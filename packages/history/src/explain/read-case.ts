// Reads the case of one pod from a snapshot: its life, what is said about it and about everything that may have ended it,
// and the other pods of its workload. Every read has a limit; what is beyond it is farthest from the end.
import type { Snapshot, Span, Subject } from '../engines/snapshot.ts';
import type { Evidence } from '../model/evidence.ts';
import type { ObjectReference } from '../model/object-reference.ts';
import type { Departure, PodLife } from '../model/pod-life.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { readWatchedTime } from '../query/who.ts';
import type { Case } from './case.ts';
import { controllerOfOwner, foreignController } from './going.ts';
import { AFTER_MS, inOrder, readEvidence, readShared } from './read-evidence.ts';
import { readNode } from './read-node.ts';
import { withPreemptors } from './read-preemptors.ts';
import { readSiblings } from './read-siblings.ts';
import { readUnwatched } from './read-unwatched.ts';
import { CLOCK_SLACK_MS, endOf, MINUTE_MS } from './traces.ts';

const BEFORE_MS = 24 * 60 * MINUTE_MS;
const ALWAYS_FROM = epochMillis(0);

/**
 * Undefined for a pod of which no life is stored, and, unless `at` asks why it changed then (an address, a sandbox), for
 * one that has not begun to end.
 */
export async function readCase(snapshot: Snapshot, uid: string, at?: EpochMillis): Promise<Case | undefined> {
  const [life, departure] = await Promise.all([readLife(snapshot, uid), readDeparture(snapshot, uid)]);
  if (at !== undefined && life !== undefined) return await readCaseOf(snapshot, life, at);
  if (departure !== undefined) return await readDepartedCase(snapshot, departure, life);
  const end = life === undefined ? undefined : endOf(life);
  return life === undefined || end === undefined ? undefined : await readCaseOf(snapshot, life, epochMillis(end));
}

/** The case of a departure that has been read already. `life`: what is stored of the pod, if that has been read, too. */
export async function readDepartedCase(
  snapshot: Snapshot,
  departure: Departure,
  life?: PodLife | undefined,
): Promise<Case> {
  const found = life ?? (await readLife(snapshot, departure.pod.uid));
  const stored = found ?? lifeOfDeparture(departure);
  // Who was found to be gone has no end in its life: nobody saw it.
  const ended = endOf(stored) === undefined ? unseenEnd(stored, departure) : stored;
  const known = await readCaseOf(snapshot, ended, beginningOfEnd(ended, departure.at));
  return {
    ...known,
    ...(found === undefined ? { isLifeMissing: true } : {}),
    ...(departure.source === 'watch' ? { endSeenAt: departure.observedAt, endVersion: versionOf(departure) } : {}),
  };
}

function unseenEnd(stored: PodLife, { observedAt, source, disruption }: Departure): PodLife {
  return { ...stored, gone: observedAt, source, ...(disruption === undefined ? {} : { disruption }) };
}

function versionOf({ epoch, resourceVersion }: Departure): Case['endVersion'] {
  return { epoch, resourceVersion };
}

export async function readLife(snapshot: Snapshot, uid: string): Promise<PodLife | undefined> {
  const { items } = await snapshot.occurrences({
    ...{ kind: 'life', key: uid, subject: { by: 'uid', uid }, span: { from: ALWAYS_FROM, to: FAR } },
    page: { limit: 2 },
  });
  return items.find(({ pod }) => pod.uid === uid);
}

export async function readDeparture(snapshot: Snapshot, uid: string): Promise<Departure | undefined> {
  const { items } = await snapshot.occurrences({
    ...{ kind: 'departure', key: uid, subject: { by: 'uid', uid }, span: { from: ALWAYS_FROM, to: FAR } },
    page: { limit: 2 },
  });
  return items.find(({ pod }) => pod.uid === uid);
}

async function readCaseOf(snapshot: Snapshot, life: PodLife, endedAt: EpochMillis): Promise<Case> {
  const { pod } = life;
  const until = epochMillis(Math.max(endedAt, life.gone ?? endedAt) + AFTER_MS);
  const day = { from: epochMillis(endedAt - BEFORE_MS), to: until };
  const always = { from: ALWAYS_FROM, to: until };
  // About a pod nothing is said before it is there.
  const recently = { from: epochMillis(endedAt - 2 * BEFORE_MS), to: until };
  const ofLife = { from: epochMillis(Math.max(0, life.created - BEFORE_MS)), to: until };
  const named = (namespace: string, name: string): Subject => ({ by: 'name', namespace, name });
  const [ofPod, node, owner, namespace] = await Promise.all([
    // Not by its UID: whoever writes that into Events of another namespace would fill the reading.
    readEvidence(snapshot, named(pod.namespace, pod.name), ofLife, isAboutPod(life)),
    readNode(snapshot, pod.node, day),
    readOwner(snapshot, life.owner, recently),
    readShared(snapshot, named('', pod.namespace), always, ({ about }) => about.kind === 'Namespace'),
  ]);
  const others = await readOtherReplicaSets(snapshot, { life, owner }, day);
  const siblings = await readSiblings(snapshot, life, { from: endedAt, to: until }, others);
  const workload = await readWorkload(snapshot, { life, owner, siblings }, day);
  const unwatched = await readUnwatched(snapshot, life, endedAt);
  const { last } = await readWatchedTime(snapshot);
  return {
    life,
    endedAt,
    pod: await withPreemptors(snapshot, ofPod, readLife),
    node,
    owner,
    workload,
    namespace,
    siblings,
    unwatched,
    knownUntil: last,
  };
}

/**
 * The UID of an Event is whatever its author wrote: API servers compare namespaces only, and who may write Events in one
 * namespace must not make up causes in another. A node that owns pods is in no namespace, though they are.
 */
function isAbout({ kind, namespace, name, uid }: ObjectReference) {
  const inNamespace = kind === 'Node' ? '' : namespace;
  return ({ about }: Evidence) =>
    about.uid === uid && about.kind === kind && about.name === name && about.namespace === inNamespace;
}

/** Some controllers leave the UID out: then it is about whoever had the name at that time. */
function isAboutPod({ pod, created, gone }: PodLife) {
  const [from, to] = [created - CLOCK_SLACK_MS, (gone ?? FAR) + CLOCK_SLACK_MS];
  const isNamed = isAbout(pod);
  const isNameless = isAbout({ ...pod, uid: '' });
  return (one: Evidence) => isNamed(one) || (isNameless(one) && one.at >= from && one.at <= to);
}

async function readOwner(snapshot: Snapshot, owner: ObjectReference | undefined, span: Span): Promise<Evidence[]> {
  return owner === undefined || owner.uid === '' ? [] : await readByReference(snapshot, owner, span);
}

/** Whose it is, is said of an owner once a day: only where that is not found is everything read. */
async function readByReference(snapshot: Snapshot, owner: ObjectReference, { from, to }: Span): Promise<Evidence[]> {
  const read = (span: Span) => readShared(snapshot, { by: 'uid', uid: owner.uid }, span, isAbout(owner));
  const recent = await read({ from, to });
  return recent.some(({ what }) => what === 'owned') ? recent : await read({ from: ALWAYS_FROM, to });
}

/**
 * Of a controller that is no Deployment: its pods are of no workload that could be read of them, and the records of whose a
 * ReplicaSet is are found by the name of the controller.
 */
async function readOtherReplicaSets(
  snapshot: Snapshot,
  { life, owner }: Pick<Case, 'life' | 'owner'>,
  span: Span,
): Promise<string[]> {
  const controller = foreignController({ life, owner });
  if (controller === undefined) return [];
  const subject: Subject = { by: 'name', namespace: life.pod.namespace, name: controller.name };
  const found = await readShared(
    snapshot,
    subject,
    span,
    ({ what, about, related }) =>
      what === 'owned' && about.kind === 'ReplicaSet' && about.uid !== '' && related?.uid === controller.uid,
  );
  const uids = new Set(found.map(({ about }) => about.uid));
  uids.delete(life.owner?.uid ?? '');
  return [...uids].slice(-MOST_OWNERS);
}

/**
 * By its name, which its HorizontalPodAutoscaler often shares; not what is about another one of the same kind and name.
 * The ReplicaSets of its other pods are read, too: their numbers say which is newer.
 */
async function readWorkload(
  snapshot: Snapshot,
  { life, owner, siblings }: Pick<Case, 'life' | 'owner' | 'siblings'>,
  span: Span,
): Promise<Evidence[]> {
  const controller = controllerOfOwner({ owner, life });
  const name = controller?.name ?? life.pod.workload?.name;
  if (name === undefined) return [];
  const { namespace } = life.pod;
  const isOther = ({ about }: Evidence) =>
    controller !== undefined && about.kind === controller.kind && about.uid !== '' && about.uid !== controller.uid;
  const found = await readShared(snapshot, { by: 'name', namespace, name }, span, (one) => !isOther(one));
  const owners = new Map(siblings.flatMap(({ owner: one }) => (one === undefined ? [] : [[one.uid, one] as const])));
  for (const [uid, one] of [...owners].slice(-MOST_OWNERS)) {
    if (uid === '' || uid === life.owner?.uid) continue;
    const recently = { from: epochMillis(span.from - BEFORE_MS), to: span.to };
    found.push(...(await readByReference(snapshot, one, recently)));
  }
  return inOrder(found);
}

const MOST_OWNERS = 4;

/**
 * A controller that collects pods writes the end itself, and nothing else in the status says when: the pod's last change
 * may be from when its node was lost.
 */
function beginningOfEnd({ disruption, deletion }: PodLife, at: EpochMillis): EpochMillis {
  if (disruption === undefined || !WRITERS.has(disruption.reason) || disruption.at <= at) return at;
  const isFirst = deletion === undefined || deletion.requested >= disruption.at - CLOCK_SLACK_MS;
  return isFirst ? disruption.at : at;
}

const WRITERS = new Set(['DeletionByPodGC', 'TerminationByKubelet']);

/** Nothing else is stored of it: its life has expired, or was never seen. */
function lifeOfDeparture(departure: Departure): PodLife {
  const { pod, owner, at, source, epoch, resourceVersion, observedAt, collector } = departure;
  return {
    ...{ source, epoch, resourceVersion, observedAt, collector, pod, owner, created: at, gone: observedAt },
    ...{ isMirror: false, qosClass: '', priority: 0, restarts: 0, endings: [] },
  };
}

const FAR = epochMillis(Date.UTC(9999, 0, 1));
