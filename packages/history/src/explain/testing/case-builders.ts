// Cases for tests of checks, each with only what its test is about. The pod is shop/cart-1 on worker-2; it lives from 0 s
// and begins to end at 1000 s.
import { aHolder, aPieceOfEvidence, aPodLife, at } from '../../engines/testing/record-builders.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { ObjectReference } from '../../model/object-reference.ts';
import type { PodLife, Reason } from '../../model/pod-life.ts';
import type { Holder } from '../../model/records.ts';
import type { Case } from '../case.ts';

export const END = 1000;
const NAMESPACE = 'shop';

export function aPod(name = 'cart-1', more: Partial<Holder> = {}): Holder {
  return aHolder(name, { node: 'worker-2', workload: undefined, ...more });
}

/** A pod without an owner that somebody deletes at the end, unless more says otherwise. */
export function aLife(more: Partial<PodLife> = {}): PodLife {
  const life = aPodLife('cart-1', END, {
    pod: aPod(),
    created: at(0),
    scheduled: at(1),
    ready: at(3),
    deletion: { requested: at(END), graceSeconds: 30 },
    gone: at(END + 5),
    ...more,
  });
  const { owner: _owner, revision: _revision, ...bare } = life;
  return { ...bare, ...more };
}

/** One that ended without being deleted. */
export function terminated(phase: string, reason = '', message = '', more: Partial<PodLife> = {}): PodLife {
  return aLife({ deletion: undefined, gone: undefined, terminal: { phase, reason, message, at: at(END) }, ...more });
}

export function disrupted(reason: string, more: Partial<PodLife> = {}, seconds = END): PodLife {
  return aLife({ disruption: because(reason, seconds), ...more });
}

export function because(reason: string, seconds: number, message = ''): Reason {
  return { reason, message, at: at(seconds) };
}

export function aCase(life: PodLife, more: Partial<Case> = {}): Case {
  return {
    ...{ life, endedAt: at(END), pod: [], node: [], owner: [], workload: [], namespace: [] },
    ...{ siblings: [], unwatched: [] },
    ...more,
  };
}

export function object(kind: string, name: string, more: Partial<ObjectReference> = {}): ObjectReference {
  const namespace = kind === 'Node' || kind === 'Namespace' ? '' : NAMESPACE;
  return { kind, namespace, name, uid: `uid-${name}`, ...more };
}

export function evidence(
  about: ObjectReference,
  what: Evidence['what'],
  seconds: number,
  more: Partial<Evidence> = {},
): Evidence {
  const id = `${about.kind}/${about.name} ${what} ${more.reason ?? ''} ${seconds}`;
  return aPieceOfEvidence('x', seconds, { reason: '', message: '', by: '', ...more, id, about, what });
}

export const POD = object('Pod', 'cart-1');
export const NODE = object('Node', 'worker-2');

export function event(about: ObjectReference, by: string, reason: string, seconds: number, message = ''): Evidence {
  return evidence(about, 'event', seconds, { by, reason, message });
}
