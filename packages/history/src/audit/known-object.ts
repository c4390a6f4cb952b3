// Whether the ledger knows the object that an entry of the audit log is about. What it does not know can explain nothing
// in it, and would only take room.
import type { Snapshot, Span, Subject } from '../engines/snapshot.ts';
import { readLife } from '../explain/read-case.ts';
import type { Evidence } from '../model/evidence.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';

/** A pod is there some seconds before its node is known, and gone from its node before the object is. */
const AROUND_POD_MS = 60_000;
/** Pods of a workload or a node that it lost, or is to get. */
const AROUND_OTHERS_MS = 3_600_000;
/** Of whom an owner is, is recorded once a day. */
const OWNED_MS = 2 * 86_400_000;
const FEW = 20;
const LIVES = 200;

export async function isKnownObject(snapshot: Snapshot, { about, at }: Evidence): Promise<boolean> {
  switch (about.kind) {
    case 'Pod':
      return await isKnownPod(snapshot, about, at);
    case 'Node':
      return (await snapshot.placementsOn(about.name, around(at, AROUND_OTHERS_MS), { limit: 1 })).items.length > 0;
    // There are few of them, and a pod may be known of which no namespace is.
    case 'Namespace':
      return true;
    default:
      return await isKnownOwner(snapshot, about, at);
  }
}

async function isKnownPod(snapshot: Snapshot, about: Evidence['about'], at: EpochMillis): Promise<boolean> {
  const { uid, namespace, name } = about;
  const subject: Subject = uid === '' ? { by: 'name', namespace, name } : { by: 'uid', uid };
  const near = around(at, AROUND_POD_MS);
  if ((await snapshot.placementsOf(subject, near, { limit: 1 })).items.length > 0) return true;
  if (uid !== '') return (await readLife(snapshot, uid)) !== undefined;
  const { items } = await snapshot.occurrences({
    ...{ kind: 'life', subject, span: { from: epochMillis(0), to: near.to } },
    page: { limit: LIVES },
  });
  return items.some(({ pod, gone }) => pod.name === name && (gone ?? near.to) >= near.from);
}

async function isKnownOwner(snapshot: Snapshot, about: Evidence['about'], at: EpochMillis): Promise<boolean> {
  const { kind, namespace, name } = about;
  const workload: Subject = { by: 'workload', namespace, kind, name };
  const near = around(at, AROUND_OTHERS_MS);
  if ((await snapshot.placementsOf(workload, near, { limit: 1 })).items.length > 0) return true;
  const { items } = await snapshot.occurrences({
    ...{ kind: 'evidence', subject: { by: 'name', namespace, name } },
    span: { from: epochMillis(Math.max(0, at - OWNED_MS)), to: near.to },
    page: { limit: FEW },
  });
  return items.some((one) => one.what !== 'audited' && one.about.kind === kind);
}

function around(at: EpochMillis, byMs: number): Span {
  return { from: epochMillis(Math.max(0, at - byMs)), to: epochMillis(at + byMs) };
}
