// Which pod an `explain` is about: by its name, its UID, or an address that it had. What is no pod is refused with what to
// ask instead.
import type { Snapshot, Subject } from '../engines/snapshot.ts';
import { HistoryError } from '../errors.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { PodLife } from '../model/pod-life.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import type { Answer, AnsweredHolder } from '../query/answer.ts';
import { LONGEST_SPAN_MS } from '../query/limits.ts';
import { isHolderVisible, type Visibility } from '../query/visibility.ts';
import { who } from '../query/who.ts';
import { type Asked, type AskedPods, isWithin, subjectOf } from './asked.ts';

export interface FoundLife {
  readonly life: PodLife | undefined;
  /** Other pods that had the same name, oldest first. */
  readonly others: readonly PodLife[];
  /** Who held the address then, where one was asked about. */
  readonly answer: Answer | undefined;
}

const MOST_LIVES = 1000;

export async function findLife(
  snapshot: Snapshot,
  visibility: Visibility,
  { asked, at, now }: { readonly asked: Asked; readonly at: EpochMillis; readonly now: EpochMillis },
): Promise<FoundLife> {
  const answer = asked.by === 'ip' ? await who(snapshot, { ip: asked.ip, at, now, visibility }) : undefined;
  const subject = asked.by === 'ip' ? holderOf(asked.ip, answer) : asked;
  if (subject === undefined) return { life: undefined, others: [], answer };
  if (subject.by === 'service' || subject.by === 'workload') {
    throw new HistoryError('bad-subject', 'explain is about one pod', {
      hint: `name a pod, a UID or an address; of the pods of a workload: podtrail moves -n ${subject.namespace} -l LABELS --since 1h.`,
      parameterHint: `name a pod, a UID or an address; of all pods of the namespace ask moves, with namespace=${subject.namespace} and since=TIME.`,
    });
  }
  const span = { from: epochMillis(Math.max(0, now - LONGEST_SPAN_MS + 1)), to: epochMillis(now + 1) };
  const page = { limit: MOST_LIVES };
  const { items } = await snapshot.occurrences({ kind: 'life', subject: subjectOf(subject), span, page });
  const lives = items
    .filter((life) => isThis(life, subject) && isWithin(subject, life.pod) && isVisible(life, visibility))
    // Those that lived for long are filed under their end.
    .sort((a, b) => a.created - b.created);
  const life = lives.findLast(({ created }) => created <= at) ?? lives[0];
  return { life, others: lives.filter((one) => one !== life), answer };
}

/** A record is found by its owner, too. */
function isThis({ pod }: PodLife, subject: AskedPods): boolean {
  return subject.by === 'uid'
    ? pod.uid === subject.uid
    : pod.name === subject.name && pod.namespace === subject.namespace;
}

function isVisible({ pod, created }: PodLife, visibility: Visibility): boolean {
  return isHolderVisible(visibility, pod, { notBefore: created });
}

/** Who had the address then; where nobody had it, who had it before. */
function holderOf(ip: IpAddress, answer: Answer | undefined): Subject | undefined {
  if (answer === undefined) return undefined;
  const pods = answer.holders.filter(({ kind, hostNetwork }) => kind === 'Pod' && !hostNetwork);
  const [pod, ...others] = pods;
  if (others.length > 0) {
    const names = pods.slice(0, 3).map(({ namespace, name, uid }) => `${namespace}/${name} (uid/${uid})`);
    throw new HistoryError('ambiguous', `${ip} may have been held by any of ${pods.length} pods then`, {
      hint: `ask about one of them: ${names.join(', ')}.`,
    });
  }
  const [first] = answer.holders;
  if (pod === undefined && first !== undefined) throw noPod(ip, first);
  const held = pod ?? (answer.last?.kind === 'Pod' ? answer.last : undefined);
  return held === undefined ? undefined : { by: 'uid', uid: held.uid };
}

/** Addresses of Services and nodes, and of pods on a host network, which move for other reasons. */
function noPod(ip: IpAddress, { kind, namespace, name, node }: AnsweredHolder): HistoryError {
  if (kind === 'Service') {
    return new HistoryError(
      'bad-subject',
      `${ip} was the cluster IP of Service ${namespace}/${name}: it does not move`,
      {
        hint: `podtrail trail svc/${name} -n ${namespace} shows its addresses; podtrail moves -n ${namespace} why pods moved.`,
        parameterHint: `ask trail, with subject=svc/${name} and namespace=${namespace}, for its addresses; moves, with namespace=${namespace}, for why pods moved.`,
      },
    );
  }
  const host = kind === 'Node' ? name : node;
  return new HistoryError('bad-subject', `${ip} was the address of node ${host}, and not of one pod`, {
    hint: `podtrail node ${host} --since 1h shows who came and left, and why.`,
    parameterHint: `ask node, with node=${host} and since=TIME: it says who came and left, and why.`,
  });
}
