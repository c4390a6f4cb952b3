// Why a pod ended, and how it lived: the verdict, the evidence in its order, the lifecycle.
import type { Cluster, Snapshot, Subject } from '../engines/snapshot.ts';
import { HistoryError } from '../errors.ts';
import {
  type Case,
  explain,
  isEvidenceVisible,
  lifecycle,
  type Milestone,
  readCase,
  type Verdict,
  visibleVerdict,
} from '../explain/index.ts';
import type { Evidence } from '../model/evidence.ts';
import type { PodLife } from '../model/pod-life.ts';
import { type EpochMillis, epochMillis, toText } from '../model/time.ts';
import { LONGEST_SPAN_MS } from '../query/limits.ts';
import { isHolderVisible, type Visibility } from '../query/visibility.ts';
import { who } from '../query/who.ts';
import { type Asked, clusterDocument } from './asked.ts';
import { holderDocument, textOrNull } from './holder.ts';
import { lifeDocument } from './life.ts';
import { narrowedDocument } from './narrowed.ts';
import type { EvidenceNoteDocument, ExplainDocument } from './schemas.ts';
import { readWatching, type Watching, watchingDocument } from './watching.ts';

export interface ExplainAsked {
  /** A pod by its name, its UID, or an address that it had. */
  readonly asked: Asked;
  /** Of several lives the one at this instant, else the last one before it. */
  readonly at: EpochMillis;
  readonly now: EpochMillis;
}

export interface ExplainFound {
  /** Undefined: there is no record of such a pod. */
  readonly life: PodLife | undefined;
  /** Undefined while it lives. */
  readonly verdict: Verdict | undefined;
  /** All that was read, in the order of time. */
  readonly evidence: readonly Evidence[];
  readonly milestones: readonly Milestone[];
  /** Streams of evidence that nobody watched then. */
  readonly unwatched: readonly string[];
  readonly watching: Watching;
  readonly document: ExplainDocument;
}

const MOST_LIVES = 1000;

export async function askExplain(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  question: ExplainAsked,
): Promise<ExplainFound> {
  const { asked, at, now } = question;
  const found = await findLife(snapshot, visibility, question);
  const known = found === undefined ? undefined : await readCase(snapshot, found.pod.uid);
  const life = known?.life ?? found;
  const all = known === undefined ? [] : evidenceOf(known);
  const verdict = known === undefined ? undefined : visibleVerdict(explain(known), all, visibility);
  const evidence = all.filter((one) => isEvidenceVisible(one, visibility));
  const milestones = life === undefined ? [] : lifecycle(life);
  const unwatched = known?.unwatched ?? [];
  const watching = await readWatching(snapshot, { from: at, to: epochMillis(at + 1) }, now);
  const document: ExplainDocument = {
    query: { ...clusterDocument(cluster), ...asked, at: toText(at) },
    ...narrowedDocument(visibility),
    pod: life === undefined ? null : holderDocument(life.pod),
    isAlive: life !== undefined && verdict === undefined,
    cause: verdict?.cause ?? null,
    certainty: verdict?.certainty ?? null,
    sentence: verdict?.sentence ?? null,
    ...(verdict?.actor === undefined ? {} : { actor: verdict.actor }),
    ended: textOrNull(known?.endedAt),
    ...(life === undefined ? NO_LIFE : lifeDocument(life)),
    evidence: evidence.map((one) => evidenceNoteDocument(one, verdict)),
    unwatched: [...unwatched],
    coverage: watchingDocument(watching),
  };
  return { life, verdict, evidence, milestones, unwatched, watching, document };
}

/** All of it, each once, in the order of time. */
function evidenceOf({ pod, node, owner, workload, namespace }: Case): Evidence[] {
  const all = new Map([...pod, ...node, ...owner, ...workload, ...namespace].map((one) => [one.id, one]));
  return [...all.values()].sort((a, b) => a.at - b.at);
}

async function findLife(
  snapshot: Snapshot,
  visibility: Visibility,
  { asked, at, now }: ExplainAsked,
): Promise<PodLife | undefined> {
  const subject = asked.by === 'ip' ? await holderOf(snapshot, visibility, asked.ip, at, now) : asked;
  if (subject === undefined) return undefined;
  if (subject.by === 'service' || subject.by === 'workload') {
    throw new HistoryError('bad-subject', 'a cause is one of one pod', {
      hint: 'name a pod, a UID or an address; the moves of a workload are in `moves`.',
    });
  }
  const span = { from: epochMillis(Math.max(0, now - LONGEST_SPAN_MS + 1)), to: epochMillis(now + 1) };
  const page = { limit: MOST_LIVES };
  const { items } = await snapshot.occurrences({ kind: 'life', subject, span, page });
  const lives = items.filter((life) => isThis(life, subject) && isVisible(life, visibility));
  return lives.findLast(({ created }) => created <= at) ?? lives[0];
}

/** A record is found by its owner, too. */
function isThis({ pod }: PodLife, subject: Subject): boolean {
  return subject.by === 'uid'
    ? pod.uid === subject.uid
    : pod.name === subject.name && pod.namespace === subject.namespace;
}

function isVisible({ pod, created }: PodLife, visibility: Visibility): boolean {
  return isHolderVisible(visibility, pod, { notBefore: created });
}

/** Who had the address then; where nobody had it, who had it before. */
async function holderOf(
  snapshot: Snapshot,
  visibility: Visibility,
  ip: Extract<Asked, { by: 'ip' }>['ip'],
  at: EpochMillis,
  now: EpochMillis,
): Promise<Subject | undefined> {
  const answer = await who(snapshot, { ip, at, now, visibility });
  const pods = answer.holders.filter(({ kind, hostNetwork }) => kind === 'Pod' && !hostNetwork);
  const [pod = answer.last?.kind === 'Pod' ? answer.last : undefined, ...others] = pods;
  if (others.length > 0) {
    const names = pods.slice(0, 3).map(({ namespace, name, uid }) => `${namespace}/${name} (uid/${uid})`);
    throw new HistoryError('ambiguous', `${ip} may have been held by any of ${pods.length} pods then`, {
      hint: `ask about one of them: ${names.join(', ')}.`,
    });
  }
  return pod === undefined ? undefined : { by: 'uid', uid: pod.uid };
}

const NO_LIFE = { lifecycle: [], qosClass: null, priority: null, restarts: null, endings: [] };

/** `used`: the verdict rests on it. */
function evidenceNoteDocument(evidence: Evidence, verdict: Verdict | undefined): EvidenceNoteDocument {
  const { id, at, what, about, reason, message, by, related, count, source } = evidence;
  return {
    ...{ id, at: toText(at), what, about, reason, message, by },
    ...(related === undefined ? {} : { related }),
    ...{ count, source, used: verdict?.evidence.includes(id) ?? false },
  };
}
