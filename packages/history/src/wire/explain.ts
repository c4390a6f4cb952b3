// Why a pod ended, and how it lived: the verdict, the evidence in its order, the lifecycle.
import type { Cluster, Snapshot } from '../engines/snapshot.ts';
import {
  type Case,
  causesOf,
  hintOf,
  isEvidenceVisible,
  lifecycle,
  type Milestone,
  type Move,
  Predecessors,
  type Verdict,
} from '../explain/index.ts';
import type { Evidence } from '../model/evidence.ts';
import type { PodLife } from '../model/pod-life.ts';
import { type EpochMillis, epochMillis, toText } from '../model/time.ts';
import type { Answer } from '../query/answer.ts';
import type { Visibility } from '../query/visibility.ts';
import { type Asked, clusterDocument } from './asked.ts';
import { successorDocument } from './ending.ts';
import { findLife } from './find-life.ts';
import { holderDocument, textOrNull } from './holder.ts';
import { lifeDocument } from './life.ts';
import { narrowedDocument } from './narrowed.ts';
import type { EvidenceNoteDocument, ExplainDocument, PredecessorDocument } from './schemas/index.ts';
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
  /** What to look at next; undefined while it lives. */
  readonly hint: string | undefined;
  /** Its end as a move: who took its place. */
  readonly move: Move | undefined;
  /** The move that led to it: whose place it took. */
  readonly cameFrom: Move | undefined;
  /** Other pods that had its name, oldest first. */
  readonly others: readonly PodLife[];
  /** Who held the address then, where one was asked about. */
  readonly answer: Answer | undefined;
  /** All that was read, in the order of time. */
  readonly evidence: readonly Evidence[];
  readonly milestones: readonly Milestone[];
  /** Streams of evidence that nobody watched then. */
  readonly unwatched: readonly string[];
  readonly watching: Watching;
  readonly document: ExplainDocument;
}

export async function askExplain(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  question: ExplainAsked,
): Promise<ExplainFound> {
  const { asked, at, now } = question;
  const { life: found, others, answer } = await findLife(snapshot, visibility, question);
  const uid = found?.pod.uid ?? '';
  const move =
    found === undefined
      ? undefined
      : (await causesOf(snapshot, { pods: [uid], visibility, withMoves: true })).get(uid)?.move;
  const cameFrom = found === undefined ? undefined : await new Predecessors(snapshot, visibility).of(found);
  const known = move?.known;
  const life = known?.life ?? found;
  const all = known === undefined ? [] : evidenceOf(known);
  const verdict = move?.verdict;
  const hint = verdict === undefined || life === undefined ? undefined : hintOf(verdict, life);
  const evidence = all.filter((one) => isEvidenceVisible(one, visibility));
  const milestones = life === undefined ? [] : lifecycle(life);
  const unwatched = known?.unwatched ?? [];
  const watching = await readWatching(snapshot, { from: at, to: epochMillis(at + 1), at }, now);
  const document: ExplainDocument = {
    query: { ...clusterDocument(cluster), ...asked, at: toText(at) },
    ...narrowedDocument(visibility),
    pod: life === undefined ? null : holderDocument(life.pod),
    isAlive: life !== undefined && verdict === undefined,
    cause: verdict?.cause ?? null,
    certainty: verdict?.certainty ?? null,
    sentence: verdict?.sentence ?? null,
    ...(verdict?.actor === undefined ? {} : { actor: verdict.actor }),
    ...(hint === undefined ? {} : { hint }),
    ended: textOrNull(known?.endedAt),
    successor: successorDocument(move?.to),
    downtimeMs: move?.downtimeMs ?? null,
    predecessor: cameFrom === undefined ? null : predecessorDocument(cameFrom),
    otherLives: others.map(({ pod, created }) => ({ uid: pod.uid, node: pod.node, created: toText(created) })),
    ...(life === undefined ? NO_LIFE : lifeDocument(life)),
    evidence: evidence.map((one) => evidenceNoteDocument(one, verdict)),
    unwatched: [...unwatched],
    coverage: watchingDocument(watching),
  };
  return {
    ...{ life, verdict, hint, move, cameFrom, others, answer },
    ...{ evidence, milestones, unwatched, watching, document },
  };
}

/** All of it, each once, in the order of time. */
function evidenceOf({ pod, node, owner, workload, namespace }: Case): Evidence[] {
  const all = new Map([...pod, ...node, ...owner, ...workload, ...namespace].map((one) => [one.id, one]));
  return [...all.values()].sort((a, b) => a.at - b.at);
}

const NO_LIFE = { lifecycle: [], qosClass: null, priority: null, restarts: null, endings: [] };

/** With why its place was free. */
function predecessorDocument({ from, to, verdict }: Move): PredecessorDocument {
  const { cause, certainty, sentence } = verdict;
  return { ...holderDocument(from.pod), certain: to?.certainty === 'certain', cause, certainty, sentence };
}

/** `used`: the verdict rests on it. */
function evidenceNoteDocument(evidence: Evidence, verdict: Verdict | undefined): EvidenceNoteDocument {
  const { id, at, what, about, reason, message, by, related, count, source } = evidence;
  return {
    ...{ id, at: toText(at), what, about, reason, message, by },
    ...(related === undefined ? {} : { related }),
    ...{ count, source, used: verdict?.evidence.includes(id) ?? false },
  };
}
