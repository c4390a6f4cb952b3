// A move in one line, for Events and for those who watch: who, from where to where, and why in a few words. `explain` and
// `moves` have the whole sentence. An Event is read by everybody who may read its namespace: it says how, and not by whom.
// That may be a user of the audit log, or a pod of another namespace.
import type { Case } from '../case.ts';
import type { Cause, Verdict } from '../cause.ts';
import { isOfFailedJob } from '../guide.ts';
import type { Move } from './moves.ts';

const WORDS: Readonly<Record<Cause, string>> = {
  Evicted: 'evicted',
  Taint: 'a taint of its node',
  DeviceTaint: 'a taint of its device',
  Preempted: 'preempted',
  NodePressure: 'its node was short of a resource',
  StorageLimit: 'over its limit of storage',
  KubeletPreemption: 'its kubelet made room',
  NodeShutdown: 'its node was shut down',
  Rejected: 'rejected by its kubelet',
  Deadline: 'its deadline passed',
  NodeGone: 'its node is gone',
  NodeUnreachable: 'its node was unreachable',
  Reboot: 'its node was rebooted',
  OutOfService: 'its node was out of service',
  Rollout: 'rollout',
  Restarted: 'restarted on request',
  ScaledDown: 'scaled down',
  StatefulSetUpdate: 'update',
  StatefulSetRecreated: 'made again',
  DaemonSetUpdate: 'update',
  JobCompleted: 'its job is complete',
  JobDeadline: 'the deadline of its job passed',
  Suspended: 'its job was suspended',
  OOMKilled: 'out of memory',
  Crashed: 'crashed',
  Completed: 'completed',
  OwnerDeleted: 'its owner was deleted',
  NamespaceDeleted: 'its namespace was deleted',
  DeletedOnRequest: 'deleted',
  SandboxReplaced: 'a new sandbox',
  Unknown: 'why is not known',
};

type Explained = Pick<Move, 'verdict'> & { readonly known: Pick<Case, 'node'> };

/** As in "drained", "preempted by shop/big-1". */
export function causeWords(move: Explained): string {
  const { actor } = move.verdict;
  return actor === undefined ? wordsOf(move) : `${wordsOf(move)} by ${actor}`;
}

function wordsOf({ verdict, known }: Explained): string {
  const { cause } = verdict;
  if (isOfFailedJob(verdict)) return 'its job had failed';
  return cause === 'Evicted' && isDrain(verdict, known) ? 'drained' : WORDS[cause];
}

/** Its node was being emptied: what the verdict cites says so. */
function isDrain({ evidence }: Verdict, { node }: Pick<Case, 'node'>): boolean {
  return node.some(({ id, what }) => (what === 'cordoned' || what === 'tainted') && evidence.includes(id));
}

/** "shop/kafka-0 moved node-35 → node-06: drained"; one that got another name is named behind the node. For Events. */
export function moveText(move: Pick<Move, 'from' | 'to' | 'verdict' | 'known'>): string {
  const { from, to } = move;
  const { namespace, name, node } = from.pod;
  const who = `${namespace}/${name}`;
  if (to === undefined) return `${who} left ${node || 'without a node'}: ${wordsOf(move)}`;
  const as = to.life.pod.name === name ? '' : ` as ${to.life.pod.name}`;
  const where = to.life.pod.node;
  const how =
    node === where ? `was replaced on ${where}` : `moved ${node || 'from no node'} → ${where || 'no node yet'}`;
  return `${who} ${how}${as}: ${wordsOf(move)}`;
}
