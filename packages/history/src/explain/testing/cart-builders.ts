// The Deployment cart of tests: a pod of its old ReplicaSet ends, a new one may grow.
import { at } from '../../engines/testing/record-builders.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { ObjectReference } from '../../model/object-reference.ts';
import type { PodLife } from '../../model/pod-life.ts';
import type { Workload } from '../../model/records.ts';
import { aLife, aPod, END, event, evidence, object } from './case-builders.ts';

const DEPLOYMENT: Workload = { kind: 'Deployment', name: 'cart', inferred: true };
export const CART = object('Deployment', 'cart');
export const OLD = object('ReplicaSet', 'cart-old');
export const NEW = object('ReplicaSet', 'cart-new');
export const owned = { pod: aPod('cart-1', { workload: DEPLOYMENT }), owner: OLD };
export const rolled = { ...owned, revision: 'old' };
export const ofOld = { owner: OLD, revision: 'old' };
export const deleted = event(OLD, 'replicaset-controller', 'SuccessfulDelete', END, 'Deleted pod: cart-1');

export function numbered(about: ObjectReference, reason: string, seconds: number): Evidence {
  return evidence(about, 'revision', seconds, { reason });
}

export function scaling(seconds: number, message: string): Evidence {
  return event(CART, 'deployment-controller', 'ScalingReplicaSet', seconds, message);
}

export function asked(reason: string, by: string, seconds: number, message = ''): Evidence {
  return evidence(CART, 'audited', seconds, { reason, by, message });
}

export function shrunk(about: ObjectReference, seconds: number, message: string): Evidence {
  return evidence(about, 'revision', seconds, { reason: '4', message });
}

/** Another pod of the workload that lives on. */
export function sibling(name: string, seconds: number, more: Partial<PodLife> = {}): PodLife {
  return aLife({
    ...{ pod: aPod(name, { node: 'worker-3', workload: DEPLOYMENT }), owner: NEW, revision: 'new' },
    ...{ created: at(seconds), deletion: undefined, gone: undefined },
    ...more,
  });
}
